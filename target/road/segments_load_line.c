/* The centre line of a road, cut into pieces short enough. */
#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"
#include "target/road/curve_load.h"
#include "target/road/segments_load_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586476925

static const double run_out_m = 200.0; /* straight on before the begin and behind the end */
static const double least_piece_m = 1e-3;

/* ---- where pieces end */

/* Ends of segments, and enough between for the curvature. */
static int cut_segments(struct cuts *c, const struct plan *p)
{
    int bad = cut(c, 0.0);
    for (size_t i = 0; i < p->segments && !bad; i++) {
        const struct plan_segment *s = &p->segment[i];
        double k = fabs(s->k0_1pm) > fabs(s->k1_1pm) ? s->k0_1pm : s->k1_1pm;
        double rate = (s->k1_1pm - s->k0_1pm) / s->length_m;
        int pieces = (int)ceil(s->length_m / curve_piece_m(k, rate));
        for (int n = 1; n <= pieces && !bad; n++)
            bad = cut(c, s->from_m + s->length_m * n / pieces);
    }
    return bad;
}

/* The same of a line through points: its parts, and enough between. */
static int cut_through(struct cuts *c, const struct spline *s)
{
    int bad = cut(c, 0.0);
    for (size_t i = 0; i < (s->count - 1) * SPLINE_PARTS && !bad; i++) {
        double from_m = s->s_m[i], length_m = s->s_m[i + 1] - from_m, k_1pm[3], most_1pm = 0.0;
        for (int n = 0; n <= 2; n++) {
            struct spline_point p;
            spline_along(s, from_m + 0.5 * n * length_m, &p);
            k_1pm[n] = spline_curvature_1pm(&p);
            most_1pm = at_least(most_1pm, fabs(k_1pm[n]));
        }
        double piece_m = curve_piece_m(most_1pm, (k_1pm[2] - k_1pm[0]) / length_m);
        int pieces = (int)ceil(length_m / piece_m);
        /* Parts are short where points are dense: most of their ends are no cuts then. */
        if (pieces == 1 && i % SPLINE_PARTS != SPLINE_PARTS - 1 &&
            c->s_m[c->count - 1] + 0.5 * piece_m > s->s_m[i + 1])
            continue;
        for (int n = 1; n <= pieces && !bad; n++)
            bad = cut(c, from_m + length_m * n / pieces);
    }
    return bad;
}

static int cut_all(struct cuts *c, const struct plan *p)
{
    int bad = p->segment ? cut_segments(c, p) : cut_through(c, &p->through);
    if (!bad)
        cuts_finish(c, p->length_m, least_piece_m);
    return bad;
}

/* ---- the centre line */

/* Along segments. */
static void nodes_segments(const struct plan *p, const struct cuts *c, struct curve_node *node)
{
    size_t k = 0;
    struct curve_node at = {.x_m = p->x_m, .y_m = p->y_m, .heading_rad = p->heading_rad};
    at.after_1pm = p->segment[0].k0_1pm;
    node[0] = at;
    for (size_t i = 1; i < c->count; i++) {
        double from_m = c->s_m[i - 1], to_m = c->s_m[i];
        while (k + 1 < p->segments && p->segment[k + 1].from_m <= from_m + 0.5 * least_piece_m)
            k++;
        const struct plan_segment *s = &p->segment[k];
        double rate = (s->k1_1pm - s->k0_1pm) / s->length_m;
        double k0 = s->k0_1pm + rate * (from_m - s->from_m);
        double k1 = s->k0_1pm + rate * (to_m - s->from_m);
        node[i - 1].after_1pm = k0;
        curve_advance(&at, to_m - from_m, k0, k1);
        at.s_m = to_m;
        node[i] = at;
    }
}

/* Along a line through points; a circuit ends exactly as it begins. */
static void nodes_through(const struct spline *s, const struct cuts *c, struct curve_node *node)
{
    for (size_t i = 0; i < c->count; i++) {
        struct spline_point p;
        spline_along(s, c->s_m[i], &p);
        double k = spline_curvature_1pm(&p), heading_rad = vm_atan2(p.dy, p.dx);
        if (i)
            heading_rad -= TWO_PI * rint((heading_rad - node[i - 1].heading_rad) / TWO_PI);
        node[i] = (struct curve_node){c->s_m[i], p.x_m, p.y_m, heading_rad, k, k};
    }
    struct curve_node *end = &node[c->count - 1];
    if (s->is_closed) {
        double turns = rint((end->heading_rad - node[0].heading_rad) / TWO_PI), s_m = end->s_m;
        *end = node[0];
        end->s_m = s_m;
        end->heading_rad += TWO_PI * turns;
    }
}

/* The nodes at the cuts, with a run-out at both ends of an open road; how many they are. */
static size_t make_nodes(const struct plan *p, const struct cuts *c, struct curve_node *node)
{
    size_t first = p->is_closed ? 0 : 1, last = first + c->count - 1;
    if (p->segment)
        nodes_segments(p, c, node + first);
    else
        nodes_through(&p->through, c, node + first);
    if (p->is_closed)
        return c->count;
    node[0] = node[first];
    curve_advance(&node[0], -run_out_m, 0.0, 0.0);
    node[first].before_1pm = node[last].after_1pm = 0.0;
    node[last + 1] = node[last];
    curve_advance(&node[last + 1], run_out_m, 0.0, 0.0);
    return c->count + 2;
}

static void check_closed(const struct plan *p, const struct curve_node *end,
                         const struct cfg_node *map)
{
    double gap_m = hypot(end->x_m - p->x_m, end->y_m - p->y_m);
    double turn = remainder(end->heading_rad - p->heading_rad, 2.0 * 3.14159265358979323846);
    if (!(gap_m <= 1e-3) || !(fabs(turn) <= 1e-4))
        cfg_complain(map, "closed",
                     "the road does not close: its end lies %.4g m from its begin (dx %.4f m, dy "
                     "%.4f m) and is turned by %.4f deg",
                     gap_m, end->x_m - p->x_m, end->y_m - p->y_m,
                     turn * 180.0 / 3.14159265358979323846);
}

int line_build(const struct plan *p, const struct cfg_node *map, struct curve *out)
{
    struct cuts c = {0};
    int bad = cut_all(&c, p);
    struct curve_node *node = bad ? NULL : calloc(c.count + 2, sizeof *node);
    if (node) {
        size_t count = make_nodes(p, &c, node);
        if (p->is_closed && p->segment)
            check_closed(p, &node[count - 1], map);
        bad = curve_build(node, count, p->is_closed, 0, out);
    }
    free(node);
    free(c.s_m);
    return node || bad ? bad : -ENOMEM;
}

/* From what a road file says to what a query reads. */
#include "target/model/math/scalar.h"
#include "target/road/curve_load.h"
#include "target/road/segments_load.h"
#include "target/road/segments_load_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double run_out_m = 200.0; /* straight on before the begin and behind the end */
static const double margin_m = 30.0;   /* of the grid beside the road */
static const double least_piece_m = 1e-3;
enum { PIECES_MAX = 2000000, CELLS_MAX = 2000000 };

/* ---- where pieces end */

struct cuts {
    double *s_m;
    size_t count, room;
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int cut(struct cuts *c, double s_m)
{
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 1024;
        double *more = room > PIECES_MAX ? NULL : realloc(c->s_m, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        c->s_m = more;
        c->room = room;
    }
    c->s_m[c->count++] = s_m;
    return 0;
}

static int cut_knots(struct cuts *c, const struct hermite *h)
{
    int bad = 0;
    for (size_t i = 0; i < h->count && !bad; i++)
        bad = cut(c, h->x[i]);
    return bad;
}

/* Ends of segments, and enough between for the curvature. */
static int cut_segments(struct cuts *c, const struct plan *p)
{
    int bad = cut(c, 0.0);
    for (size_t i = 0; i < p->segments && !bad; i++) {
        const struct plan_segment *s = &p->segment[i];
        double k = fabs(s->k0_1pm) > fabs(s->k1_1pm) ? s->k0_1pm : s->k1_1pm;
        int pieces = (int)ceil(s->length_m / curve_piece_m(k));
        for (int n = 1; n <= pieces && !bad; n++)
            bad = cut(c, s->from_m + s->length_m * n / pieces);
    }
    return bad;
}

static int cut_all(struct cuts *c, const struct plan *p, double length_m)
{
    int bad = cut_segments(c, p);
    bad = bad ? bad : cut_knots(c, &p->elevation);
    bad = bad ? bad : cut_knots(c, &p->bank);
    bad = bad ? bad : cut_knots(c, &p->left);
    for (size_t i = 0; i < p->areas && !bad; i++)
        bad = cut(c, p->area[i].from_m) || cut(c, p->area[i].to_m) ? -ENOMEM : 0;
    for (size_t i = 0; i < p->features && !bad; i++)
        bad = cut(c, p->feature[i].from_m) || cut(c, p->feature[i].to_m) ? -ENOMEM : 0;
    if (bad)
        return bad;
    qsort(c->s_m, c->count, sizeof *c->s_m, by_size);
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        double s_m = c->s_m[i];
        if (s_m < 0.0 || s_m > length_m || (kept && s_m < c->s_m[kept - 1] + least_piece_m))
            continue;
        c->s_m[kept++] = s_m;
    }
    c->s_m[kept - 1] = length_m; /* what was merged into the end is the end */
    c->count = kept;
    return 0;
}

/* ---- the centre line */

/* The nodes at the cuts, with a run-out at both ends of an open road. */
static size_t make_nodes(const struct plan *p, const struct cuts *c, struct curve_node *node)
{
    size_t count = 0, k = 0;
    struct curve_node at = {.x_m = p->x_m, .y_m = p->y_m, .heading_rad = p->heading_rad};
    if (!p->is_closed) {
        node[0] = at;
        curve_advance(&node[0], -run_out_m, 0.0, 0.0);
        count = 1;
    }
    at.after_1pm = p->segment[0].k0_1pm;
    node[count++] = at;
    for (size_t i = 1; i < c->count; i++) {
        double from_m = c->s_m[i - 1], to_m = c->s_m[i];
        while (k + 1 < p->segments && p->segment[k + 1].from_m <= from_m + 0.5 * least_piece_m)
            k++;
        const struct plan_segment *s = &p->segment[k];
        double rate = (s->k1_1pm - s->k0_1pm) / s->length_m;
        double k0 = s->k0_1pm + rate * (from_m - s->from_m);
        double k1 = s->k0_1pm + rate * (to_m - s->from_m);
        node[count - 1].after_1pm = k0;
        curve_advance(&at, to_m - from_m, k0, k1);
        at.s_m = to_m;
        node[count++] = at;
    }
    if (!p->is_closed) {
        node[count - 1].after_1pm = 0.0;
        at = node[count - 1];
        curve_advance(&at, run_out_m, 0.0, 0.0);
        node[count++] = at;
    }
    return count;
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

/* ---- what lies beside it */

static void linear_part(const struct hermite *h, double from_m, double to_m, double otherwise,
                        double c[2])
{
    double a = otherwise, b = otherwise, slope;
    if (h->count > 0) {
        hermite_at(h, from_m, &a, &slope);
        hermite_at(h, to_m, &b, &slope);
    }
    c[0] = 0.5 * (a + b);
    c[1] = (b - a) / (to_m - from_m);
}

static void fill_piece(const struct plan *p, const struct curve_piece *c,
                       struct segments_piece *out)
{
    double from_m = c->mid_m - c->half_m, to_m = c->mid_m + c->half_m;
    double z_m[4], bank[4];
    hermite_cubic(&p->elevation, from_m, to_m, z_m);
    hermite_cubic(&p->bank, from_m, to_m, bank);
    for (int i = 0; i < 4; i++)
        out->z_bank[i] = (v2){z_m[i], bank[i]};
    linear_part(&p->left, from_m, to_m, 5.0, out->left_m);
    linear_part(&p->right, from_m, to_m, 5.0, out->right_m);
}

/* Areas and bumps of every piece, one behind the other. */
static int share_out(const struct plan *p, struct segments *r, struct segments_piece *piece)
{
    size_t areas = 0, features = 0, room = 1;
    struct segments_area *area = NULL;
    struct segments_feature *feature = NULL;
    for (int pass = 0; pass < 2; pass++) {
        areas = features = 0;
        for (int32_t i = 0; i < r->line.count; i++) {
            double mid_m = r->line.piece[i].mid_m;
            piece[i].area = (int32_t)areas;
            piece[i].feature = (int32_t)features;
            for (size_t k = 0; k < p->areas; k++)
                if (mid_m > p->area[k].from_m && mid_m < p->area[k].to_m) {
                    if (area)
                        area[areas] = p->area[k].area;
                    areas++;
                }
            for (size_t k = 0; k < p->features; k++)
                if (mid_m > p->feature[k].from_m && mid_m < p->feature[k].to_m) {
                    if (feature)
                        feature[features] = p->feature[k];
                    features++;
                }
            piece[i].areas = (int32_t)areas - piece[i].area;
            piece[i].features = (int32_t)features - piece[i].feature;
        }
        if (pass == 1)
            break;
        room = areas + features;
        area = calloc(areas ? areas : 1, sizeof *area);
        feature = calloc(features ? features : 1, sizeof *feature);
        r->area = area;
        r->feature = feature;
        if (!area || !feature || room > PIECES_MAX)
            return -ENOMEM;
    }
    return 0;
}

static void fill_profile(const struct plan *p, struct segments *r)
{
    const struct hermite *h = &p->profile;
    if (h->count < 2)
        return;
    double width_m = (h->x[h->count - 1] - h->x[0]) / SEGMENTS_PROFILE_CELLS;
    r->profile_right_m = h->x[0];
    r->per_profile_1pm = 1.0 / width_m;
    for (int i = 0; i < SEGMENTS_PROFILE_CELLS; i++) {
        double z0, z1, m0, m1, from_m = h->x[0] + i * width_m;
        hermite_at(h, from_m, &z0, &m0);
        hermite_at(h, from_m + width_m, &z1, &m1);
        m0 *= width_m;
        m1 *= width_m;
        r->profile[i][0] = z0;
        r->profile[i][1] = m0;
        r->profile[i][2] = 3.0 * (z1 - z0) - 2.0 * m0 - m1;
        r->profile[i][3] = m0 + m1 - 2.0 * (z1 - z0);
    }
}

/* ---- the grid of nearest pieces */

struct box {
    double x0, y0, x1, y1;
};

static void size_grid(struct segments *r)
{
    struct box b = {1e300, 1e300, -1e300, -1e300};
    for (int32_t i = 0; i < r->line.count; i++) {
        double reach_m = r->line.piece[i].half_m > 50.0 ? 0.0 : r->line.piece[i].half_m;
        v2 at = r->line.piece[i].a[0];
        b.x0 = at_most(b.x0, at[0] - reach_m);
        b.x1 = at_least(b.x1, at[0] + reach_m);
        b.y0 = at_most(b.y0, at[1] - reach_m);
        b.y1 = at_least(b.y1, at[1] + reach_m);
    }
    double wide_m = b.x1 - b.x0 + 2.0 * margin_m, high_m = b.y1 - b.y0 + 2.0 * margin_m;
    double cell_m = at_least(1.0, sqrt(wide_m * high_m / CELLS_MAX));
    r->grid_x_m = b.x0 - margin_m;
    r->grid_y_m = b.y0 - margin_m;
    r->per_cell_1pm = 1.0 / cell_m;
    r->grid_columns = (int32_t)(wide_m / cell_m) + 1;
    r->grid_rows = (int32_t)(high_m / cell_m) + 1;
    r->last_column = r->grid_columns - 1;
    r->last_row = r->grid_rows - 1;
}

/* How far the centre of a cell is from the piece, squared. */
static double distance2(const struct segments *r, int32_t column, int32_t row, int32_t piece)
{
    const struct curve_piece *p = &r->line.piece[piece];
    double cell_m = 1.0 / r->per_cell_1pm;
    double dx = r->grid_x_m + (column + 0.5) * cell_m - p->a[0][0];
    double dy = r->grid_y_m + (row + 0.5) * cell_m - p->a[0][1];
    double t = between(dx * p->a[1][0] + dy * p->a[1][1], -p->half_m, p->half_m);
    dx -= t * p->a[1][0];
    dy -= t * p->a[1][1];
    return dx * dx + dy * dy;
}

/* Takes the neighbour's piece if it is nearer. */
static void ask_neighbour(const struct segments *r, int32_t *seed, int32_t column, int32_t row,
                          int32_t dc, int32_t dr)
{
    int32_t c = column + dc, w = row + dr, *own = &seed[row * r->grid_columns + column];
    if (c < 0 || c >= r->grid_columns || w < 0 || w >= r->grid_rows)
        return;
    int32_t other = seed[w * r->grid_columns + c];
    if (other >= 0 && other != *own &&
        (*own < 0 || distance2(r, column, row, other) < distance2(r, column, row, *own)))
        *own = other;
}

static void sweep(const struct segments *r, int32_t *seed, int32_t way)
{
    for (int32_t i = 0; i < r->grid_rows; i++) {
        int32_t row = way > 0 ? i : r->grid_rows - 1 - i;
        for (int32_t k = 0; k < r->grid_columns; k++) {
            int32_t column = way > 0 ? k : r->grid_columns - 1 - k;
            ask_neighbour(r, seed, column, row, -way, 0);
            ask_neighbour(r, seed, column, row, -way, -way);
            ask_neighbour(r, seed, column, row, 0, -way);
            ask_neighbour(r, seed, column, row, way, -way);
        }
        for (int32_t k = r->grid_columns - 1; k >= 0; k--) {
            int32_t column = way > 0 ? k : r->grid_columns - 1 - k;
            ask_neighbour(r, seed, column, row, way, 0);
        }
    }
}

/* Cells that the line crosses know their piece; the others learn it from their neighbours. */
static int fill_grid(struct segments *r)
{
    size_grid(r);
    size_t cells = (size_t)r->grid_columns * (size_t)r->grid_rows;
    int32_t *seed = malloc(cells * sizeof *seed);
    if (!seed)
        return -ENOMEM;
    r->seed = seed;
    memset(seed, 0xff, cells * sizeof *seed);
    for (int32_t i = 0; i < r->line.count; i++) {
        const struct curve_piece *p = &r->line.piece[i];
        double column = (p->a[0][0] - r->grid_x_m) * r->per_cell_1pm;
        double row = (p->a[0][1] - r->grid_y_m) * r->per_cell_1pm;
        if (column >= 0.0 && column < r->grid_columns && row >= 0.0 && row < r->grid_rows)
            seed[(int32_t)row * r->grid_columns + (int32_t)column] = i;
    }
    for (int n = 0; n < 2; n++) {
        sweep(r, seed, 1);
        sweep(r, seed, -1);
    }
    return 0;
}

/* ---- together */

void segments_free(struct segments *r)
{
    if (!r)
        return;
    curve_free(&r->line);
    free((void *)r->piece);
    free((void *)r->area);
    free((void *)r->feature);
    free((void *)r->seed);
    free((void *)r->rough_m);
    free(r);
}

static int build(const struct plan *p, const struct cfg_node *map, struct segments *r,
                 struct cuts *c)
{
    const struct plan_segment *last = &p->segment[p->segments - 1];
    r->length_m = last->from_m + last->length_m;
    r->friction = p->friction;
    r->friction_beside = p->friction_beside;
    int bad = cut_all(c, p, r->length_m);
    if (bad)
        return bad;
    struct curve_node *node = calloc(c->count + 2, sizeof *node);
    if (!node)
        return -ENOMEM;
    size_t count = make_nodes(p, c, node);
    if (p->is_closed)
        check_closed(p, &node[count - 1], map);
    bad = curve_build(node, count, p->is_closed, &r->line);
    free(node);
    struct segments_piece *piece = bad ? NULL : calloc((size_t)r->line.count, sizeof *piece);
    r->piece = piece;
    if (!piece)
        return -ENOMEM;
    for (int32_t i = 0; i < r->line.count; i++)
        fill_piece(p, &r->line.piece[i], &piece[i]);
    fill_profile(p, r);
    bad = share_out(p, r, piece);
    if (!bad)
        bad = fill_grid(r);
    if (!bad && p->rough_m3 > 0.0) {
        r->rough_m = rough_build(p->rough_m3, (uint64_t)p->rough_seed);
        bad = r->rough_m ? 0 : -ENOMEM;
    }
    return bad;
}

struct segments *plan_build(const struct plan *p, const struct cfg_node *map)
{
    struct cuts c = {0};
    struct segments *r = calloc(1, sizeof *r);
    if (!r || build(p, map, r, &c)) {
        cfg_complain(map, NULL, "out of memory for this road");
        segments_free(r);
        r = NULL;
    }
    free(c.s_m);
    return r;
}

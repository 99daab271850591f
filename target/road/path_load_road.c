#include "target/road/path_load_road.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The curvature in the middle of a piece has no jump; nodes lie there. A circuit ends at the node
 * where it began. */
static int along_segments(const struct segments *road, bool is_closed, struct path_nodes *nodes)
{
    int32_t piece = 0, count = road->line.count;
    for (int32_t i = 0; i < count + is_closed; i++) {
        struct curve_point p;
        curve_at(&road->line, road->line.piece[i % count].mid_m, &piece, &p);
        if (path_nodes_add(nodes, p.x_m, p.y_m, vm_atan2(p.tangent[1], p.tangent[0]),
                           p.curvature_1pm))
            return -ENOMEM;
    }
    return 0;
}

/* A place on the polygon, by the number of sides before it. */
static void on_polygon(const struct crg *c, double sides, double *xy_m)
{
    int32_t i = sides < c->parts - 1 ? (int32_t)sides : c->parts - 1;
    const struct crg_part *p = &c->part[i];
    double side_m = 1.0 / (p->b[0] * p->t[0] + p->b[1] * p->t[1]);
    xy_m[0] = p->p[0] + (sides - i) * side_m * p->t[0];
    xy_m[1] = p->p[1] + (sides - i) * side_m * p->t[1];
}

/* Smooth through corners of the polygon about 2 m apart: nearer ones would show as bends what is
 * but rounding of the file. */
static int along_crg(const struct crg *c, bool is_closed, struct path_nodes *nodes)
{
    static const double apart_m = 2.0;
    int64_t spans = (int64_t)rint((double)c->parts * at_most(c->increment_m / apart_m, 1.0));
    spans = spans < 4 ? 4 : spans;
    double *xy_m = malloc(2 * (size_t)(spans + 1) * sizeof *xy_m);
    if (!xy_m)
        return -ENOMEM;
    for (int64_t i = 0; i <= spans; i++) {
        double sides = (double)i * (double)c->parts / (double)spans;
        on_polygon(c, spans <= c->parts ? rint(sides) : sides, &xy_m[2 * i]);
    }
    int bad = path_through(xy_m, (size_t)(spans + !is_closed), is_closed, nodes);
    free(xy_m);
    return bad;
}

/* Moves all nodes to the left; a line farther away than the centre of a bend would turn round. */
static void move_left(const struct cfg_node *n, double offset_m, struct path_nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        struct curve_node *p = &nodes->node[i];
        double sine, cosine, narrower = 1.0 - offset_m * p->after_1pm;
        if (!(narrower > 0.05)) {
            cfg_complain(n, "offset_m",
                         "the road bends with a radius of %.3g m to that side at x %.1f, y %.1f: "
                         "stay nearer to its line",
                         fabs(1.0 / p->after_1pm), p->x_m, p->y_m);
            return;
        }
        vm_sincos(p->heading_rad, &sine, &cosine);
        p->x_m -= offset_m * sine;
        p->y_m += offset_m * cosine;
        p->before_1pm = p->after_1pm = p->after_1pm / narrower;
    }
}

int along_road_load(const struct cfg_node *n, const struct road *road, bool *is_closed,
                    struct path_nodes *nodes)
{
    double offset_m = 0.0;
    cfg_double(n, "offset_m", &offset_m, CFG_BETWEEN(-100.0, 100.0));
    cfg_done(n);
    if (!road || (!road->segments && !road->crg)) {
        cfg_complain(n, NULL, "the scenario's ground is a plane: there is no road to follow");
        return 0;
    }
    *is_closed = road->crg ? road->crg->is_closed : road->segments->line.is_closed;
    int bad = road->crg ? along_crg(road->crg, *is_closed, nodes)
                        : along_segments(road->segments, *is_closed, nodes);
    if (!bad && offset_m != 0.0)
        move_left(n, offset_m, nodes);
    return bad;
}

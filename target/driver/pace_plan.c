/* The speeds of a path, node by node. */
#include "target/driver/pace.h"
#include "target/model/math/scalar.h"

#include <math.h> /* fabs only */

/* A speed below it would never get anywhere. */
static const double least2 = 1.0;

/* The largest curvature from here to the next node or back from it, whatever its sign. */
static double sharpest(const struct curve *c, const struct curve_piece *q, double s_m)
{
    double bend_1pm = 0.0;
    for (int k = -2; k <= 2; k++) {
        struct curve_point at;
        int32_t piece = (int32_t)(q - c->piece);
        /* Not at the node itself: there the curvature may jump. */
        curve_at(c, s_m + q->half_m * (k < 0 ? k + 0.001 : k > 0 ? k - 0.001 : 0.001), &piece, &at);
        if (fabs(at.curvature_1pm) > fabs(bend_1pm))
            bend_1pm = at.curvature_1pm;
    }
    return bend_1pm;
}

static void place_at(const struct ground *ground, const struct path *path, int32_t node,
                     struct pace_place *out, double *s_m)
{
    const struct curve *c = &path->line;
    int32_t piece = node < c->count ? node : node - 1;
    const struct curve_piece *q = &c->piece[piece];
    struct curve_point at;
    struct ground_point g;
    *s_m = q->mid_m + (node < c->count ? -q->half_m : q->half_m);
    curve_at(c, *s_m, &piece, &at);
    at.curvature_1pm = sharpest(c, q, *s_m);
    ground->query(ground->road, at.x_m, at.y_m, &g);
    *out = (struct pace_place){
        .curvature_1pm = at.curvature_1pm,
        .friction = at_least(g.friction, 0.01) * path->grip,
        .fall = g.normal[0] * at.tangent[0] + g.normal[1] * at.tangent[1],
        .lean = g.normal[1] * at.tangent[0] - g.normal[0] * at.tangent[1],
    };
}

static void forwards(const struct pace *p, const struct ground *ground, const struct path *path,
                     double *speed2)
{
    struct pace_place here, next;
    double here_m, next_m;
    place_at(ground, path, 0, &here, &here_m);
    for (int32_t i = 1; i <= path->line.count; i++) {
        place_at(ground, path, i, &next, &next_m);
        double a = at_most(pace_drive_mps2(p, &here, speed2[i - 1]),
                           pace_drive_mps2(p, &next, speed2[i - 1]));
        double most = at_least(speed2[i - 1] + 2.0 * a * (next_m - here_m), least2);
        speed2[i] = at_most(speed2[i], most);
        here = next;
        here_m = next_m;
    }
}

static void backwards(const struct pace *p, const struct ground *ground, const struct path *path,
                      double *speed2)
{
    struct pace_place here, next;
    double here_m, next_m;
    place_at(ground, path, path->line.count, &here, &here_m);
    for (int32_t i = path->line.count - 1; i >= 0; i--) {
        place_at(ground, path, i, &next, &next_m);
        double a = at_least(at_most(pace_brake_mps2(p, &here, speed2[i + 1]),
                                    pace_brake_mps2(p, &next, speed2[i + 1])),
                            0.1);
        speed2[i] = at_most(speed2[i], speed2[i + 1] + 2.0 * a * (here_m - next_m));
        here = next;
        here_m = next_m;
    }
}

/* (D-20) */
void pace_plan(const struct pace *p, const struct ground *ground, struct path *path)
{
    if (!(path->grip > 0.0))
        return;
    double *speed2 = path->planned_m2ps2, s_m;
    int32_t last = path->line.count, loop = 0;
    while (loop < last && path->line.piece[loop].mid_m < path->line.loop_m)
        loop++;
    for (int32_t i = 0; i <= last; i++) {
        struct pace_place at;
        place_at(ground, path, i, &at, &s_m);
        speed2[i] = between(pace_turn2(p, &at), least2, path->top_mps * path->top_mps);
    }
    /* Twice round a circuit: the first time the begin does not know its end. */
    for (int lap = 0; lap < (path->line.is_closed ? 2 : 1); lap++) {
        forwards(p, ground, path, speed2);
        if (path->line.is_closed)
            speed2[loop] = at_most(speed2[loop], speed2[last]);
        backwards(p, ground, path, speed2);
        if (path->line.is_closed)
            speed2[last] = at_most(speed2[last], speed2[loop]);
    }
}

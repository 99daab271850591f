#include "target/road/path_load_nodes.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"
#include "target/road/spline_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586476925

int path_nodes_add(struct path_nodes *n, double x_m, double y_m, double heading_rad,
                   double curvature_1pm)
{
    if (n->count == n->room) {
        size_t room = n->room ? 2 * n->room : 1024;
        struct curve_node *more = realloc(n->node, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        n->node = more;
        n->room = room;
    }
    n->node[n->count++] = (struct curve_node){.x_m = x_m,
                                              .y_m = y_m,
                                              .heading_rad = heading_rad,
                                              .before_1pm = curvature_1pm,
                                              .after_1pm = curvature_1pm};
    return 0;
}

/* The chord is shorter than its arc of the mean curvature by 1 - (k c)^2 / 24. */
void path_nodes_lengths(struct path_nodes *n)
{
    for (size_t i = 1; i < n->count; i++) {
        struct curve_node *a = &n->node[i - 1], *b = &n->node[i];
        double chord_m = hypot(b->x_m - a->x_m, b->y_m - a->y_m);
        double k = 0.5 * (a->after_1pm + b->before_1pm);
        b->s_m = a->s_m + chord_m * (1.0 + k * k * chord_m * chord_m / 24.0);
        b->heading_rad -= TWO_PI * rint((b->heading_rad - a->heading_rad) / TWO_PI);
    }
}

int path_through(const double *xy_m, size_t count, bool is_closed, struct path_nodes *n)
{
    struct spline s;
    int bad = spline_build(xy_m, count, is_closed, &s);
    for (size_t i = 0; !bad && i < s.count; i++) {
        struct spline_point p;
        bool is_last = !is_closed && i + 1 == s.count; /* the end of the last span */
        spline_at(&s, is_last ? i - 1 : i, is_last ? 1.0 : 0.0, &p);
        bad = path_nodes_add(n, p.x_m, p.y_m, vm_atan2(p.dy, p.dx), spline_curvature_1pm(&p));
    }
    spline_free(&s);
    return bad;
}

/* What is left of an acceleration while the path takes its share: an ellipse. */
static double left_over(double most_mps2, double lateral_mps2, double speed2, double curvature)
{
    double used = speed2 * fabs(curvature) / lateral_mps2;
    return most_mps2 * sqrt(at_least(1.0 - used * used, 0.0));
}

void path_speeds(const struct curve_node *node, size_t count, bool is_closed, double lateral_mps2,
                 double drive_mps2, double brake_mps2, double top_mps, double *speed2)
{
    for (size_t i = 0; i < count; i++) {
        double k = at_least(fabs(node[i].before_1pm), fabs(node[i].after_1pm));
        speed2[i] = at_most(top_mps * top_mps, lateral_mps2 / at_least(k, 1e-9));
    }
    /* Twice round a circuit: the first time the begin does not know its end. */
    for (int lap = 0; lap < (is_closed ? 2 : 1); lap++) {
        for (size_t i = 1; i < count; i++) {
            double a = left_over(drive_mps2, lateral_mps2, speed2[i - 1], node[i - 1].after_1pm);
            speed2[i] =
                at_most(speed2[i], speed2[i - 1] + 2.0 * a * (node[i].s_m - node[i - 1].s_m));
        }
        if (is_closed)
            speed2[0] = at_most(speed2[0], speed2[count - 1]);
        for (size_t i = count - 1; i-- > 0;) {
            double a = left_over(brake_mps2, lateral_mps2, speed2[i + 1], node[i + 1].before_1pm);
            speed2[i] =
                at_most(speed2[i], speed2[i + 1] + 2.0 * a * (node[i + 1].s_m - node[i].s_m));
        }
        if (is_closed)
            speed2[count - 1] = at_most(speed2[count - 1], speed2[0]);
    }
}

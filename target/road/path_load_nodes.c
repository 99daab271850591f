#include "target/road/path_load_nodes.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

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

/* Second derivatives of a cubic spline: tridiagonal, for a closed curve solved with its ends
 * repeated so often that they no longer matter. */
static void second_derivatives(const double *t, const double *x, size_t count, double *m, double *u)
{
    m[0] = u[0] = 0.0;
    for (size_t i = 1; i + 1 < count; i++) {
        double left = t[i] - t[i - 1], right = t[i + 1] - t[i], both = left + right;
        double share = left / both, p = share * m[i - 1] + 2.0;
        m[i] = (share - 1.0) / p;
        double bend = (x[i + 1] - x[i]) / right - (x[i] - x[i - 1]) / left;
        u[i] = (6.0 * bend / both - share * u[i - 1]) / p;
    }
    m[count - 1] = 0.0;
    for (size_t i = count - 1; i-- > 0;)
        m[i] = m[i] * m[i + 1] + u[i];
}

enum { REPEATED = 12 };

/* First and second derivative in the middle of nowhere: at knot i. */
static void at_knot(const double *t, const double *x, const double *m, size_t i, double *first)
{
    double h = t[i + 1] - t[i];
    *first = (x[i + 1] - x[i]) / h - h * (2.0 * m[i] + m[i + 1]) / 6.0;
}

int path_through(const double *xy_m, size_t count, bool is_closed, struct path_nodes *n)
{
    size_t extra = is_closed ? REPEATED : 0, total = count + 2 * extra + (is_closed ? 1 : 0);
    double *work = malloc(7 * total * sizeof *work);
    if (!work)
        return -ENOMEM;
    double *t = work, *x = t + total, *y = x + total, *mx = y + total, *my = mx + total;
    for (size_t i = 0; i < total; i++) {
        size_t k = is_closed ? (i + count * REPEATED - extra) % count : i;
        x[i] = xy_m[2 * k];
        y[i] = xy_m[2 * k + 1];
        t[i] = i ? t[i - 1] + at_least(hypot(x[i] - x[i - 1], y[i] - y[i - 1]), 1e-6) : 0.0;
    }
    second_derivatives(t, x, total, mx, my + total);
    second_derivatives(t, y, total, my, my + total);
    int bad = 0;
    size_t last = is_closed ? extra + count : total - 2;
    for (size_t i = extra; i <= last && !bad; i++) {
        double dx, dy;
        at_knot(t, x, mx, i, &dx);
        at_knot(t, y, my, i, &dy);
        double speed = sqrt(dx * dx + dy * dy);
        bad = path_nodes_add(n, x[i], y[i], vm_atan2(dy, dx),
                             (dx * my[i] - dy * mx[i]) / (speed * speed * speed));
    }
    free(work);
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

#include "target/road/spline_load.h"

#include "target/model/math/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The ends of a closed curve are repeated so often that what is assumed there no longer matters. */
enum { REPEATED = 12 };

/* Second derivatives of a cubic spline: tridiagonal; 0 at both ends. */
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

int spline_build(const double *xy_m, size_t count, bool is_closed, struct spline *s)
{
    size_t extra = is_closed ? REPEATED : 0, total = count + 2 * extra + (is_closed ? 1 : 0);
    *s = (struct spline){.first = extra, .count = count + is_closed, .is_closed = is_closed};
    s->t = malloc(6 * total * sizeof *s->t);
    if (!s->t)
        return -ENOMEM;
    s->x = s->t + total;
    s->y = s->x + total;
    s->mx = s->y + total;
    s->my = s->mx + total;
    for (size_t i = 0; i < total; i++) {
        size_t k = is_closed ? (i + count * REPEATED - extra) % count : i;
        s->x[i] = xy_m[2 * k];
        s->y[i] = xy_m[2 * k + 1];
        double chord_m = i ? hypot(s->x[i] - s->x[i - 1], s->y[i] - s->y[i - 1]) : 0.0;
        s->t[i] = i ? s->t[i - 1] + at_least(chord_m, 1e-6) : 0.0;
    }
    second_derivatives(s->t, s->x, total, s->mx, s->my + total);
    second_derivatives(s->t, s->y, total, s->my, s->my + total);
    return 0;
}

void spline_free(struct spline *s)
{
    free(s->t);
    free(s->s_m);
    *s = (struct spline){0};
}

/* Value and derivatives of one coordinate at a length behind knot i. */
static void along_span(const double *t, const double *x, const double *m, size_t i, double behind,
                       double f[3])
{
    double h = t[i + 1] - t[i], bend = (m[i + 1] - m[i]) / h;
    double first = (x[i + 1] - x[i]) / h - h * (2.0 * m[i] + m[i + 1]) / 6.0;
    f[0] = x[i] + behind * (first + behind * (0.5 * m[i] + behind * (bend / 6.0)));
    f[1] = first + behind * (m[i] + behind * (0.5 * bend));
    f[2] = m[i] + behind * bend;
}

void spline_at(const struct spline *s, size_t point, double u, struct spline_point *out)
{
    double fx[3], fy[3];
    size_t i = s->first + point;
    double behind = u * (s->t[i + 1] - s->t[i]);
    along_span(s->t, s->x, s->mx, i, behind, fx);
    along_span(s->t, s->y, s->my, i, behind, fy);
    *out = (struct spline_point){fx[0], fy[0], fx[1], fy[1], fx[2], fy[2]};
}

double spline_curvature_1pm(const struct spline_point *p)
{
    double speed = sqrt(p->dx * p->dx + p->dy * p->dy);
    return (p->dx * p->ddy - p->dy * p->ddx) / (speed * speed * speed);
}

/* Arc length of a part of a span from share u0 to u1: Gauss-Legendre with five points. */
static double part_m(const struct spline *s, size_t point, double u0, double u1)
{
    static const double node[5] = {-0.9061798459386640, -0.5384693101056831, 0.0,
                                   0.5384693101056831, 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    double sum = 0.0, span = s->t[s->first + point + 1] - s->t[s->first + point];
    for (int k = 0; k < 5; k++) {
        struct spline_point p;
        spline_at(s, point, 0.5 * (u0 + u1) + 0.5 * (u1 - u0) * node[k], &p);
        sum += weight[k] * hypot(p.dx, p.dy);
    }
    return 0.5 * (u1 - u0) * span * sum;
}

int spline_measure(struct spline *s)
{
    size_t parts = (s->count - 1) * SPLINE_PARTS;
    s->s_m = malloc((parts + 1) * sizeof *s->s_m);
    if (!s->s_m)
        return -ENOMEM;
    s->s_m[0] = 0.0;
    for (size_t i = 0; i < parts; i++) {
        double u = (double)(i % SPLINE_PARTS) / SPLINE_PARTS;
        s->s_m[i + 1] = s->s_m[i] + part_m(s, i / SPLINE_PARTS, u, u + 1.0 / SPLINE_PARTS);
    }
    return 0;
}

double spline_length_m(const struct spline *s, size_t point)
{
    return s->s_m[point * SPLINE_PARTS];
}

void spline_along(const struct spline *s, double s_m, struct spline_point *out)
{
    size_t low = 0, high = (s->count - 1) * SPLINE_PARTS;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (s_m >= s->s_m[middle])
            low = middle;
        else
            high = middle;
    }
    size_t point = low / SPLINE_PARTS;
    double u0 = (double)(low % SPLINE_PARTS) / SPLINE_PARTS, want_m = s_m - s->s_m[low];
    double u = u0 + want_m / (s->s_m[high] - s->s_m[low]) / SPLINE_PARTS;
    double span = s->t[s->first + point + 1] - s->t[s->first + point];
    for (int n = 0; n < 4; n++) { /* Newton; the first guess is good to some thousandths */
        spline_at(s, point, u, out);
        u += (want_m - part_m(s, point, u0, u)) / (span * at_least(hypot(out->dx, out->dy), 1e-3));
    }
    spline_at(s, point, u, out);
}

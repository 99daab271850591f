/* The foot of a perpendicular, inlined where it is asked for a thousand times a second and wheel.
 */
#ifndef SKIDPAD_ROAD_CURVE_KERNEL_H
#define SKIDPAD_ROAD_CURVE_KERNEL_H

#include "target/model/math/scalar.h"
#include "target/road/curve.h"

/* Foot of the perpendicular from a place near the curve. */
struct curve_foot {
    v2 tangent;      /* unit vector to rounding of the pieces */
    double t_m;      /* arc length from the middle of the piece */
    double n_m;      /* offset to the left */
    double per_bend; /* 1 / (1 - curvature n): arc length on the curve over that there; <= 20 */
    int32_t piece;
};

static inline double dot(v2 a, v2 b)
{
    v2 p = a * b;
    return p[0] + p[1];
}

/* a x b: positive if b points to the left of a. */
static inline double cross(v2 a, v2 b)
{
    return a[0] * b[1] - a[1] * b[0];
}

static inline v2 both(double x)
{
    return (v2){x, x};
}

/* All three at once by Horner's scheme; second is half of the second derivative. */
static inline void expand(const struct curve_piece *p, double t_m, v2 *at, v2 *along, v2 *second)
{
    v2 t = both(t_m), f = p->a[5], g = p->a[5], h = p->a[5];
    f = p->a[4] + t * f;
    g = f + t * g;
    h = g + t * h;
    f = p->a[3] + t * f;
    g = f + t * g;
    h = g + t * h;
    f = p->a[2] + t * f;
    g = f + t * g;
    *second = g + t * h;
    f = p->a[1] + t * f;
    *along = f + t * g;
    *at = p->a[0] + t * f;
}

/* the first guess takes the piece as the circle that touches it in the middle; then one step
 * of Newton's method, with place and tangent carried along by their derivatives. */
static inline struct curve_foot curve_foot(const struct curve *c, int32_t piece, int steps,
                                           double x_m, double y_m)
{
    const v2 q = {x_m, y_m};
    const struct curve_piece *p = &c->piece[piece];
    double t_m, bend;
    for (int n = 0;; n++) {
        v2 d = q - p->a[0];
        bend = at_least(1.0 - p->curvature_1pm * cross(p->a[1], d), 0.05);
        t_m = dot(p->a[1], d);
        double reach_m = p->half_m * bend;
        int32_t next = t_m > reach_m ? p->next : t_m < -reach_m ? p->before : piece;
        if (next == piece || n >= steps)
            break;
        piece = next;
        p = &c->piece[piece];
    }
    if (p->curvature_1pm == 0.0)
        return (struct curve_foot){.tangent = p->a[1],
                                   .t_m = t_m,
                                   .n_m = cross(p->a[1], q - p->a[0]),
                                   .per_bend = 1.0,
                                   .piece = piece};
    t_m /= bend;
    double turn = p->curvature_1pm * t_m;
    t_m -= t_m * turn * turn * (1.0 / 3.0);
    v2 at, along, second;
    expand(p, t_m, &at, &along, &second);
    v2 d = q - at;
    double inverse = 1.0 / at_least(dot(along, along) - 2.0 * dot(d, second), 0.05);
    double step_m = dot(d, along) * inverse;
    v2 step = both(step_m);
    d -= step * (along + step * second);
    along += step * (second + second);
    return (struct curve_foot){.tangent = along,
                               .t_m = t_m + step_m,
                               .n_m = cross(along, d),
                               .per_bend = inverse,
                               .piece = piece};
}

#endif

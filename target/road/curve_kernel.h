/* The foot of a perpendicular; for queries. */
#ifndef SKIDPAD_ROAD_CURVE_KERNEL_H
#define SKIDPAD_ROAD_CURVE_KERNEL_H

#include "target/road/curve.h"
#include "target/road/pair_kernel.h"

/* Foot of the perpendicular from a place near the curve. */
struct curve_foot {
    v2 tangent;      /* unit vector to rounding of the pieces */
    double t_m;      /* arc length from the middle of the piece */
    double n_m;      /* offset to the left */
    double per_bend; /* 1 / (1 - curvature n): arc length on the curve over that there; <= 20 */
    int32_t piece;
};

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

/* the first guess takes the normals at both ends of the piece, between which the place lies;
 * then one step of Newton's method, with place and tangent carried along by their derivatives. */
static inline struct curve_foot curve_foot(const struct curve *c, int32_t piece, int steps,
                                           v2 place_m)
{
    const v2 x = both(place_m[0]), y = both(place_m[1]);
    const struct curve_piece *p = &c->piece[piece];
    v2 gap_m; /* to the end, from the begin */
    for (int n = 0;; n++) {
        gap_m = p->ends[0] + x * p->ends[1] + y * p->ends[2];
        int out = signs(gap_m);
        if (out == 0 || n >= steps)
            break;
        int32_t next = p->to[out];
        if (next == piece)
            break;
        piece = next;
        p = &c->piece[piece];
    }
    if (p->is_straight) {
        v2 d = place_m - p->a[0];
        return (struct curve_foot){.tangent = p->a[1],
                                   .t_m = dot(p->a[1], d),
                                   .n_m = cross(p->a[1], d),
                                   .per_bend = 1.0,
                                   .piece = piece};
    }
    double share = (gap_m[1] - gap_m[0]) / (gap_m[0] + gap_m[1]);
    double t_m = p->half_m * inside(share, -1.0, 1.0);
    v2 at, along, second;
    expand(p, t_m, &at, &along, &second);
    v2 d = place_m - at, twice = second + second;
    /* What has to vanish, and the rate at which t lets it. */
    v2 miss = sums(d * along, along * along - d * twice);
    double inverse = 1.0 / above(miss[1], 0.05), step_m = miss[0] * inverse;
    v2 step = both(step_m);
    d -= step * (along + step * second);
    along += step * twice;
    return (struct curve_foot){.tangent = along,
                               .t_m = t_m + step_m,
                               .n_m = cross(along, d),
                               .per_bend = inverse,
                               .piece = piece};
}

#endif

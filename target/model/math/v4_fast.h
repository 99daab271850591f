/* atan, sin and cos for formulas that need many of them: half the instructions of the general
 * functions, inlined. Only correctly rounded operations in a fixed order, so the same bits
 * everywhere. The coefficients are minimax fits made for this project (Remez exchange, 60 digits):
 * the relative error of the fit is 3.4e-15 for atan and 1.6e-16 for sin on the stated range. */
#ifndef SKIDPAD_MODEL_MATH_V4_FAST_H
#define SKIDPAD_MODEL_MATH_V4_FAST_H

#include "target/model/math/v4.h"

#define V4_PI      3.141592653589793
#define V4_HALF_PI 1.5707963267948966

/* Any argument, infinities included. With t = |x| or -1/|x|, whichever is within 1, and z = t t:
 * atan t = t + t z P(z) / Q(z). */
V4_INLINE v4 v4_fast_atan(v4 x)
{
    v4 a = v4_abs(x);
    v4_mask steep = a > 1.0;
    v4 t = v4_pick(steep, -1.0 / a, a);
    v4 z = t * t;
    v4 p = -0.0030056846110907703 * z - 0.064554393786759619;
    p = p * z - 0.33441512100416340;
    p = p * z - 0.59408700204452682;
    p = p * z - 0.33333333333262955;
    v4 q = 0.0033955082809130046 * z + 0.096574312242835059;
    q = q * z + 0.70844579685443529;
    q = q * z + 2.0040305414233556;
    q = q * z + 2.3822610059897034;
    q = q * z + 1.0;
    v4 y = t + t * z * (p / q);
    y += (v4)((v4_mask)v4_all(V4_HALF_PI) & steep);
    return v4_sign_of(y, x);
}

/* The angle of (x, y), -pi to pi; 0 for (0, 0). */
V4_INLINE v4 v4_fast_atan2(v4 y, v4 x)
{
    v4 ax = v4_abs(x), ay = v4_abs(y);
    v4_mask steep = ay > ax;
    v4 low = v4_pick(steep, ax, ay), high = v4_pick(steep, ay, ax);
    v4 t = v4_pick(high > 0.0, low / high, v4_all(0.0));
    v4 a = v4_fast_atan(t);
    a = v4_pick(steep, V4_HALF_PI - a, a);
    a = v4_pick(x < 0.0, V4_PI - a, a);
    return v4_sign_of(a, y);
}

/* For |x| <= 3/2 pi, not checked. */
V4_INLINE v4 v4_fast_sin(v4 x)
{
    v4 a = v4_abs(x);
    v4 r = v4_min(a, V4_PI - a);
    v4 z = r * r;
    v4 p = -7.3733150411800809e-13 * z + 1.6048093020158970e-10;
    p = p * z - 2.5051880198764535e-8;
    p = p * z + 2.7557316599396810e-6;
    p = p * z - 1.9841269825047377e-4;
    p = p * z + 0.0083333333332855110;
    p = p * z - 0.16666666666666186;
    v4 y = r + r * z * p;
    return (v4)((v4_mask)y ^ ((v4_mask)x & (-0x7fffffffffffffffLL - 1)));
}

/* For |x| <= 3 pi, not checked: 1 - 2 sin^2(x/2), exact at 0. */
V4_INLINE v4 v4_fast_cos(v4 x)
{
    v4 s = v4_fast_sin(0.5 * x);
    return 1.0 - 2.0 * s * s;
}

#endif

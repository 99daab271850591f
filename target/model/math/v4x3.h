/* Four vectors of three, one a wheel: what vec3.h is for one. For .c files of the model only, as
 * v4.h. */
#ifndef SKIDPAD_MODEL_MATH_V4X3_H
#define SKIDPAD_MODEL_MATH_V4X3_H

#include "target/model/math/v4.h"
#include "target/model/math/vec3.h"

struct v4x3 {
    v4 x, y, z;
};

V4_INLINE struct v4x3 w3(v4 x, v4 y, v4 z)
{
    return (struct v4x3){x, y, z};
}

/* The same vector for all wheels. */
V4_INLINE struct v4x3 w3_all(struct vec3 a)
{
    return w3(v4_all(a.x), v4_all(a.y), v4_all(a.z));
}

V4_INLINE struct v4x3 w3_add(struct v4x3 a, struct v4x3 b)
{
    return w3(a.x + b.x, a.y + b.y, a.z + b.z);
}

V4_INLINE struct v4x3 w3_sub(struct v4x3 a, struct v4x3 b)
{
    return w3(a.x - b.x, a.y - b.y, a.z - b.z);
}

V4_INLINE struct v4x3 w3_scale(v4 s, struct v4x3 a)
{
    return w3(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
V4_INLINE struct v4x3 w3_madd(struct v4x3 a, v4 s, struct v4x3 b)
{
    return w3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

V4_INLINE v4 w3_dot(struct v4x3 a, struct v4x3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

V4_INLINE struct v4x3 w3_cross(struct v4x3 a, struct v4x3 b)
{
    return w3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* R a */
V4_INLINE struct v4x3 w3_turn(const struct mat3 *R, struct v4x3 a)
{
    return w3(R->r0.x * a.x + R->r0.y * a.y + R->r0.z * a.z,
              R->r1.x * a.x + R->r1.y * a.y + R->r1.z * a.z,
              R->r2.x * a.x + R->r2.y * a.y + R->r2.z * a.z);
}

/* R^T a */
V4_INLINE struct v4x3 w3_turn_back(const struct mat3 *R, struct v4x3 a)
{
    return w3(R->r0.x * a.x + R->r1.x * a.y + R->r2.x * a.z,
              R->r0.y * a.x + R->r1.y * a.y + R->r2.y * a.z,
              R->r0.z * a.x + R->r1.z * a.y + R->r2.z * a.z);
}

/* The sums of the four lanes of a, b, c and d; each (0 + 1) + (2 + 3). */
V4_INLINE v4 v4_sums(v4 a, v4 b, v4 c, v4 d)
{
#ifdef __AVX__
    __m256d ab = _mm256_hadd_pd((__m256d)a, (__m256d)b); /* a01 b01 a23 b23 */
    __m256d cd = _mm256_hadd_pd((__m256d)c, (__m256d)d);
    __m256d low = _mm256_blend_pd(ab, cd, 0xc);          /* a01 b01 c23 d23 */
    __m256d high = _mm256_permute2f128_pd(ab, cd, 0x21); /* a23 b23 c01 d01 */
    return (v4)_mm256_add_pd(low, high);
#else
    return (v4){(a[0] + a[1]) + (a[2] + a[3]), (b[0] + b[1]) + (b[2] + b[3]),
                (c[0] + c[1]) + (c[2] + c[3]), (d[0] + d[1]) + (d[2] + d[3])};
#endif
}

V4_INLINE struct vec3 w3_sum(struct v4x3 a)
{
    v4 s = v4_sums(a.x, a.y, a.z, a.z);
    return v3(s[0], s[1], s[2]);
}

/* Lanes of four values become four values of one lane each: out k has lane k of a, b, c, d. */
V4_INLINE void v4_transpose(v4 *a, v4 *b, v4 *c, v4 *d)
{
    v4 ta = *a, tb = *b, tc = *c, td = *d;
#ifdef __AVX__
    __m256d ab0 = _mm256_unpacklo_pd((__m256d)ta, (__m256d)tb); /* a0 b0 a2 b2 */
    __m256d ab1 = _mm256_unpackhi_pd((__m256d)ta, (__m256d)tb); /* a1 b1 a3 b3 */
    __m256d cd0 = _mm256_unpacklo_pd((__m256d)tc, (__m256d)td);
    __m256d cd1 = _mm256_unpackhi_pd((__m256d)tc, (__m256d)td);
    *a = (v4)_mm256_permute2f128_pd(ab0, cd0, 0x20);
    *b = (v4)_mm256_permute2f128_pd(ab1, cd1, 0x20);
    *c = (v4)_mm256_permute2f128_pd(ab0, cd0, 0x31);
    *d = (v4)_mm256_permute2f128_pd(ab1, cd1, 0x31);
#else
    *a = (v4){ta[0], tb[0], tc[0], td[0]};
    *b = (v4){ta[1], tb[1], tc[1], td[1]};
    *c = (v4){ta[2], tb[2], tc[2], td[2]};
    *d = (v4){ta[3], tb[3], tc[3], td[3]};
#endif
}

V4_INLINE v4 v4_clamp01(v4 x)
{
    return v4_clamp(x, v4_all(0.0), v4_all(1.0));
}

#endif

/* Four doubles, one a wheel, as one value: formulas over the four wheels read like scalar ones.
 *
 * The compiler lowers the vector type to what the file is compiled for: one AVX register, two of
 * SSE2, or plain scalars elsewhere. Only + - * / sqrt, comparisons and bit selection are used, each
 * correctly rounded, and SLEEF's consistent functions, so every lowering gives the same bits.
 * For .c files of the model only: passing a v4 between files would depend on their options. */
#ifndef SKIDPAD_MODEL_MATH_V4_H
#define SKIDPAD_MODEL_MATH_V4_H

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <sleef.h>

#include <math.h>
#include <string.h>

/* All functions here are inlined, so the calling convention that this warns about is not used
 * (gcc's note of the same name needs -Wno-psabi on the command line). */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi"
#endif

#define V4_INLINE static inline __attribute__((always_inline, unused))

typedef double v4 __attribute__((vector_size(32)));
typedef long long v4_mask __attribute__((vector_size(32))); /* all bits of a lane, or none */

V4_INLINE v4 v4_all(double x)
{
    return (v4){x, x, x, x};
}

V4_INLINE v4 v4_load(const double x[4])
{
    v4 y;
    memcpy(&y, x, sizeof y);
    return y;
}

V4_INLINE void v4_store(double y[4], v4 x)
{
    memcpy(y, &x, sizeof x);
}

/* a where the mask is set, else b. */
V4_INLINE v4 v4_pick(v4_mask mask, v4 a, v4 b)
{
#ifdef __AVX__
    return (v4)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (v4)(((v4_mask)a & mask) | ((v4_mask)b & ~mask));
#endif
}

V4_INLINE v4 v4_abs(v4 x)
{
    return (v4)((v4_mask)x & 0x7fffffffffffffffLL);
}

/* The magnitude of x with the sign of s; the sign of zero counts. */
V4_INLINE v4 v4_sign_of(v4 x, v4 s)
{
    return (v4)(((v4_mask)x & 0x7fffffffffffffffLL) | ((v4_mask)s & (-0x7fffffffffffffffLL - 1)));
}

V4_INLINE v4 v4_min(v4 a, v4 b)
{
#ifdef __AVX__
    return (v4)_mm256_min_pd((__m256d)a, (__m256d)b); /* a < b ? a : b, also for NaN */
#else
    return v4_pick(a < b, a, b);
#endif
}

V4_INLINE v4 v4_max(v4 a, v4 b)
{
#ifdef __AVX__
    return (v4)_mm256_max_pd((__m256d)a, (__m256d)b); /* a > b ? a : b, also for NaN */
#else
    return v4_pick(a > b, a, b);
#endif
}

V4_INLINE v4 v4_clamp(v4 x, v4 low, v4 high)
{
    return v4_min(v4_max(x, low), high);
}

/* Applies a two-wide SSE2 or a scalar function to all lanes. */
#if defined(__x86_64__)
#define V4_BY_PAIRS(f, x)                                                                          \
    __m128d pair_lo_ = {(x)[0], (x)[1]}, pair_hi_ = {(x)[2], (x)[3]};                              \
    pair_lo_ = f(pair_lo_);                                                                        \
    pair_hi_ = f(pair_hi_);                                                                        \
    return (v4)                                                                                    \
    {                                                                                              \
        pair_lo_[0], pair_lo_[1], pair_hi_[0], pair_hi_[1]                                         \
    }
#endif
#define V4_BY_LANES(f, x)                                                                          \
    return (v4)                                                                                    \
    {                                                                                              \
        f((x)[0]), f((x)[1]), f((x)[2]), f((x)[3])                                                 \
    }

V4_INLINE v4 v4_sqrt(v4 x)
{
#if defined(__AVX__)
    return (v4)_mm256_sqrt_pd((__m256d)x);
#elif defined(__x86_64__)
    V4_BY_PAIRS(_mm_sqrt_pd, x);
#else
    V4_BY_LANES(sqrt, x);
#endif
}

#define V4_SLEEF(name, sleef, accuracy)                                                            \
    V4_INLINE v4 name(v4 x)                                                                        \
    {                                                                                              \
        V4_SLEEF_BODY(sleef, accuracy);                                                            \
    }
#if defined(__AVX__)
#define V4_SLEEF_BODY(f, u) return (v4)Sleef_cinz_##f##d4_##u##avx((__m256d)x)
#elif defined(__x86_64__)
#define V4_SLEEF_BODY(f, u) V4_BY_PAIRS(Sleef_cinz_##f##d2_##u##sse2, x)
#else
#define V4_SLEEF_BODY(f, u) V4_BY_LANES(Sleef_cinz_##f##d1_##u##purec, x)
#endif

V4_SLEEF(v4_sin, sin, u35)
V4_SLEEF(v4_cos, cos, u10) /* not u35: its scalar form differs in the last bit for tiny x */
V4_SLEEF(v4_atan, atan, u35)
V4_SLEEF(v4_exp, exp, u10)
V4_SLEEF(v4_log, log, u35)

#endif

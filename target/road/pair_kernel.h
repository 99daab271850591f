/* Arithmetic with pairs, and numbers kept inside their limits; for queries. One instruction each,
 * or a few, and the same bits with AVX and without. */
#ifndef SKIDPAD_ROAD_PAIR_KERNEL_H
#define SKIDPAD_ROAD_PAIR_KERNEL_H

#include "target/model/math/scalar.h"
#include "target/road/pair.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static inline v2 both(double x)
{
    return (v2){x, x};
}

static inline v2 swapped(v2 a)
{
    return (v2){a[1], a[0]};
}

/* The sum of the numbers of a, and that of b. */
static inline v2 sums(v2 a, v2 b)
{
    return (v2){a[0], b[0]} + (v2){a[1], b[1]};
}

static inline double dot(v2 a, v2 b)
{
    v2 p = a * b, sum = p + swapped(p);
    return sum[0];
}

/* a x b: positive if b points to the left of a. */
static inline double cross(v2 a, v2 b)
{
    v2 p = a * swapped(b), gap = p - swapped(p);
    return gap[0];
}

#if defined(__x86_64__)

/* A register that begins with x; the rest of it is not looked at. gcc would clear that. */
static inline __m128d begins_with(double x)
{
#if defined(__clang__)
    return _mm_set_sd(x);
#else
    __m128d whole;
    __asm__("" : "=x"(whole) : "0"(x));
    return whole;
#endif
}

/* NaN becomes low. */
static inline double above(double x, double low)
{
    return _mm_cvtsd_f64(_mm_max_sd(begins_with(x), _mm_set_sd(low)));
}

/* NaN becomes high. */
static inline double inside(double x, double low, double high)
{
    __m128d y = _mm_min_sd(begins_with(x), _mm_set_sd(high));
    return _mm_cvtsd_f64(_mm_max_sd(y, _mm_set_sd(low)));
}

static inline v2 pair_inside(v2 x, v2 low, v2 high)
{
    return (v2)_mm_max_pd(_mm_min_pd((__m128d)x, (__m128d)high), (__m128d)low);
}

/* Bit 0: the first number is negative; bit 1: the second is. Either way for NaN. */
static inline int signs(v2 a)
{
    return _mm_movemask_pd((__m128d)a);
}

#else

static inline double above(double x, double low)
{
    return at_least(x, low);
}

static inline double inside(double x, double low, double high)
{
    return at_least(at_most(x, high), low);
}

static inline v2 pair_inside(v2 x, v2 low, v2 high)
{
    return (v2){inside(x[0], low[0], high[0]), inside(x[1], low[1], high[1])};
}

static inline int signs(v2 a)
{
    return (a[0] < 0.0 ? 1 : 0) + (a[1] < 0.0 ? 2 : 0);
}

#endif

/* Two numbers, neither negative, cut into whole ones and the rest. Any whole numbers if they are
 * 2^31 or more. */
struct whole {
    int32_t first, second;
    v2 part; /* the whole numbers again, to be taken off */
};

static inline struct whole whole_of(v2 x)
{
#if defined(__x86_64__)
    __m128i i = _mm_cvttpd_epi32((__m128d)x);
    int64_t both_i = _mm_cvtsi128_si64(i);
    return (struct whole){(int32_t)both_i, (int32_t)(both_i >> 32), (v2)_mm_cvtepi32_pd(i)};
#else
    v2 y = pair_inside(x, both(0.0), both(2147483647.0));
    int32_t first = (int32_t)y[0], second = (int32_t)y[1];
    return (struct whole){first, second, {(double)first, (double)second}};
#endif
}

/* x as a number from 0 to last. */
static inline int32_t cell(double x, double last)
{
    return (int32_t)inside(x, 0.0, last);
}

#endif

/* Four lanes with what every CPU of the architecture has: SSE2 on x86-64, scalars elsewhere. */
#include "target/model/math/v4.h"
#include "target/model/math/vecmath_impl.h"

void vm_sin4_base(const double x[4], double y[4])
{
    v4_store(y, v4_sin(v4_load(x)));
}

void vm_cos4_base(const double x[4], double y[4])
{
    v4_store(y, v4_cos(v4_load(x)));
}

void vm_atan4_base(const double x[4], double y[4])
{
    v4_store(y, v4_atan(v4_load(x)));
}

void vm_exp4_base(const double x[4], double y[4])
{
    v4_store(y, v4_exp(v4_load(x)));
}

#if defined(__x86_64__)

void vm_sincos4_base(const double x[4], double s[4], double c[4])
{
    Sleef___m128d_2 lo = Sleef_cinz_sincosd2_u35sse2(_mm_loadu_pd(x));
    Sleef___m128d_2 hi = Sleef_cinz_sincosd2_u35sse2(_mm_loadu_pd(x + 2));
    _mm_storeu_pd(s, lo.x);
    _mm_storeu_pd(s + 2, hi.x);
    _mm_storeu_pd(c, lo.y);
    _mm_storeu_pd(c + 2, hi.y);
}

void vm_pow4_base(const double x[4], const double p[4], double y[4])
{
    __m128d lo = Sleef_cinz_powd2_u10sse2(_mm_loadu_pd(x), _mm_loadu_pd(p));
    __m128d hi = Sleef_cinz_powd2_u10sse2(_mm_loadu_pd(x + 2), _mm_loadu_pd(p + 2));
    _mm_storeu_pd(y, lo);
    _mm_storeu_pd(y + 2, hi);
}

#else

void vm_sincos4_base(const double x[4], double s[4], double c[4])
{
    for (int i = 0; i < 4; i++) {
        Sleef_double_2 sc = Sleef_cinz_sincosd1_u35purec(x[i]);
        s[i] = sc.x;
        c[i] = sc.y;
    }
}

void vm_pow4_base(const double x[4], const double p[4], double y[4])
{
    for (int i = 0; i < 4; i++)
        y[i] = Sleef_cinz_powd1_u10purec(x[i], p[i]);
}

#endif

/* Four lanes in one AVX register. Compiled with -mavx and called only where the CPU has it. */
#include "target/model/math/vecmath_impl.h"

#ifdef __AVX__
#include "target/model/math/v4.h"

void vm_sin4_avx(const double x[4], double y[4])
{
    v4_store(y, v4_sin(v4_load(x)));
}

void vm_cos4_avx(const double x[4], double y[4])
{
    v4_store(y, v4_cos(v4_load(x)));
}

void vm_sincos4_avx(const double x[4], double s[4], double c[4])
{
    Sleef___m256d_2 sc = Sleef_cinz_sincosd4_u35avx(_mm256_loadu_pd(x));
    _mm256_storeu_pd(s, sc.x);
    _mm256_storeu_pd(c, sc.y);
}

void vm_atan4_avx(const double x[4], double y[4])
{
    v4_store(y, v4_atan(v4_load(x)));
}

void vm_exp4_avx(const double x[4], double y[4])
{
    v4_store(y, v4_exp(v4_load(x)));
}

void vm_pow4_avx(const double x[4], const double p[4], double y[4])
{
    _mm256_storeu_pd(y, Sleef_cinz_powd4_u10avx(_mm256_loadu_pd(x), _mm256_loadu_pd(p)));
}

#else /* another machine, or a build without -mavx: the same bits, slower */

void vm_sin4_avx(const double x[4], double y[4])
{
    vm_sin4_base(x, y);
}

void vm_cos4_avx(const double x[4], double y[4])
{
    vm_cos4_base(x, y);
}

void vm_sincos4_avx(const double x[4], double s[4], double c[4])
{
    vm_sincos4_base(x, s, c);
}

void vm_atan4_avx(const double x[4], double y[4])
{
    vm_atan4_base(x, y);
}

void vm_exp4_avx(const double x[4], double y[4])
{
    vm_exp4_base(x, y);
}

void vm_pow4_avx(const double x[4], const double p[4], double y[4])
{
    vm_pow4_base(x, p, y);
}

#endif

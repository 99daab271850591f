#include "target/model/math/vecmath.h"

#include "target/model/math/vecmath_impl.h"

#include <sleef.h>
#include <stdbool.h>

/* The compiler's run-time library asks the CPU once, before main; this only tests a bit. */
static inline bool has_avx(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx");
#else
    return false;
#endif
}

void vm_sin4(const double x[4], double y[4])
{
    if (has_avx())
        vm_sin4_avx(x, y);
    else
        vm_sin4_base(x, y);
}

void vm_cos4(const double x[4], double y[4])
{
    if (has_avx())
        vm_cos4_avx(x, y);
    else
        vm_cos4_base(x, y);
}

void vm_sincos4(const double x[4], double s[4], double c[4])
{
    if (has_avx())
        vm_sincos4_avx(x, s, c);
    else
        vm_sincos4_base(x, s, c);
}

void vm_atan4(const double x[4], double y[4])
{
    if (has_avx())
        vm_atan4_avx(x, y);
    else
        vm_atan4_base(x, y);
}

void vm_exp4(const double x[4], double y[4])
{
    if (has_avx())
        vm_exp4_avx(x, y);
    else
        vm_exp4_base(x, y);
}

void vm_pow4(const double x[4], const double p[4], double y[4])
{
    if (has_avx())
        vm_pow4_avx(x, p, y);
    else
        vm_pow4_base(x, p, y);
}

/* The scalar functions have the accuracy of the four-wide ones and give the same bits. */
double vm_sin(double x)
{
    return Sleef_cinz_sind1_u35purec(x);
}

double vm_cos(double x)
{
    return Sleef_cinz_cosd1_u10purec(x);
}

void vm_sincos(double x, double *s, double *c)
{
    Sleef_double_2 sc = Sleef_cinz_sincosd1_u35purec(x);
    *s = sc.x;
    *c = sc.y;
}

double vm_atan(double x)
{
    return Sleef_cinz_atand1_u35purec(x);
}

double vm_atan2(double y, double x)
{
    return Sleef_cinz_atan2d1_u35purec(y, x);
}

double vm_asin(double x)
{
    return Sleef_cinz_asind1_u35purec(x);
}

double vm_exp(double x)
{
    return Sleef_cinz_expd1_u10purec(x);
}

double vm_log(double x)
{
    return Sleef_cinz_logd1_u35purec(x);
}

double vm_pow(double x, double p)
{
    return Sleef_cinz_powd1_u10purec(x, p);
}

double vm_tanh(double x)
{
    return Sleef_cinz_tanhd1_u10purec(x);
}

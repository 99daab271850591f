/* Elementary functions: the same bits in every form, and right. */
#include "target/model/math/v4_fast.h"
#include "target/model/math/vecmath.h"
#include "target/model/math/vecmath_impl.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 50000 };

static const double SPECIAL[] = {0.0,    -0.0,    5e-324, -5e-324,  1e-310,    2.3e-308, -1e-16,
                                 1.0,    -1.0,    0.5,    -0.5,     1e-8,      1.570796, -3.14159,
                                 88.0,   -88.0,   709.0,  -745.2,   1e15,      -1e22,    1e300,
                                 -1e300, 0.99999, 1.0e5,  INFINITY, -INFINITY, NAN};
enum { SPECIALS = sizeof SPECIAL / sizeof SPECIAL[0] };

/* xorshift: the same draws on every machine. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Ordinary numbers, any bit pattern, and special values in turn. */
static double value(uint64_t *state, int i)
{
    uint64_t bits = draw(state);
    double x;
    switch (i % 4) {
    case 0:
        memcpy(&x, &bits, sizeof x);
        return x;
    case 1:
        return SPECIAL[bits % SPECIALS];
    case 2:
        return (double)(int64_t)bits * 1e-18; /* within 10 */
    default:
        return (double)(int64_t)bits * 1e-16; /* within 1000 */
    }
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Elsewhere vm_*4_avx are the base functions under another name. */
static bool avx_runs(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx");
#else
    return true;
#endif
}

typedef void four(const double x[4], double y[4]);
typedef double one(double x);

static void expect_same(const char *name, double x, double a, double b)
{
    if (!same(a, b))
        fail_msg("%s(%a): %a is not %a", name, x, a, b);
}

/* All forms of one function on the same draws. */
static void compare(const char *name, four *avx, four *base, four *picked, one *scalar)
{
    uint64_t state = 88172645463325252u;
    bool has_avx = avx_runs();
    for (int i = 0; i < DRAWS; i++) {
        double x[4], a[4], b[4], c[4];
        for (int k = 0; k < 4; k++)
            x[k] = value(&state, i + k);
        base(x, b);
        picked(x, c);
        if (has_avx)
            avx(x, a);
        else
            memcpy(a, b, sizeof a);
        for (int k = 0; k < 4; k++) {
            expect_same(name, x[k], a[k], b[k]);
            expect_same(name, x[k], c[k], b[k]);
            expect_same(name, x[k], scalar(x[k]), b[k]);
        }
    }
}

static void every_form_gives_the_same_bits(void **unused)
{
    (void)unused;
    compare("sin", vm_sin4_avx, vm_sin4_base, vm_sin4, vm_sin);
    compare("cos", vm_cos4_avx, vm_cos4_base, vm_cos4, vm_cos);
    compare("atan", vm_atan4_avx, vm_atan4_base, vm_atan4, vm_atan);
    compare("exp", vm_exp4_avx, vm_exp4_base, vm_exp4, vm_exp);
}

static void sincos_and_pow_give_the_same_bits_in_every_form(void **unused)
{
    (void)unused;
    uint64_t state = 88172645463325252u;
    bool has_avx = avx_runs();
    for (int i = 0; i < DRAWS; i++) {
        double x[4], p[4], s[3][4], c[3][4], y[3][4];
        for (int k = 0; k < 4; k++) {
            x[k] = value(&state, i + k);
            p[k] = value(&state, i / 4 + k);
        }
        vm_sincos4_base(x, s[0], c[0]);
        vm_sincos4(x, s[1], c[1]);
        vm_pow4_base(x, p, y[0]);
        vm_pow4(x, p, y[1]);
        if (has_avx) {
            vm_sincos4_avx(x, s[2], c[2]);
            vm_pow4_avx(x, p, y[2]);
        } else {
            memcpy(s[2], s[0], sizeof s[0]);
            memcpy(c[2], c[0], sizeof c[0]);
            memcpy(y[2], y[0], sizeof y[0]);
        }
        for (int k = 0; k < 4; k++) {
            double sine, cosine;
            vm_sincos(x[k], &sine, &cosine);
            for (int form = 0; form < 3; form++) {
                expect_same("sincos.s", x[k], s[form][k], sine);
                expect_same("sincos.c", x[k], c[form][k], cosine);
                expect_same("pow", x[k], y[form][k], vm_pow(x[k], p[k]));
            }
        }
    }
}

/* |is - want| in units of the last place of want */
static double ulps(double is, double want)
{
    return fabs(is - want) / fmax(ldexp(1.0, ilogb(want) - 52), 5e-324);
}

static void results_lie_within_a_few_units_of_the_last_place_of_libm(void **unused)
{
    (void)unused;
    /* SLEEF promises 1.0 (u10) or 3.5 (u35) units; glibc is within 1 itself. */
    for (int i = 1; i < 20000; i++) {
        double x = (i - 10000) * 1.237e-3;
        if (x == 0.0)
            continue;
        assert_true(ulps(vm_sin(x), sin(x)) <= 5.0);
        assert_true(ulps(vm_cos(x), cos(x)) <= 2.0);
        assert_true(ulps(vm_atan(x), atan(x)) <= 5.0);
        assert_true(ulps(vm_exp(x), exp(x)) <= 2.0);
        assert_true(ulps(vm_log(fabs(x)), log(fabs(x))) <= 5.0);
        assert_true(ulps(vm_tanh(x), tanh(x)) <= 3.0);
        assert_true(ulps(vm_asin(x * 0.08), asin(x * 0.08)) <= 5.0);
        assert_true(ulps(vm_atan2(x, 1.5 - x), atan2(x, 1.5 - x)) <= 5.0);
        assert_true(ulps(vm_pow(fabs(x), 0.85), pow(fabs(x), 0.85)) <= 2.0);
    }
}

static void input_and_output_may_be_the_same_array(void **unused)
{
    (void)unused;
    double x[4] = {0.1, -0.2, 3.0, 1e-3}, y[4], s[4], c[4];
    vm_atan4(x, y);
    vm_sincos4(x, s, c);
    double z[4];
    memcpy(z, x, sizeof z);
    vm_atan4(z, z);
    assert_memory_equal(z, y, sizeof y);
    memcpy(z, x, sizeof z);
    vm_sincos4(z, z, c);
    assert_memory_equal(z, s, sizeof s);
}

static void fast_functions_meet_their_stated_errors(void **unused)
{
    (void)unused;
    for (int i = 0; i < 40000; i++) {
        double x = ldexp(1.0 + (i % 97) / 97.0, i % 60 - 30) * (i % 2 ? 1.0 : -1.0);
        double phase = (i - 20000) * (4.712388 / 20000.0);
        double angle = v4_fast_atan(v4_all(x))[i % 4];
        /* fit 3.4e-15 and rounding */
        assert_true(fabs(angle - atan(x)) <= 4e-15 * fabs(atan(x)));
        /* fit 1.6e-16 and rounding of pi - x */
        assert_true(fabs(v4_fast_sin(v4_all(phase))[0] - sin(phase)) <= 5e-16);
        /* four times that: squared and doubled, at twice the angle */
        assert_true(fabs(v4_fast_cos(v4_all(2.0 * phase))[0] - cos(2.0 * phase)) <= 2e-15);
    }
}

static void fast_functions_are_exact_where_it_matters(void **unused)
{
    (void)unused;
    v4 ends = v4_fast_atan((v4){0.0, -0.0, INFINITY, -INFINITY});
    assert_true(same(ends[0], 0.0) && same(ends[1], -0.0));
    assert_true(ends[2] == V4_HALF_PI && ends[3] == -V4_HALF_PI);
    v4 sine = v4_fast_sin((v4){0.0, -0.0, V4_HALF_PI, -V4_HALF_PI});
    assert_true(same(sine[0], 0.0) && same(sine[1], -0.0));
    assert_true(fabs(sine[2] - 1.0) < 3e-16 && sine[3] == -sine[2]); /* rounding; odd */
    assert_true(v4_fast_cos(v4_all(0.0))[0] == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_gives_the_same_bits),
        cmocka_unit_test(sincos_and_pow_give_the_same_bits_in_every_form),
        cmocka_unit_test(results_lie_within_a_few_units_of_the_last_place_of_libm),
        cmocka_unit_test(input_and_output_may_be_the_same_array),
        cmocka_unit_test(fast_functions_meet_their_stated_errors),
        cmocka_unit_test(fast_functions_are_exact_where_it_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

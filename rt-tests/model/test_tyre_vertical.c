/* Vertical force, rolling radius, and what every tyre we ship must be like. */
#include "rt-tests/support/tyre_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SEDAN   "config/tyres/sedan_205_55R16.tir"
#define COMPACT "config/tyres/compact_185_60R15.tir"

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

struct vertical {
    double load_N, stiffness_Npm, damping_Nspm;
};

static struct vertical press(const struct tyre_set *set, double deflection_m, double rate_mps,
                             double spin_radps, double pressure_Pa)
{
    double x[WHEELS], v[WHEELS], w[WHEELS], p[WHEELS], f[WHEELS], k[WHEELS], c[WHEELS];
    for (int i = 0; i < WHEELS; i++) {
        x[i] = deflection_m;
        v[i] = rate_mps;
        w[i] = spin_radps;
        p[i] = pressure_Pa;
    }
    tyre_load(set, x, v, w, p, f, k, c);
    return (struct vertical){f[RR], k[RR], c[RR]};
}

static void no_force_in_the_air_however_fast_it_moves(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_MIRROR, &set);
    for (int i = -10; i <= 10; i++) {
        struct vertical v = press(&set, -0.001, i * 1.0, 0.0, 0.0);
        assert_true(v.load_N == 0.0 && v.stiffness_Npm == 0.0 && v.damping_Nspm == 0.0);
    }
    assert_true(press(&set, 0.0, 5.0, 0.0, 0.0).load_N == 0.0);
}

static void the_ground_never_pulls(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_MIRROR, &set);
        for (int i = 0; i < 200; i++)
            for (int k = -50; k <= 0; k++)
                assert_true(press(&set, i * 1e-4, k * 1.0, 0.0, 0.0).load_N >= 0.0);
    }
}

static void touching_down_at_speed_starts_from_zero_force(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_MIRROR, &set);
    /* 1 micrometre deep at 3 m/s: 0.2 N from the spring, 0.2 N from the fading damper */
    assert_true(press(&set, 1e-6, 3.0, 0.0, 0.0).load_N < 1.0);
}

static void stiffness_is_the_derivative_of_the_load(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_MIRROR, &set);
        for (int i = 1; i < 120; i++) {
            double x = i * 1e-3 + 1.7e-4, h = 1e-7;
            double want = (press(&set, x + h, 0.0, 30.0, 0.0).load_N -
                           press(&set, x - h, 0.0, 30.0, 0.0).load_N) /
                          (2.0 * h);
            /* rounding of loads up to 1e5 N over 2e-7 m */
            assert_near(press(&set, x, 0.0, 30.0, 0.0).stiffness_Npm, want, 1.0);
        }
    }
}

static void version_52_is_a_linear_spring_with_a_damper(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(COMPACT, TYRE_SIDES_MIRROR, &set);
    /* VERTICAL_STIFFNESS and VERTICAL_DAMPING of the file */
    assert_near(press(&set, 0.01, 0.1, 80.0, 0.0).load_N, 203000.0 * 0.01 + 110.0 * 0.1, 1e-9);
}

static void version_61_has_its_stated_stiffness_at_the_nominal_load(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_MIRROR, &set);
    double x = tyre_static_deflection_m(&set, FL, 4200.0);
    struct vertical v = press(&set, x, 0.0, 0.0, 0.0);
    assert_near(v.load_N, 4200.0, 1e-8);       /* rounding */
    assert_near(v.stiffness_Npm, 221e3, 1e-6); /* that is how Q_FZ1 is chosen */
}

static void pressure_and_spin_stiffen_a_61_tyre(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_MIRROR, &set);
    struct vertical rest = press(&set, 0.02, 0.0, 0.0, 0.0);
    struct vertical hard = press(&set, 0.02, 0.0, 0.0, 276e3);
    struct vertical fast = press(&set, 0.02, 0.0, 150.0, 0.0);
    assert_near(hard.load_N / rest.load_N, 1.0 + 0.72 * 0.2, 1e-12); /* PFZ1, 20 % more pressure */
    /* Q_V2 stiffens by 11 %; Q_V1 lets the radius grow by 1.6 mm, that is 8 % of 20 mm */
    assert_true(fast.load_N > 1.15 * rest.load_N && fast.load_N < 1.25 * rest.load_N);
}

static void a_crushed_tyre_stands_on_its_rim(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_MIRROR, &set);
    double free_m = 0.316 - 0.2032 - 0.018; /* from UNLOADED_RADIUS to BOTTOM_OFFST above the rim */
    struct vertical before = press(&set, free_m - 1e-9, 0.0, 0.0, 0.0);
    struct vertical after = press(&set, free_m + 1e-9, 0.0, 0.0, 0.0);
    assert_near(after.stiffness_Npm - before.stiffness_Npm, 1.9e6, 1.0);
    assert_near(after.load_N, before.load_N, 0.01); /* no step */
}

static void rolling_radius_shrinks_with_load_and_grows_with_speed(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_MIRROR, &set);
        double n = set.load0_N[FL], re[WHEELS], none[WHEELS] = {0};
        const double loads[WHEELS] = {0.0, n, 2.0 * n, 1e9}, spins[WHEELS] = {0};
        tyre_rolling_radius(&set, loads, spins, none, re);
        double r0 = set.radius_m[FL];
        assert_near(re[0], r0, 1e-12);
        assert_true(re[1] < r0 && re[2] < re[1] && re[3] == 0.5 * r0);
        /* between the loaded and the free radius, nearer to the free one */
        double loaded = r0 - tyre_static_deflection_m(&set, FL, n);
        assert_true(re[1] > loaded && re[1] - loaded > r0 - re[1]);
        const double fast[WHEELS] = {0.0, 200.0, 200.0, 200.0};
        double at_speed[WHEELS];
        tyre_rolling_radius(&set, loads, fast, none, at_speed);
        assert_true(at_speed[1] >= re[1]);
    }
}

/* What the header of our files claims, and what a passenger car tyre is like. */
static void every_shipped_tyre_is_plausible(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_MIRROR, &set);
        struct tyre_case c = tyre_rolling(&set);
        double n = c.load_N, fx = 0, fy = 0, mz = 0, at_x = 0, at_y = 0, at_z = 0;
        struct tyre_out o = tyre_at(&set, c);
        assert_true(o.stiff_x_N[FL] > 20.0 * n && o.stiff_x_N[FL] < 30.0 * n);
        assert_true(o.stiff_y_N[FL] > 15.0 * n && o.stiff_y_N[FL] < 25.0 * n);
        assert_true(o.relax_x_m[FL] > 0.15 && o.relax_x_m[FL] < 0.4);
        assert_true(o.relax_y_m[FL] > 0.3 && o.relax_y_m[FL] < 0.6);
        assert_true(o.rolling_Nm[FL] > 0.010 * n * set.radius_m[FL]);
        assert_true(o.rolling_Nm[FL] < 0.013 * n * set.radius_m[FL]);
        assert_true(o.fy_N[FL] == 0.0 && o.mz_Nm[FL] == 0.0); /* runs straight */
        for (int i = 1; i < 400; i++) {
            double slip = i * 1e-3;
            c.kappa = -slip;
            c.tan_alpha = 0.0;
            o = tyre_at(&set, c);
            at_x = -o.fx_N[FL] > fx ? slip : at_x;
            fx = fmax(fx, -o.fx_N[FL]);
            c.kappa = 0.0;
            c.tan_alpha = slip;
            o = tyre_at(&set, c);
            at_y = -o.fy_N[FL] > fy ? slip : at_y;
            fy = fmax(fy, -o.fy_N[FL]);
            at_z = o.mz_Nm[FL] > mz ? slip : at_z;
            mz = fmax(mz, o.mz_Nm[FL]);
        }
        assert_true(fx > 1.0 * n && fx < 1.25 * n && at_x > 0.08 && at_x < 0.14);
        assert_true(fy > 0.95 * n && fy < 1.2 * n && at_y > tan(0.105) && at_y < tan(0.175));
        assert_true(mz > 30.0 && mz < 70.0 && at_z > tan(0.045) && at_z < tan(0.075));
        c.tan_alpha = 0.0;
        c.kappa = -1.0;
        double locked = -tyre_at(&set, c).fx_N[FL] / fx;
        assert_true(locked > 0.7 && locked < 0.85);
        c.kappa = 0.0;
        c.load_N = 2.0 * n; /* degressive: twice the load carries less than twice the force */
        o = tyre_at(&set, c);
        assert_true(o.peak_y_N[FL] < 1.95 * fy && o.peak_x_N[FL] < 1.95 * fx);
        assert_true(o.stiff_y_N[FL] < 1.6 * 25.0 * n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_force_in_the_air_however_fast_it_moves),
        cmocka_unit_test(the_ground_never_pulls),
        cmocka_unit_test(touching_down_at_speed_starts_from_zero_force),
        cmocka_unit_test(stiffness_is_the_derivative_of_the_load),
        cmocka_unit_test(version_52_is_a_linear_spring_with_a_damper),
        cmocka_unit_test(version_61_has_its_stated_stiffness_at_the_nominal_load),
        cmocka_unit_test(pressure_and_spin_stiffen_a_61_tyre),
        cmocka_unit_test(a_crushed_tyre_stands_on_its_rim),
        cmocka_unit_test(rolling_radius_shrinks_with_load_and_grows_with_speed),
        cmocka_unit_test(every_shipped_tyre_is_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

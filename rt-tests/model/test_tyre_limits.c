/* Tyre forces at and beyond the limits: no load, any load, sliding, standstill. */
#include "rt-tests/support/tyre_case.h"
#include "target/model/tyre/tyre_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SEDAN "config/tyres/sedan_205_55R16.tir"

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

static void assert_all_finite(const struct tyre_out *o)
{
    double x[sizeof *o / sizeof(double)];
    memcpy(x, o, sizeof x);
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
        assert_true(isfinite(x[i]));
}

static void no_load_is_exactly_no_force(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        struct tyre_case c = tyre_rolling(&set);
        c.load_N = 0.0;
        c.kappa = -0.3;
        c.tan_alpha = 0.2;
        c.gamma_rad = 0.05;
        struct tyre_out o = tyre_at(&set, c);
        assert_true(o.fx_N[FL] == 0.0 && o.fy_N[FL] == 0.0 && o.mx_Nm[FL] == 0.0);
        assert_true(o.my_Nm[FL] == 0.0 && o.mz_Nm[FL] == 0.0 && o.slope_x_N[FL] == 0.0);
        assert_true(o.relax_x_m[FL] > 0.0 && o.relax_y_m[FL] > 0.0);
        assert_all_finite(&o);
    }
}

/* Below FZMIN and above FZMAX the coefficients stay, so the forces follow the load. */
static void outside_the_load_range_forces_are_proportional_to_load(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        struct tyre_case c = tyre_rolling(&set), at;
        c.kappa = -0.05;
        c.tan_alpha = 0.06;
        at = c;
        at.load_N = set.load_min_N[FL];
        struct tyre_out low = tyre_at(&set, at);
        at.load_N = set.load_max_N[FL];
        struct tyre_out high = tyre_at(&set, at);
        for (int digits = 0; digits <= 6; digits++) {
            double share = pow(10.0, -digits);
            c.load_N = share * set.load_min_N[FL];
            struct tyre_out o = tyre_at(&set, c);
            assert_near(o.fx_N[FL], share * low.fx_N[FL], 1e-9 * share); /* rounding */
            assert_near(o.fy_N[FL], share * low.fy_N[FL], 1e-9 * share);
            assert_near(o.mz_Nm[FL], share * low.mz_Nm[FL], 1e-9 * share);
        }
        c.load_N = 3.0 * set.load_max_N[FL];
        struct tyre_out o = tyre_at(&set, c);
        assert_near(o.fx_N[FL], 3.0 * high.fx_N[FL], 1e-8); /* rounding */
        assert_near(o.fy_N[FL], 3.0 * high.fy_N[FL], 1e-8);
    }
}

/* From a total slip of 1 on, the force points exactly against the sliding velocity. */
static void assert_slides(const struct tyre_set *set, struct tyre_case c)
{
    struct tyre_out o = tyre_at(set, c);
    assert_all_finite(&o);
    double slip = hypot(c.kappa, c.tan_alpha), force = hypot(o.fx_N[FL], o.fy_N[FL]);
    double peak = fmax(o.peak_x_N[FL], o.peak_y_N[FL]);
    assert_near(o.fx_N[FL] / force, c.kappa / slip, 1e-9); /* rounding */
    assert_near(o.fy_N[FL] / force, -c.tan_alpha / slip, 1e-9);
    /* sliding friction: at least half the peak by our rule, never above it */
    assert_true(force >= 0.5 * fmin(o.peak_x_N[FL], o.peak_y_N[FL]) && force <= peak);
}

static void a_sliding_wheel_is_pushed_against_its_sliding_velocity(void **unused)
{
    (void)unused;
    static const double tangents[] = {0.0, 0.1, 0.5, 1.0, -1.0, 3.0, -57.0, 1e4, -1e7, 1e12};
    static const double kappas[] = {-1.0, 1.0, -3.0, 40.0, 1e5};
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        for (size_t a = 0; a < sizeof tangents / sizeof tangents[0]; a++)
            for (size_t k = 0; k < sizeof kappas / sizeof kappas[0]; k++) {
                struct tyre_case c = tyre_rolling(&set);
                c.kappa = kappas[k];
                c.tan_alpha = fmin(tangents[a], 1e8);
                assert_slides(&set, c);
            }
    }
}

static void a_wheel_at_ninety_degrees_slides_sideways(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_AS_FILE, &set);
    for (int side = -1; side <= 1; side += 2) {
        struct tyre_case c = tyre_rolling(&set);
        c.tan_alpha = side * tan(1.5707963267948966);
        struct tyre_out o = tyre_at(&set, c);
        assert_all_finite(&o);
        assert_near(o.fx_N[FL], 0.0, 1e-9);
        /* sin(PCY1 pi/2) = 0.82 of the peak is what this file slides with */
        assert_near(-side * o.fy_N[FL] / o.peak_y_N[FL], 0.82, 0.01);
        assert_near(o.mz_Nm[FL], 0.0, 1e-3); /* no trail is left */
    }
}

static void a_slip_angle_of_45_degrees_keeps_most_of_the_side_force(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        struct tyre_case c = tyre_rolling(&set);
        c.tan_alpha = 1.0;
        struct tyre_out o = tyre_at(&set, c);
        assert_true(-o.fy_N[FL] > 0.75 * o.peak_y_N[FL] && -o.fy_N[FL] < o.peak_y_N[FL]);
        c.kappa = -1.0;
        assert_slides(&set, c);
    }
}

/* For upright tyres without offsets, on any surface, at any slip up to sliding. 1.06: the weights
 * of combined slip let the resultant bulge over the ellipse by some per cent. */
static void the_resultant_stays_within_friction_and_takes_energy(void **unused)
{
    (void)unused;
    static const double frictions[] = {0.05, 0.2, 0.5, 1.0, 1.2};
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        for (int n = 0; n < 5 * 61 * 61; n++) {
            struct tyre_case c = tyre_rolling(&set);
            c.friction = frictions[n % 5];
            int column = n / 5 % 61, row = n / 305;
            double along = (column - 30) / 30.0, across = (row - 30) / 30.0;
            c.kappa = along * fabs(along) * 1.5; /* dense where forces build up */
            c.tan_alpha = across * fabs(across) * 1.5;
            struct tyre_out o = tyre_at(&set, c);
            assert_all_finite(&o);
            double used = hypot(o.fx_N[FL] / o.peak_x_N[FL], o.fy_N[FL] / o.peak_y_N[FL]);
            assert_true(used <= 1.06);
            assert_true(o.fx_N[FL] * c.kappa - o.fy_N[FL] * c.tan_alpha >= 0.0);
        }
    }
}

/* Walking through slip space in small steps, the force never changes faster than the stiffness
 * allows: no jumps at the borders of ranges or where sliding begins. 1.5: combined slip. */
static void forces_have_no_jumps_over_slip(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        for (int ray = 0; ray < 24; ray++) {
            double angle = ray * 0.2617993877991494, h = 1e-3;
            struct tyre_case c = tyre_rolling(&set);
            struct tyre_out before = tyre_at(&set, c);
            for (int i = 1; i < 2000; i++) {
                c.kappa = i * h * cos(angle);
                c.tan_alpha = i * h * sin(angle);
                struct tyre_out o = tyre_at(&set, c);
                double most = 1.5 * h * fmax(o.stiff_x_N[FL], o.stiff_y_N[FL]);
                assert_true(fabs(o.fx_N[FL] - before.fx_N[FL]) < most);
                assert_true(fabs(o.fy_N[FL] - before.fy_N[FL]) < most);
                before = o;
            }
        }
    }
}

static void forces_pass_through_zero_speed_without_a_jump(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_AS_FILE, &set);
    struct tyre_case c = tyre_rolling(&set);
    c.kappa = -0.03;
    c.tan_alpha = 0.04;
    c.vx_mps = -1.0;
    struct tyre_out back = tyre_at(&set, c), before = back;
    for (int i = -999; i <= 1000; i++) {
        c.vx_mps = i * 1e-3;
        struct tyre_out o = tyre_at(&set, c);
        assert_all_finite(&o);
        assert_true(o.fx_N[FL] == back.fx_N[FL] && o.fy_N[FL] == back.fy_N[FL]);
        /* trail and rolling resistance turn over within 1 m/s: 1/500 of both sides per step */
        assert_near(o.mz_Nm[FL], before.mz_Nm[FL], 0.003 * fabs(back.mz_Nm[FL]));
        assert_near(o.my_Nm[FL], before.my_Nm[FL], 0.003 * fabs(back.my_Nm[FL]));
        before = o;
    }
    c.vx_mps = 0.0;
    assert_true(tyre_at(&set, c).my_Nm[FL] == 0.0);
    assert_near(before.my_Nm[FL], -back.my_Nm[FL], 1e-12);
    assert_true(back.my_Nm[FL] > 0.0 && before.my_Nm[FL] < 0.0);
}

/* Files of other makers, whose far ends nobody checked. Camber and offsets are theirs. */
static void foreign_files_are_sane_everywhere(void **unused)
{
    (void)unused;
    static const char *const files[] = {"mf52.tir", "mf61.tir", "sedan_pac2002.tir",
                                        "hmmwv_pac2002.tir"};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        char path[512];
        struct tyre_set set;
        tyre_four(tyre_data(files[f], path, sizeof path), TYRE_SIDES_SYMMETRIC, &set);
        for (int n = 0; n < 41 * 41 * 5; n++) {
            struct tyre_case c = tyre_rolling(&set);
            double along = (n % 41 - 20) / 20.0, across = (n / 41 % 41 - 20) / 20.0;
            int load = n / 1681;
            c.load_N *= 0.4 * load + 0.02;
            c.kappa = along * fabs(along) * 2.0;
            c.tan_alpha = across * fabs(across) * 3.0;
            struct tyre_out o = tyre_at(&set, c);
            assert_all_finite(&o);
            double used = hypot(o.fx_N[FL] / o.peak_x_N[FL], o.fy_N[FL] / o.peak_y_N[FL]);
            /* their shifts and weights let the resultant exceed the ellipse a little more */
            assert_true(used <= 1.2);
            if (hypot(c.kappa, c.tan_alpha) >= 1.0)
                assert_slides(&set, c);
        }
    }
}

/* Whatever numbers a file holds, if it is accepted its forces are finite. */
static void accepted_coefficients_never_make_infinite_forces(void **unused)
{
    (void)unused;
#define KEY(key, field, absent) #key,
    static const char *const keys[] = {TYRE_COEFFICIENTS(KEY)};
#undef KEY
    static const char *const values[] = {"0",  "1e-3", "-1e-3", "1",    "-1",  "2.5",
                                         "10", "-7",   "300",   "-1e3", "1e6", "-1e6"};
    uint64_t state = 7;
    int accepted = 0;
    for (int n = 0; n < 20000; n++) {
        static const char *const versions[] = {"6", "61", "62"};
        char text[4096];
        size_t length = (size_t)snprintf(
            text, sizeof text,
            "[MODEL]\nFITTYP = %s\n[A]\nUNLOADED_RADIUS = 0.3\nFNOMIN = 4000\n"
            "VERTICAL_STIFFNESS = 2e5\nPCX1 = 1.5\nPDX1 = 1\nPKX1 = 20\nPCY1 = 1.3\nPDY1 = 1\n"
            "PKY1 = -20\nPKY2 = 2\n",
            versions[n % 3]);
        for (int k = 0; k < 1 + n % 9; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const char *key = keys[(state >> 33) % (sizeof keys / sizeof keys[0])];
            const char *v = values[(state >> 20) % (sizeof values / sizeof values[0])];
            length += (size_t)snprintf(text + length, sizeof text - length, "%s = %s\n", key, v);
        }
        struct tyre_model m;
        if (tyre_model_read_text("x.tir", text, length, &m, NULL, NULL))
            continue;
        accepted++;
        const struct tyre_model *const four[WHEELS] = {&m, &m, &m, &m};
        struct tyre_set set;
        tyre_set_init(&set, four, TYRE_SIDES_MIRROR);
        for (int k = 0; k < 16; k++) {
            static const double slips[] = {0.0, 0.05, -1.0, 1e9};
            struct tyre_case c = tyre_rolling(&set);
            c.load_N *= k % 5;
            c.kappa = slips[k % 4];
            c.tan_alpha = slips[k / 4];
            c.gamma_rad = 0.2 - 0.1 * (k % 3);
            c.pressure_Pa = k % 2 * 3e5;
            struct tyre_out o = tyre_at(&set, c);
            double check[sizeof o / sizeof(double)];
            memcpy(check, &o, sizeof o);
            for (size_t i = 0; i < sizeof check / sizeof check[0]; i++)
                if (!isfinite(check[i]))
                    fail_msg("output %zu is %g for\n%s", i / WHEELS, check[i], text);
        }
    }
    assert_true(accepted > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_load_is_exactly_no_force),
        cmocka_unit_test(outside_the_load_range_forces_are_proportional_to_load),
        cmocka_unit_test(a_sliding_wheel_is_pushed_against_its_sliding_velocity),
        cmocka_unit_test(a_wheel_at_ninety_degrees_slides_sideways),
        cmocka_unit_test(a_slip_angle_of_45_degrees_keeps_most_of_the_side_force),
        cmocka_unit_test(the_resultant_stays_within_friction_and_takes_energy),
        cmocka_unit_test(forces_have_no_jumps_over_slip),
        cmocka_unit_test(forces_pass_through_zero_speed_without_a_jump),
        cmocka_unit_test(accepted_coefficients_never_make_infinite_forces),
        cmocka_unit_test(foreign_files_are_sane_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

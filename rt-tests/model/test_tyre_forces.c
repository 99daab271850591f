/* Tyre forces in the range of a file: slopes, sides, friction, pressure, camber, bits. */
#include "rt-tests/support/tyre_case.h"
#include "target/model/tyre/tyre_grip.h"
#include "target/model/tyre/tyre_isa.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SEDAN   "config/tyres/sedan_205_55R16.tir"
#define COMPACT "config/tyres/compact_185_60R15.tir"

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

/* Central differences with a step of 1e-6: truncation and rounding stay below 1e-6 of the
 * stiffness; kinks where the curvature changes its sign are left out by starting at 1e-3. */
static void slopes_are_the_derivatives_of_the_pure_slip_curves(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        for (int i = -60; i <= 60; i++) {
            struct tyre_case c = tyre_rolling(&set), a = c, b = c;
            double slip = i * 0.005 + 1e-3, h = 1e-6;
            c.kappa = slip;
            a.kappa = slip - h;
            b.kappa = slip + h;
            struct tyre_out o = tyre_at(&set, c);
            double want = (tyre_at(&set, b).fx_N[FL] - tyre_at(&set, a).fx_N[FL]) / (2.0 * h);
            assert_near(o.slope_x_N[FL], want, 1e-5 * o.stiff_x_N[FL]);

            c.kappa = a.kappa = b.kappa = 0.0;
            c.tan_alpha = slip;
            a.tan_alpha = slip - h;
            b.tan_alpha = slip + h;
            o = tyre_at(&set, c);
            want = (tyre_at(&set, a).fy_N[FL] - tyre_at(&set, b).fy_N[FL]) / (2.0 * h);
            assert_near(o.slope_y_N[FL], want, 1e-5 * o.stiff_y_N[FL]);
        }
    }
}

/* In combined slip the slope leaves out how the other slip's weight changes: a tenth of the
 * stiffness inside the usual range, enough for an implicit step. */
static void slopes_in_combined_slip_are_near_the_derivatives(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_AS_FILE, &set);
    for (int i = -30; i <= 30; i++)
        for (int k = -30; k <= 30; k++) {
            struct tyre_case c = tyre_rolling(&set), a, b;
            double h = 1e-6;
            c.kappa = i * 0.01 + 1e-3;
            c.tan_alpha = k * 0.01 + 1e-3;
            a = b = c;
            a.kappa -= h;
            b.kappa += h;
            struct tyre_out o = tyre_at(&set, c);
            double want = (tyre_at(&set, b).fx_N[FL] - tyre_at(&set, a).fx_N[FL]) / (2.0 * h);
            assert_near(o.slope_x_N[FL], want, 0.1 * o.stiff_x_N[FL]);
        }
}

static void slope_at_zero_slip_is_the_stiffness(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        struct tyre_out o = tyre_at(&set, tyre_rolling(&set));
        assert_near(o.slope_x_N[FL] / o.stiff_x_N[FL], 1.0, 1e-12); /* rounding */
        assert_near(o.slope_y_N[FL] / o.stiff_y_N[FL], 1.0, 1e-12);
    }
}

/* A tyre with every kind of left-right offset. */
static void lopsided(struct tyre_model *m)
{
    tyre_read(SEDAN, m);
    m->phy1 = 0.004;
    m->pvy1 = 0.02;
    m->pey3 = 0.2;
    m->rhx1 = 0.01;
    m->rby3 = 0.02;
    m->rvy1 = 0.03;
    m->rvy4 = 10.0;
    m->rvy5 = 1.5;
    m->rvy6 = -12.0;
    m->qdz6 = 0.003;
    m->qhz1 = 0.01;
    m->qsx1 = 0.004;
    m->ssz1 = 0.01;
    m->qez4 = 0.3;
}

static void a_left_tyre_on_the_right_is_the_mirror_image(void **unused)
{
    (void)unused;
    struct tyre_model m;
    struct tyre_set set;
    lopsided(&m);
    const struct tyre_model *const four[WHEELS] = {&m, &m, &m, &m};
    tyre_set_init(&set, four, TYRE_SIDES_MIRROR);
    struct tyre_in in = {0};
    struct tyre_out o;
    for (int i = 0; i < WHEELS; i++) {
        double side = i == FL || i == RL ? 1.0 : -1.0;
        in.load_N[i] = 3800.0;
        in.kappa[i] = -0.04;
        in.tan_alpha[i] = side * 0.05;
        in.gamma_rad[i] = side * 0.03;
        in.vx_mps[i] = 25.0;
        in.friction[i] = 1.0;
    }
    tyre_forces(&set, &in, &o);
    for (int i = 0; i < WHEELS; i++) { /* the same operations but for signs: exact */
        double side = i == FL || i == RL ? 1.0 : -1.0;
        assert_true(o.fx_N[i] == o.fx_N[FL] && o.my_Nm[i] == o.my_Nm[FL]);
        assert_true(o.fy_N[i] == side * o.fy_N[FL]);
        assert_true(o.mx_Nm[i] == side * o.mx_Nm[FL]);
        assert_true(o.mz_Nm[i] == side * o.mz_Nm[FL]);
    }
}

static void a_right_tyre_is_mirrored_on_the_left(void **unused)
{
    (void)unused;
    struct tyre_model left, right;
    struct tyre_set mixed;
    lopsided(&left);
    right = left;
    right.right_side = true;
    const struct tyre_model *const four[WHEELS] = {&left, &right, &right, &left};
    tyre_set_init(&mixed, four, TYRE_SIDES_MIRROR);
    struct tyre_case straight = tyre_rolling(&mixed);
    struct tyre_out o = tyre_at(&mixed, straight);
    assert_true(o.fy_N[FL] == o.fy_N[FR] && o.fy_N[FL] == -o.fy_N[RL]);
    assert_true(o.fy_N[RR] == -o.fy_N[FR]);
    tyre_set_init(&mixed, four, TYRE_SIDES_AS_FILE);
    o = tyre_at(&mixed, straight);
    assert_true(o.fy_N[FL] == o.fy_N[RL] && o.fy_N[FL] == o.fy_N[RR]);
}

static void symmetric_sides_drop_every_offset(void **unused)
{
    (void)unused;
    struct tyre_model m;
    struct tyre_set set;
    lopsided(&m);
    const struct tyre_model *const four[WHEELS] = {&m, &m, &m, &m};
    tyre_set_init(&set, four, TYRE_SIDES_SYMMETRIC);
    struct tyre_case c = tyre_rolling(&set);
    c.kappa = -0.05;
    struct tyre_out o = tyre_at(&set, c);
    assert_true(o.fy_N[FL] == 0.0 && o.mx_Nm[FL] == 0.0 && o.mz_Nm[FL] == 0.0);
}

/* The slip stiffness belongs to tread and carcass, the peak to the surface. */
static void friction_scales_the_peak_and_not_the_stiffness(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_AS_FILE, &set);
    struct tyre_case c = tyre_rolling(&set), ice = c;
    ice.friction = 0.1;
    struct tyre_out dry = tyre_at(&set, c), slippery = tyre_at(&set, ice);
    assert_true(slippery.stiff_x_N[FL] == dry.stiff_x_N[FL]);
    assert_true(slippery.stiff_y_N[FL] == dry.stiff_y_N[FL]);
    assert_near(slippery.peak_x_N[FL], 0.1 * dry.peak_x_N[FL], 1e-9); /* rounding */
    double dry_max = 0.0, ice_max = 0.0;
    for (int i = 0; i < 1000; i++) {
        c.kappa = ice.kappa = -i * 1e-3;
        dry_max = fmax(dry_max, -tyre_at(&set, c).fx_N[FL]);
        ice_max = fmax(ice_max, -tyre_at(&set, ice).fx_N[FL]);
    }
    assert_near(ice_max, 0.1 * dry_max, 0.01 * ice_max); /* steps of kappa on the steeper curve */
    ice.friction = 0.0;
    ice.kappa = -0.2;
    ice.tan_alpha = 0.3;
    struct tyre_out none = tyre_at(&set, ice);
    assert_all_finite(&none);
    assert_true(none.fx_N[FL] == 0.0 && none.fy_N[FL] == 0.0);
}

/* Similarity: on a tenth of the friction, a tenth of the slip makes a tenth of the force. Exact for
 * small slips up to the difference between alpha and tan alpha and the load on Fy: 1 %. */
static void combined_slip_on_ice_is_similar_to_dry(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_AS_FILE, &set);
    for (int i = 1; i <= 20; i++) {
        struct tyre_case dry = tyre_rolling(&set), ice;
        dry.kappa = -0.01 * i;
        dry.tan_alpha = 0.007 * i;
        ice = dry;
        ice.friction = 0.1;
        ice.kappa *= 0.1;
        ice.tan_alpha *= 0.1;
        struct tyre_out a = tyre_at(&set, dry), b = tyre_at(&set, ice);
        assert_near(b.fx_N[FL], 0.1 * a.fx_N[FL], 0.01 * b.peak_x_N[FL]);
        assert_near(b.fy_N[FL], 0.1 * a.fy_N[FL], 0.01 * b.peak_y_N[FL]);
    }
}

static void pressure_acts_within_its_range_and_zero_means_the_files(void **unused)
{
    (void)unused;
    struct tyre_set set;
    tyre_four(SEDAN, TYRE_SIDES_AS_FILE, &set);
    struct tyre_case c = tyre_rolling(&set), soft = c, softest = c;
    c.tan_alpha = soft.tan_alpha = softest.tan_alpha = 0.04;
    struct tyre_out file = tyre_at(&set, c);
    c.pressure_Pa = 230e3;
    assert_true(tyre_at(&set, c).fy_N[FL] == file.fy_N[FL]);
    soft.pressure_Pa = 150e3;
    softest.pressure_Pa = 20e3; /* below PRESMIN: clamped */
    struct tyre_out low = tyre_at(&set, soft);
    assert_true(tyre_at(&set, softest).fy_N[FL] == low.fy_N[FL]);
    /* PPZ1: a softer tyre has a longer contact patch and more trail */
    assert_true(low.mz_Nm[FL] > 1.1 * file.mz_Nm[FL]);
    /* PPX1, PPX2: slip stiffness 1 - 0.35 dpi + 0.05 dpi^2 with dpi = -80/230 */
    double dpi = -80.0 / 230.0;
    assert_near(low.stiff_x_N[FL] / file.stiff_x_N[FL], 1.0 - 0.35 * dpi + 0.05 * dpi * dpi, 1e-12);
}

static void camber_pushes_towards_the_lean(void **unused)
{
    (void)unused;
    for (int t = 0; t < tyre_shipped_count; t++) {
        struct tyre_set set;
        tyre_four(tyre_shipped[t], TYRE_SIDES_AS_FILE, &set);
        struct tyre_case c = tyre_rolling(&set);
        c.gamma_rad = 0.05; /* leans right, y points left */
        assert_true(tyre_at(&set, c).fy_N[FL] < 0.0);
        c.gamma_rad = -0.05;
        assert_true(tyre_at(&set, c).fy_N[FL] > 0.0);
    }
}

/* Every instruction set, and every place among the four wheels, gives the same bits. */
static void vector_widths_and_wheel_positions_give_the_same_bits(void **unused)
{
    (void)unused;
    struct tyre_model a, b;
    struct tyre_set set;
    lopsided(&a);
    tyre_read(COMPACT, &b);
    const struct tyre_model *const four[WHEELS] = {&a, &a, &b, &b};
    tyre_set_init(&set, four, TYRE_SIDES_AS_FILE);
    uint64_t state = 1;
    for (int n = 0; n < 20000; n++) {
        struct tyre_in in, swapped;
        double x[7];
        for (int k = 0; k < 7; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[k] = (double)(state >> 11) * 0x1p-53;
        }
        for (int i = 0; i < WHEELS; i++) {
            double turn = x[(n + i) % 7];
            in.load_N[i] = 9000.0 * x[0] * turn;
            in.kappa[i] = (x[1] - 0.5) * turn * (n % 10 ? 1.0 : 1e3);
            in.tan_alpha[i] = (x[2] - turn) * (n % 7 ? 1.0 : 1e4);
            in.gamma_rad[i] = 0.3 * (x[3] - turn);
            in.vx_mps[i] = 60.0 * (x[4] - 0.3);
            in.pressure_Pa[i] = 4e5 * (x[5] - 0.2);
            in.friction[i] = 1.2 * x[6];
        }
        struct tyre_out one, two, three;
        memset(&one, 0, sizeof one);
        memset(&two, 0, sizeof two);
        memset(&three, 0, sizeof three);
        tyre_forces(&set, &in, &one);
        tyre_forces_base(&set, &in, &two);
        assert_memory_equal(&one, &two, sizeof one);
        assert_all_finite(&one);

        struct tyre_grip grip;
        tyre_grip(&set, &in, &grip);
        assert_memory_equal(grip.stiff_y_N, one.stiff_y_N, sizeof one.stiff_y_N);
        assert_memory_equal(grip.relax_x_m, one.relax_x_m, sizeof one.relax_x_m);

        swapped = in;
        for (size_t k = 0; k < sizeof in / sizeof in.load_N; k++) {
            double *row = (double *)(void *)&swapped + k * WHEELS;
            double keep = row[FL];
            row[FL] = row[FR];
            row[FR] = keep;
        }
        tyre_forces(&set, &swapped, &three);
        assert_true(one.fy_N[FL] == three.fy_N[FR] && one.mz_Nm[FR] == three.mz_Nm[FL]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_the_derivatives_of_the_pure_slip_curves),
        cmocka_unit_test(slopes_in_combined_slip_are_near_the_derivatives),
        cmocka_unit_test(slope_at_zero_slip_is_the_stiffness),
        cmocka_unit_test(a_left_tyre_on_the_right_is_the_mirror_image),
        cmocka_unit_test(a_right_tyre_is_mirrored_on_the_left),
        cmocka_unit_test(symmetric_sides_drop_every_offset),
        cmocka_unit_test(friction_scales_the_peak_and_not_the_stiffness),
        cmocka_unit_test(combined_slip_on_ice_is_similar_to_dry),
        cmocka_unit_test(pressure_acts_within_its_range_and_zero_means_the_files),
        cmocka_unit_test(camber_pushes_towards_the_lean),
        cmocka_unit_test(vector_widths_and_wheel_positions_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

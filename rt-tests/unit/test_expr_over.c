/* Criteria over hand-made drives whose verdict is known. */
#include "rt-tests/support/near.h"
#include "target/scenario/expr_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Ten seconds at 100 rows a second: the car brakes from 20 m/s by 2 m/s2, rolls by a triangle of
 * 0.1 rad with its peak at 5 s, and locks front left from 3 s to 4 s and from 6 s to 6.5 s. */
enum { ROWS = 1001 };
static struct signals row[ROWS];
static const struct expr_trace drive = {.row = row, .rows = ROWS};
static const struct expr_window whole = {0, ROWS - 1};

/* Sums of a thousand rows; rounding. */
static const double rounding = 1e-9;

static int fill(void **unused)
{
    (void)unused;
    memset(row, 0, sizeof row);
    for (int i = 0; i < ROWS; i++) {
        double t = 0.01 * i;
        row[i].time_s = t;
        row[i].vx_mps = 20.0 - 2.0 * t;
        row[i].roll_rad = t < 5.0 ? 0.02 * t : 0.2 - 0.02 * t;
        row[i].yaw_rate_radps = 0.3 * sin(2.0 * M_PI * 0.5 * t + 0.7) + 0.1;
        row[i].locked = (i >= 300 && i < 400) || (i >= 600 && i < 650);
    }
    return 0;
}

static struct expr_result over(const char *text, enum expr_use use, struct expr_window w)
{
    struct expr e;
    struct err err = {""};
    struct expr_result r;
    if (expr_compile(text, use, NULL, &e, &err))
        fail_msg("%s: %s", text, err.text);
    expr_over(&e, &drive, w, NULL, &r);
    return r;
}

static double measure(const char *text)
{
    struct expr_result r = over(text, EXPR_MEASURE, whole);
    assert_true(r.exists);
    return r.value;
}

static void reductions_give_what_the_drive_was_made_with(void **unused)
{
    (void)unused;
    assert_near(measure("max(roll_rad)"), 0.1, rounding);
    assert_near(measure("min(vx_mps)"), 0.0, rounding);
    assert_near(measure("max(-vx_mps)"), 0.0, rounding);
    assert_near(measure("mean(vx_mps)"), 10.0, rounding);
    assert_near(measure("integral(vx_mps)"), 100.0, rounding); /* stopping distance v^2 / (2 a) */
    assert_near(measure("begin(vx_mps) - end(vx_mps)"), 20.0, rounding);
    assert_near(measure("first(vx_mps < 15 m/s)"), 2.51, rounding); /* the next row */
    assert_near(measure("last(vx_mps > 15 m/s)"), 2.49, rounding);
    assert_near(measure("duration(bit(locked, 0))"), 1.5, rounding);
    assert_near(measure("times(bit(locked, 0))"), 2.0, rounding);
    assert_near(measure("at(vx_mps, 1.234 s)"), 20.0 - 2.468, rounding); /* between rows */
    assert_near(measure("at(roll_rad, 1 s + first(vx_mps < 15 m/s))"), 0.02 * 3.51, rounding);
}

static void reductions_may_stand_inside_each_other(void **unused)
{
    (void)unused;
    /* Half of the peak is passed at 2.5 s on the way up; the next row is the first above. */
    assert_near(measure("first(roll_rad > 0.5 * max(roll_rad))"), 2.51, 0.0100001);
    assert_near(measure("duration(roll_rad > 0.5 * max(abs(roll_rad)))"), 5.0, 0.0100001);
}

static void verdicts_are_as_known(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        bool pass;
    } cases[] = {
        {"max(abs(roll_rad)) <= 6 deg", true}, /* 5.73 deg */
        {"max(abs(roll_rad)) <= 5 deg", false},
        {"duration(bit(locked, 0) and vx_mps > 15 km/h) <= 1.5 s", true},
        {"duration(bit(locked, 0) and vx_mps > 15 km/h) < 1.4 s", false},
        {"0.849 / (first(vx_mps < 15 km/h) - first(vx_mps < 45 km/h)) > 0.2", true}, /* z 0.204 */
        {"any(roll_rad < 0)", false},
        {"all(roll_rad > -1 deg) and not any(vx_mps > 21 m/s)", true},
        {"at(roll_rad, 6 s) <= 35 % * max(roll_rad)", false},  /* 80 % */
        {"at(roll_rad, 8.5 s) <= 35 % * max(roll_rad)", true}, /* 30 % */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expr_result r = over(cases[i].text, EXPR_CRITERION, whole);
        if (!r.exists || (r.value != 0.0) != cases[i].pass)
            fail_msg("%s: %g", cases[i].text, r.value);
    }
}

static void comparison_shows_its_sides(void **unused)
{
    (void)unused;
    struct expr_result r = over("2 * max(roll_rad) <= 6 deg + 1 deg", EXPR_CRITERION, whole);
    assert_near(r.left, 0.2, rounding);
    assert_near(r.right, 7.0 * 3.14159265358979 / 180.0, rounding);
    /* Two of them have no one pair of sides, nor has one inside a reduction. */
    r = over("max(roll_rad) < 1 and max(vx_mps) < 1", EXPR_CRITERION, whole);
    assert_true(isnan(r.left) && isnan(r.right));
    r = over("any(vx_mps > 1) and any(bit(locked, 0))", EXPR_CRITERION, whole);
    assert_true(isnan(r.left) && isnan(r.right));
    r = over("not max(roll_rad) < 1", EXPR_CRITERION, whole);
    assert_true(isnan(r.left));
}

static void window_holds_the_rows_between_two_times(void **unused)
{
    (void)unused;
    struct expr_window w = expr_window_of(&drive, 1.0, 2.0);
    assert_int_equal(w.first, 100);
    assert_int_equal(w.last, 200);
    assert_near(over("max(vx_mps)", EXPR_MEASURE, w).value, 18.0, rounding);
    assert_near(over("integral(1)", EXPR_MEASURE, w).value, 1.0, rounding);
    /* at() looks anywhere. */
    assert_near(over("at(vx_mps, 5 s)", EXPR_MEASURE, w).value, 10.0, rounding);
}

static void what_never_came_has_no_value(void **unused)
{
    (void)unused;
    assert_false(over("first(vx_mps > 30 m/s) < 1 s", EXPR_CRITERION, whole).exists);
    assert_false(over("at(vx_mps, 11 s) < 1 m/s", EXPR_CRITERION, whole).exists);
    assert_false(over("not at(vx_mps, -1 s) < 1 m/s", EXPR_CRITERION, whole).exists);
    assert_false(over("max(vx_mps) > 0", EXPR_CRITERION, expr_window_of(&drive, 20., 30.)).exists);
    assert_false(over("max(vx_mps) > 0", EXPR_CRITERION, expr_window_of(&drive, 5., NAN)).exists);
    row[500].vx_mps = NAN; /* a spoilt row is not passed over */
    assert_false(over("max(vx_mps) > 0", EXPR_CRITERION, whole).exists);
    assert_false(over("min(vx_mps) > 0", EXPR_CRITERION, whole).exists);
    (void)fill(NULL);
}

/* Each would hold if infinity were a number, or if what is none were passed over. */
static void what_is_not_finite_is_no_value(void **unused)
{
    (void)unused;
    static const char *const none[] = {
        "max(vx_mps) / duration(vx_mps < 0 m/s) > 5 m/s2",
        "-max(vx_mps) / duration(vx_mps < 0 m/s) < 5 m/s2",
        "not max(vx_mps) / duration(vx_mps < 0 m/s) < 5 m/s2",
        "max(max(vx_mps) / (vx_mps - vx_mps)) > 5",
        "max(1 m/s / vx_mps) > 5",         /* rest, in the last row */
        "min(max(vx_mps) / 0 m/s, 3) < 5", /* whichever side it is on */
        "min(3, max(vx_mps) / 0 m/s) < 5",
        "max(vx_mps) * 1e308 * 1e308 > 5 m/s",
        "all(1 m/s / vx_mps > 0)",
        "not any(1 m/s / vx_mps > 1000)",
        "duration(1 m/s / vx_mps > 1000) < 1 s",
        "first(1 m/s / vx_mps > 0.06) < 9 s",
        "any(sqrt(-1 - vx_mps / 1 m/s) > 0) or max(vx_mps) < 1 m/s",
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        struct expr_result r = over(none[i], EXPR_CRITERION, whole);
        if (r.exists)
            fail_msg("%s: %g", none[i], r.value);
        assert_false(isinf(r.left) || isinf(r.right));
    }
    assert_false(over("1 / (max(vx_mps) - max(vx_mps))", EXPR_MEASURE, whole).exists);
    assert_false(over("integral(1e308 * vx_mps)", EXPR_MEASURE, whole).exists);
}

/* A guard settles the condition before what is none matters. */
static void guard_keeps_what_is_none_out(void **unused)
{
    (void)unused;
    static const char *const pass[] = {
        "not any(vx_mps > 1 m/s and 1 m/s / vx_mps > 1)",
        "all(vx_mps < 1 m/s or 1 m/s / vx_mps < 1.001)",
        "duration(vx_mps > 1 m/s and 1 m/s / vx_mps > 0.1) > 4 s",
        "duration(vx_mps < 0 m/s) == 0 s or max(vx_mps) / duration(vx_mps < 0 m/s) > 5 m/s2",
    };
    for (size_t i = 0; i < sizeof pass / sizeof pass[0]; i++) {
        struct expr_result r = over(pass[i], EXPR_CRITERION, whole);
        if (!r.exists || r.value != 1.0)
            fail_msg("%s: %g", pass[i], r.value);
    }
}

static void named_results_enter_later_ones(void **unused)
{
    (void)unused;
    static const char *const names[] = {"stop_m", "never"};
    static const struct expr_dim dims[] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    static const double named[] = {100.0, NAN};
    static const struct expr_scope scope = {.named = names, .named_dim = dims, .names = 2};
    struct expr e;
    struct expr_result r;
    struct err err = {""};
    assert_int_equal(expr_compile("stop_m <= 99 m", EXPR_CRITERION, &scope, &e, &err), 0);
    expr_over(&e, &drive, whole, named, &r);
    assert_true(r.exists && r.value == 0.0 && r.left == 100.0);
    assert_int_equal(expr_compile("not never <= 99 m", EXPR_CRITERION, &scope, &e, &err), 0);
    expr_over(&e, &drive, whole, named, &r);
    assert_false(r.exists);
    assert_int_equal(expr_compile("stop_m <= 9 deg", EXPR_CRITERION, &scope, &e, &err), -22);
    assert_string_equal(err.text, "character 8: m and a plain number do not go together");
}

static void value_of_no_certain_time_is_refused(void **unused)
{
    (void)unused;
    struct expr e;
    struct err err = {""};
    assert_int_equal(expr_compile("vx_mps > 3 m/s", EXPR_CRITERION, NULL, &e, &err), -22);
    assert_string_equal(err.text,
                        "character 1: vx_mps changes during the drive; say which value is meant: "
                        "max(vx_mps), min(...), mean(...), at(..., time), begin(...), end(...)");
    assert_int_equal(expr_compile("at(vx_mps, time_s) > 3", EXPR_CRITERION, NULL, &e, &err), -22);
    assert_int_equal(expr_compile("at(vx_mps, 3 m) > 3", EXPR_CRITERION, NULL, &e, &err), -22);
    assert_string_equal(err.text, "character 1: s and m do not go together");
    assert_int_equal(expr_compile("duration(vx_mps) > 3", EXPR_CRITERION, NULL, &e, &err), -22);
    assert_int_equal(expr_compile("max(vx_mps > 1) > 3", EXPR_CRITERION, NULL, &e, &err), -22);
}

/* yaw_rate is 0.3 sin(2 pi 0.5 Hz t + 0.7) + 0.1: five whole cycles. Trapezoids of a whole number
 * of cycles are exact but for rounding; other whole frequencies find nothing, nor does the
 * constant. */
static void a_sine_is_found_by_its_frequency(void **unused)
{
    (void)unused;
    assert_near(measure("fourier(yaw_rate_radps, 0.5 Hz)"), 0.3, rounding);
    assert_near(measure("phase_of(yaw_rate_radps, 0.5 Hz)"), 0.7, rounding);
    assert_near(measure("fourier(yaw_rate_radps, 1 Hz)"), 0.0, rounding);
    assert_near(measure("fourier(3 * yaw_rate_radps, 1 / 2 s) / fourier(yaw_rate_radps, 0.5 Hz)"),
                3.0, rounding);
    struct expr e;
    struct err err = {""};
    assert_int_equal(expr_compile("fourier(vx_mps, 1 s)", EXPR_MEASURE, NULL, &e, &err), -22);
    assert_int_equal(expr_compile("fourier(vx_mps)", EXPR_MEASURE, NULL, &e, &err), -22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_give_what_the_drive_was_made_with),
        cmocka_unit_test(reductions_may_stand_inside_each_other),
        cmocka_unit_test(verdicts_are_as_known),
        cmocka_unit_test(comparison_shows_its_sides),
        cmocka_unit_test(window_holds_the_rows_between_two_times),
        cmocka_unit_test(what_never_came_has_no_value),
        cmocka_unit_test(what_is_not_finite_is_no_value),
        cmocka_unit_test(guard_keeps_what_is_none_out),
        cmocka_unit_test(named_results_enter_later_ones),
        cmocka_unit_test(a_sine_is_found_by_its_frequency),
        cmocka_unit_test(value_of_no_certain_time_is_refused),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}

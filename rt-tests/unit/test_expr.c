/* Expressions of the tick: values, units, dimensions, and what mistakes are told. */
#include "rt-tests/support/near.h"
#include "target/scenario/expr_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Rounding only: every case is a handful of operations. */
static const double rounding = 1e-12;

static struct signals sample(void)
{
    struct signals s;
    memset(&s, 0, sizeof s);
    s.vx_mps = 10.0;
    s.vy_mps = -3.0;
    s.roll_rad = -0.1;
    s.yaw_rate_radps = 0.5;
    s.fl_pressure_Pa = 80e5;
    s.fr_sensor_edge_ns = 2000000000;
    s.gear = -1;
    s.locked = 5;
    s.path_error_m = 0.25;
    s.phase_time_s = 3.0;
    return s;
}

static double value_of(const char *text)
{
    struct signals s = sample();
    struct expr e;
    struct err err = {""};
    if (expr_compile(text, EXPR_QUANTITY, NULL, &e, &err))
        fail_msg("%s: %s", text, err.text);
    return expr_value(&e, &s);
}

static bool holds(const char *text)
{
    struct signals s = sample();
    struct expr e;
    struct err err = {""};
    if (expr_compile(text, EXPR_CONDITION, NULL, &e, &err))
        fail_msg("%s: %s", text, err.text);
    return expr_holds(&e, &s);
}

static void arithmetic_follows_the_usual_order(void **unused)
{
    (void)unused;
    assert_near(value_of("1 + 2 * 3 - 4 / 2"), 5.0, rounding);
    assert_near(value_of("(1 + 2) * 3"), 9.0, rounding);
    assert_near(value_of("8 / 4 / 2"), 1.0, rounding);
    assert_near(value_of("5 - 3 - 1"), 1.0, rounding);
    assert_near(value_of("--2 * -.5e1"), -10.0, rounding);
    assert_near(value_of("sqrt(vx_mps * vx_mps + vy_mps * vy_mps)"), sqrt(109.0), rounding);
    assert_near(value_of("max(1, min(7, 5), 3)"), 5.0, rounding);
    assert_near(value_of("abs(roll_rad) + abs(0.1)"), 0.2, rounding);
}

static void every_type_of_signal_is_read(void **unused)
{
    (void)unused;
    assert_near(value_of("gear"), -1.0, 0.0);
    assert_near(value_of("locked"), 5.0, 0.0);
    assert_near(value_of("fr_sensor_edge_ns"), 2.0, rounding); /* in seconds, as all times */
    assert_near(value_of("path_error_m + phase_time_s * 1 m/s"), 3.25, rounding);
    assert_true(holds("bit(locked, 0) and not bit(locked, 1) and bit(locked, 2)"));
}

static void numbers_with_units_become_si(void **unused)
{
    (void)unused;
    assert_near(value_of("36 km/h"), 10.0, rounding);
    assert_near(value_of("36km/h + 1 m/s"), 11.0, rounding);
    assert_near(value_of("180 deg"), 3.14159265358979, 1e-13);
    assert_near(value_of("80 bar"), 8e6, 1e-9);
    assert_near(value_of("1 g"), 9.80665, rounding);
    assert_near(value_of("50 %"), 0.5, rounding);
    assert_near(value_of("250 ms"), 0.25, rounding);
    /* A product with a signal whose name begins like a unit. */
    assert_near(value_of("2 / vx_mps * 1 m/s"), 0.2, rounding);
}

static void conditions_combine(void **unused)
{
    (void)unused;
    assert_true(holds("vx_mps > 35 km/h and vx_mps < 37 km/h"));
    assert_true(holds("vx_mps < 15 km/h or fl_pressure_Pa >= 80 bar"));
    assert_false(holds("not vx_mps > 15 km/h"));
    assert_true(holds("abs(yaw_rate_radps) <= 30 deg/s"));
    assert_true(holds("gear == -1 and gear != 0"));
    /* and binds tighter than or */
    assert_true(holds("1 > 0 or 1 > 0 and 0 > 1"));
    assert_false(holds("(1 > 0 or 1 > 0) and 0 > 1"));
}

static void comparison_with_no_number_is_false(void **unused)
{
    (void)unused;
    struct signals s = sample();
    struct expr e;
    s.vx_mps = NAN;
    static const char *const texts[] = {
        "vx_mps > 0",     "vx_mps <= 0",        "vx_mps == vx_mps",   "vx_mps != 1",
        "not vx_mps > 0", "1 / (gear + 1) > 5", "-1 / (gear + 1) < 5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(expr_compile(texts[i], EXPR_CONDITION, NULL, &e, NULL), 0);
        assert_false(expr_holds(&e, &s));
    }
}

static void assert_refused(const char *text, enum expr_use use, const char *message)
{
    struct expr e;
    struct err err = {""};
    assert_int_equal(expr_compile(text, use, NULL, &e, &err), -22);
    assert_string_equal(err.text, message);
}

static void mistakes_are_told_with_their_place(void **unused)
{
    (void)unused;
    assert_refused("vx_mp > 3", EXPR_CONDITION,
                   "character 1: no signal \"vx_mp\", did you mean \"vx_mps\"?");
    assert_refused("1 + path_eror_m > 3", EXPR_CONDITION,
                   "character 5: no signal \"path_eror_m\", did you mean \"path_error_m\"?");
    assert_refused("qqq > 3", EXPR_CONDITION,
                   "character 1: no signal \"qqq\"; `skidpad signals` lists them");
    assert_refused("vx_mps > 15 kmh", EXPR_CONDITION,
                   "character 13: no unit \"kmh\", did you mean \"km/h\"?");
    assert_refused("asb(vx_mps) > 3", EXPR_CONDITION,
                   "character 1: no function \"asb\", did you mean \"abs\"?");
    assert_refused("(vx_mps > 3", EXPR_CONDITION,
                   "character 12: \")\" is missing, for the \"(\" of character 1");
    assert_refused("vx_mps >", EXPR_CONDITION, "character 9: a value is missing at the end");
    assert_refused("vx_mps > ?", EXPR_CONDITION,
                   "character 10: a value is expected here, not \"?\"");
    assert_refused("vx_mps = 3", EXPR_CONDITION, "character 8: write \"==\" to compare");
    assert_refused("1 < vx_mps < 3", EXPR_CONDITION,
                   "character 12: compare two values at a time and join with \"and\"");
    assert_refused("vx_mps > 3 vy_mps", EXPR_CONDITION, "character 12: no unit \"vy_mps\"");
    assert_refused("vx_mps > 3)", EXPR_CONDITION,
                   "character 11: this does not belong to the expression: \")\"");
    assert_refused("abs(1, 2)", EXPR_QUANTITY, "character 1: abs() takes 1 value, not 2");
    assert_refused("1.2.3", EXPR_QUANTITY, "character 1: \"1.2.3\" is no number");
    assert_refused("", EXPR_QUANTITY, "character 1: a value is missing at the end");
}

static void what_is_no_condition_is_refused(void **unused)
{
    (void)unused;
    assert_refused("vx_mps", EXPR_CONDITION,
                   "character 1: is a number, a condition such as `a > b` is needed here");
    assert_refused("vx_mps > 3", EXPR_QUANTITY,
                   "character 1: is true or false, a number is needed here");
    assert_refused("vx_mps > 3 and 1", EXPR_CONDITION,
                   "character 15: is a number, a condition such as `a > b` is needed here");
    assert_refused("1 + (vx_mps > 3)", EXPR_QUANTITY,
                   "character 3: is true or false, a number is needed here");
    assert_refused("max(vx_mps) > 3", EXPR_CONDITION,
                   "character 1: max() looks at a whole drive, it is for criteria only");
}

static void dimensions_must_fit(void **unused)
{
    (void)unused;
    assert_refused("vx_mps > 3 deg", EXPR_CONDITION,
                   "character 8: m/s and a plain number do not go together");
    assert_refused("vx_mps + x_m", EXPR_QUANTITY, "character 8: m/s and m do not go together");
    assert_refused("sqrt(vx_mps)", EXPR_QUANTITY, "character 1: the root of m/s is no quantity");
    /* What fits: products, bare numbers, angles without dimension. */
    assert_true(holds("vx_mps * yaw_rate_radps > 0.3 g"));
    assert_true(holds("vx_mps > 3"));
    assert_false(holds("fl_load_N / 9.81 > 300 kg * 1 m/s2"));
}

static void size_is_bounded(void **unused)
{
    (void)unused;
    char text[2000];
    struct expr e;
    struct err err = {""};
    memset(text, '(', sizeof text);
    text[40] = '\0';
    assert_int_equal(expr_compile(text, EXPR_QUANTITY, NULL, &e, &err), -22);
    assert_string_equal(err.text, "character 33: nested too deeply, at most 32 levels are allowed");
    for (size_t i = 0; i < 201; i++) /* 1+1+...+1 */
        text[i] = i % 2 ? '+' : '1';
    text[201] = '\0';
    assert_int_equal(expr_compile(text, EXPR_QUANTITY, NULL, &e, &err), -22);
    assert_non_null(strstr(err.text, "at most 160 operations are allowed"));
    memset(text, ' ', sizeof text);
    text[0] = '1';
    text[1200] = '\0';
    assert_int_equal(expr_compile(text, EXPR_QUANTITY, NULL, &e, &err), -22);
    assert_string_equal(err.text, "character 1: too long, at most 1000 characters are allowed");
}

static void key_of_a_document_gets_the_message(void **unused)
{
    (void)unused;
    static const char text[] = "when: vx_mps > 10 km/h\nuntil: vx_mps > 10 kph\n";
    struct cfg_doc *doc;
    struct expr e;
    assert_int_equal(cfg_open_text("drive.yaml", text, strlen(text), &doc), 0);
    assert_true(expr_load(cfg_root(doc), "when", EXPR_CONDITION, NULL, &e));
    assert_false(expr_load(cfg_root(doc), "absent", EXPR_CONDITION, NULL, &e));
    assert_true(cfg_ok(doc));
    assert_false(expr_load(cfg_root(doc), "until", EXPR_CONDITION, NULL, &e));
    assert_string_equal(cfg_message(doc, 0),
                        "drive.yaml:2:1: until: character 13: no unit \"kph\", did you mean "
                        "\"km/h\"?, in \"vx_mps > 10 kph\"");
    cfg_close(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_follows_the_usual_order),
        cmocka_unit_test(every_type_of_signal_is_read),
        cmocka_unit_test(numbers_with_units_become_si),
        cmocka_unit_test(conditions_combine),
        cmocka_unit_test(comparison_with_no_number_is_false),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(what_is_no_condition_is_refused),
        cmocka_unit_test(dimensions_must_fit),
        cmocka_unit_test(size_is_bounded),
        cmocka_unit_test(key_of_a_document_gets_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Charts as SVG. */
#include "shared/base/chart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The page with one chart as text; the caller frees it. */
static char *draw(const struct chart *c)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    chart_begin(to, 600.0, 400.0, "page");
    chart_draw(to, c, 0.0, 0.0, 600.0, 400.0);
    chart_end(to);
    assert_int_equal(fclose(to), 0);
    return text;
}

static int occurrences(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

static void steps_are_one_two_or_five_times_a_power_of_ten(void **unused)
{
    (void)unused;
    /* rounding of powers of ten */
    assert_true(fabs(chart_round_step(10.0, 5) - 2.0) < 1e-12);
    assert_true(fabs(chart_round_step(1.0, 9) - 0.1) < 1e-12);
    assert_true(fabs(chart_round_step(4321.0, 8) - 500.0) < 1e-9);
    assert_true(fabs(chart_round_step(3.2e-7, 4) - 1e-7) < 1e-18);
}

static void a_line_is_drawn_inside_axes_that_hold_it(void **unused)
{
    (void)unused;
    const double x[] = {0.0, 1.0, 2.0}, y[] = {-3.0, 5.0, 17.0};
    const struct chart_line line = {.name = "one", .x = x, .y = y, .count = 3};
    const struct chart c = {.title = "t",
                            .x = {.label = "time in s"},
                            .y = {.label = "y"},
                            .lines = &line,
                            .line_count = 1};
    char *text = draw(&c);
    assert_int_equal(occurrences(text, "time in s"), 1);
    assert_int_equal(occurrences(text, ">one<"), 1);
    assert_non_null(strstr(text, ">18<")); /* the range of y ends on a round number */
    assert_non_null(strstr(text, ">-4<"));
    assert_int_equal(occurrences(text, "nan"), 0);
    free(text);
}

static void names_cannot_break_the_page(void **unused)
{
    (void)unused;
    const double x[] = {0.0, 1.0};
    const struct chart_line line = {.name = "a<b>&c", .x = x, .y = x, .count = 2};
    const struct chart c = {.lines = &line, .line_count = 1};
    char *text = draw(&c);
    assert_non_null(strstr(text, "a&lt;b&gt;&amp;c"));
    free(text);
}

static void values_that_are_not_finite_leave_a_gap(void **unused)
{
    (void)unused;
    const double x[] = {0.0, 1.0, 2.0, 3.0, 4.0}, y[] = {1.0, 2.0, NAN, 2.0, INFINITY};
    const struct chart_line line = {.x = x, .y = y, .count = 5};
    const struct chart c = {.lines = &line, .line_count = 1};
    char *text = draw(&c);
    const char *path = strstr(text, "d=\"M66");
    assert_non_null(path);
    assert_int_equal(occurrences(text, "nan") + occurrences(text, "inf"), 0);
    free(text);
}

static void logarithmic_axes_show_decades_and_leave_out_zero(void **unused)
{
    (void)unused;
    const double x[] = {0.0, 2.0, 30.0, 4000.0}, y[] = {1.0, 2.0, 3.0, 4.0};
    const struct chart_line line = {.x = x, .y = y, .count = 4};
    const struct chart c = {
        .x = {.label = "latency in us", .log = true}, .lines = &line, .line_count = 1};
    char *text = draw(&c);
    assert_non_null(strstr(text, ">1000<"));
    assert_non_null(strstr(text, ">10000<"));
    assert_int_equal(occurrences(text, "nan") + occurrences(text, "inf"), 0);
    free(text);
}

static void an_empty_or_constant_line_still_makes_a_chart(void **unused)
{
    (void)unused;
    const double x[] = {1.0, 1.0}, y[] = {7.0, 7.0};
    const struct chart_line line = {.name = "still", .x = x, .y = y, .count = 2};
    struct chart c = {.lines = &line, .line_count = 1, .same_scale = true};
    char *text = draw(&c);
    assert_int_equal(occurrences(text, "nan") + occurrences(text, "inf"), 0);
    free(text);
    c.line_count = 0;
    text = draw(&c);
    assert_int_equal(occurrences(text, "nan") + occurrences(text, "inf"), 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_one_two_or_five_times_a_power_of_ten),
        cmocka_unit_test(a_line_is_drawn_inside_axes_that_hold_it),
        cmocka_unit_test(names_cannot_break_the_page),
        cmocka_unit_test(values_that_are_not_finite_leave_a_gap),
        cmocka_unit_test(logarithmic_axes_show_decades_and_leave_out_zero),
        cmocka_unit_test(an_empty_or_constant_line_still_makes_a_chart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A bench that stays: how its runs ended. */
#include "target/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(const int *status, int runs, int worst, const char *text)
{
    struct serve_tally t = {0};
    char got[256];
    for (int i = 0; i < runs; i++)
        serve_count(&t, i + 1, status[i]);
    serve_tally_text(&t, got, sizeof got);
    assert_string_equal(got, text);
    assert_int_equal(serve_worst(&t), worst);
}

static void the_worst_run_decides_the_status(void **unused)
{
    (void)unused;
    expect((const int[]){0}, 1, 0, "1 run, all clean");
    expect((const int[]){0, 0, 0}, 3, 0, "3 runs, all clean");
    expect((const int[]){0, 1, 0}, 3, 1, "of 3 runs 1 ended with status 1 (run 2)");
    expect((const int[]){3, 1, 0, 1}, 4, 3,
           "of 4 runs 2 ended with status 1 (runs 2, 4), 1 ended with status 3 (run 1)");
    expect((const int[]){0, 137}, 2, 3, "of 2 runs 1 ended with status 3 (run 2)");
}

static void of_many_runs_the_first_are_named(void **unused)
{
    (void)unused;
    int status[12];
    for (int i = 0; i < 12; i++)
        status[i] = i > 0;
    expect(status, 12, 1,
           "of 12 runs 11 ended with status 1 (runs 2, 3, 4, 5, 6, 7, 8, 9 and 3 more)");
}

static void a_short_line_is_cut(void **unused)
{
    (void)unused;
    struct serve_tally t = {0};
    char got[20];
    for (int i = 1; i < 100; i++)
        serve_count(&t, i, i % 4);
    serve_tally_text(&t, got, sizeof got);
    assert_string_equal(got, "of 99 runs 25 ended");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_run_decides_the_status),
        cmocka_unit_test(of_many_runs_the_first_are_named),
        cmocka_unit_test(a_short_line_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The load of the benchmark works only while something is measured. */
#include "target/bench_stress.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* The state letter of a process: T is stopped. */
static char process_state(pid_t pid)
{
    char path[64], line[512] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    (void)fclose(f);
    const char *end = strrchr(line, ')');
    assert_non_null(end);
    return end[2];
}

/* Waits until every child is stopped, or none: a signal takes a moment to act. */
static void expect_stopped(const struct bench_stress *s, bool stopped)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < s->count; i++) {
        int tries = 10000;
        while ((process_state(s->children[i]) == 'T') != stopped && tries-- > 0)
            (void)nanosleep(&pause, NULL);
        assert_true(tries > 0);
    }
}

static void load_rests_until_it_is_wanted(void **state)
{
    (void)state;
    struct bench_stress s;
    struct err e = {""};
    assert_int_equal(bench_stress_start(&s, STRESS_ALL, &e), 0);
    assert_true(s.count > 2);
    expect_stopped(&s, true);
    bench_stress_rest(&s, false);
    expect_stopped(&s, false);
    bench_stress_rest(&s, true);
    expect_stopped(&s, true);
    pid_t first = s.children[0];
    assert_int_equal(bench_stress_stop(&s), 0);
    assert_int_equal(kill(first, 0), -1); /* gone, though it was stopped */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_rests_until_it_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* When silence is one. */
#include "target/watchdog_judge.h"

#include "shared/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MS = NS_PER_MS };

static struct watchdog_judge fresh(int64_t timeout_ns)
{
    return (struct watchdog_judge){.timeout_ns = timeout_ns,
                                   .every_ns = watchdog_judge_every_ns(timeout_ns)};
}

static void a_run_that_ticks_is_never_silent(void **unused)
{
    (void)unused;
    struct watchdog_judge j = fresh(20 * MS);
    for (int64_t i = 0; i < 1000; i++)
        assert_false(watchdog_judge_look(&j, i * 5, i * 5 * MS));
}

/* Also where the first tick of all is 0, and where the last one stays. */
static void silence_is_noticed_within_a_quarter_of_the_time_out(void **unused)
{
    (void)unused;
    struct watchdog_judge j = fresh(20 * MS);
    int64_t now_ns = 0;
    assert_int_equal(j.every_ns, 5 * MS);
    assert_false(watchdog_judge_look(&j, 0, now_ns));
    while (!watchdog_judge_look(&j, 0, now_ns += j.every_ns))
        assert_true(now_ns < 25 * MS);
    assert_true(now_ns >= 20 * MS && now_ns <= 25 * MS);
}

/* The machine stood still for a second, or the watchdog was held up: the run gets its time. */
static void time_in_which_nobody_looked_counts_as_one_look(void **unused)
{
    (void)unused;
    struct watchdog_judge j = fresh(20 * MS);
    assert_false(watchdog_judge_look(&j, 7, 0));
    assert_false(watchdog_judge_look(&j, 7, 1000 * (int64_t)MS));
    assert_false(watchdog_judge_look(&j, 8, 1005 * (int64_t)MS)); /* it ticks again */
    assert_int_equal(j.silent_ns, 0);
}

static void looks_are_neither_too_rare_nor_too_frequent(void **unused)
{
    (void)unused;
    assert_int_equal(watchdog_judge_every_ns(150 * NS_PER_US), 100 * NS_PER_US);
    assert_int_equal(watchdog_judge_every_ns(4 * MS), 1 * MS);
    assert_int_equal(watchdog_judge_every_ns(60000 * (int64_t)MS), 10 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_ticks_is_never_silent),
        cmocka_unit_test(silence_is_noticed_within_a_quarter_of_the_time_out),
        cmocka_unit_test(time_in_which_nobody_looked_counts_as_one_look),
        cmocka_unit_test(looks_are_neither_too_rare_nor_too_frequent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Deadline statistics. */
#include "shared/base/deadline.h"

#include "shared/base/latest.h"
#include "shared/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PERIOD_NS (100 * NS_PER_US)

/* Too large for the stack of a test; each test starts it anew. */
static struct deadline_stats stats;

/* Accounts for tick k of the period with the given latency and execution. */
static int64_t tick(int64_t k, int64_t wake_ns, int64_t execution_ns)
{
    struct deadline_tick t = {.release_ns = k * PERIOD_NS, .deadline_ns = (k + 1) * PERIOD_NS};
    t.wake_ns = t.release_ns + wake_ns;
    t.end_ns = t.wake_ns + execution_ns;
    return deadline_account(&stats, &t);
}

static void nothing_accounted_reads_as_zero(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    assert_int_equal(stats.now.ticks, 0);
    assert_int_equal(deadline_mean_ns(&stats.now, DEADLINE_WAKE), 0);
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 999000), 0);
}

static void spread_is_exact(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    (void)tick(0, 3001, 20000);
    (void)tick(1, 1999, 30001);
    (void)tick(2, 4000, 10007);
    const struct deadline_spread *wake = &stats.now.spread[DEADLINE_WAKE];
    const struct deadline_spread *response = &stats.now.spread[DEADLINE_RESPONSE];
    assert_int_equal(wake->min_ns, 1999);
    assert_int_equal(wake->max_ns, 4000);
    assert_int_equal(deadline_mean_ns(&stats.now, DEADLINE_WAKE), 3000);
    assert_int_equal(stats.now.spread[DEADLINE_EXECUTION].max_ns, 30001);
    assert_int_equal(response->min_ns, 14007);
    assert_int_equal(response->max_ns, 32000);
    assert_int_equal(stats.now.ticks, 3);
    assert_int_equal(stats.now.misses, 0);
    assert_int_equal(stats.now.lateness_worst_ns, 0);
}

static void ending_on_the_deadline_is_in_time(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    assert_int_equal(tick(0, 0, PERIOD_NS), 0);
    assert_int_equal(stats.now.misses, 0);
    assert_int_equal(tick(1, 1, PERIOD_NS), 1);
    assert_int_equal(stats.now.misses, 1);
    assert_int_equal(stats.now.lateness_worst_ns, 1);
}

static void worst_lateness_names_its_tick(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    (void)tick(0, 1000, 20000);
    (void)tick(1, 1000, PERIOD_NS + 500);
    (void)tick(2, 1000, PERIOD_NS + 9000);
    (void)tick(3, 1000, PERIOD_NS + 8000);
    assert_int_equal(stats.now.lateness_worst_ns, 10000);
    assert_int_equal(stats.now.worst_tick, 2);
}

static void longest_run_of_misses_survives_good_ticks(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    const bool missed[] = {false, true, true, true, false, true, true, false, true};
    for (int64_t k = 0; k < 9; k++)
        (void)tick(k, 0, missed[k] ? PERIOD_NS + 1 : 1000);
    assert_int_equal(stats.now.misses, 6);
    assert_int_equal(stats.now.run_longest, 3);
    assert_int_equal(stats.now.run, 1);
}

/* A tick that takes 3.5 periods: it is late itself, and of the releases that passed meanwhile three
 * were never served. The next tick is in time again. */
static void each_skipped_release_is_a_missed_deadline(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    (void)tick(0, 1000, 20000);
    assert_true(tick(1, 1000, PERIOD_NS * 7 / 2) > 0);
    deadline_skip(&stats, 3);
    assert_int_equal(stats.now.run, 4);
    (void)tick(5, 1000, 20000);
    assert_int_equal(stats.now.ticks, 3);
    assert_int_equal(stats.now.skipped, 3);
    assert_int_equal(stats.now.misses, 4);
    assert_int_equal(stats.now.run_longest, 4);
    assert_int_equal(stats.now.run, 0);
    /* Skipped releases have no times of their own. */
    uint64_t in_bins = 0;
    for (size_t i = 0; i < DEADLINE_BINS; i++)
        in_bins += stats.bins[DEADLINE_RESPONSE][i];
    assert_int_equal(in_bins, 3);
    assert_int_equal(stats.now.lateness_worst_ns, 1000 + PERIOD_NS * 5 / 2);
}

static void worst_of_each_phase_and_longest_of_a_tick_are_known(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    struct deadline_tick t = {.wake_ns = 1000, .end_ns = 9000, .deadline_ns = PERIOD_NS};
    assert_int_equal(deadline_longest_phase(&t), 0); /* none given */
    t.phase_count = 3;
    t.phase_end_ns[0] = 1500;
    t.phase_end_ns[1] = 8000;
    t.phase_end_ns[2] = 9000;
    assert_int_equal(deadline_longest_phase(&t), 1);
    (void)deadline_account(&stats, &t);
    t.phase_end_ns[1] = 3000;
    (void)deadline_account(&stats, &t);
    assert_int_equal(deadline_longest_phase(&t), 2);
    assert_int_equal(stats.now.phase_worst_ns[0], 500);
    assert_int_equal(stats.now.phase_worst_ns[1], 6500);
    assert_int_equal(stats.now.phase_worst_ns[2], 6000);
    assert_int_equal(stats.now.phase_worst_ns[3], 0);
}

static void bins_join_without_gap_or_overlap(void **unused)
{
    (void)unused;
    assert_true(deadline_bin_low_ns(0) == INT64_MIN);
    for (size_t i = 0; i < DEADLINE_BINS; i++) {
        const int64_t low_ns = deadline_bin_low_ns(i), high_ns = deadline_bin_high_ns(i);
        assert_true(high_ns >= low_ns);
        assert_int_equal(deadline_bin(low_ns), i);
        assert_int_equal(deadline_bin(high_ns), i);
        if (i + 1 < DEADLINE_BINS)
            assert_int_equal(deadline_bin_low_ns(i + 1), high_ns + 1);
    }
    assert_true(deadline_bin_high_ns(DEADLINE_BINS - 1) == INT64_MAX);
}

static void bins_are_as_narrow_as_promised(void **unused)
{
    (void)unused;
    for (size_t i = 1; i + 1 < DEADLINE_BINS; i++) {
        const int64_t low_ns = deadline_bin_low_ns(i);
        const int64_t width_ns = deadline_bin_high_ns(i) - low_ns + 1;
        if (low_ns < -10 * NS_PER_US)
            assert_int_equal(width_ns, NS_PER_US);
        else if (low_ns < 100 * NS_PER_US)
            assert_int_equal(width_ns, 100);
        else if (low_ns < NS_PER_MS)
            assert_int_equal(width_ns, NS_PER_US);
        else
            assert_true(width_ns <= low_ns / 16);
    }
    assert_true(deadline_bin_low_ns(DEADLINE_BINS - 1) == INT64_C(1) << 40);
}

/* Timers that a core anticipates: half of the wake-ups 1.4 us early, a few only 0.5 us. */
static void times_below_zero_have_percentiles_of_their_own(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    for (int64_t k = 0; k < 1000; k++)
        (void)tick(k, k < 500 ? -1450 : k < 990 ? -1250 : k < 999 ? -550 : 250, 20000);
    assert_int_equal(stats.now.spread[DEADLINE_WAKE].min_ns, -1450);
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 500000), -1401);
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 990000), -1201);
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 999000), -501);
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 1000000), 250);
    assert_int_equal(deadline_bin(INT64_MIN), 0);
    assert_int_equal(deadline_bin(-NS_PER_MS), 1);
    assert_int_equal(deadline_bin(-NS_PER_MS - 1), 0);
    assert_int_equal(deadline_bin(-1) + 1, deadline_bin(0));
}

static void tables_have_no_minus_zero(void **unused)
{
    (void)unused;
    char text[16];
    (void)snprintf(text, sizeof text, "%.1f %.1f", deadline_us(-49), deadline_us(-399));
    assert_string_equal(text, "0.0 -0.4");
}

/* ---- percentiles against sorted values */

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Numbers spread over ten decades, the same in each run (splitmix64). */
static int64_t scattered_ns(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    int64_t time_ns = (int64_t)((z >> 16) >> (z % 46 + 2));
    return i % 3 ? time_ns : -time_ns;
}

enum { SAMPLES = 50001 };

static void percentiles_are_exact_to_a_bin(void **unused)
{
    (void)unused;
    static int64_t sorted_ns[SAMPLES];
    deadline_init(&stats);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        sorted_ns[i] = scattered_ns(i);
        (void)tick((int64_t)i, sorted_ns[i], 0);
    }
    qsort(sorted_ns, SAMPLES, sizeof sorted_ns[0], by_value);

    const uint32_t parts[] = {0, 1, 500000, 900000, 990000, 999000, 999990, 1000000};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        uint64_t rank = ((uint64_t)SAMPLES * parts[i] + 999999) / 1000000;
        rank = rank == 0 ? 1 : rank;
        const int64_t exact_ns = sorted_ns[rank - 1];
        const int64_t got_ns = deadline_percentile_ns(&stats, DEADLINE_WAKE, parts[i]);
        assert_int_equal(deadline_bin(got_ns), deadline_bin(exact_ns));
        assert_true(got_ns >= exact_ns);
        assert_true(got_ns <= sorted_ns[SAMPLES - 1]);
    }
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 1000000),
                     sorted_ns[SAMPLES - 1]);
}

static void one_outlier_in_a_thousand_is_beyond_p999(void **unused)
{
    (void)unused;
    deadline_init(&stats);
    for (int64_t k = 0; k < 1000; k++)
        (void)tick(k, k == 500 ? 50000 : 2000, 1000);
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 999000), 2099);
    assert_int_equal(deadline_percentile_ns(&stats, DEADLINE_WAKE, 999001), 50000);
}

static void snapshot_goes_through_a_triple_buffer(void **unused)
{
    (void)unused;
    struct latest l;
    struct latest_info info;
    assert_int_equal(latest_init(&l, sizeof stats.now, NULL, NULL), 0);
    deadline_init(&stats);
    (void)tick(0, 2000, PERIOD_NS);
    latest_write(&l, &stats.now, 123);
    (void)tick(1, 2000, PERIOD_NS);
    const struct deadline_now *seen = latest_read(&l, &info);
    assert_int_equal(seen->misses, 1);
    assert_int_equal(stats.now.misses, 2);
    /* A few cache lines: copying them in a tick costs little. */
    assert_true(sizeof stats.now <= 4 * 64);
    latest_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_accounted_reads_as_zero),
        cmocka_unit_test(spread_is_exact),
        cmocka_unit_test(ending_on_the_deadline_is_in_time),
        cmocka_unit_test(worst_lateness_names_its_tick),
        cmocka_unit_test(longest_run_of_misses_survives_good_ticks),
        cmocka_unit_test(each_skipped_release_is_a_missed_deadline),
        cmocka_unit_test(worst_of_each_phase_and_longest_of_a_tick_are_known),
        cmocka_unit_test(bins_join_without_gap_or_overlap),
        cmocka_unit_test(bins_are_as_narrow_as_promised),
        cmocka_unit_test(times_below_zero_have_percentiles_of_their_own),
        cmocka_unit_test(tables_have_no_minus_zero),
        cmocka_unit_test(percentiles_are_exact_to_a_bin),
        cmocka_unit_test(one_outlier_in_a_thousand_is_beyond_p999),
        cmocka_unit_test(snapshot_goes_through_a_triple_buffer),
    };
    return cmocka_run_group_tests_name("deadline", tests, NULL, NULL);
}

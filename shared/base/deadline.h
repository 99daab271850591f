/* Deadline statistics. The real-time thread accounts for each tick; another thread reads the result
 * after the end, or the small `now` part as a snapshot through shared/base/latest.h:
 *
 *     struct deadline_tick t = {.release_ns = r, .deadline_ns = r + D};
 *     t.wake_ns = rt_now();
 *     ...                                                    a phase
 *     t.phase_end_ns[t.phase_count++] = rt_now();
 *     ...
 *     t.end_ns = rt_now();
 *     if (deadline_account(&stats, &t) > 0)
 *         log_miss(&t, deadline_longest_phase(&t));
 *     latest_write(&snapshots, &stats.now, t.end_ns);        now and then
 *
 * Three times are watched in each tick, with release r, wake-up w and end e: wake-up latency w - r,
 * execution e - w, response e - r. A deadline is missed when e is after it; each release that was
 * skipped is a missed deadline of its own.
 *
 * Resolution: minimum, mean, maximum and lateness are exact to the nanosecond. The histograms have
 * bins of 100 ns up to 100 us, of 1 us up to 1 ms, then 16 bins per doubling (each at most 1/16 of
 * its lower edge wide) up to 2^40 ns (18 minutes), and one bin for everything beyond. Times below
 * zero (a core that wakes early on purpose, a frame that leaves before the edge it tells of) have
 * bins of 100 ns down to -10 us, of 1 us down to -1 ms, and one for everything below. Percentiles
 * are exact to a bin. */
#ifndef SKIDPAD_BASE_DEADLINE_H
#define SKIDPAD_BASE_DEADLINE_H

#include <stddef.h>
#include <stdint.h>

enum {
    DEADLINE_PHASES = 8,
    DEADLINE_BELOW_BINS = 1,        /* what is below -1 ms */
    DEADLINE_EARLY_BINS = 990,      /* of 1 us, from -1 ms */
    DEADLINE_EARLY_FINE_BINS = 100, /* of 100 ns, from -10 us */
    DEADLINE_FINE_BINS = 1000,      /* of 100 ns, from 0 */
    DEADLINE_MICRO_BINS = 900,      /* of 1 us, from 100 us */
    DEADLINE_COARSE_BINS = 322,     /* 16 per doubling, from 1 ms */
    DEADLINE_NEGATIVE_BINS = DEADLINE_BELOW_BINS + DEADLINE_EARLY_BINS + DEADLINE_EARLY_FINE_BINS,
    DEADLINE_BINS = DEADLINE_NEGATIVE_BINS + DEADLINE_FINE_BINS + DEADLINE_MICRO_BINS +
                    DEADLINE_COARSE_BINS + 1,
};

enum deadline_time { DEADLINE_WAKE, DEADLINE_EXECUTION, DEADLINE_RESPONSE, DEADLINE_TIMES };

/* What happened in one tick, in absolute times of one clock. */
struct deadline_tick {
    int64_t release_ns, wake_ns, end_ns;
    int64_t deadline_ns; /* release plus D */
    /* When each phase ended, in order; the first began at wake_ns. None need be given. */
    int64_t phase_end_ns[DEADLINE_PHASES];
    size_t phase_count;
};

struct deadline_spread {
    int64_t min_ns, max_ns; /* INT64_MAX and INT64_MIN before the first tick */
    int64_t sum_ns;
};

/* Everything but the histograms: small enough to be copied in a tick. */
struct deadline_now {
    uint64_t ticks;            /* accounted for */
    uint64_t skipped;          /* releases that were never served */
    uint64_t misses;           /* late ticks and skipped releases */
    uint64_t run, run_longest; /* misses in a row: now, and the most there were */
    int64_t lateness_worst_ns; /* end after deadline; 0 while no tick was late */
    uint64_t worst_tick;       /* which one that was, counted from 0 */
    struct deadline_spread spread[DEADLINE_TIMES];
    int64_t phase_worst_ns[DEADLINE_PHASES]; /* 0 for phases never given */
};

/* About 80 kB. All of it is written by deadline_init(), so that its pages exist. */
struct deadline_stats {
    struct deadline_now now;
    uint64_t bins[DEADLINE_TIMES][DEADLINE_BINS];
};

/* One time watched alone, with the same histogram. */
struct timing {
    uint64_t count;
    struct deadline_spread spread;
    uint64_t bins[DEADLINE_BINS];
};

/* ---- set-up, and where a run begins anew */

void deadline_init(struct deadline_stats *s);

/* ---- the real-time thread: integers only, no loop but that over the phases */

/* Adds a tick. Returns its lateness, end minus deadline: missed if above 0. */
int64_t deadline_account(struct deadline_stats *s, const struct deadline_tick *t);
/* Adds releases that have passed unserved: each is a missed deadline, and they prolong the run of
 * misses. They have no end, so no lateness, and are in no histogram. */
void deadline_skip(struct deadline_stats *s, uint64_t releases);
/* Index of the phase that took longest (the first of equals), or phase_count if none was given. */
size_t deadline_longest_phase(const struct deadline_tick *t);

/* ---- the reader */

/* Rounded towards zero; 0 before the first tick. */
int64_t deadline_mean_ns(const struct deadline_now *now, enum deadline_time which);
/* The smallest time that at least this part of all ticks did not exceed, in millionths: 500000 is
 * the median, 999000 is p99.9, 1000000 the maximum. It is the highest value of the bin that holds
 * the exact one, but never above the exact maximum: at most a bin too high, never too low. 0 before
 * the first tick. */
int64_t deadline_percentile_ns(const struct deadline_stats *s, enum deadline_time which,
                               uint32_t millionths);

void timing_init(struct timing *t);
void timing_add(struct timing *t, int64_t time_ns); /* as deadline_account(): real-time */
int64_t timing_mean_ns(const struct timing *t);
int64_t timing_percentile_ns(const struct timing *t, uint32_t millionths);

/* Microseconds for a table with one decimal: what would read as -0.0 is 0. */
double deadline_us(int64_t time_ns);

/* The bin of a time, and the lowest and highest time of a bin (both inclusive; INT64_MIN begins the
 * first one, INT64_MAX ends the last one). */
size_t deadline_bin(int64_t time_ns);
int64_t deadline_bin_low_ns(size_t bin);
int64_t deadline_bin_high_ns(size_t bin);

#endif

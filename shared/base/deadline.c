#include "shared/base/deadline.h"

#include <assert.h>
#include <string.h>

enum {
    FINE_NS = 100,
    FINE_END_NS = 100000,
    MICRO_NS = 1000,
    MICRO_END_NS = 1000000,
    EARLY_FIRST = DEADLINE_BELOW_BINS,
    EARLY_FINE_FIRST = EARLY_FIRST + DEADLINE_EARLY_BINS,
    FINE_FIRST = DEADLINE_NEGATIVE_BINS,
    MICRO_FIRST = FINE_FIRST + DEADLINE_FINE_BINS,
    COARSE_FIRST = MICRO_FIRST + DEADLINE_MICRO_BINS,
    EARLY_FINE_END_NS = FINE_NS * DEADLINE_EARLY_FINE_BINS, /* before zero */
    EARLY_END_NS = EARLY_FINE_END_NS + MICRO_NS * DEADLINE_EARLY_BINS,
    BEYOND = DEADLINE_BINS - 1,
    SUB_BITS = 4, /* 16 bins per doubling */
    SUB_BINS = 1 << SUB_BITS,
    EXPONENT_FIRST = 19, /* 2^19 ns is the power of two below 1 ms */
    EXPONENT_END = 40,
    SUB_FIRST = 14, /* of those 16 bins the one that holds 1 ms */
};

static_assert(FINE_NS * DEADLINE_FINE_BINS == FINE_END_NS, "fine bins end where the next begin");
static_assert(FINE_END_NS + MICRO_NS * DEADLINE_MICRO_BINS == MICRO_END_NS, "micro bins as well");
static_assert(EARLY_END_NS == MICRO_END_NS, "early bins begin as far before zero as 1 ms");
static_assert((SUB_BINS + SUB_FIRST) << (EXPONENT_FIRST - SUB_BITS) <= MICRO_END_NS &&
                  (SUB_BINS + SUB_FIRST + 1) << (EXPONENT_FIRST - SUB_BITS) > MICRO_END_NS,
              "1 ms is in the first coarse bin");
static_assert((EXPONENT_END - EXPONENT_FIRST) * SUB_BINS - SUB_FIRST == DEADLINE_COARSE_BINS,
              "coarse bins end where the last one begins");

/* time_ns >= 1 ms: exponent and the four bits after the leading one. */
static size_t coarse_bin(uint64_t time_ns)
{
    const int exponent = 63 - __builtin_clzll(time_ns);
    if (exponent >= EXPONENT_END)
        return BEYOND;
    const size_t sub = (size_t)(time_ns >> (exponent - SUB_BITS)) & (SUB_BINS - 1);
    return COARSE_FIRST + (size_t)(exponent - EXPONENT_FIRST) * SUB_BINS + sub - SUB_FIRST;
}

static size_t early_bin(int64_t time_ns)
{
    if (time_ns < -EARLY_END_NS)
        return 0;
    if (time_ns < -EARLY_FINE_END_NS)
        return EARLY_FIRST + (uint32_t)(time_ns + EARLY_END_NS) / MICRO_NS;
    return EARLY_FINE_FIRST + (uint32_t)(time_ns + EARLY_FINE_END_NS) / FINE_NS;
}

/* Out of line, so that the usual case stays short. Divisions by constants, in 32 bits, are a
 * multiplication and a shift. */
__attribute__((noinline)) static size_t unusual_bin(int64_t time_ns)
{
    if (time_ns < 0)
        return early_bin(time_ns);
    if (time_ns < MICRO_END_NS)
        return MICRO_FIRST + ((uint32_t)time_ns - FINE_END_NS) / MICRO_NS;
    return coarse_bin((uint64_t)time_ns);
}

static inline size_t bin_of(int64_t time_ns)
{
    /* Below zero is a large number here: one comparison for both limits. */
    if (__builtin_expect((uint64_t)time_ns < FINE_END_NS, 1))
        return FINE_FIRST + (uint32_t)time_ns / FINE_NS;
    return unusual_bin(time_ns);
}

size_t deadline_bin(int64_t time_ns)
{
    return bin_of(time_ns);
}

int64_t deadline_bin_low_ns(size_t bin)
{
    if (bin < EARLY_FIRST)
        return INT64_MIN;
    if (bin < EARLY_FINE_FIRST)
        return (int64_t)(bin - EARLY_FIRST) * MICRO_NS - EARLY_END_NS;
    if (bin < MICRO_FIRST)
        return ((int64_t)bin - FINE_FIRST) * FINE_NS;
    if (bin < COARSE_FIRST)
        return FINE_END_NS + (int64_t)(bin - MICRO_FIRST) * MICRO_NS;
    if (bin == COARSE_FIRST)
        return MICRO_END_NS; /* what is below it in that doubling has finer bins */
    if (bin >= BEYOND)
        return INT64_C(1) << EXPONENT_END;
    const size_t i = bin - COARSE_FIRST + SUB_FIRST;
    return (int64_t)(SUB_BINS + i % SUB_BINS) << (i / SUB_BINS + EXPONENT_FIRST - SUB_BITS);
}

int64_t deadline_bin_high_ns(size_t bin)
{
    return bin >= BEYOND ? INT64_MAX : deadline_bin_low_ns(bin + 1) - 1;
}

double deadline_us(int64_t time_ns)
{
    return time_ns > -50 && time_ns < 0 ? 0.0 : 1e-3 * (double)time_ns;
}

void deadline_init(struct deadline_stats *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < DEADLINE_TIMES; i++) {
        s->now.spread[i].min_ns = INT64_MAX;
        s->now.spread[i].max_ns = INT64_MIN;
    }
}

static inline void add(struct deadline_spread *spread, uint64_t bins[DEADLINE_BINS],
                       int64_t time_ns)
{
    if (time_ns < spread->min_ns)
        spread->min_ns = time_ns;
    if (time_ns > spread->max_ns)
        spread->max_ns = time_ns;
    spread->sum_ns += time_ns;
    bins[bin_of(time_ns)]++;
}

static inline void add_time(struct deadline_stats *s, enum deadline_time which, int64_t time_ns)
{
    add(&s->now.spread[which], s->bins[which], time_ns);
}

static inline void add_misses(struct deadline_now *now, uint64_t count)
{
    now->misses += count;
    now->run += count;
    if (now->run > now->run_longest)
        now->run_longest = now->run;
}

int64_t deadline_account(struct deadline_stats *s, const struct deadline_tick *t)
{
    struct deadline_now *now = &s->now;
    add_time(s, DEADLINE_WAKE, t->wake_ns - t->release_ns);
    add_time(s, DEADLINE_EXECUTION, t->end_ns - t->wake_ns);
    add_time(s, DEADLINE_RESPONSE, t->end_ns - t->release_ns);

    int64_t start_ns = t->wake_ns;
    for (size_t i = 0; i < t->phase_count; i++) {
        if (t->phase_end_ns[i] - start_ns > now->phase_worst_ns[i])
            now->phase_worst_ns[i] = t->phase_end_ns[i] - start_ns;
        start_ns = t->phase_end_ns[i];
    }

    const int64_t lateness_ns = t->end_ns - t->deadline_ns;
    if (lateness_ns > 0) {
        add_misses(now, 1);
        if (lateness_ns > now->lateness_worst_ns) {
            now->lateness_worst_ns = lateness_ns;
            now->worst_tick = now->ticks;
        }
    } else {
        now->run = 0;
    }
    now->ticks++;
    return lateness_ns;
}

void deadline_skip(struct deadline_stats *s, uint64_t releases)
{
    s->now.skipped += releases;
    add_misses(&s->now, releases);
}

size_t deadline_longest_phase(const struct deadline_tick *t)
{
    size_t longest = t->phase_count;
    int64_t longest_ns = INT64_MIN;
    int64_t start_ns = t->wake_ns;
    for (size_t i = 0; i < t->phase_count; i++) {
        if (t->phase_end_ns[i] - start_ns > longest_ns) {
            longest_ns = t->phase_end_ns[i] - start_ns;
            longest = i;
        }
        start_ns = t->phase_end_ns[i];
    }
    return longest;
}

int64_t deadline_mean_ns(const struct deadline_now *now, enum deadline_time which)
{
    return now->ticks == 0 ? 0 : now->spread[which].sum_ns / (int64_t)now->ticks;
}

/* count * millionths / 1000000, rounded up, without overflow for any count. */
static uint64_t rank_of(uint64_t count, uint32_t millionths)
{
    const uint64_t million = 1000000;
    const uint64_t rest = count % million * millionths;
    return count / million * millionths + (rest + million - 1) / million;
}

/* The time of the bin that holds this part of count times. */
static int64_t percentile_ns(const uint64_t bins[DEADLINE_BINS], uint64_t count, int64_t max_ns,
                             uint32_t millionths)
{
    uint64_t rank = rank_of(count, millionths < 1000000 ? millionths : 1000000);
    if (count == 0)
        return 0;
    if (rank == 0)
        rank = 1; /* part 0 is the smallest of all */
    uint64_t seen = 0;
    for (size_t bin = 0; bin < DEADLINE_BINS; bin++) {
        seen += bins[bin];
        if (seen >= rank) {
            const int64_t high_ns = deadline_bin_high_ns(bin);
            return high_ns < max_ns ? high_ns : max_ns;
        }
    }
    return max_ns;
}

int64_t deadline_percentile_ns(const struct deadline_stats *s, enum deadline_time which,
                               uint32_t millionths)
{
    return percentile_ns(s->bins[which], s->now.ticks, s->now.spread[which].max_ns, millionths);
}

void timing_init(struct timing *t)
{
    memset(t, 0, sizeof *t);
    t->spread.min_ns = INT64_MAX;
    t->spread.max_ns = INT64_MIN;
}

void timing_add(struct timing *t, int64_t time_ns)
{
    add(&t->spread, t->bins, time_ns);
    t->count++;
}

int64_t timing_mean_ns(const struct timing *t)
{
    return t->count == 0 ? 0 : t->spread.sum_ns / (int64_t)t->count;
}

int64_t timing_percentile_ns(const struct timing *t, uint32_t millionths)
{
    return percentile_ns(t->bins, t->count, t->spread.max_ns, millionths);
}

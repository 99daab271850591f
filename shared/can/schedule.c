#include "shared/can/schedule.h"

#include <errno.h>
#include <string.h>

int schedule_ticks(int64_t period_ns, int64_t tick_ns, uint32_t *ticks)
{
    if (period_ns <= 0 || tick_ns <= 0 || period_ns / tick_ns > INT32_MAX)
        return -ERANGE;
    int64_t whole = period_ns / tick_ns, rest = period_ns % tick_ns;
    if (whole > 0 && rest == 0) {
        *ticks = (uint32_t)whole;
        return 0;
    }
    if (2 * rest >= tick_ns || whole == 0)
        whole++;
    *ticks = (uint32_t)whole;
    return -EDOM;
}

/* At least 1, also for two zeros. */
static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a > 0 ? a : 1;
}

/* Ticks after which all repeats; more than `most` is `most + 1`. */
static uint64_t pattern_length(const struct schedule_item *items, size_t count, uint64_t most)
{
    uint64_t length = 1;
    for (size_t i = 0; i < count && length <= most; i++)
        length = length / gcd(length, items[i].period_ticks) * items[i].period_ticks;
    return length <= most ? length : most + 1;
}

static void place(const struct schedule_item *item, uint32_t *scratch, uint64_t length)
{
    for (uint64_t t = item->offset_ticks; t < length; t += item->period_ticks)
        scratch[t] += item->weight;
}

/* The offset whose busiest tick is least busy. */
static uint32_t choose(const struct schedule_item *item, const uint32_t *scratch, uint64_t length)
{
    uint32_t best = 0, least = UINT32_MAX;
    uint64_t offsets = item->period_ticks < length ? item->period_ticks : length;
    for (uint32_t offset = 0; offset < offsets; offset++) {
        uint32_t most = 0;
        for (uint64_t t = offset; t < length; t += item->period_ticks)
            if (scratch[t] > most)
                most = scratch[t];
        if (most < least) {
            least = most;
            best = offset;
        }
    }
    return best;
}

/* The free item of the shortest period; count if none is left. */
static size_t next_free(const struct schedule_item *items, size_t count)
{
    size_t found = count;
    for (size_t i = 0; i < count; i++)
        if (items[i].offset_ticks == SCHEDULE_FREE &&
            (found == count || items[i].period_ticks < items[found].period_ticks))
            found = i;
    return found;
}

/* Two cycles meet in some tick if their offsets differ by a multiple of the periods' gcd. */
static bool meet(const struct schedule_item *a, const struct schedule_item *b)
{
    uint64_t step = gcd(a->period_ticks, b->period_ticks);
    return a->offset_ticks % step == b->offset_ticks % step;
}

/* Where the whole pattern is too long: all that meet a frame, even if not all at once. */
static void bound_load(const struct schedule_item *items, size_t count, struct schedule_load *load)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t weight = 0;
        uint32_t frames = 0;
        for (size_t j = 0; j < count; j++) {
            if (meet(&items[i], &items[j])) {
                weight += items[j].weight;
                frames++;
            }
        }
        if (weight > load->weight) {
            load->weight = weight;
            load->tick = items[i].offset_ticks;
        }
        if (frames > load->frames)
            load->frames = frames;
    }
}

static void exact_load(const struct schedule_item *items, size_t count, uint32_t *scratch,
                       uint64_t length, struct schedule_load *load)
{
    load->exact = 1;
    for (uint64_t t = 0; t < length; t++) {
        if (scratch[t] > load->weight) {
            load->weight = scratch[t];
            load->tick = (int64_t)t;
        }
    }
    memset(scratch, 0, (size_t)length * sizeof *scratch);
    for (size_t i = 0; i < count; i++) {
        struct schedule_item one = items[i];
        one.weight = 1;
        place(&one, scratch, length);
    }
    for (uint64_t t = 0; t < length; t++)
        if (scratch[t] > load->frames)
            load->frames = scratch[t];
}

void schedule_spread(struct schedule_item *items, size_t count, uint32_t *scratch, size_t room,
                     struct schedule_load *load)
{
    *load = (struct schedule_load){0};
    uint64_t length = pattern_length(items, count, room);
    bool exact = length <= room;
    if (!exact)
        length = room;
    memset(scratch, 0, (size_t)length * sizeof *scratch);
    for (size_t i = 0; i < count; i++)
        if (items[i].offset_ticks != SCHEDULE_FREE)
            place(&items[i], scratch, length);
    for (size_t i; (i = next_free(items, count)) < count;) {
        items[i].offset_ticks = choose(&items[i], scratch, length);
        place(&items[i], scratch, length);
    }
    if (exact)
        exact_load(items, count, scratch, length, load);
    else
        bound_load(items, count, load);
}

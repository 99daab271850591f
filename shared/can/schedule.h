/* Cyclic frames inside the tick.
 *
 * A period is a whole number of ticks: 10 ms stays 10 ms at any tick that divides it, and a period
 * that the tick does not divide is refused. Frames of one period are spread over its ticks, so that
 * neither the bus nor the loop has them all at once. The busiest tick is known before the run.
 *
 * Pure: no clock, no heap. schedule_spread() is for set-up; the tick calls schedule_due(). */
#ifndef SKIDPAD_CAN_SCHEDULE_H
#define SKIDPAD_CAN_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_item {
    uint32_t period_ticks;
    uint32_t offset_ticks; /* below the period; SCHEDULE_FREE: to be chosen */
    uint32_t weight;       /* what one frame costs: its bits on the bus */
};

#define SCHEDULE_FREE UINT32_MAX

/* The tick with the greatest weight. */
struct schedule_load {
    int64_t tick;
    uint64_t weight;
    uint32_t frames; /* the most frames due in any one tick */
    uint32_t exact;  /* 0: upper bounds only, since the whole pattern is longer than the scratch */
};

/* The period in ticks. Returns 0, -EDOM if the tick does not divide the period, or -ERANGE if it is
 * not positive or too long. On -EDOM *ticks is the nearest number of ticks, at least 1. */
int schedule_ticks(int64_t period_ns, int64_t tick_ns, uint32_t *ticks);

/* Chooses the free offsets, frames of short periods first: each goes where the busiest of its ticks
 * is least busy, the earliest of equals. scratch is for `room` ticks; where the pattern of the
 * periods repeats within them the result is exact, otherwise the pattern is folded into them. */
void schedule_spread(struct schedule_item *items, size_t count, uint32_t *scratch, size_t room,
                     struct schedule_load *load);

/* Whether a frame is due, and when the next one is. next_tick is the caller's state, at first the
 * offset. A frame whose tick was skipped is due in the first tick after it, once; the pattern
 * stays. */
static inline bool schedule_due(uint32_t period_ticks, int64_t tick, int64_t *next_tick)
{
    if (tick < *next_tick)
        return false;
    *next_tick += period_ticks;
    if (*next_tick <= tick) /* ticks were skipped */
        *next_tick += (tick - *next_tick) / period_ticks * period_ticks + period_ticks;
    return true;
}

#endif

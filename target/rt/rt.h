/* What the loop asks of a real-time core: a clock and one blocking call.
 *
 * One small table per core. start, wait, now, switches and stop are called by the real-time thread
 * only; thread attributes, memory and CPU are set in rt_thread.c for all of them. Time is int64_t
 * nanoseconds of a clock that never jumps. */
#ifndef SKIDPAD_RT_RT_H
#define SKIDPAD_RT_RT_H

#include "shared/base/err.h"

#include <stdint.h>

struct rt;

struct rt_ops {
    const char *name;
    /* Ready for the first wait. Returns 0 or a negative errno with a message. */
    int (*start)(struct rt *rt, struct err *e);
    /* Sleeps until the time has come (not at all if it has passed). Returns 0 or a negative errno,
     * which ends the run. */
    int (*wait)(struct rt *rt, int64_t until_ns);
    int64_t (*now_ns)(struct rt *rt);
    /* How often the thread left real time since start, where the core counts that; else 0. */
    uint64_t (*switches)(struct rt *rt);
    /* Spends time on purpose (provoked overruns). */
    void (*burn)(struct rt *rt, int64_t for_ns);
    void (*stop)(struct rt *rt);
};

struct rt {
    const struct rt_ops *ops;
    int64_t virtual_ns; /* the clock of `virtual` */
    /* `virtual` is faster than any disk: called in each wait, may hold it up. NULL: nothing does.
     */
    void (*pace)(void *argument);
    void *pace_argument;
};

/* clock_nanosleep on CLOCK_MONOTONIC: PREEMPT_RT and plain Linux. */
extern const struct rt_ops rt_posix;
/* A simulated clock, as fast as it can: nothing takes time but wait and burn. Deterministic. */
extern const struct rt_ops rt_virtual;

#endif

/* What the loop asks of a real-time core: a clock and one blocking call.
 *
 * One small table per core. open belongs to the main thread; start, wait, now_ns, switches, cpu_ns
 * and stop are called by the real-time thread only; thread attributes, memory and CPU are set in
 * rt_thread.c for all of them. Time is int64_t nanoseconds of a clock that never jumps: that of
 * Linux's CLOCK_MONOTONIC, except for `virtual`.
 *
 * Between start and stop the thread may call nothing of Linux: with Cobalt and EVL that would end
 * its real time, which is counted, located (rt_switch.h) and makes the run fail. */
#ifndef SKIDPAD_RT_RT_H
#define SKIDPAD_RT_RT_H

#include "shared/base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt;

struct rt_ops {
    const char *name;
    /* What the core calls leaving real time, in short; NULL: it does not tell. */
    const char *switch_name;
    /* Finds the core and says in rt->about which it is; NULL: it is always there. Returns 0, or a
     * negative errno with a message that says why it cannot be used and what to do. */
    int (*open)(struct rt *rt, struct err *e);
    /* Ready for the first wait. Returns 0 or a negative errno with a message. */
    int (*start)(struct rt *rt, struct err *e);
    /* Sleeps until the time has come (not at all if it has passed). Returns 0 or a negative errno,
     * which ends the run. */
    int (*wait)(struct rt *rt, int64_t until_ns);
    int64_t (*now_ns)(struct rt *rt);
    /* How often the thread left real time since start, where the core counts that; else 0. */
    uint64_t (*switches)(struct rt *rt);
    /* CPU time of the thread. */
    int64_t (*cpu_ns)(struct rt *rt);
    /* Spends time on purpose (provoked overruns). */
    void (*burn)(struct rt *rt, int64_t for_ns);
    void (*stop)(struct rt *rt);
    /* Why real time was left, in words; NULL where switch_name is. */
    const char *(*reason_name)(int reason);
};

enum { RT_ABOUT = 160, RT_NOTES = 16 };

/* One notice of the core that the thread left real time. */
struct rt_note {
    int64_t tick;
    int32_t reason; /* as the core numbers them; 0: not told */
};

struct rt {
    const struct rt_ops *ops;
    const char *name;     /* of the thread, as the core lists it; NULL: "skidpad" */
    atomic_bool begun;    /* the start is over, with success or not */
    char about[RT_ABOUT]; /* core, version and ABI; empty: nothing to say */
    int64_t virtual_ns;   /* the clock of `virtual` */
    /* `virtual` is faster than any disk: called in each wait, may hold it up. NULL: nothing does.
     */
    void (*pace)(void *argument);
    void *pace_argument;
    int descriptor;          /* of the thread, where the core has one */
    uint64_t switches_start; /* counted before the baseline: start-up and warm-up */
    /* From the signal handler of rt_switch.c to the loop, on the same thread. */
    _Atomic int64_t tick; /* where the loop is */
    struct rt_note notes[RT_NOTES];
    atomic_uint noted, taken;
};

/* Starts by the core's table, in the real-time thread. Returns 0 or a negative errno with a
 * message.
 */
int rt_start(struct rt *rt, struct err *e);
/* Another thread, which waits for that: whether it will never end, because a core that was stopped
 * meanwhile wakes nobody. since_ns: when it was let go, of CLOCK_MONOTONIC; hurry: somebody wants
 * it to end. Fills in a message. The thread cannot be joined then: the process has to exit. */
bool rt_start_hangs(const struct rt *rt, int64_t since_ns, bool hurry, struct err *e);

/* For the tables of cores: time spent by looking at the clock, CPU time of the thread as Linux has
 * it, a core that does not count, nothing to do, the words for a reason. */
void rt_spin(struct rt *rt, int64_t for_ns);
int64_t rt_thread_cpu_ns(struct rt *rt);
uint64_t rt_no_switches(struct rt *rt);
void rt_nothing(struct rt *rt);
const char *rt_reason(const char *const *names, size_t count, int reason);

/* clock_nanosleep on CLOCK_MONOTONIC: PREEMPT_RT and plain Linux. */
extern const struct rt_ops rt_posix;
/* A simulated clock, as fast as it can: nothing takes time but wait and burn. Deterministic. */
extern const struct rt_ops rt_virtual;
/* Xenomai 3, in programs linked with libcobalt only. */
extern const struct rt_ops rt_cobalt;
/* Xenomai 4, in programs linked with libevl only. */
extern const struct rt_ops rt_evl;

/* The cores of this program, its own first; ends with NULL. Each program has its own list:
 * rt_cores.c, rt_cores_cobalt.c, rt_cores_evl.c. */
extern const struct rt_ops *const rt_cores[];

#endif

/* When the real-time thread leaves real time: how that is noticed, and in which tick.
 *
 * Cobalt calls it a mode switch, EVL an in-band switch. Both send SIGDEBUG to the thread, with the
 * reason in it. The handler runs on that thread, in the middle of what it was doing: it only writes
 * a note into struct rt. The loop takes the notes once a tick and makes events of them. */
#ifndef SKIDPAD_RT_RT_SWITCH_H
#define SKIDPAD_RT_RT_SWITCH_H

#include "target/rt/rt.h"

#include <signal.h>
#include <stdbool.h>

/* The same for both cores, but each defines them in headers that clash with the other's. */
#define RT_SIGDEBUG           SIGXCPU
#define RT_SIGDEBUG_MARK      0xfccf0000u
#define RT_SIGDEBUG_MARK_BITS 0xffff0000u

/* From now on the switches of the calling thread are noted in rt. One thread of the process at a
 * time. Returns 0 or a negative errno with a message. */
int rt_switch_watch(struct rt *rt, struct err *e);
void rt_switch_unwatch(struct rt *rt);

/* Goes through what the first ticks need, so that what it takes to get there is over: so many
 * waits, and every clock. Returns 0 or a negative errno of the wait. */
int rt_switch_warm_up(struct rt *rt);
/* After the warm-up: what the core has counted up to now is the baseline, and the notes are
 * dropped. A core that counted not even the waits was built without: an error that names the
 * option. */
int rt_switch_baseline(struct rt *rt, uint64_t waits, uint64_t switches, const char *core,
                       const char *option, struct err *e);

/* The real-time thread: the next note, oldest first. False: there is none. */
bool rt_switch_take(struct rt *rt, struct rt_note *note);

/* Leaves real time on purpose, by a system call of Linux. */
void rt_switch_provoke(void);

#endif

/* What a run and its watchdog share: one mapping of memory, which outlives the run.
 *
 * The run fills `plan` before the watchdog starts. From then on the real-time thread only stores,
 * and looks whether the watchdog has acted; the watchdog only reads, and stores what it did. */
#ifndef SKIDPAD_TARGET_WATCHDOG_PAGE_H
#define SKIDPAD_TARGET_WATCHDOG_PAGE_H

#include "shared/can/bus.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WATCHDOG_FRAMES = 32, WATCHDOG_SIGNALS = 256, WATCHDOG_PATH = 1024, WATCHDOG_NAME = 80 };
enum watchdog_action { WATCHDOG_SEND, WATCHDOG_SILENT };
/* Only a run that ticks is watched: before its first tick it has sent nothing. */
enum watchdog_run { WATCHDOG_WAITS, WATCHDOG_TICKS, WATCHDOG_ENDED };

/* The section `watchdog:` of a bench file, as plain data: the safe frames are ready to be sent. */
struct watchdog_plan {
    char bench[WATCHDOG_NAME];
    char bus_name[BUS_TEXT];
    char transport[BUS_TEXT];   /* of its own socket; empty: the run's socket is shared (udp) */
    char report[WATCHDOG_PATH]; /* file for what it did; empty: none */
    int64_t period_ns;          /* of the loop */
    int64_t timeout_ns;         /* without a tick */
    int64_t for_ns;             /* so long it sends; 0: until somebody ends it */
    int action;                 /* enum watchdog_action */
    int bus;                    /* index in the bench */
    int cpu, priority;          /* cpu < 0: any */
    int not_cpu;                /* any but this one, if there is another; < 0: any */
    bool allow_nonrt;
    bool fd;
    pid_t run;
    uint32_t frames;
    uint32_t message[WATCHDOG_FRAMES]; /* index of each in the run's bus */
    struct bus_sent sent[WATCHDOG_FRAMES];
    char name[WATCHDOG_FRAMES][BUS_TEXT];
    struct bus_signal signals[WATCHDOG_SIGNALS]; /* counters; all else is in the templates */
    uint32_t signal_count;
};

struct watchdog_page {
    uint64_t bytes; /* sizeof, against programs of two versions */
    struct watchdog_plan plan;
    /* the run's */
    atomic_int run;                         /* enum watchdog_run */
    _Atomic int64_t tick;                   /* changes with every tick that was carried out */
    _Atomic uint32_t waiting;               /* frames in its gateway after that tick */
    _Atomic uint32_t sent[WATCHDOG_FRAMES]; /* of each message, so that counters go on */
    _Atomic uint8_t sequence;               /* of the next datagram (udp), likewise */
    /* the watchdog's */
    atomic_bool ready;
    _Atomic uint64_t looks; /* grows as long as it watches or sends */
    atomic_bool acted;      /* from then on the run sends nothing any more */
};

/* In the real-time thread, before the frames of a tick leave: a frame that is counted and not sent
 * looks lost to the unit, one that is sent and not counted would look repeated. */
static inline void watchdog_count(struct watchdog_page *p, const struct bus_state *s)
{
    for (uint32_t i = 0; i < p->plan.frames; i++)
        atomic_store_explicit(&p->sent[i], s->sent[p->plan.message[i]], memory_order_relaxed);
}

/* At its end. */
static inline void watchdog_beat(struct watchdog_page *p, int64_t tick, uint32_t waiting)
{
    atomic_store_explicit(&p->waiting, waiting, memory_order_relaxed);
    atomic_store_explicit(&p->tick, tick, memory_order_release);
}

#endif

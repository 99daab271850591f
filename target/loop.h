/* The real-time loop: one thread steps the car at a fixed rate.
 *
 * Whatever may block is elsewhere: records and events leave through rings, requests come in
 * through one. loop_run() is the real-time thread; everything else here belongs to the thread that
 * sets up, or to the readers of the rings. */
#ifndef SKIDPAD_TARGET_LOOP_H
#define SKIDPAD_TARGET_LOOP_H

#include "shared/base/deadline.h"
#include "shared/base/latest.h"
#include "shared/base/ring.h"
#include "shared/wire/record.h"
#include "target/offline.h"
#include "target/remote_driver.h"
#include "target/requests.h"
#include "target/rt/rt.h"
#include "target/safe.h"
#include "target/scenario/fault.h"
#include "target/scenario/sequence.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum loop_overrun { LOOP_SLIP, LOOP_CATCH_UP };

/* Ticks made longer on purpose, to see what the bench does then. */
struct loop_provoke {
    int64_t tick; /* first release */
    int64_t ticks;
    int64_t delay_ns;
    bool system_call; /* one of Linux: where the core tells, real time is left */
    bool endless;     /* the tick never ends: what a watchdog is for */
};
enum { LOOP_PROVOKES = 8, LOOP_CATCH_UP_MAX = 100 };

struct loop_setup {
    int64_t period_ns;
    int64_t deadline_ns;   /* after the release; usually the period */
    int overrun;           /* enum loop_overrun */
    int catch_up_max;      /* extra steps in one tick */
    int64_t ticks;         /* releases to run; 0: until stopped */
    int64_t start_ns;      /* first release, of the core's clock; 0: a period after loop_run() */
    int64_t row_limit;     /* missed deadlines in a row that lead to the safe state; 0: never */
    int64_t publish_every; /* ticks between telemetry records; 0: none */
    int provokes;
    struct loop_provoke provoke[LOOP_PROVOKES];
};

struct loop;

/* What is connected besides the script: inputs that come from elsewhere, outputs that go there. The
 * real-time thread calls these in the phases of their names, once a tick; like the tick itself they
 * must not allocate, lock or wait. What they may read of the loop: tick, times, signals, car. */
struct loop_link {
    /* Takes what has arrived for this release; linked signals go into l->signals. */
    void (*receive)(struct loop *l, void *peer);
    /* Changes what the script made of the inputs. Not asked in the safe state. */
    void (*command)(struct loop *l, void *peer, struct plant_in *in);
    /* The outputs of this tick, made at now_ns, are in l->signals and l->car->out. */
    void (*send)(struct loop *l, void *peer, int64_t now_ns);
    /* The drive is over; whether the loop may end, too. Until then it goes on ticking, and this is
     * asked before each tick. NULL: at once. */
    bool (*end)(struct loop *l, void *peer);
    /* Any other thread: what the value of an EVENT_LINK means. */
    void (*describe)(const void *peer, int64_t value, char *text, size_t size);
};

/* What goes to the host: a record and its number, which counts those that found no room, too. */
struct loop_sample {
    uint64_t number;
    struct loop_record record;
};

/* How the run goes, for displays: written by the real-time thread every 50 ms, read by one other
 * thread at any time. */
struct loop_live {
    int64_t first_ns; /* r_0, of the core's clock */
    int64_t tick;     /* releases that are over */
    int64_t lag_ns;
    double speed_mps;
    uint32_t cause;         /* enum loop_cause */
    uint64_t safe_number;   /* of the safe state that it is in, or was in last; 0: none yet */
    uint32_t driver;        /* enum loop_driver */
    uint32_t faults_active; /* bit i: fault i of the bench file */
    uint64_t switches;      /* times the thread left real time */
    struct deadline_now deadlines;
};

struct loop {
    struct loop_setup setup;
    struct rt *rt;
    struct offline *car; /* plant, scenario, sensors; after the start only the loop touches it */
    const struct loop_link *link;    /* NULL: nothing, the script drives */
    void *peer;                      /* of the link */
    const struct fault_set *faults;  /* NULL: none */
    const struct sequence *sequence; /* of supply and ignition; NULL: on at 13.8 V */
    struct ring records, events;
    struct ring telemetry;             /* struct loop_sample */
    struct latest live, live_for_host; /* struct loop_live, twice: each has one reader */
    struct remote_driver person;
    struct deadline_stats stats;
    /* from other threads */
    struct requests requests;
    atomic_bool waiting; /* for a start, before the first tick */
    atomic_bool stop;    /* ends the run after this tick */
    /* the real-time thread's own; before the first tick that of the thread which waits for it */
    bool begins;          /* a start was asked for */
    bool ticking;         /* loop_run() */
    uint64_t safe_number; /* of the safe state; grows with every stop */
    int64_t first_ns;     /* r_0 */
    int64_t tick;
    int64_t over_tick; /* when the drive was over, the car is in its moment then; ticks after it
                        * are the link's and not logged; -1: not yet */
    int64_t missed_in_row;
    int64_t lag_ns;                  /* model time behind the clock */
    int64_t live_tick, publish_tick; /* when the next snapshot, the next telemetry record is due */
    uint64_t published;              /* number of that record */
    uint32_t cause;
    uint32_t causes;       /* a bit for each that the run has had, also those left by a reset */
    uint32_t dropped;      /* since the last record that got through */
    int error;             /* of the wait; 0 */
    uint64_t switches;     /* times the thread left real time, as the core counts */
    uint64_t switch_notes; /* times the core told so at once */
    struct rt_note switch_first;
    struct plant_in safe_in; /* brings the car to rest */
    struct safe_stop safe_stop;
    struct sensors_out sense; /* what leaves: the sensors, or led to standstill */
    struct signals signals;   /* of this tick; from the sense phase on complete */
    struct deadline_tick times;
    int64_t safe_ticks; /* since the safe state was entered */
    struct fault_state fault_state;
    struct sequence_state sequence_state;
};

/* Rings must be ready (see loop_rings_init). Returns when stopped or done. */
void loop_run(struct loop *l);

/* For links, in the real-time thread: an event of their own, and the way into the safe state. */
void loop_post(struct loop *l, int kind, int64_t value);
void loop_enter_safe(struct loop *l, uint32_t cause);

/* Carries out what was asked for: once a tick, in the real-time thread. */
void loop_take_requests(struct loop *l);
/* The same for the thread that waits for a start, until loop_run(): whether the loop may run. */
bool loop_may_begin(struct loop *l);
/* Snapshots for displays. */
void loop_show(struct loop *l);

/* Memory of the rings: seconds of records at the loop's rate. Returns 0 or -ENOMEM; to be freed in
 * both cases. */
int loop_rings_init(struct loop *l, double seconds);
void loop_rings_free(struct loop *l);

/* The faults of a bench or scenario for the car of this loop; an empty set is none. */
void loop_faults(struct loop *l, struct fault_set *set);

/* The newest snapshot; it stays as it is until the next call. One thread only. */
const struct loop_live *loop_live(struct loop *l);
/* The same for the thread that talks to the host. */
const struct loop_live *loop_live_for_host(struct loop *l);

/* Whether real time was left after the warm-up. */
bool loop_left_realtime(const struct loop *l);

#endif

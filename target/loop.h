/* The real-time loop: one thread steps the car at a fixed rate.
 *
 * Whatever may block is elsewhere: records and events leave through rings, requests come in as
 * atomics. loop_run() is the real-time thread; everything else here belongs to the thread that
 * sets up, or to the readers of the rings. */
#ifndef SKIDPAD_TARGET_LOOP_H
#define SKIDPAD_TARGET_LOOP_H

#include "shared/base/deadline.h"
#include "shared/base/latest.h"
#include "shared/base/ring.h"
#include "shared/wire/signals.h"
#include "target/offline.h"
#include "target/rt/rt.h"
#include "target/safe.h"
#include "target/scenario/fault.h"
#include "target/scenario/sequence.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum loop_overrun { LOOP_SLIP, LOOP_CATCH_UP };

/* The parts of a tick that are timed, in their order. */
enum loop_phase { PHASE_RECEIVE, PHASE_COMMAND, PHASE_STEP, PHASE_SENSE, PHASE_SEND, LOOP_PHASES };

/* Why the bench is in its safe state; latched. */
enum loop_cause {
    CAUSE_NONE,
    CAUSE_MISSED,     /* too many missed deadlines in a row */
    CAUSE_NONFINITE,  /* the model's state */
    CAUSE_OPERATOR,   /* a person's stop */
    CAUSE_SILENT,     /* the unit's pressures have not come for too long */
    CAUSE_PROTECTION, /* too many frames of the unit were wrong */
    LOOP_CAUSES
};

/* Ticks made longer on purpose, to see what the bench does then. */
struct loop_provoke {
    int64_t tick; /* first release */
    int64_t ticks;
    int64_t delay_ns;
    bool system_call; /* one of Linux: where the core tells, real time is left */
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

/* One record of the lossless ring: a tick that ran. */
struct loop_record {
    int64_t tick;       /* release index, from 0 */
    int64_t release_ns; /* since the first release */
    int64_t wake_ns, end_ns;
    uint32_t steps;   /* of the plant in this tick */
    uint32_t skipped; /* releases that had passed before this tick */
    uint32_t cause;   /* enum loop_cause */
    uint32_t dropped; /* records lost before this one: no replay from there */
    struct signals signals;
};

enum loop_event_kind {
    EVENT_MISSED,   /* end after the deadline */
    EVENT_SKIPPED,  /* releases passed without a tick; count of them */
    EVENT_FAULT,    /* the plant's fault bits */
    EVENT_SAFE,     /* safe state entered; cause */
    EVENT_RESET,    /* and left */
    EVENT_DROPPED,  /* the lossless ring was full: 1 at the first record lost, the others after */
    EVENT_PROVOKED, /* a tick made longer on purpose */
    EVENT_FAULT_ON, /* a fault of the bench file begins; its number */
    EVENT_FAULT_OFF,
    EVENT_LINK,   /* something about what is connected; its text comes from the link */
    EVENT_SWITCH, /* the thread left real time; the core's reason */
    EVENT_SETUP,  /* a person changed the car; the signals setup_* have the values */
    EVENT_POWER,  /* a step of supply and ignition begins; its number */
    LOOP_EVENTS
};

struct loop;

struct loop_event {
    int64_t tick, release_ns, wake_ns, end_ns;
    int64_t late_ns; /* end minus deadline */
    int64_t value;   /* what the kind counts */
    int32_t kind;    /* enum loop_event_kind */
    int32_t phase;   /* the longest, enum loop_phase; LOOP_PHASES: none is over */
};

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
    /* Any other thread: what the value of an EVENT_LINK means. */
    void (*describe)(const void *peer, int64_t value, char *text, size_t size);
};

/* How the run goes, for displays: written by the real-time thread every 50 ms, read by one other
 * thread at any time. */
struct loop_live {
    int64_t tick; /* releases that are over */
    int64_t lag_ns;
    double speed_mps;
    uint32_t cause;    /* enum loop_cause */
    uint64_t switches; /* times the thread left real time */
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
    struct ring records, events, telemetry;
    struct latest live; /* struct loop_live */
    struct deadline_stats stats;
    /* from other threads */
    atomic_bool stop;                       /* ends the run after this tick */
    atomic_bool operator_stop;              /* a person asks for the safe state */
    atomic_bool reset;                      /* a person leaves it */
    atomic_uint faults_on, faults_off;      /* bit i: a person switches fault i */
    _Atomic(struct vehicle *) vehicle_next; /* the car with another set-up, to go on with */
    _Atomic(struct vehicle *) vehicle_old;  /* the one before, to be freed by who set the next */
    struct tune *tune;                      /* who that is; NULL: nobody. Not for this thread */
    /* the real-time thread's own */
    int64_t first_ns; /* r_0 */
    int64_t tick;
    int64_t missed_in_row;
    int64_t lag_ns;                  /* model time behind the clock */
    int64_t live_tick, publish_tick; /* when the next snapshot, the next telemetry record is due */
    uint32_t cause;
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

/* Memory of the rings: seconds of records at the loop's rate. Returns 0 or -ENOMEM; to be freed in
 * both cases. */
int loop_rings_init(struct loop *l, double seconds);
void loop_rings_free(struct loop *l);

/* The faults of a bench or scenario for the car of this loop; an empty set is none. */
void loop_faults(struct loop *l, struct fault_set *set);

/* The newest snapshot; it stays as it is until the next call. One thread only. */
const struct loop_live *loop_live(struct loop *l);

/* Whether real time was left after the warm-up. */
bool loop_left_realtime(const struct loop *l);

const char *loop_phase_name(int phase);
const char *loop_cause_name(uint32_t cause);
const char *loop_event_name(int kind);

#endif

/* What a run tells of itself, tick by tick and event by event: the records of logs and telemetry.
 */
#ifndef SKIDPAD_WIRE_RECORD_H
#define SKIDPAD_WIRE_RECORD_H

#include "shared/wire/signals.h"

#include <stddef.h>
#include <stdint.h>

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
    CAUSE_WATCHDOG,   /* the watchdog has taken over the bus: nothing leaves it but a new start */
    LOOP_CAUSES
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
    EVENT_RESET,    /* and left; its number */
    EVENT_DROPPED,  /* the lossless ring was full: 1 at the first record lost, the others after */
    EVENT_PROVOKED, /* a tick made longer on purpose */
    EVENT_FAULT_ON, /* a fault of the bench file begins; its number */
    EVENT_FAULT_OFF,
    EVENT_LINK,    /* something about what is connected; its text comes from the link */
    EVENT_SWITCH,  /* the thread left real time; the core's reason */
    EVENT_SETUP,   /* a person changed the car; the signals setup_* have the values */
    EVENT_POWER,   /* a step of supply and ignition begins; its number */
    EVENT_DRIVER,  /* a person at the host drives; enum loop_driver */
    EVENT_REQUEST, /* a person's request was carried out or refused: number, kind, result */
    LOOP_EVENTS
};

/* What an EVENT_DRIVER says. */
enum loop_driver { DRIVER_SCENARIO, DRIVER_PERSON, DRIVER_LOST, LOOP_DRIVERS };

struct loop_event {
    int64_t tick, release_ns, wake_ns, end_ns;
    int64_t late_ns; /* end minus deadline */
    int64_t value;   /* what the kind counts */
    int32_t kind;    /* enum loop_event_kind */
    int32_t phase;   /* the longest, enum loop_phase; LOOP_PHASES: none is over */
};

/* For people: whole words; for programs: one short word each. */
const char *loop_phase_name(int phase);
const char *loop_cause_name(uint32_t cause);
const char *loop_event_name(int kind);
const char *loop_event_word(int kind);
const char *loop_driver_name(int64_t who);

#endif

/* Faults put into a bench on purpose: sensors, brakes and frames, each on a timeline, on a
 * condition, or by hand. docs/faults.md has the catalogue.
 *
 * The set is const once loaded, but for the condition's own text; the state is plain data. Sensor
 * faults act here; those of the brakes become inputs of the plant here, which knows what they do;
 * those of frames are only switched here and act where frames are sent and received
 * (shared/can/frame_fault.h). */
#ifndef SKIDPAD_SCENARIO_FAULT_H
#define SKIDPAD_SCENARIO_FAULT_H

#include "shared/wire/signals.h"
#include "target/model/plant.h"
#include "target/model/sensors.h"
#include "target/scenario/expr.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAULTS = 32, FAULT_NAME = 40 };

enum fault_kind {
    /* sensors */
    FAULT_STUCK,         /* stays at the value it had when the fault began */
    FAULT_OFFSET,        /* plus amount */
    FAULT_DRIFT,         /* plus amount each second */
    FAULT_GAIN,          /* times amount */
    FAULT_NOISE,         /* plus noise of standard deviation amount */
    FAULT_MISSING_TEETH, /* amount teeth of a wheel's ring are gone */
    FAULT_NO_EDGES,      /* the wheel's wire is broken */
    FAULT_SWAPPED,       /* the wires of two wheels are exchanged */
    /* brakes */
    FAULT_PRESSURE_STUCK, /* a wheel's pressure stays as it was */
    FAULT_PRESSURE_SLOW,  /* it changes by amount Pa/s at most */
    /* hydraulics */
    FAULT_LEAK,        /* of a caliper or a circuit's line: amount as a share of the inlet valve */
    FAULT_VALVE_STUCK, /* a valve stays open or closed, whatever its current */
    FAULT_PUMP_DEAD,
    /* frames */
    FAULT_FRAME,
    FAULT_KINDS
};

/* Where a sensor fault acts. */
enum fault_sensor {
    FAULT_YAW_RATE,
    FAULT_ROLL_RATE,
    FAULT_PITCH_RATE,
    FAULT_FORCE_X,
    FAULT_FORCE_Y,
    FAULT_FORCE_Z,
    FAULT_LEVEL_AX,
    FAULT_LEVEL_AY,
    FAULT_HAND_WHEEL,
    FAULT_HAND_WHEEL_RATE,
    FAULT_MASTER,
    FAULT_BRAKE_SWITCH,
    FAULT_WHEEL, /* this and the three after it: the wheels in their order */
    FAULT_SENSORS = FAULT_WHEEL + WHEELS
};

struct fault {
    char name[FAULT_NAME];
    int kind;              /* enum fault_kind */
    int sensor;            /* enum fault_sensor */
    int wheel, other;      /* of brakes and swapped wires */
    int frame;             /* index among the frame faults of the bench */
    int circuit;           /* of hydraulics; -1: a wheel's */
    uint32_t stuck;        /* bit of plant_in.hydraulic_fault */
    double amount;         /* SI */
    double start_s, end_s; /* of the run; start < 0: not by time */
    bool by_condition;     /* starts when the condition holds, lasts for for_s */
    double for_s;          /* <= 0: for ever */
    struct expr when;
};

struct fault_set {
    int count;
    struct fault fault[FAULTS];
    double teeth[WHEELS]; /* of the rings, for missing ones */
    uint64_t seed;
};

/* What a wheel's faulty sensor said last. */
struct fault_wheel {
    double radps;
    int64_t edge_ns;
    uint32_t edges, reserved;
};

struct fault_state {
    double since_s[FAULTS]; /* time a fault has been on */
    double held[FAULTS];    /* what it was then */
    struct fault_wheel wheel[FAULTS];
    uint64_t random[FAULTS];
    uint32_t active;   /* bit i: fault i is on */
    uint32_t by_hand;  /* bit i: switched on by a request; the loop sets it */
    uint32_t started;  /* bit i: its condition has held, its time has come */
    uint32_t entering; /* bit i: went on in this tick */
};
static_assert(sizeof(struct fault_state) ==
                  FAULTS * (8 + 8 + sizeof(struct fault_wheel) + 8) + 4 * sizeof(uint32_t),
              "padding");

void fault_reset(const struct fault_set *set, struct fault_state *s);

/* Once a tick, first: which faults are on. last is the record of the tick before. Returns the bits
 * that changed. */
uint32_t fault_update(const struct fault_set *set, struct fault_state *s,
                      const struct signals *last, double time_s, double step_s);

/* Alters what the sensors say. */
void fault_sensors(const struct fault_set *set, struct fault_state *s, struct sensors_out *out);
/* Pressures that are stuck or slow, leaks, stuck valves and a dead pump, as they are in this tick;
 * whatever makes the pressures. */
void fault_brakes(const struct fault_set *set, const struct fault_state *s, struct plant_in *in);
/* The first fault that only a car with hydraulics can have; NULL: there is none. */
const struct fault *fault_needs_hydraulics(const struct fault_set *set);

const char *fault_kind_name(int kind);

#endif

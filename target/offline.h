/* A car in a scenario, step by step: what `skidpad sim`, the real-time loop and tests share. */
#ifndef SKIDPAD_TARGET_OFFLINE_H
#define SKIDPAD_TARGET_OFFLINE_H

#include "target/scenario/scenario_load.h"
#include "target/vehicle/vehicle_load.h"

/* The states of plant and sensors at one moment, to be hashed later. */
struct offline_moment {
    struct model_memory plant;
    struct sensors_state sensors;
    uint64_t steps; /* so far */
};

/* After offline_open() nothing here allocates, and it must stay where it is. */
struct offline {
    struct scenario *scenario;
    struct vehicle *vehicle;
    char vehicle_path[SCENARIO_PATH];
    struct ground ground, under; /* ground is under with its friction times a factor, if not 1 */
    double friction;
    struct model_memory plant; /* state and scratch of the car's model */
    struct sensors_state sensors;
    struct wind_state wind;
    struct straight_state straight;
    struct driver_model driver; /* if the scenario has one */
    struct manoeuvre_state course;
    struct signals record; /* of the last tick, if the manoeuvre has conditions */
    struct signals *seen;  /* what those see instead, kept by the owner; NULL: the record */
    uint64_t tick;
    int integrator;       /* enum model_integrator */
    struct plant_in in;   /* of the last step */
    struct plant_out out; /* after it */
    struct sensors_out sense;
    struct offline_moment moment;
};

/* What a command line may set in place of the files. */
struct offline_options {
    double step_s;                       /* 0: as the scenario says */
    double duration_s;                   /* < 0: as the scenario says */
    int integrator;                      /* VEHICLE_AS_FILE: as the files say */
    const char *vehicle;                 /* NULL: as the scenario says */
    const struct parameters *parameters; /* names set from outside; NULL: none */
    const struct setup *setup;           /* of the car; NULL: as its file says */
    /* Values in place of those of the files. */
    const struct cfg_change *scenario_change, *vehicle_change;
    size_t scenario_changes, vehicle_changes;
    double friction; /* factor on that of the ground; 0: 1 */
    bool on_path;    /* starts at the begin of the driver's path, in its direction */
};

/* Whether this car can drive on the ground of that scenario; if not, says on stderr why and what to
 * do. Returns 0 or -EINVAL. */
int offline_check_ground(const struct vehicle *v, const char *vehicle_path,
                         const struct scenario *sc, const char *scenario_path);

/* Loads, checks and resets. Prints every message on stderr. Returns 0 or a negative errno; the
 * caller closes in both cases. */
int offline_open(const char *path, const struct offline_options *options, struct offline *o);
void offline_close(struct offline *o);

/* The same car with another set-up, malloc'ed; NULL after messages on stderr. Reads the files
 * again: what else has changed in them since would change, too. */
struct vehicle *offline_vehicle(const struct offline *o, const struct setup *setup);
/* Drives on with another car of the same kind; returns the one before. No allocation. */
struct vehicle *offline_exchange(struct offline *o, struct vehicle *vehicle);

/* One tick: command, step, sense; the three parts are there for the real-time loop too. */
void offline_step(struct offline *o);
/* The inputs of the next step, from script and wind, into o->in. Once a step. */
void offline_command(struct offline *o);
/* The plant by one step with o->in, and its outputs. */
void offline_plant(struct offline *o);
/* The sensors after that step. */
void offline_sense(struct offline *o);

/* The record of now: signals of the car, its sensors and the course. */
void offline_fill(const struct offline *o, struct signals *record);

/* Keeps the states of now in o->moment. No allocation. */
void offline_keep(struct offline *o);

/* Ticks of the scenario's duration: at least one, unless that is 0. */
int64_t offline_ticks(const struct offline *o);

/* Over the named states of plant and sensors: the golden value of a run. */
uint64_t offline_hash(const struct offline *o);
/* The same of the moment kept. */
uint64_t offline_kept_hash(const struct offline *o);
/* Over what the car is made from: its model and version, what its files say, step, integrator and
 * set-up. Equal hashes are equal cars. */
uint64_t offline_model_hash(const struct offline *o);

#endif

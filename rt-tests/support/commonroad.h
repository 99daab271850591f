/* The car of the CommonRoad reference runs (multi-body model of Althoff, BMW 320i) in our files:
 * two tyres, a vehicle and a scenario, made from its parameters.json and nothing else. What each
 * number becomes and why is in docs/validation.md.
 *
 * Its axes are SAE (y right, z down), ours ISO. Its left-hand turn is the mirror image of ours:
 * x, y, yaw and steering keep their signs, roll, pitch and camber change theirs, and its left
 * wheels are our right ones. */
#ifndef SKIDPAD_TESTS_COMMONROAD_H
#define SKIDPAD_TESTS_COMMONROAD_H

#include "rt-tests/support/validation.h"
#include "target/offline.h"

enum { COMMONROAD_KEYS = 100, COMMONROAD_KEY = 32, COMMONROAD_ROWS = 100 };

static const double commonroad_every_s = 0.01; /* from row to row of their tables */

/* Their parameters by name. */
struct commonroad {
    int count;
    char key[COMMONROAD_KEYS][COMMONROAD_KEY];
    double value[COMMONROAD_KEYS];
};

/* One of their runs: constant inputs from straight ahead at 15 m/s. */
struct commonroad_run {
    const char *name;   /* in their file names */
    double steer_radps; /* of the front wheels */
    double acc_mps2;    /* becomes wheel torque */
    /* Their lateral offsets of a tyre (p_hy1, p_vy1) have the sign of its camber. +-1: that sign
     * is the same for all wheels, in our axes. 0: it differs from left to right, so that the
     * offsets of an axle cancel, and is left out. */
    double camber_sign;
};

/* The car at one time, in our axes; both sides fill it. */
struct commonroad_row {
    double x_m, y_m;       /* centre of gravity of the sprung body */
    double vx_mps, vy_mps; /* its velocity ahead and to the left, level */
    double yaw_rad, yaw_radps, roll_rad, pitch_rad;
    double height_m;           /* of that point over the ground */
    double spin_radps[WHEELS]; /* about the axis, against the world: what makes slip */
    double load_N[WHEELS];
};

/* A run by both sides, row by row. */
struct commonroad_pair {
    double time_s[COMMONROAD_ROWS];
    double path_m[COMMONROAD_ROWS]; /* distance travelled, theirs */
    struct commonroad_row ours[COMMONROAD_ROWS], theirs[COMMONROAD_ROWS];
};

/* How their car stands at rest, counted from the zero of their states: level, the sprung body held
 * up by what the tyres give way. */
struct commonroad_rest {
    double squeeze_m[AXLES]; /* static deflection of the tyres */
    double drop_m;           /* of the sprung body */
    double pitch_rad;        /* nose up */
};

/* Their parameters, and the table of one of their runs, from the folder of SKIDPAD_DATA; skips the
 * test if that is not set, fails it if they cannot be read. The caller frees the table. */
void commonroad_read(struct commonroad *p);
void commonroad_read_run(const struct commonroad_run *run, struct csv *theirs);
/* The number of that name; the test fails if there is none. */
double commonroad_number(const struct commonroad *p, const char *key);
struct commonroad_rest commonroad_rest(const struct commonroad *p);

/* Writes front.tir, rear.tir, vehicle.yaml and scenario.yaml; theirs is the table of the run, whose
 * speed limits the driving torque. */
void commonroad_write(const struct commonroad *p, const struct commonroad_run *run,
                      const struct csv *theirs, const struct validation_folder *folder);
/* Opens that scenario with another step; fails the test if it cannot. The caller closes it. */
void commonroad_open(const struct validation_folder *folder, double step_s, struct offline *o);

/* Moves an opened run from rest to the zero of their states, where theirs start: the body then
 * falls. */
void commonroad_start(const struct commonroad *p, struct offline *o);

void commonroad_ours(const struct offline *o, struct commonroad_row *row);
void commonroad_theirs(const struct commonroad *p, const struct csv *theirs, size_t index,
                       struct commonroad_row *row);

/* Everything above: drives the run with that step. */
void commonroad_drive(const struct commonroad_run *run, double step_s,
                      struct commonroad_pair *pair);

/* Draws the run as validation_commonroad_NAME.svg in the folder SKIDPAD_VALIDATION_DIR, if that is
 * set. */
void commonroad_draw(const struct commonroad_run *run, const struct commonroad_pair *pair);

#endif

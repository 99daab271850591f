/* Quasi-steady-state cornering, docs/steady.md: what a model offers for it, outside real time. */
#ifndef SKIDPAD_MODEL_STEADY_LOAD_H
#define SKIDPAD_MODEL_STEADY_LOAD_H

#include "target/model/wheels.h"

#include <stddef.h>

/* What keeps the speed: torque on the driven wheels, or a push along the way. */
enum steady_hold { STEADY_WHEELS, STEADY_PUSH };

enum { STEADY_OUTER = 3 };

/* An answer. */
struct steady_point {
    double speed_mps, radius_m, lateral_mps2; /* as asked for; speed^2 / radius */
    double hand_rad, steer_rad;               /* hand wheel; mean of the front wheels */
    double sideslip_rad, roll_rad, pitch_rad;
    double drive_N; /* force of the torque, or of the push */
    double felt_Nm; /* at the hand wheel */
    double rack_m;
    double load_N[WHEELS], lat_N[WHEELS], alpha_rad[WHEELS];
    double rest[STEADY_OUTER]; /* along, across, yaw: what changes though it should not, m/s2 */
    double rest_mps2;          /* its length: 0 is steady */
    double unsettled;          /* of all other states: largest rate left, in their units */
    int iterations;
};

struct steady_ops {
    size_t bytes; /* of a solver, aligned to MODEL_ALIGNMENT */
    /* The model is copied. Dry friction of the rack and locks of differentials are taken away: the
     * answer lies in the middle of what they allow. */
    void (*open)(void *solver, const void *model, double friction, enum steady_hold hold);
    /* curvature_1pm > 0 turns left. Starts from the last answer: go in steps. */
    void (*solve)(void *solver, double speed_mps, double curvature_1pm, struct steady_point *out);
    /* The last answer as numbers, to go back to it. */
    double *(*guess)(void *solver, size_t *count);
};

#endif

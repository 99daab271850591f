/* Quasi-steady-state cornering: the car in equilibrium on a circle, docs/steady.md.
 *
 * Speed and curvature are given. Sought are hand wheel, drive and sideslip, and with them all other
 * states of lumped15, such that nothing changes for an observer who turns with the car. Where no
 * equilibrium exists, as beyond the limit, the rest of the principal motion (two accelerations and
 * the yaw acceleration) is made as small as it can be, while everything else is in balance; what is
 * left says how far the answer is from a steady state. */
#ifndef SKIDPAD_TARGET_STEADY_H
#define SKIDPAD_TARGET_STEADY_H

#include "target/model/lumped15/lumped15.h"
#include "target/road/plane.h"

#include <stdbool.h>
#include <stdio.h>

/* What keeps the speed: torque on the driven wheels, or a push along the way. */
enum steady_hold { STEADY_WHEELS, STEADY_PUSH };

enum { STEADY_INNER = 20, STEADY_OUTER = 3, STEADY_ALL = STEADY_INNER + STEADY_OUTER };

struct steady {
    const struct lumped15_model *car;
    struct plane road;
    struct ground ground;
    int hold; /* enum steady_hold */
    double share[WHEELS];
    double
        lock_Nm[AXLES];   /* of differentials, taken from the car: here smooth over a little slip */
    double gyration_m;    /* radius of: makes an acceleration of the yaw acceleration */
    double hand_most_rad; /* where the rack ends */
    struct lumped15_state rest;
    double u[STEADY_ALL]; /* the solution, and the guess for the next one */
};

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

/* What is left over below this is a steady state: a thousandth of gravity. */
#define STEADY_ENOUGH_MPS2 0.01

/* An equilibrium; the best there is beyond the limit; or not even the other states came to rest, as
 * when a wheel lifts off: then the point says little. */
enum steady_sort { STEADY_IS, STEADY_BEYOND, STEADY_NOT_FOUND };
enum steady_sort steady_sort(const struct steady_point *p);

/* The rack's dry friction is taken away: the answer lies in the middle of what it allows. So are
 * the locks of differentials, which act as torques on the wheels. The car is changed for good. */
void steady_open(struct steady *s, struct lumped15_model *car, double friction,
                 enum steady_hold hold);
/* curvature_1pm > 0 turns left. Starts from the last answer: go in steps. */
void steady_solve(struct steady *s, double speed_mps, double curvature_1pm,
                  struct steady_point *out);

#endif

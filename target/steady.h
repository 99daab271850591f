/* Quasi-steady-state cornering of any car whose model has it, docs/steady.md.
 *
 * Speed and curvature are given. Sought are hand wheel, drive and sideslip, and with them all other
 * states of the model, such that nothing changes for an observer who turns with the car. Where no
 * equilibrium exists, as beyond the limit, the rest of the principal motion (two accelerations and
 * the yaw acceleration) is made as small as it can be, while everything else is in balance; what is
 * left says how far the answer is from a steady state. */
#ifndef SKIDPAD_TARGET_STEADY_H
#define SKIDPAD_TARGET_STEADY_H

#include "target/vehicle/vehicle.h"

#include <stdbool.h>
#include <stdio.h>

enum { STEADY_GUESS = 64 };

struct steady {
    const struct vehicle *car;
    const struct steady_ops *ops;
    void *solver; /* owned */
};

/* What is left over below this is a steady state: a thousandth of gravity. */
#define STEADY_ENOUGH_MPS2 0.01

/* An equilibrium; the best there is beyond the limit; or not even the other states came to rest, as
 * when a wheel lifts off: then the point says little. */
enum steady_sort { STEADY_IS, STEADY_BEYOND, STEADY_NOT_FOUND };
enum steady_sort steady_sort(const struct steady_point *p);

/* Returns 0, -ENOTSUP if the model has no steady turns, or -ENOMEM. */
int steady_open(struct steady *s, const struct vehicle *car, double friction,
                enum steady_hold hold);
/* curvature_1pm > 0 turns left. Starts from the last answer: go in steps. */
void steady_solve(struct steady *s, double speed_mps, double curvature_1pm,
                  struct steady_point *out);
/* The last answer, to go back to it. */
void steady_keep(const struct steady *s, double guess[STEADY_GUESS]);
void steady_go_back(struct steady *s, const double guess[STEADY_GUESS]);
void steady_close(struct steady *s);

#endif

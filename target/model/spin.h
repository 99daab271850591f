/* The rotating parts: four wheels and the engine, held together or back by dry friction in four
 * brakes, one clutch and two differential locks. True static friction: an element that can hold,
 * holds exactly.
 *
 * Over one step of h, with I the inertias, s the speeds, T the friction torques and D the elements'
 * directions, docs/model.md (D-4):
 *     I (s1 - s0) / h = torque - D T,   |T_k| <= capacity_k,
 *     T_k = capacity_k sign(slip_k) where the element slips, slip_k = 0 where it holds.
 * Solved by projected Gauss-Seidel sweeps, bounded, started from the last tick's torques. The
 * brakes come last in a sweep, so that a locked wheel is locked to the bit. */
#ifndef SKIDPAD_MODEL_SPIN_H
#define SKIDPAD_MODEL_SPIN_H

#include "target/model/wheels.h"

enum { SPIN_ENGINE = WHEELS, SPIN_PARTS };
/* Friction elements: a brake for each wheel, then these. */
enum { SPIN_CLUTCH = WHEELS, SPIN_LOCK_FRONT, SPIN_LOCK_REAR, SPIN_ELEMENTS };

struct spin_problem {
    double inertia_kgm2[SPIN_PARTS];
    double speed_radps[SPIN_PARTS];    /* absolute, at the start of the step */
    double torque_Nm[SPIN_PARTS];      /* everything but friction */
    double carrier_radps[WHEELS];      /* a brake's slip is speed - carrier */
    double body_radps[WHEELS];         /* the half shaft turns against the body */
    double gear[WHEELS];               /* clutch slip = engine - sum gear (speed - body) */
    double capacity_Nm[SPIN_ELEMENTS]; /* >= 0 */
};

struct spin_result {
    double speed_radps[SPIN_PARTS];    /* at the end of the step */
    double friction_Nm[SPIN_ELEMENTS]; /* on entry the guess. A lock slows its left wheel */
    unsigned locked;                   /* bit i: brake i holds its wheel */
};

void spin_solve(const struct spin_problem *p, double dt_s, struct spin_result *r);

#endif

/* A car as seven linear coordinates: height Z, pitch, roll and the four travels, on ice, built from
 * masses, places and rates of a loaded car.
 *
 * On ice the car is free along x, y and yaw. Those three have no stiffness, so their momentum stays
 * zero and they are eliminated from the mass matrix: a car that pitches pushes its wheels back and
 * forth with it. Springs act with their ratio squared, tyres with their stiffness at the static
 * load; weight at its height works like an inverted pendulum. */
#ifndef SKIDPAD_TESTS_LINEAR_CAR_H
#define SKIDPAD_TESTS_LINEAR_CAR_H

#include "target/model/lumped15/lumped15.h"

enum { LINEAR_FREE = 3, LINEAR_KEPT = 3 + WHEELS, LINEAR_ALL = LINEAR_FREE + LINEAR_KEPT };
enum { LINEAR_STATES = 2 * LINEAR_KEPT };

struct linear_car {
    double M[LINEAR_ALL][LINEAR_ALL], K[LINEAR_ALL][LINEAR_ALL], D[LINEAR_ALL][LINEAR_ALL];
    /* Column-major: rates of (Z, pitch, roll, travels, and the rates of these). */
    double A[LINEAR_STATES * LINEAR_STATES];
};

/* base_m: height of the body's origin at rest. Dampers must be straight lines. */
void linear_car(struct linear_car *l, const struct lumped15_model *m, double base_m);

#endif

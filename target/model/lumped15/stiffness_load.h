/* How stiff a car is: eigenvalues of its linearised equations over speed and load, and what they
 * ask of an integrator. At load and in `skidpad check` only; uses LAPACK. */
#ifndef SKIDPAD_LUMPED15_STIFFNESS_LOAD_H
#define SKIDPAD_LUMPED15_STIFFNESS_LOAD_H

#include "target/model/lumped15/lumped15.h"

enum { STIFFNESS_SPEEDS = 10, STIFFNESS_LOADS = 3 };

struct stiffness_point {
    double speed_mps, load; /* load: share of the static wheel loads */
    double fastest_1ps;     /* largest |eigenvalue| */
    double forward_s;       /* longest stable step of forward Euler */
    double growth;          /* largest |eigenvalue| of one semi-implicit step, less 1, per s */
};

struct stiffness {
    struct stiffness_point point[STIFFNESS_SPEEDS * STIFFNESS_LOADS];
    int count;
    struct stiffness_point fastest, tightest; /* largest fastest_1ps, smallest forward_s */
};

/* step_s > 0 also computes growth for that step. Returns 0 or a negative errno. */
int stiffness_of(const struct lumped15_model *m, double step_s, struct stiffness *out);

/* Substeps that forward Euler needs for this step, with a margin of 1.25. */
int stiffness_substeps(const struct stiffness *s, double step_s);

#endif

/* A car's motion by SUNDIALS CVODE (BDF, dense Newton) on the rates of the model: the solution that
 * the shipped integrators are measured against. */
#ifndef SKIDPAD_TESTS_REFERENCE_H
#define SKIDPAD_TESTS_REFERENCE_H

#include "target/model/lumped15/lumped15.h"

/* The inputs at a time, smooth between breaks. The hand wheel's rate is asked for because the angle
 * alone does not tell it. */
typedef void reference_input(double time_s, struct plant_in *in, double *hand_radps);

struct reference_run {
    const struct lumped15_model *model;
    const struct ground *ground;
    reference_input *input;
    double rtol; /* absolute tolerances are the same number times each state's usual size */
};

/* What every car has; the states of hydraulics are solved with them but not handed out. */
enum { REFERENCE_X = LUMPED15_MOTION + 1 };

/* Solves from *state (at time 0) and writes the vectors at every_s, 2 every_s, ... count of them.
 * Returns 0, or the negative number of CVODE that tells what went wrong. */
int reference_solve(const struct reference_run *run, const struct lumped15_state *state,
                    double every_s, int count, double (*out)[REFERENCE_X]);

#endif

/* The hydraulics alone, by the shipped step and by SUNDIALS CVODE (BDF, dense Newton) on the rates
 * of the same equations. The inputs are constant between switches. */
#ifndef SKIDPAD_TESTS_HYDRAULICS_RUN_H
#define SKIDPAD_TESTS_HYDRAULICS_RUN_H

#include "target/model/hydraulics.h"

struct hydraulics_phase {
    double for_s; /* a whole number of every_s */
    struct plant_in in;
};

/* The pedal held there, valves as the interface, none of them with a current. */
struct plant_in hydraulics_pressed(double pedal);

/* States at every_s, 2 every_s, ... through all phases, from *start. dt_s divides every_s. Returns
 * how many, at most max. */
int hydraulics_run(const struct hydraulics_model *m, const struct hydraulics_state *start,
                   const struct hydraulics_phase *phase, int phases, double every_s, double dt_s,
                   struct hydraulics_state *out, int max);
/* The same by CVODE, started anew at each switch. Negative: what CVODE said. */
int hydraulics_reference(const struct hydraulics_model *m, const struct hydraulics_state *start,
                         const struct hydraulics_phase *phase, int phases, double every_s,
                         double rtol, struct hydraulics_state *out, int max);

#endif

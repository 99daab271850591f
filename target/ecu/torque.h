/* The talk with the engine: one limit and one raise from all functions, only where the engine says
 * that it can, and a check that it does what it said. */
#ifndef SKIDPAD_ECU_TORQUE_H
#define SKIDPAD_ECU_TORQUE_H

#include "target/ecu/car.h"

struct torque_params {
    double answer_s; /* an engine has followed a request by then */
    double off_Nm;   /* and is off by no more than this */
};

struct torque_in {
    double limit_Nm;  /* of the functions; infinite: none */
    double raise_Nm;  /* minus infinite: none */
    double engine_Nm; /* as reported */
    double driver_Nm, least_Nm, most_Nm;
    int limit_possible, raise_possible, engine_good;
};

struct torque {
    double limit_Nm, raise_Nm; /* as sent; with their flags, else 0 */
    double steady_s;           /* how long the request has been such that an answer must be there */
    uint32_t limit, raise;
};

/* Returns 1 if the engine does not do what it is asked for; *judged: 1 if that can be said now. */
int torque_step(const struct torque_params *p, const struct torque_in *in, struct torque *s,
                int *judged);

#endif

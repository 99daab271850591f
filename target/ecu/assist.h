/* Panic brake assist: a driver who steps on the brake fast, but not hard enough, gets full pressure
 * until the foot comes back. */
#ifndef SKIDPAD_ECU_ASSIST_H
#define SKIDPAD_ECU_ASSIST_H

#include "target/ecu/car.h"

struct assist_params {
    double rise_Paps;  /* master cylinder pressure rises so fast: panic */
    double least_Pa;   /* and has passed this */
    double start_mps;  /* above this speed */
    double full_Pa;    /* what the wheels then get */
    double back_share; /* ends once the driver's pressure falls below this share of its peak */
    double end_mps;
};

struct assist {
    double last_Pa, rise_Paps; /* filtered */
    double peak_Pa;
    uint32_t active, reserved;
};

/* Returns the pressure that all wheels get at least; 0: nothing. */
double assist_step(const struct assist_params *p, double driver_Pa, double speed_mps, int works,
                   struct assist *s);

#endif

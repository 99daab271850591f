/* Delay of the yaw moment on split friction: the front wheel on the better side gets its pressure
 * over the other's step by step, so that the driver has time to steer against the turning moment.
 */
#ifndef SKIDPAD_ECU_YAW_DELAY_H
#define SKIDPAD_ECU_YAW_DELAY_H

#include <stdint.h>

struct yaw_delay_params {
    double start_Pa;  /* difference that is allowed at once */
    double rate_Paps; /* and how fast it grows */
    double yaw_radps; /* the growth stops while the car turns faster to the better side */
    double speed_mps; /* below it the difference is free */
};

struct yaw_delay {
    double allowed_Pa;
    uint32_t active, reserved;
};

/* Upper bounds for the front pressures. limit_Pa: lock pressure of each front wheel while it is
 * controlled, the driver's otherwise. turn_radps: yaw rate, left positive. */
void yaw_delay_step(const struct yaw_delay_params *p, const double limit_Pa[2], int controlled,
                    double turn_radps, double speed_mps, double bound_Pa[2], struct yaw_delay *y);

#endif

/* Hill hold: on a slope the pressure at the stop stays after the foot has left the brake, until the
 * engine holds the car, or for some time. */
#ifndef SKIDPAD_ECU_HOLD_H
#define SKIDPAD_ECU_HOLD_H

#include "target/ecu/car.h"

struct hold_params {
    double slope;      /* sine of it, from which the car is held */
    double still_s;    /* stands for so long before */
    double least_Pa;   /* the driver brakes at least so much */
    double max_Pa;     /* and so much at most is kept */
    double time_out_s; /* after the foot has left the brake */
    double margin;     /* force of the engine over that of the slope at which it lets go */
    double release_Paps;
    double end_Paps; /* after the time is out: gently */
};

struct hold_in {
    double speed_mps, acc_x_mps2, driver_Pa;
    double engine_Nm, engine_radps, accelerator, gear;
    int works, braking;
};

struct hold {
    double still_s, free_s; /* standing; foot off the brake */
    double held_Pa;
    double acc_x_mps2;                  /* filtered */
    double engine_radps, engine_radps2; /* filtered */
    uint32_t phase; /* 0 off, 1 ready, 2 holds, 3 lets go to drive, 4 time is out */
    uint32_t reserved;
};

/* Returns the pressure that all wheels get at least; 0: nothing. */
double hold_step(const struct hold_params *p, const struct car_params *car,
                 const struct hold_in *in, struct hold *s);

/* Whether the pressure is the unit's. */
int hold_acts(const struct hold *s);

#endif

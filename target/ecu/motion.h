/* What the car does on its road: sideslip, friction, and the yaw rate it should have. */
#ifndef SKIDPAD_ECU_MOTION_H
#define SKIDPAD_ECU_MOTION_H

#include "target/ecu/single_track.h"

struct motion_params {
    double friction_max;     /* no road gives more; the guess before anything is known */
    double friction_min;     /* nor less */
    double friction_margin;  /* added to what the car uses while the road is at its limit */
    double friction_fall_s;  /* time constant down to it */
    double friction_rise_s;  /* and back to the maximum while nothing is at its limit */
    double limit_radps;      /* yaw rate off the model by so much: the road is at its limit */
    double sideslip_free_s;  /* the observer goes back to the model so fast in easy driving */
    double sideslip_limit_s; /* and so slowly at the limit */
    double easy_mps2;        /* easy: less lateral acceleration than this */
    double start_mps;        /* the observer rests below this speed */
    double backed_radps;     /* the yaw rate counts if another source is as near as this ... */
    double backed_share;     /* ... plus this share of it */
};

struct motion_in {
    double speed_mps, steer_rad, yaw_radps;
    double axle_radps[2];          /* yaw rate by the wheels of an axle: front, rear */
    int axle_rolls[2];             /* neither braked nor spinning: they show it */
    double acc_x_mps2, acc_y_mps2; /* as measured */
    int controlled;                /* wheels are at their limit: ABS or traction control */
};

struct motion {
    struct single_track target; /* limited by friction: what ESP leads to */
    struct single_track linear; /* what the steering angle means on a perfect road */
    double sideslip_rad;        /* observed */
    double acc_y_mps2;          /* of the car, without the lean of the sensor; filtered */
    double used;                /* acceleration as a share of gravity, filtered */
    double friction;            /* of the road, as far as the car shows it */
    double alone_s;             /* nothing else shows the measured yaw rate for so long */
};

/* All zero at the start. */
void motion_step(const struct motion_params *p, const struct car_params *car,
                 const struct motion_in *in, struct motion *m);

#endif

/* What the unit knows of the car it is built into. */
#ifndef SKIDPAD_ECU_CAR_H
#define SKIDPAD_ECU_CAR_H

#include "target/ecu/ecu_io.h"

#define ECU_CYCLE_S 0.005
#define ECU_BAR_PA  1e5
#define ECU_G_MPS2  9.81

struct car_params {
    double mass_kg;
    double wheelbase_m;
    double front_m;                  /* centre of gravity behind the front axle */
    double height_m;                 /* of the centre of gravity */
    double track_m[2];               /* front, rear */
    double radius_m[ECU_WHEELS];     /* rolling */
    double inertia_kgm2[ECU_WHEELS]; /* of each wheel */
    double brake_NmpPa[ECU_WHEELS];  /* torque per pressure above the threshold */
    double threshold_Pa;
    double lag_s;             /* from pressure asked for to pressure in the brake, first order */
    double pitch_rad;         /* nose down at a deceleration of 1 g: the sensor tilts with it */
    double steering_ratio;    /* hand wheel angle over mean angle of the front wheels */
    double understeer_radspm; /* front steering angle per m/s2 above that of the path */
    double teeth[ECU_WHEELS]; /* of the toothed wheels */
};

/* Mean angle of the front wheels. */
static inline double car_steer_rad(const struct car_params *p, double hand_wheel_rad)
{
    return hand_wheel_rad / p->steering_ratio;
}

#endif

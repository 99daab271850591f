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
    double rear_slip_radspm;  /* slip angle of the rear axle per m/s2 */
    double yaw_inertia_kgm2;  /* of the whole car */
    double roll_rad;          /* towards the outside at 1 g: the sensor tilts with it */
    double front_drive;       /* share of the drive torque at the front axle, 0..1 */
    double first_ratio;       /* engine over wheels in first gear */
    double engine_kgm2;       /* inertia of the engine */
    double teeth[ECU_WHEELS]; /* of the toothed wheels */
};

/* Mean angle of the front wheels. */
static inline double car_steer_rad(const struct car_params *p, double hand_wheel_rad)
{
    return hand_wheel_rad / p->steering_ratio;
}

/* Whether the engine drives this wheel. */
static inline int car_drives(const struct car_params *p, int wheel)
{
    return wheel < ECU_RL ? p->front_drive > 0.0 : p->front_drive < 1.0;
}

/* Pressure at all wheels for a deceleration. */
static inline double car_pressure_Pa(const struct car_params *p, double decel_mps2)
{
    double force_NpPa = 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        force_NpPa += p->brake_NmpPa[i] / p->radius_m[i];
    return p->threshold_Pa + decel_mps2 * p->mass_kg / force_NpPa;
}

#endif

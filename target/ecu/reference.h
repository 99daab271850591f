/* Reference speed: how fast the car goes, while every wheel may slip.
 *
 * The acceleration sensor carries the speed from cycle to cycle; the wheels correct it. A braked
 * wheel is never faster than the car, so the fastest one pulls the reference up at once, but down
 * only as fast as the sensor may be wrong. Without the sensor the modelled brake forces say how
 * fast the car can slow down at most. */
#ifndef SKIDPAD_ECU_REFERENCE_H
#define SKIDPAD_ECU_REFERENCE_H

#include "target/ecu/car.h"

struct reference_params {
    double rolling_s;       /* time constant towards the wheels without brakes */
    double rolling_mps2;    /* and how fast at most */
    double braked_mps2;     /* down towards the fastest wheel while braking: error of the sensor */
    double controlled_mps2; /* the same while ABS acts */
    double pull_up_mps2;    /* up towards the fastest wheel while braking */
    double blind_up_mps2;   /* the same without the sensor */
    double blind_down_mps2; /* down without the sensor while all wheels go like the car */
    double calm_mps2;       /* only by a wheel that accelerates like the car, to within this */
    double offset_s;        /* time constant of the sensor's offset, slope of the road included */
    double offset_max_mps2;
    double accel_s;   /* filter of the car's acceleration */
    double lean_mps2; /* without sensor: slows down so much faster than the brake model says */
};

struct reference_in {
    double wheel_mps[ECU_WHEELS];
    double wheel_mps2[ECU_WHEELS];
    double yaw_rate_radps; /* 0 if not known */
    double steer_rad;      /* of the front wheels; 0 if not known */
    double acc_x_mps2;     /* with acc_valid */
    double brake_mps2;     /* deceleration that the modelled pressures make at most; >= 0 */
    uint32_t wheels;       /* bit i: wheel i can be used */
    int acc_valid;
    int braking;
    int controlled; /* ABS acts: no wheel shows the speed for sure */
    int alone;      /* a function brakes without the driver: nothing is learned */
};

struct reference {
    double speed_mps;
    double accel_mps2; /* of the car, filtered; negative while it slows down */
    double offset_mps2;
    double at_centre_mps[ECU_WHEELS]; /* wheel speeds as the centre of gravity would have them */
    uint32_t started;
    uint32_t reserved;
};

void reference_step(const struct reference_params *p, const struct car_params *car,
                    const struct reference_in *in, struct reference *r);

#endif

/* Plausibility of the sensors: each is compared with what the others say. docs/ecu.md lists the
 * conditions; the unit judges only in driving states in which the comparison holds. */
#ifndef SKIDPAD_ECU_PLAUSIBLE_H
#define SKIDPAD_ECU_PLAUSIBLE_H

#include "target/ecu/car.h"
#include "target/ecu/reference.h"
#include "target/ecu/wheel_speed.h"

struct plausible_params {
    double moving_mps;     /* wheels are compared above this speed */
    double wheel_share;    /* a wheel may differ from the reference by this share */
    double wheel_mps;      /* plus this */
    double jumps;          /* so many impossible jumps: teeth are missing */
    double jump_decay_1ps; /* of their count */
    double yaw_radps;      /* yaw rate against the wheels */
    double yaw_max_radps;  /* range of the sensor */
    double acc_y_mps2;     /* lateral acceleration against speed times yaw rate */
    double acc_x_mps2;     /* forward acceleration against the wheels */
    double acc_max_mps2;   /* range */
    double steering_radps; /* yaw rate that the steering angle means against the measured one */
    double steering_max_rad;
    double pedal_Pa;   /* master pressure without brake switch */
    double pressed_Pa; /* least master pressure with brake switch */
    double master_max_Pa;
    double short_mps2;      /* deceleration lacking against the pressures */
    double noise_yaw_radps; /* mean change from sample to sample */
    double noise_acc_mps2, noise_steering_rad, noise_master_Pa;
};

struct plausible_in {
    const struct ecu_rx *rx;
    const struct wheel_speed *wheel; /* four */
    const struct reference *reference;
    double brake_mps2; /* deceleration that the modelled pressures make */
    double request_Pa[ECU_WHEELS];
    uint32_t bad_sources; /* bit for each enum ecu_source_id */
    int braking;          /* some wheel is braked */
    int foot;             /* by the driver, all of them */
    int controlled;       /* ABS acts */
};

enum { PLAUSIBLE_NOISY = 5 }; /* yaw rate, both accelerations, steering, master */

struct plausible {
    double jump_level[ECU_WHEELS];
    double last[PLAUSIBLE_NOISY], change[PLAUSIBLE_NOISY]; /* sample before, mean change */
    double wheels_mps, wheels_mps2; /* mean of all wheels and its rate, filtered */
    double rolled_s;                /* since braking: comparisons need a settled car */
    uint32_t jumps[ECU_WHEELS];     /* as of the last cycle */
    uint32_t started, reserved;
};

/* Bits of enum ecu_fault_id. *judged: those that could be judged in this cycle. */
uint32_t plausible_step(const struct plausible_params *p, const struct car_params *car,
                        const struct plausible_in *in, struct plausible *s, uint32_t *judged);

#endif

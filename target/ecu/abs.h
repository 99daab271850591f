/* ABS of the car: one channel for each front wheel, one for the rear axle (the rear wheel that
 * would lock first decides for both: select-low, so that the rear keeps its side force). */
#ifndef SKIDPAD_ECU_ABS_H
#define SKIDPAD_ECU_ABS_H

#include "target/ecu/abs_channel.h"
#include "target/ecu/pressure.h"
#include "target/ecu/reference.h"
#include "target/ecu/wheel_speed.h"
#include "target/ecu/yaw_delay.h"

enum abs_channel_id { ABS_FL, ABS_FR, ABS_REAR, ABS_CHANNELS };

struct abs_state {
    struct abs_channel channel[ABS_CHANNELS];
    struct yaw_delay yaw_delay;
    double friction; /* that the car uses while ABS acts */
};

struct abs_car_in {
    const struct wheel_speed *wheel; /* four */
    const struct reference *reference;
    const struct pressure *pressure;
    double asked_Pa[ECU_WHEELS]; /* by the driver, or by a function that brakes without */
    double yaw_rate_radps;
    double more_slip[ECU_WHEELS]; /* that stability control wants of a wheel */
    uint32_t braked;              /* bit i: wheel i is braked */
    int delay;                    /* the driver brakes straight on: yaw delay may act */
};

/* Bounds for the four pressures, infinite where ABS does not act. */
void abs_step(const struct abs_params *p, const struct yaw_delay_params *delay,
              const struct car_params *car, const struct abs_car_in *in, struct abs_state *s,
              double bound_Pa[ECU_WHEELS]);

/* Ends all control. */
void abs_stop(struct abs_state *s);

/* Phase of a wheel's channel. */
uint32_t abs_phase(const struct abs_state *s, int wheel);
int abs_is_active(const struct abs_state *s);
/* One front wheel holds much more than the other. */
int abs_is_split(const struct abs_state *s, double driver_Pa);

#endif

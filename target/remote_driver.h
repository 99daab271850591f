/* A person at the host drives the car: pedals and hand wheel come over the network, with their age.
 *
 * Input that stays away for half a second is lost. Then the accelerator is let go, the clutch
 * opened and the brake pressed gently until the car stands; the hand wheel stays for a second and
 * is then turned back to the middle. It ends with new input, or with the car given back to the
 * scenario. */
#ifndef SKIDPAD_TARGET_REMOTE_DRIVER_H
#define SKIDPAD_TARGET_REMOTE_DRIVER_H

#include "shared/base/latest.h"
#include "shared/wire/record.h"
#include "target/model/plant.h"

#include <stdbool.h>

struct driver_input {
    double hand_wheel_rad, throttle, brake_pedal, clutch_pedal;
    int32_t gear;   /* as plant_in's */
    int32_t drives; /* 0: gives the car back */
};

struct remote_driver {
    struct latest input; /* struct driver_input, from another thread */
    bool owns;           /* the scenario has no other driver */
    /* the real-time thread's own */
    int who;      /* enum loop_driver */
    double age_s; /* of the input, since it was first seen here */
    struct driver_input last;
};

/* Set-up. owns: a person drives from the beginning; until the first input the car is kept at rest.
 * Returns 0 or -ENOMEM. */
int remote_driver_init(struct remote_driver *d, bool owns);
void remote_driver_free(struct remote_driver *d);

/* Another thread: new input, limited to what pedals and wheels can do; NaN is refused (false). */
bool remote_driver_put(struct remote_driver *d, const struct driver_input *in);

/* Once a tick, in the real-time thread: takes what has come. Returns whether `who` changed. */
bool remote_driver_receive(struct remote_driver *d, double step_s);
/* Replaces what the scenario's driver does, if the person drives. */
void remote_driver_command(const struct remote_driver *d, struct plant_in *in);

#endif

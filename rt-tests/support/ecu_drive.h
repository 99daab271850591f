/* Ordinary driving for an hour or a minute: towns, roads, motorway, stops, curves, bumps, gear
 * changes. Deterministic: the same seed drives the same way. */
#ifndef SKIDPAD_TESTS_ECU_DRIVE_H
#define SKIDPAD_TESTS_ECU_DRIVE_H

#include "rt-tests/support/ecu_car.h"

struct ecu_driver {
    uint64_t random;
    double speed_mps;    /* wanted */
    double lateral_mps2; /* wanted; the hand wheel follows the single-track model */
    double until_s;      /* then something else is wanted */
    double hand_rad;
    double brake, throttle;
};

void ecu_driver_start(struct ecu_driver *d, uint64_t seed);
/* Sets the inputs for the next tick. */
void ecu_driver_step(struct ecu_driver *d, struct ecu_car *c);

#endif

/* The safe state: the car comes to rest, and its sensors say so consistently. */
#ifndef SKIDPAD_TARGET_SAFE_H
#define SKIDPAD_TARGET_SAFE_H

#include "target/model/plant.h"
#include "target/model/sensors.h"

/* Inputs that bring a healthy car to rest: no drive, the brakes at a share of the pedal, the hand
 * wheel held where it is. */
void safe_inputs(const struct plant_out *now, double brake_pedal, struct plant_in *in);

/* Sensor outputs of a car whose model can no longer be trusted: from the last good values to
 * standstill in stop_s, each wheel with the same deceleration in time, rates and accelerations
 * faded, gravity left. elapsed_s counts from the last good values. */
void safe_sensors(const struct sensors_out *last, double elapsed_s, double stop_s,
                  double gravity_mps2, struct sensors_out *out);

#endif

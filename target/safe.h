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
 * faded, gravity left. The tooth edges go on as such a wheel makes them, so that a unit that counts
 * edges and one that takes speeds see the same stop. elapsed_s counts from the last good values,
 * which were of last_ns. */
struct safe_stop {
    double stop_s, gravity_mps2;
    double teeth[WHEELS]; /* on the circumference of each ring */
    int64_t last_ns;
};

void safe_sensors(const struct safe_stop *stop, const struct sensors_out *last, double elapsed_s,
                  struct sensors_out *out);

#endif

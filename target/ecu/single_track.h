/* The car as the driver expects it: a linear single-track model whose front axle cannot carry more
 * than the road gives, docs/ecu.md (E-5). Its rear axle stays linear, so that the model never
 * spins.
 */
#ifndef SKIDPAD_ECU_SINGLE_TRACK_H
#define SKIDPAD_ECU_SINGLE_TRACK_H

#include "target/ecu/car.h"

struct single_track {
    double sideslip_rad;
    double yaw_radps;
};

/* One cycle at a speed; friction is the road's, as a share of gravity. */
void single_track_step(const struct car_params *car, double speed_mps, double steer_rad,
                       double friction, struct single_track *s);

#endif

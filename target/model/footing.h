/* How a car stands: what drivers derive from the car at rest. */
#ifndef SKIDPAD_MODEL_FOOTING_H
#define SKIDPAD_MODEL_FOOTING_H

#include "target/model/car_facts.h"

struct footing {
    double front_m, rear_m; /* centre of gravity to the axles */
    double load_N[WHEELS];
    double radius_m[WHEELS]; /* rolling */
    double brake_N;          /* braking force of a full pedal */
    /* Of axles, at these loads, rolling at 15 m/s, friction 1: */
    double stiff_N[AXLES];                   /* cornering stiffness, per rad */
    double peak_y_N[AXLES], peak_x_N[AXLES]; /* grip */
    /* Steering angle per lateral acceleration of the single-track model with these tyres. */
    double understeer_s2pm;
};

void footing_of(const struct car_facts *car, struct footing *f);

#endif

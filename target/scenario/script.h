/* Scripted inputs: tables over time, linear between their points, held outside. */
#ifndef SKIDPAD_SCENARIO_SCRIPT_H
#define SKIDPAD_SCENARIO_SCRIPT_H

#include "target/model/plant.h"

#include <stdbool.h>

/* Points of one input; count 0: not given. */
struct series {
    int count;
    int last_value; /* 1: holds the last point's value instead of going linearly to the next */
    const double *time_s, *value;
};

struct script {
    struct series hand_wheel_rad, hand_wheel_Nm, throttle, brake_pedal, clutch_pedal, gear;
    struct series torque_Nm[WHEELS], pressure_Pa[WHEELS], push_N[3];
    bool use_pressures;
    int32_t steer;        /* enum plant_steer */
    int32_t default_gear; /* while gear has no points */
};

/* The value at a time; otherwise if there are no points. */
double series_at(const struct series *s, double time_s, double otherwise);

/* The inputs during the step that begins at time_s and ends at end_s: the hand wheel is where it
 * shall be at the end. Wind is not the script's. */
void script_at(const struct script *s, double time_s, double end_s, struct plant_in *in);

#endif

/* An object ahead of the car, and the radar that sees it.
 *
 * It moves along the direction in which the car starts, at a speed that may fall to a stop. The
 * radar is ideal within its range and angle: distance from the car's front to the object's rear
 * along the car's axis, its change, and the offset to the left. */
#ifndef SKIDPAD_SCENARIO_OBJECT_H
#define SKIDPAD_SCENARIO_OBJECT_H

#include "target/model/plant.h"
#include "target/model/sensors.h"

struct object_model {
    int32_t present, reserved;
    double ahead_m, left_m;     /* of the start of the car: the rear of the object */
    double speed_mps;           /* along that direction */
    double brake_s, brake_mps2; /* from this time on it slows down, to a stop */
    double range_m, view_rad;   /* of the radar: how far, and to each side */
    double x_m, y_m, yaw_rad;   /* start of the car, world */
    double front_m;             /* of the car's front ahead of its centre of gravity */
};

void object_defaults(struct object_model *m);
/* Way of the object since the start, and its speed. */
double object_way_m(const struct object_model *m, double time_s, double *speed_mps);
/* What the radar says at the end of a step; nothing seen without an object. */
void object_sense(const struct object_model *m, const struct plant_out *car,
                  struct sensors_out *out);

#endif

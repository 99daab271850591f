/* A car of any model on a plane, step by step: for tests that compare models. */
#ifndef SKIDPAD_TESTS_PLANE_CAR_H
#define SKIDPAD_TESTS_PLANE_CAR_H

#include "target/road/plane.h"
#include "target/vehicle/vehicle_load.h"

struct plane_car {
    struct vehicle *v;
    struct model_memory mem;
    struct plane road; /* level, friction 1; may be changed before a reset */
    struct ground ground;
    struct plant_in in; /* wheel pressures act, and are zero */
    struct plant_out o;
    double step_s;
};

/* config/vehicles/NAME.yaml as this model, steps of step_s. The struct must stay where it is. */
void plane_car_open(struct plane_car *c, const char *name, const char *model, double step_s);
/* The same for a car that is loaded already, and owned from now on. */
void plane_car_take(struct plane_car *c, struct vehicle *v, double step_s);
/* From the start, rolling straight on. */
void plane_car_reset(struct plane_car *c, double speed_mps, int32_t gear);
/* One step; fails the test on a fault. */
void plane_car_step(struct plane_car *c);
void plane_car_for(struct plane_car *c, double time_s);
void plane_car_close(struct plane_car *c);

#endif

/* What follows from a vehicle file, for `skidpad check`. */
#ifndef SKIDPAD_TARGET_CHECK_VEHICLE_H
#define SKIDPAD_TARGET_CHECK_VEHICLE_H

#include "target/vehicle/vehicle.h"

#include <stdio.h>

/* Masses, loads, heights, stiffness of the equations. Returns 0 or a negative errno. */
int check_vehicle_print(const struct vehicle *v, double step_s, FILE *to);

#endif

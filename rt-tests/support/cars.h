/* The cars that the project ships, for tests that hold for each of them. */
#ifndef SKIDPAD_TESTS_CARS_H
#define SKIDPAD_TESTS_CARS_H

#include "rt-tests/support/lumped15_of.h"
#include "target/vehicle/vehicle_load.h"

enum { CARS_MAX = 32, CARS_PATH = 128 };

struct cars {
    int count;
    char path[CARS_MAX][CARS_PATH];
};

/* Every file in config/vehicles, sorted; fails the test if there is none. */
void cars_find(struct cars *cars);

/* Loads a car; fails the test with the loader's messages. The caller frees it. */
struct vehicle *car_load_hydraulic(const char *path, int integrator, double step_s);
/* The same with its simple brakes, hydraulics off: for tests of the motion, whose vectors have no
 * room for them and whose brakes shall let go at once. */
struct vehicle *car_load(const char *path, int integrator, double step_s);

/* "sedan" for config/vehicles/sedan.yaml. */
const char *car_name(const char *path, char *name, int size);

#endif

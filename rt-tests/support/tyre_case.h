/* Tyres at single operating points, for tests. */
#ifndef SKIDPAD_TESTS_TYRE_CASE_H
#define SKIDPAD_TESTS_TYRE_CASE_H

#include "target/model/tyre/tyre.h"

/* One wheel's input; tyre_at() puts it on all four wheels. */
struct tyre_case {
    double load_N, kappa, tan_alpha, gamma_rad, vx_mps, pressure_Pa, friction;
};

/* The tyres that the project ships. */
extern const char *const tyre_shipped[];
extern const int tyre_shipped_count;

/* Reads a file into a model; fails the test if that does not work. */
void tyre_read(const char *path, struct tyre_model *model);
/* The same tyre on all wheels. */
void tyre_four(const char *path, enum tyre_sides sides, struct tyre_set *set);

/* Straight rolling at the nominal load, 20 m/s, the file's pressure, friction 1. */
struct tyre_case tyre_rolling(const struct tyre_set *set);
/* Everything the left front wheel does. */
struct tyre_out tyre_at(const struct tyre_set *set, struct tyre_case c);

/* Path below the folder of SKIDPAD_DATA; skips the test if that is not set. */
const char *tyre_data(const char *file, char *path, int size);

#endif

/* A suite of `skidpad test`, for `skidpad check`. */
#ifndef SKIDPAD_TARGET_CHECK_SUITE_H
#define SKIDPAD_TARGET_CHECK_SUITE_H

#include "target/scenario/scenario_load.h"

/* Every manoeuvre of it with its scenario, car, parameters, criteria that should fail and files of
 * the unit; nothing is driven. Messages on stderr. Returns 0 or a negative errno; *manoeuvres is
 * how many there are. */
int check_suite(const char *path, int *manoeuvres);

/* The drives that come before a scenario, and the measures that are taken from them. */
int check_befores(const struct scenario *sc);

#endif

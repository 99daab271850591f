/* Drives made by hand, judged by the criteria of shipped scenarios. */
#ifndef SKIDPAD_TESTS_HAND_MADE_H
#define SKIDPAD_TESTS_HAND_MADE_H

#include "target/scenario/scenario_load.h"

/* A drive of so many seconds, a row every step_s, the values by a function of time; one at a
 * time. */
struct expr_trace hand_made(double duration_s, double step_s,
                            void (*make)(struct signals *s, const void *how), const void *how);

/* The names of the criteria of a scenario that are not good, separated by commas; one at a time.
 * given: its parameters; NULL: those of the file. */
const char *hand_made_failures(const char *path, const struct parameters *given,
                               const struct expr_trace *trace);

#endif

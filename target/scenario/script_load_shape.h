/* Inputs given as a shape instead of points. */
#ifndef SKIDPAD_SCENARIO_SCRIPT_LOAD_SHAPE_H
#define SKIDPAD_SCENARIO_SCRIPT_LOAD_SHAPE_H

#include "shared/config/config.h"

/* {sine: {begin_s, amplitude, frequency_hz, cycles, dwell_s}}: rows of time and value, malloc'ed;
 * NULL after a complaint. The dwell is at the second peak of the last cycle. */
double *script_shape(const struct cfg_node *shape, size_t *rows);

#endif

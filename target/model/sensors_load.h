/* Sensors from YAML: the mapping `sensors:` of a vehicle file; keys in docs/sensors.md. */
#ifndef SKIDPAD_MODEL_SENSORS_LOAD_H
#define SKIDPAD_MODEL_SENSORS_LOAD_H

#include "shared/config/config.h"
#include "target/model/sensors.h"

/* *m holds the defaults (sensors_defaults(), then the plant's gravity_mps2) and gets what the
 * mapping says; map may be NULL. Then prepares *m for steps of step_s > 0. Mistakes become messages
 * of the document; a step or delays that do not fit do so too, or without a mapping are the return
 * value of sensors_prepare(). */
int sensors_load(const struct cfg_node *map, double step_s, struct sensors_model *m);

#endif

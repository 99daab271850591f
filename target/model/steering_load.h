/* Steering from YAML: the mapping `steering:` of a vehicle file. */
#ifndef SKIDPAD_MODEL_STEERING_LOAD_H
#define SKIDPAD_MODEL_STEERING_LOAD_H

#include "shared/config/config.h"
#include "target/model/steering.h"

void steering_load(const struct cfg_node *map, struct steering_model *m);

#endif

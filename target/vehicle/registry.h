/* The list of all models. */
#ifndef SKIDPAD_VEHICLE_REGISTRY_H
#define SKIDPAD_VEHICLE_REGISTRY_H

#include "target/model/model_load.h"

extern const struct model_kind *const model_registry[]; /* NULL at the end; the first is usual */

/* Names of the models that drive on any ground, as "a, b". */
void model_registry_any_ground(char *text, size_t size);

#endif

/* Air forces from YAML: the mapping `aero:` of a vehicle file; keys in docs/aero.md. */
#ifndef SKIDPAD_MODEL_AERO_LOAD_H
#define SKIDPAD_MODEL_AERO_LOAD_H

#include "shared/config/config.h"
#include "target/model/aero.h"

/* *m holds the defaults of aero_defaults() and gets what the mapping says; map may be NULL: a car
 * without air forces. Mistakes become messages of the document. */
void aero_load(const struct cfg_node *map, struct aero_model *m);

#endif

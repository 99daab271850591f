/* The object ahead from YAML: the mapping `object:` of a scenario; keys in docs/scenario-file.md.
 */
#ifndef SKIDPAD_SCENARIO_OBJECT_LOAD_H
#define SKIDPAD_SCENARIO_OBJECT_LOAD_H

#include "shared/config/config.h"
#include "target/scenario/object.h"

/* *m holds object_defaults(); map may be NULL: there is none. Mistakes become messages of the
 * document. */
void object_load(const struct cfg_node *map, const struct plant_start *start,
                 struct object_model *m);

#endif

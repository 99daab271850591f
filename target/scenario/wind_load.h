/* Wind from YAML: the mapping `wind:` of a scenario; keys in docs/aero.md. */
#ifndef SKIDPAD_SCENARIO_WIND_LOAD_H
#define SKIDPAD_SCENARIO_WIND_LOAD_H

#include "shared/config/config.h"
#include "target/scenario/wind.h"

/* *m holds wind_defaults() and gets what the mapping says; map may be NULL. Mistakes become
 * messages of the document. */
void wind_load(const struct cfg_node *map, struct wind_model *m);

#endif

/* The section `valves:` of a unit's file, docs/ecu.md. */
#ifndef SKIDPAD_ECU_VALVES_LOAD_H
#define SKIDPAD_ECU_VALVES_LOAD_H

#include "shared/config/config.h"
#include "target/ecu/valves.h"

/* A mid-size car; the stage is off. */
void valves_defaults(struct valves_params *p);
void valves_load(const struct cfg_node *n, struct valves_params *p);

#endif

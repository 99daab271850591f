/* Scripted inputs from YAML; keys in docs/scenario-file.md. */
#ifndef SKIDPAD_SCENARIO_SCRIPT_LOAD_H
#define SKIDPAD_SCENARIO_SCRIPT_LOAD_H

#include "shared/config/config.h"
#include "target/scenario/script.h"

/* The mapping `inputs:`, may be NULL. *s is all zero before; freed with script_free(). */
void script_load(const struct cfg_node *n, struct script *s);
void script_free(struct script *s);

/* "auto", "neutral", "reverse" or a number, as one word; gear if the key is absent. */
int32_t script_gear(const struct cfg_node *map, const char *key, int32_t gear);

#endif

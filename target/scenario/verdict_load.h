/* Measures and criteria of a scenario file; keys in docs/scenario-file.md. */
#ifndef SKIDPAD_SCENARIO_VERDICT_LOAD_H
#define SKIDPAD_SCENARIO_VERDICT_LOAD_H

#include "shared/config/config.h"
#include "target/scenario/verdict.h"

/* `standard`, `measures` and `pass` of a scenario, which may use the names known. NULL if it has
 * nothing to judge. Mistakes become messages of the document. */
struct verdict *verdict_load(const struct cfg_node *root, const struct parameters *known);
void verdict_free(struct verdict *v);

#endif

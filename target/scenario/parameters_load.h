/* `before`, `parameters` and `series` of a scenario file; keys in docs/scenario-file.md. */
#ifndef SKIDPAD_SCENARIO_PARAMETERS_LOAD_H
#define SKIDPAD_SCENARIO_PARAMETERS_LOAD_H

#include "shared/config/config.h"
#include "target/scenario/parameters.h"

/* Reads them into p and plan. given: names set from outside, which count instead of the file's;
 * NULL: none. vehicle: the car's file, read only if an expression asks for it. From then on numbers
 * of the document may be written as `=expression`: p must live as long as the document is read. */
void parameters_load(const struct cfg_node *root, struct cfg_doc *doc, const char *vehicle,
                     const struct parameters *given, struct parameters *p,
                     struct series_plan *plan);

#endif

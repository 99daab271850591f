/* Engine, clutch and gearbox from YAML: the mapping `driveline:` of a vehicle file. */
#ifndef SKIDPAD_MODEL_DRIVELINE_LOAD_H
#define SKIDPAD_MODEL_DRIVELINE_LOAD_H

#include "shared/config/config.h"
#include "target/model/driveline.h"

/* map may be NULL: a car without an engine. Mistakes become messages of the document. */
void driveline_load(const struct cfg_node *map, struct driveline_model *m);

#endif

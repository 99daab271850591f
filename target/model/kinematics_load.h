/* Suspension kinematics from YAML: polynomials over travel and rack, or a CSV table. */
#ifndef SKIDPAD_MODEL_KINEMATICS_LOAD_H
#define SKIDPAD_MODEL_KINEMATICS_LOAD_H

#include "shared/base/err.h"
#include "shared/config/config.h"
#include "target/model/kinematics.h"

/* Fills *m from the mapping `kinematics:` of an axle. Mistakes become messages of the document. */
void kinematics_load(const struct cfg_node *map, bool steered, struct kinematics_model *m);

/* The table of a file alone; for `skidpad check`. Returns 0 or a negative errno with a message. */
int kinematics_load_file(const char *path, bool steered, struct kinematics_model *m, struct err *e);

#endif

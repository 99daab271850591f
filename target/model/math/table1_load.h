/* Tables from YAML. */
#ifndef SKIDPAD_MODEL_MATH_TABLE1_LOAD_H
#define SKIDPAD_MODEL_MATH_TABLE1_LOAD_H

#include "shared/config/config.h"
#include "target/model/math/table1.h"

/* Reads key: [[x, y], ...], x strictly increasing. Returns false and leaves *t alone if the key is
 * absent or wrong (then with a message). */
bool table1_load(const struct cfg_node *map, const char *key, struct table1 *t);

#endif

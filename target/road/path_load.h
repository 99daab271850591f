/* Paths from YAML, docs/driver.md: a formula, points, a recorded drive, or a road. */
#ifndef SKIDPAD_ROAD_PATH_LOAD_H
#define SKIDPAD_ROAD_PATH_LOAD_H

#include "shared/config/config.h"
#include "target/road/path.h"
#include "target/road/road_load.h"

/* *map is `path:` of a driver; road is what `road:` follows, NULL if the scenario has a plane.
 * Mistakes become messages of the document; false then. The caller frees. */
bool path_load(const struct cfg_node *map, const struct road *road, struct path *out);
void path_free(struct path *p);

#endif

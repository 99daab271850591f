/* Paths from YAML, docs/driver.md: a formula, points, a recorded drive, or a road. */
#ifndef SKIDPAD_ROAD_PATH_LOAD_H
#define SKIDPAD_ROAD_PATH_LOAD_H

#include "shared/config/config.h"
#include "target/road/path.h"
#include "target/road/segments.h"

/* *map is `path:` of a driver; road is what `road:` follows, NULL if the scenario has none.
 * Mistakes become messages of the document; false then. The caller frees. */
bool path_load(const struct cfg_node *map, const struct segments *road, struct path *out);
void path_free(struct path *p);

#endif

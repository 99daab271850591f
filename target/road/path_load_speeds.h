/* The speeds of a path from its file; for the loader of paths only. */
#ifndef SKIDPAD_ROAD_PATH_LOAD_SPEEDS_H
#define SKIDPAD_ROAD_PATH_LOAD_SPEEDS_H

#include "shared/config/config.h"
#include "target/road/path.h"
#include "target/road/path_load_nodes.h"

/* `speed_kmh` or `limits` of the path's map; without both recorded_mps, one for each node, unless
 * it is NULL. Returns 0 or -ENOMEM. */
int path_load_speeds(const struct cfg_node *map, const struct path_nodes *n, bool is_closed,
                     const double *recorded_mps, struct path *out);

#endif

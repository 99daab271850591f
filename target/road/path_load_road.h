/* Paths along a road; for the loader of paths only. docs/driver.md. */
#ifndef SKIDPAD_ROAD_PATH_LOAD_ROAD_H
#define SKIDPAD_ROAD_PATH_LOAD_ROAD_H

#include "target/road/path_load_nodes.h"
#include "target/road/road_load.h"

/* `road:` of a path: beside the centre line, or the reference line of a measured surface, at a
 * constant offset. road is what the scenario has, NULL or empty: a plane. 0, or -ENOMEM; mistakes
 * become messages. */
int along_road_load(const struct cfg_node *n, const struct road *road, bool *is_closed,
                    struct path_nodes *nodes);

#endif

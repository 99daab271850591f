/* A plane from YAML. Keys, with defaults: slope_percent 0 (> 0 uphill along x), bank_percent 0 (> 0
 * raises the left side), friction 1; friction_left and friction_right (default: friction) on the
 * two sides of the line y = boundary_y_m (0). */
#ifndef SKIDPAD_ROAD_PLANE_LOAD_H
#define SKIDPAD_ROAD_PLANE_LOAD_H

#include "shared/config/config.h"
#include "target/road/plane.h"

/* *p holds plane_defaults() and gets what the mapping says; map may be NULL. Mistakes become
 * messages of the document. */
void plane_load(const struct cfg_node *map, struct plane *p);

#endif

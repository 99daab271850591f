/* The land that a road lies in, docs/road.md: heights on a coarse grid. Far beside a road
 * the nearest place of its line jumps from one stretch to another, and with it what the road says
 * of height; the land does not. Const once loaded. */
#ifndef SKIDPAD_ROAD_TERRAIN_H
#define SKIDPAD_ROAD_TERRAIN_H

#include "target/road/pair.h"

#include <stdint.h>

/* Beyond its edge a road goes over to the land within this. */
#define TERRAIN_BLEND_M 15.0

struct terrain {
    const double *z_m; /* rows of `columns` from low to high x; NULL: the road is level, no need */
    v2 origin_m, per_cell_1pm;
    v2 last; /* cells in x and y, a little less: places are held within */
    int32_t columns, reserved;
};

#endif

/* Where to begin looking for the part of a line under a place: for each cell of a grid one that is
 * near. Const once loaded. */
#ifndef SKIDPAD_ROAD_SEED_H
#define SKIDPAD_ROAD_SEED_H

#include "target/road/pair.h"

#include <stdint.h>

struct seed_grid {
    v2 origin_m, per_cell_1pm, last; /* of columns along x and rows along y */
    const int32_t *seed;
    int32_t columns, rows;
};

#endif

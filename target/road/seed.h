/* Where to begin looking for the part of a line under a place: for each cell of a grid one that is
 * near. Const once loaded. */
#ifndef SKIDPAD_ROAD_SEED_H
#define SKIDPAD_ROAD_SEED_H

#include <stdint.h>

struct seed_grid {
    const int32_t *seed;
    double x_m, y_m, per_cell_1pm;
    double last_column, last_row;
    int32_t columns, rows;
};

#endif

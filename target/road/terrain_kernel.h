/* Reading the land; for queries. */
#ifndef SKIDPAD_ROAD_TERRAIN_KERNEL_H
#define SKIDPAD_ROAD_TERRAIN_KERNEL_H

#include "target/road/pair_kernel.h"
#include "target/road/terrain.h"

#include <string.h>

/* height and slope of the road, beyond_m beyond its edge, become those of the ground there;
 * out points away from the road. Bilinear in the grid, held beyond it. */
static inline void terrain_blend(const struct terrain *t, v2 place_m, double beyond_m, v2 out,
                                 double *z_m, v2 *slope)
{
    v2 at = pair_inside((place_m - t->origin_m) * t->per_cell_1pm, both(0.0), t->last);
    struct whole in = whole_of(at);
    const double *cell = &t->z_m[in.second * t->columns + in.first];
    v2 near_m, far_m;
    memcpy(&near_m, cell, sizeof near_m);
    memcpy(&far_m, cell + t->columns, sizeof far_m);
    at -= in.part;
    v2 up_y = far_m - near_m, row_m = near_m + both(at[1]) * up_y;
    double up_x = row_m[1] - row_m[0];
    v2 land = {up_x, up_y[0] + at[0] * (up_y[1] - up_y[0])};
    double u = inside(beyond_m * (1.0 / TERRAIN_BLEND_M), 0.0, 1.0), square = u * u;
    double share = square * (3.0 - (u + u)), gap_m = row_m[0] + at[0] * up_x - *z_m;
    *z_m += share * gap_m;
    *slope += both(share) * (land * t->per_cell_1pm - *slope) +
              both((u - square) * gap_m * (6.0 / TERRAIN_BLEND_M)) * out;
}

#endif

/* Reading the grid; for queries. */
#ifndef SKIDPAD_ROAD_SEED_KERNEL_H
#define SKIDPAD_ROAD_SEED_KERNEL_H

#include "target/road/pair_kernel.h"
#include "target/road/seed.h"

static inline int32_t seed_of(const struct seed_grid *g, v2 place_m)
{
    v2 at = pair_inside((place_m - g->origin_m) * g->per_cell_1pm, both(0.0), g->last);
    struct whole in = whole_of(at);
    return g->seed[in.second * g->columns + in.first];
}

#endif

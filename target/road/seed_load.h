/* Makes the grid of seed.h. */
#ifndef SKIDPAD_ROAD_SEED_LOAD_H
#define SKIDPAD_ROAD_SEED_LOAD_H

#include "target/road/seed.h"

/* A part of a line as a straight: its middle, its direction, half of its length. */
struct seed_line {
    double x_m, y_m, tx, ty, half_m;
};

/* A grid over count parts of a line and 30 m beside it; cells of finest_m, larger if there were too
 * many, first up to a metre. Returns 0 or -ENOMEM. The caller calls seed_free(). */
int seed_build(struct seed_line (*part)(const void *line, int32_t index), const void *line,
               int32_t count, double finest_m, struct seed_grid *out);
void seed_free(struct seed_grid *g);

#endif

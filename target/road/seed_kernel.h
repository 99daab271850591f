/* Reading the grid, and numbers kept inside their limits; for queries. */
#ifndef SKIDPAD_ROAD_SEED_KERNEL_H
#define SKIDPAD_ROAD_SEED_KERNEL_H

#include "target/model/math/scalar.h"
#include "target/road/seed.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Two instructions where there are such; NaN becomes high. */
static inline double inside(double x, double low, double high)
{
#if defined(__x86_64__)
    __m128d y = _mm_min_sd(_mm_set_sd(x), _mm_set_sd(high));
    return _mm_cvtsd_f64(_mm_max_sd(y, _mm_set_sd(low)));
#else
    return at_least(at_most(x, high), low);
#endif
}

/* x as a number from 0 to last. */
static inline int32_t cell(double x, double last)
{
    return (int32_t)inside(x, 0.0, last);
}

static inline int32_t seed_of(const struct seed_grid *g, double x_m, double y_m)
{
    int32_t column = cell((x_m - g->x_m) * g->per_cell_1pm, g->last_column);
    int32_t row = cell((y_m - g->y_m) * g->per_cell_1pm, g->last_row);
    return g->seed[row * g->columns + column];
}

#endif

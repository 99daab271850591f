/* Where to begin looking for the piece under a place. Private. */
#ifndef SKIDPAD_ROAD_SEGMENTS_SEED_H
#define SKIDPAD_ROAD_SEGMENTS_SEED_H

#include "target/model/math/scalar.h"
#include "target/road/segments.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { WALK_STEPS = 64 };

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

static inline int32_t seed_of(const struct segments *r, double x_m, double y_m)
{
    int32_t column = cell((x_m - r->grid_x_m) * r->per_cell_1pm, r->last_column);
    int32_t row = cell((y_m - r->grid_y_m) * r->per_cell_1pm, r->last_row);
    return r->seed[row * r->grid_columns + column];
}

#endif

/* Where (s, n) of a road is kept; for queries. */
#ifndef SKIDPAD_ROAD_SLICE_KERNEL_H
#define SKIDPAD_ROAD_SLICE_KERNEL_H

#include "target/road/pair_kernel.h"
#include "target/road/segments.h"

/* The cells along the road and across its profile. */
static inline struct whole cell_at(const struct segments *r, v2 s_n_m)
{
    return whole_of(pair_inside(s_n_m * r->per_cell_1pm + r->begin, both(0.0), r->last));
}

static inline const struct segments_slice *slice_at(const struct segments *r, int32_t cell,
                                                    double s_m)
{
    const struct segments_slice *p = r->first[cell];
    while (s_m > p->end_m)
        p++;
    return p;
}

static inline const struct segments_strip *strip_at(const struct segments_slice *slice, double n_m)
{
    const struct segments_strip *p = slice->strip;
    while (n_m >= p->left_m)
        p++;
    return p;
}

#endif

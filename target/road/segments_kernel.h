/* The query, compiled once for AVX and once for every CPU; the same bits from both. */
#ifndef SKIDPAD_ROAD_SEGMENTS_KERNEL_H
#define SKIDPAD_ROAD_SEGMENTS_KERNEL_H

#include "target/road/curve_kernel.h"
#include "target/road/seed_kernel.h"
#include "target/road/segments.h"

#include <math.h> /* sqrt only */
#include <string.h>

/* A cubic and its slope by Horner's scheme. */
static inline double cubic(const double c[4], double t, double *slope)
{
    double f = c[2] + t * c[3], g = f + t * c[3];
    f = c[1] + t * f;
    *slope = f + t * g;
    return c[0] + t * f;
}

/* Height and its slopes along s and n. */
struct height {
    double z_m, by_s, by_n;
};

static inline void add_profile(const struct segments *r, double n_m, struct height *h)
{
    double u = (n_m - r->profile_right_m) * r->per_profile_1pm;
    int32_t i = cell(u, SEGMENTS_PROFILE_CELLS - 1);
    double slope;
    u = inside(u - (double)i, 0.0, 1.0);
    h->z_m += cubic(r->profile[i], u, &slope);
    h->by_n += slope * r->per_profile_1pm;
}

/* B-splines along the road on the two tracks beside. */
static inline void add_rough(const double *table_m, double s_m, double n_m, struct height *h)
{
    const double per_row_1pm = 1.0 / SEGMENTS_ROUGH_ROW_M;
    const double per_track_1pm = 1.0 / SEGMENTS_ROUGH_TRACK_M;
    /* A number of whole periods is added so that all is positive: the cast then rounds down. */
    double u = inside(s_m * per_row_1pm + 67108864.0, 0.0, 2e9);
    double v = n_m * per_track_1pm + 0.5 * (SEGMENTS_ROUGH_TRACKS - 1);
    int32_t row = (int32_t)u, j = cell(v, SEGMENTS_ROUGH_TRACKS - 2);
    u -= (double)row;
    v = inside(v - (double)j, 0.0, 1.0);
    const double *z = table_m + (row & (SEGMENTS_ROUGH_ROWS - 1)) * SEGMENTS_ROUGH_TRACKS + j;
    v2 p0, p1, p2, t = both(u);
    memcpy(&p0, z, sizeof p0);
    memcpy(&p1, z + SEGMENTS_ROUGH_TRACKS, sizeof p1);
    memcpy(&p2, z + 2 * SEGMENTS_ROUGH_TRACKS, sizeof p2);
    v2 rise = p1 - p0, bend = t * ((p2 - p1) - rise);
    v2 height = 0.5 * (p0 + p1) + t * (rise + 0.5 * bend), slope = rise + bend;
    double gap_m = height[1] - height[0], square = v * v, blend = square * (3.0 - (v + v));
    h->z_m += height[0] + blend * gap_m;
    h->by_s += (slope[0] + blend * (slope[1] - slope[0])) * per_row_1pm;
    h->by_n += (v - square) * gap_m * (6.0 * per_track_1pm);
}

static inline void add_features(const struct segments *r, const struct segments_piece *p,
                                double s_m, double n_m, struct height *h)
{
    for (int32_t i = p->feature; i < p->feature + p->features; i++) {
        const struct segments_feature *f = &r->feature[i];
        if (n_m < f->right_m || n_m >= f->left_m)
            continue;
        double up = (s_m - f->from_m) * f->per_edge_1pm, down = (f->to_m - s_m) * f->per_edge_1pm;
        double u = inside(at_most(up, down), 0.0, 1.0);
        h->z_m += f->height_m * u * u * (3.0 - 2.0 * u);
        double slope = f->height_m * 6.0 * u * (1.0 - u) * f->per_edge_1pm;
        h->by_s += up < down ? slope : -slope;
    }
}

static inline void friction_at(const struct segments *r, const struct segments_piece *p, double t_m,
                               double s_m, double n_m, struct ground_point *out)
{
    out->weather = r->weather;
    out->reserved = 0;
    out->friction = r->friction_beside;
    if (n_m > p->left_m[0] + t_m * p->left_m[1] || -n_m > p->right_m[0] + t_m * p->right_m[1])
        return;
    for (int32_t i = p->area; i < p->area + p->areas; i++) {
        const struct segments_area *a = &r->area[i];
        if (n_m < a->right_m || n_m >= a->left_m)
            continue;
        double along = inside((s_m - a->from_m) * a->cells_1pm[0], 0.0, 1e9);
        double across = inside((n_m - a->right_m) * a->cells_1pm[1], 0.0, 1e9);
        out->weather = a->weather;
        out->friction = a->friction[0];
        if (a->cells_1pm[0] == 0.0)
            return;
        out->friction = a->friction[((int32_t)along + (int32_t)across) & 1];
        return;
    }
    out->friction = r->friction;
}

/* */
static void query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    const struct segments *r = road;
    struct curve_foot f =
        curve_foot(&r->line, seed_of(&r->grid, x_m, y_m), SEGMENTS_WALK, x_m, y_m);
    const struct segments_piece *p = &r->piece[f.piece];
    double s_m = r->line.piece[f.piece].mid_m + f.t_m, n_m = f.n_m;
    v2 t = both(f.t_m), a = p->z_bank[2] + t * p->z_bank[3], b = a + t * p->z_bank[3];
    a = p->z_bank[1] + t * a;
    b = a + t * b;
    a = p->z_bank[0] + t * a;
    struct height h = {.z_m = a[0] + n_m * a[1], .by_s = b[0] + n_m * b[1], .by_n = a[1]};
    if (r->per_profile_1pm > 0.0)
        add_profile(r, n_m, &h);
    if (r->rough_m)
        add_rough(r->rough_m, s_m, n_m, &h);
    if (p->features > 0)
        add_features(r, p, s_m, n_m, &h);
    double along = h.by_s * f.per_bend;
    double by_x = along * f.tangent[0] - h.by_n * f.tangent[1];
    double by_y = along * f.tangent[1] + h.by_n * f.tangent[0];
    double up = 1.0 / sqrt(1.0 + by_x * by_x + by_y * by_y);
    out->z_m = h.z_m;
    out->normal[0] = -by_x * up;
    out->normal[1] = -by_y * up;
    out->normal[2] = up;
    friction_at(r, p, f.t_m, s_m, n_m, out);
}

#endif

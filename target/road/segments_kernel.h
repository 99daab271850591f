/* The query, compiled once for AVX and once for every CPU; the same bits from both.
 *
 * Heights come with their slope along the road as a pair (z, dz/ds), and with that across it. */
#ifndef SKIDPAD_ROAD_SEGMENTS_KERNEL_H
#define SKIDPAD_ROAD_SEGMENTS_KERNEL_H

#include "target/road/curve_kernel.h"
#include "target/road/seed_kernel.h"
#include "target/road/segments.h"
#include "target/road/slice_kernel.h"
#include "target/road/terrain_kernel.h"

#include <math.h> /* sqrt only */
#include <string.h>

struct height {
    v2 z_by_s; /* height, m; slope along s */
    double by_n;
};

/* Elevation, bumps and banking: c = (elevation, bank) at t, and slope that by t, by Horner's
 * scheme. */
static inline struct height base_height(const struct segments_strip *p, double t_m, double n_m)
{
    v2 t = both(t_m), bend = t * p->z_bank[3], c = p->z_bank[2] + bend, slope = c + bend;
    c = p->z_bank[1] + t * c;
    slope = c + t * slope;
    c = p->z_bank[0] + t * c;
    v2 elevation = {c[0], slope[0]}, bank = {c[1], slope[1]};
    return (struct height){.z_by_s = elevation + both(n_m) * bank, .by_n = c[1]};
}

static inline void add_profile(const double c[4], double n_m, struct height *h)
{
    double bend = n_m * c[3], f = c[2] + bend, slope = f + bend;
    f = c[1] + n_m * f;
    h->by_n += f + n_m * slope;
    h->z_by_s[0] += c[0] + n_m * f;
}

/* B-splines along the road on the two tracks beside, blended by 3 v^2 - 2 v^3. */
static inline void add_rough(const struct segments_rough *table, v2 s_n_m, struct height *h)
{
    const double last_track = SEGMENTS_ROUGH_TRACKS - 1, per_row_1pm = 1.0 / SEGMENTS_ROUGH_ROW_M;
    const v2 per_cell_1pm = {per_row_1pm, 1.0 / SEGMENTS_ROUGH_TRACK_M};
    /* A number of whole periods is added so that all rows are positive. */
    const v2 begin = {67108864.0, 0.5 * last_track};
    const v2 most = {2e9, last_track - 1e-12};
    v2 at = pair_inside(s_n_m * per_cell_1pm + begin, both(0.0), most);
    struct whole in = whole_of(at);
    at -= in.part;
    const v2 *c =
        table[(in.first & (SEGMENTS_ROUGH_ROWS - 1)) * SEGMENTS_ROUGH_TRACKS + in.second].c;
    v2 u = both(at[0]), bend = u * c[2], f = c[1] + bend, slope = f + bend, z_m = c[0] + u * f;
    v2 right = {z_m[0], slope[0]}, rise = {z_m[1], slope[1]};
    double v = at[1], square = v * v, blend = square * (3.0 - (v + v));
    h->z_by_s += (right + both(blend) * rise) * (v2){1.0, per_row_1pm};
    h->by_n += (v - square) * rise[0] * (6.0 / SEGMENTS_ROUGH_TRACK_M);
}

static inline void friction_at(const struct segments *r, const struct segments_strip *strip,
                               int beside, v2 s_n_m, struct ground_point *out)
{
    out->reserved = 0;
    if (beside) {
        out->weather = r->weather;
        out->friction = r->friction_beside;
        return;
    }
    out->weather = strip->weather;
    out->friction = strip->friction[0];
    if (strip->chequers) {
        struct whole in = whole_of(s_n_m * strip->per_cell_1pm + strip->begin);
        out->friction = strip->friction[(in.first ^ in.second) & 1];
    }
}

/* */
static void query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    const struct segments *r = road;
    const v2 place_m = {x_m, y_m};
    struct curve_foot f = curve_foot(&r->line, seed_of(&r->grid, place_m), SEGMENTS_WALK, place_m);
    v2 s_n_m = {r->line.piece[f.piece].mid_m + f.t_m, f.n_m};
    struct whole cell = cell_at(r, s_n_m);
    const struct segments_slice *slice = slice_at(r, cell.first, s_n_m[0]);
    const struct segments_strip *strip = strip_at(slice, f.n_m);
    double t_m = s_n_m[0] - slice->mid_m;
    struct height h = base_height(strip, t_m, f.n_m);
    if (r->has_profile)
        add_profile(r->profile[cell.second], f.n_m, &h);
    if (r->rough)
        add_rough(r->rough, s_n_m, &h);
    v2 left = swapped(f.tangent) * (v2){-1.0, 1.0};
    v2 slope = both(h.z_by_s[1] * f.per_bend) * f.tangent + both(h.by_n) * left;
    /* To the left and to the right edge. */
    v2 room_m = slice->edge_m[0] + both(t_m) * slice->edge_m[1] - (v2){f.n_m, -f.n_m};
    int beside = signs(room_m);
    double z_m = h.z_by_s[0];
    if (beside && r->land.z_m && room_m[beside >> 1] < -1e-3) /* not for rounding at the edge */
        terrain_blend(&r->land, place_m, -room_m[beside >> 1], beside & 1 ? left : -left, &z_m,
                      &slope);
    double up = 1.0 / sqrt(1.0 + dot(slope, slope));
    v2 flat = both(-up) * slope;
    out->z_m = z_m;
    memcpy(out->normal, &flat, sizeof flat);
    out->normal[2] = up;
    friction_at(r, strip, beside, s_n_m, out);
}

#endif

/* The query, compiled once for AVX and once for every CPU; the same bits from both. */
#ifndef SKIDPAD_ROAD_CRG_KERNEL_H
#define SKIDPAD_ROAD_CRG_KERNEL_H

#include "target/road/crg.h"
#include "target/road/seed_kernel.h"

#include <math.h> /* sqrt, floor only */

/* Jumps from the part of the grid to the right one; two or three are usual. */
enum { CRG_JUMPS = 24 };

/* A place on the grid: share w of a part and offset v, with their gradients over x and y. */
struct crg_at {
    const struct crg_part *part;
    double w, v_m;
    v2 by_w;
    int32_t index;
};

/* . A part also says how far away the right one is, since w counts parts. */
static inline struct crg_at crg_locate(const struct crg *c, double x_m, double y_m)
{
    const v2 q = {x_m, y_m};
    const double slack = 1e-9; /* so that rounding on a bisector makes no jump to and fro */
    int32_t i = seed_of(&c->grid, q), last = c->parts - 1;
    struct crg_at at = {.index = i};
    for (int n = 0;; n++) {
        const struct crg_part *p = &c->part[i];
        v2 d = q - p->p;
        double ta = dot(p->a, d), tb = 1.0 - dot(p->b, d);
        double per = 1.0 / at_least(ta + tb, 0.05), w = ta * per;
        int32_t next = i;
        if (w < -slack || w > 1.0 + slack) {
            double jump = inside(w, -1e9, 1e9);
            next = i + (int32_t)(jump < 0.0 ? jump - 1.0 : jump);
            if (c->is_closed)
                next = next < 0 ? last : next > last ? 0 : next;
            else
                next = next < 0 ? 0 : next > last ? last : next;
        }
        if (next == i || n >= CRG_JUMPS) {
            at.part = p;
            at.index = i;
            at.w = w;
            at.v_m = cross(p->t, d);
            at.by_w = (both(tb) * p->a + both(ta) * p->b) * both(per * per);
            if (w < 0.0 || w > 1.0) { /* straight on beyond the ends */
                at.w = dot(p->t, d) * c->per_increment_1pm;
                at.by_w = both(c->per_increment_1pm) * p->t;
            }
            return at;
        }
        i = next;
    }
}

/* Height with its slopes by w and v. */
struct crg_height {
    double z_m, by_w, by_v;
};

/* Bilinear, (R-11). */
static inline struct crg_height crg_bilinear(const struct crg *c, int32_t row, double w, double v_m)
{
    int32_t k = c->v_seed[cell((v_m - c->v_m[0]) * c->per_v_cell_1pm, c->last_v_cell)];
    k += k < c->columns - 2 && v_m >= c->v_m[k + 1];
    double f = (v_m - c->v_m[k]) * c->per_v_1pm[k];
    const float *z = &c->z_m[(int64_t)row * c->columns + k];
    double z00 = z[0], z01 = z[1], z10 = z[c->columns], z11 = z[c->columns + 1];
    double rise0 = z01 - z00, rise1 = z11 - z10;
    double begin = z00 + f * rise0, end = z10 + f * rise1;
    return (struct crg_height){.z_m = c->base_m + begin + w * (end - begin),
                               .by_w = end - begin,
                               .by_v = (rise0 + w * (rise1 - rise0)) * c->per_v_1pm[k]};
}

/* x brought back into 0 to span by repetition or mirrors; *sign turns with it. */
static inline double crg_fold(enum crg_border mode, double x, double span, double *sign)
{
    double times = floor(x / span), rest = inside(x - times * span, 0.0, span);
    if (mode == CRG_REPEAT || floor(0.5 * times) * 2.0 == times)
        return rest;
    *sign = -1.0;
    return span - rest;
}

/* Heights over and beside the grid, with those of the line. */
static inline struct crg_height crg_surface(const struct crg *c, const struct crg_at *at)
{
    double right_m = c->v_m[0], left_m = c->v_m[c->columns - 1], v_m = at->v_m, offset_m = 0.0;
    double u = at->index + at->w, parts = c->parts, sign_u = 1.0, sign_v = 1.0;
    if (v_m < right_m || v_m > left_m) {
        if (c->across.mode >= CRG_REPEAT) {
            v_m = right_m + crg_fold(c->across.mode, v_m - right_m, left_m - right_m, &sign_v);
        } else {
            v_m = inside(v_m, right_m, left_m);
            offset_m = c->across.offset_m;
            sign_v = 0.0;
        }
    }
    int32_t row = at->index;
    double w = at->w;
    if (u < 0.0 || u > parts) {
        if (c->along.mode >= CRG_REPEAT) {
            u = crg_fold(c->along.mode, u, parts, &sign_u);
        } else {
            u = inside(u, 0.0, parts);
            offset_m = c->along.offset_m;
            sign_u = 0.0;
        }
        row = cell(u, parts - 1.0);
        w = u - row;
    }
    struct crg_height h = {.z_m = 0.0};
    bool is_zero = (sign_v == 0.0 && c->across.mode == CRG_ZERO) ||
                   (sign_u == 0.0 && c->along.mode == CRG_ZERO);
    if (!is_zero) {
        const v2 *zb = c->part[row].z_bank;
        h = crg_bilinear(c, row, w, v_m);
        v2 line = zb[0] + both(w) * zb[1];
        h.z_m += line[0] + v_m * line[1];
        h.by_w = (h.by_w + zb[1][0] + v_m * zb[1][1]) * sign_u;
        h.by_v = (h.by_v + line[1]) * sign_v;
    }
    h.z_m += offset_m;
    return h;
}

/* Fades heights to that of the line's end over the first and last metres. */
static inline void crg_smooth(const struct crg *c, double u, struct crg_height *h)
{
    double from_begin_m = inside(u, 0.0, c->parts) * c->increment_m;
    double from_end_m = inside(c->parts - u, 0.0, c->parts) * c->increment_m;
    const v2 *last = c->part[c->parts - 1].z_bank;
    if (from_begin_m < c->smooth_begin_m) {
        double base_m = c->part[0].z_bank[0][0], per = 1.0 / c->smooth_begin_m;
        double share = from_begin_m * per, above_m = h->z_m - base_m;
        h->by_w = h->by_w * share + (u > 0.0 ? above_m * per * c->increment_m : 0.0);
        h->by_v *= share;
        h->z_m = base_m + above_m * share;
    }
    if (from_end_m < c->smooth_end_m) {
        double base_m = last[0][0] + last[1][0], per = 1.0 / c->smooth_end_m;
        double share = from_end_m * per, above_m = h->z_m - base_m;
        h->by_w = h->by_w * share - (u < c->parts ? above_m * per * c->increment_m : 0.0);
        h->by_v *= share;
        h->z_m = base_m + above_m * share;
    }
}

static inline bool crg_inside(const struct crg *c, const struct crg_at *at)
{
    double u = at->index + at->w;
    bool along = c->is_closed || (u >= 0.0 && u <= c->parts);
    return along && at->v_m >= c->v_m[0] && at->v_m <= c->v_m[c->columns - 1];
}

static inline double crg_friction(const struct crg *c, const struct crg_at *at, double x_m,
                                  double y_m)
{
    if (!crg_inside(c, at))
        return c->friction_beside;
    if (!c->friction_grid)
        return c->friction;
    const struct crg *f = c->friction_grid;
    struct crg_at there = crg_locate(f, x_m, y_m);
    double u = inside(there.index + there.w, 0.0, f->parts);
    int32_t row = cell(u, f->parts - 1.0);
    double v_m = inside(there.v_m, f->v_m[0], f->v_m[f->columns - 1]);
    return inside(crg_bilinear(f, row, u - row, v_m).z_m * c->friction, 0.01, 2.0);
}

/* */
static inline void query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    const struct crg *c = road;
    struct crg_at at = crg_locate(c, x_m, y_m);
    struct crg_height h = crg_surface(c, &at);
    if (c->smooth_begin_m > 0.0 || c->smooth_end_m > 0.0)
        crg_smooth(c, at.index + at.w, &h);
    v2 slope = both(h.by_w) * at.by_w + both(h.by_v) * (v2){-at.part->t[1], at.part->t[0]};
    double up = 1.0 / sqrt(1.0 + dot(slope, slope));
    out->z_m = h.z_m;
    out->normal[0] = -slope[0] * up;
    out->normal[1] = -slope[1] * up;
    out->normal[2] = up;
    out->weather = c->weather;
    out->reserved = 0;
    out->friction = crg_friction(c, &at, x_m, y_m);
}

#endif

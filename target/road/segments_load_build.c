/* From what a road file says to what a query reads. */
#include "target/model/math/scalar.h"
#include "target/road/curve_load.h"
#include "target/road/seed_load.h"
#include "target/road/segments_load.h"
#include "target/road/segments_load_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- what lies beside it */

static void linear_part(const struct hermite *h, double from_m, double to_m, double otherwise,
                        double c[2])
{
    double a = otherwise, b = otherwise, slope;
    if (h->count > 0) {
        hermite_at(h, from_m, &a, &slope);
        hermite_at(h, to_m, &b, &slope);
    }
    c[0] = 0.5 * (a + b);
    c[1] = (b - a) / (to_m - from_m);
}

static void fill_piece(const struct plan *p, const struct curve_piece *c,
                       struct segments_piece *out)
{
    double from_m = c->mid_m - c->half_m, to_m = c->mid_m + c->half_m;
    double z_m[4], bank[4];
    hermite_cubic(&p->elevation, from_m, to_m, z_m);
    hermite_cubic(&p->bank, from_m, to_m, bank);
    for (int i = 0; i < 4; i++)
        out->z_bank[i] = (v2){z_m[i], bank[i]};
    linear_part(&p->left, from_m, to_m, 5.0, out->left_m);
    linear_part(&p->right, from_m, to_m, 5.0, out->right_m);
}

/* Areas and bumps of every piece, one behind the other. */
static int share_out(const struct plan *p, struct segments *r, struct segments_piece *piece)
{
    size_t areas = 0, features = 0, room = 1;
    struct segments_area *area = NULL;
    struct segments_feature *feature = NULL;
    for (int pass = 0; pass < 2; pass++) {
        areas = features = 0;
        for (int32_t i = 0; i < r->line.count; i++) {
            double mid_m = r->line.piece[i].mid_m;
            piece[i].area = (int32_t)areas;
            piece[i].feature = (int32_t)features;
            for (size_t k = 0; k < p->areas; k++)
                if (mid_m > p->area[k].from_m && mid_m < p->area[k].to_m) {
                    if (area)
                        area[areas] = p->area[k].area;
                    areas++;
                }
            for (size_t k = 0; k < p->features; k++)
                if (mid_m > p->feature[k].from_m && mid_m < p->feature[k].to_m) {
                    if (feature)
                        feature[features] = p->feature[k];
                    features++;
                }
            piece[i].areas = (int32_t)areas - piece[i].area;
            piece[i].features = (int32_t)features - piece[i].feature;
        }
        if (pass == 1)
            break;
        room = areas + features;
        area = calloc(areas ? areas : 1, sizeof *area);
        feature = calloc(features ? features : 1, sizeof *feature);
        r->area = area;
        r->feature = feature;
        if (!area || !feature || room > PLAN_PIECES_MAX)
            return -ENOMEM;
    }
    return 0;
}

static void fill_profile(const struct plan *p, struct segments *r)
{
    const struct hermite *h = &p->profile;
    if (h->count < 2)
        return;
    double width_m = (h->x[h->count - 1] - h->x[0]) / SEGMENTS_PROFILE_CELLS;
    r->profile_right_m = h->x[0];
    r->per_profile_1pm = 1.0 / width_m;
    for (int i = 0; i < SEGMENTS_PROFILE_CELLS; i++) {
        double z0, z1, m0, m1, from_m = h->x[0] + i * width_m;
        hermite_at(h, from_m, &z0, &m0);
        hermite_at(h, from_m + width_m, &z1, &m1);
        m0 *= width_m;
        m1 *= width_m;
        r->profile[i][0] = z0;
        r->profile[i][1] = m0;
        r->profile[i][2] = 3.0 * (z1 - z0) - 2.0 * m0 - m1;
        r->profile[i][3] = m0 + m1 - 2.0 * (z1 - z0);
    }
}

/* ---- the grid of nearest pieces */

static struct seed_line piece_line(const void *road, int32_t piece)
{
    const struct curve_piece *p = &((const struct segments *)road)->line.piece[piece];
    return (struct seed_line){p->a[0][0], p->a[0][1], p->a[1][0], p->a[1][1], p->half_m};
}

/* ---- together */

void segments_free(struct segments *r)
{
    if (!r)
        return;
    curve_free(&r->line);
    free((void *)r->piece);
    free((void *)r->area);
    free((void *)r->feature);
    seed_free(&r->grid);
    free((void *)r->rough_m);
    free(r);
}

static int build(const struct plan *p, const struct cfg_node *map, struct segments *r)
{
    r->length_m = p->length_m;
    r->friction = p->friction;
    r->friction_beside = p->friction_beside;
    r->weather = p->weather;
    int bad = line_build(p, map, &r->line);
    struct segments_piece *piece = bad ? NULL : calloc((size_t)r->line.count, sizeof *piece);
    r->piece = piece;
    if (!piece)
        return -ENOMEM;
    for (int32_t i = 0; i < r->line.count; i++)
        fill_piece(p, &r->line.piece[i], &piece[i]);
    fill_profile(p, r);
    bad = share_out(p, r, piece);
    if (!bad)
        bad = seed_build(piece_line, r, r->line.count, &r->grid);
    if (!bad && p->rough_m3 > 0.0) {
        r->rough_m = rough_build(p->rough_m3, (uint64_t)p->rough_seed);
        bad = r->rough_m ? 0 : -ENOMEM;
    }
    return bad;
}

struct segments *plan_build(const struct plan *p, const struct cfg_node *map)
{
    struct segments *r = calloc(1, sizeof *r);
    if (!r || build(p, map, r)) {
        cfg_complain(map, NULL, "out of memory for this road");
        segments_free(r);
        r = NULL;
    }
    return r;
}

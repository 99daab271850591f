/* From what a road file says to what a query reads. */
#include "target/road/curve_load.h"
#include "target/road/seed_load.h"
#include "target/road/segments_load.h"
#include "target/road/segments_load_plan.h"
#include "target/road/terrain_load.h"

#include <errno.h>
#include <stdlib.h>

/* Cubics in n for cells of equal width; the first and the last hold what the profile ends with. */
static void fill_profile(const struct plan *p, struct segments *r)
{
    const struct hermite *h = &p->profile;
    if (h->count < 2)
        return;
    double right_m = h->x[0], left_m = h->x[h->count - 1];
    double width_m = (left_m - right_m) / SEGMENTS_PROFILE_CELLS;
    r->has_profile = 1;
    r->per_cell_1pm[1] = 1.0 / width_m;
    r->begin[1] = 1.0 - right_m / width_m;
    r->last[1] = SEGMENTS_PROFILE_CELLS + 1;
    r->profile[0][0] = h->y[0];
    r->profile[SEGMENTS_PROFILE_CELLS + 1][0] = h->y[h->count - 1];
    for (int i = 0; i < SEGMENTS_PROFILE_CELLS; i++) {
        double from_m = right_m + i * width_m, mid_m = from_m + 0.5 * width_m, begin[2], end[2];
        double b[4], *c = r->profile[i + 1];
        hermite_at(h, from_m, &begin[0], &begin[1]);
        hermite_at(h, from_m + width_m, &end[0], &end[1]);
        hermite_between(begin, end, width_m, b);
        /* From n - mid to n. */
        c[3] = b[3];
        c[2] = b[2] - 3.0 * b[3] * mid_m;
        c[1] = b[1] - mid_m * (2.0 * b[2] - 3.0 * b[3] * mid_m);
        c[0] = b[0] - mid_m * (b[1] - mid_m * (b[2] - b[3] * mid_m));
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
    free((void *)r->first);
    free((void *)r->slice);
    free((void *)r->strip);
    free((void *)r->area);
    seed_free(&r->grid);
    free((void *)r->rough);
    terrain_free(&r->land);
    free(r);
}

/* The areas too, for those who show them. */
static int keep_areas(const struct plan *p, struct segments *r)
{
    struct segments_area *area = calloc(p->areas ? p->areas : 1, sizeof *area);
    r->area = area;
    if (!area)
        return -ENOMEM;
    r->areas = (int32_t)p->areas;
    for (size_t i = 0; i < p->areas; i++)
        area[i] = p->area[i];
    return 0;
}

static int build(const struct plan *p, const struct cfg_node *map, struct segments *r)
{
    r->length_m = p->length_m;
    r->friction = p->friction;
    r->friction_beside = p->friction_beside;
    r->weather = p->weather;
    fill_profile(p, r);
    int bad = keep_areas(p, r);
    bad = bad ? bad : line_build(p, map, &r->line);
    bad = bad ? bad : slices_build(p, r);
    bad = bad ? bad : seed_build(piece_line, r, r->line.count, 0.5, &r->grid);
    if (!bad && p->rough_m3 > 0.0) {
        r->rough = rough_build(p->rough_m3, (uint64_t)p->rough_seed);
        bad = r->rough ? 0 : -ENOMEM;
    }
    return bad;
}

struct segments *plan_build(const struct plan *p, const struct cfg_node *map)
{
    struct segments *r = calloc(1, sizeof *r);
    int bad = r ? build(p, map, r) : -ENOMEM;
    if (!bad) {
        const struct ground bare = segments_ground(r);
        bad = terrain_build(&r->line, &bare, &r->land);
    }
    if (bad == -E2BIG)
        cfg_complain(map, NULL,
                     "needs more than %d pieces, a fifth of a metre where it bends most: make it "
                     "shorter, or its bends wider, or give it fewer areas",
                     PLAN_PIECES_MAX);
    else if (bad)
        cfg_complain(map, NULL, "out of memory for this road");
    if (bad) {
        segments_free(r);
        r = NULL;
    }
    return r;
}

/* Slices: the road cut along wherever something of its surface begins or ends. */
#include "target/road/segments_load_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells that lead to slices are made shorter until few slices begin in each. */
static const double longest_cell_m = 1.0, shortest_cell_m = 0.002;
enum { CELLS_MAX = 1000000, SLICES_OF_CELL = 4 };

static int cut_knots(struct cuts *c, const struct hermite *h)
{
    int bad = 0;
    for (size_t i = 0; i < h->count && !bad; i++)
        bad = cut(c, h->x[i]);
    return bad;
}

/* At what begins or ends, from 0 to the length. */
static int cut_surface(const struct plan *p, struct cuts *c)
{
    int bad = cut(c, 0.0);
    bad = bad ? bad : cut(c, p->length_m);
    bad = bad ? bad : cut_knots(c, &p->elevation);
    bad = bad ? bad : cut_knots(c, &p->bank);
    bad = bad ? bad : cut_knots(c, &p->left);
    for (size_t i = 0; i < p->areas && !bad; i++) {
        bad = cut(c, p->area[i].from_m);
        bad = bad ? bad : cut(c, p->area[i].to_m);
    }
    for (size_t i = 0; i < p->bumps && !bad; i++) {
        const struct plan_bump *b = &p->bump[i];
        const double s_m[] = {b->from_m, b->from_m + b->edge_m, b->to_m - b->edge_m, b->to_m};
        for (size_t k = 0; k < sizeof s_m / sizeof s_m[0] && !bad; k++)
            bad = cut(c, s_m[k]);
    }
    return bad;
}

static void edge_of(const struct hermite *h, double from_m, double to_m, int side, v2 edge_m[2])
{
    double begin = 5.0, end = 5.0, slope;
    if (h->count > 0) {
        hermite_at(h, from_m, &begin, &slope);
        hermite_at(h, to_m, &end, &slope);
    }
    edge_m[0][side] = 0.5 * (begin + end);
    edge_m[1][side] = (end - begin) / (to_m - from_m);
}

/* Where slices begin and end: there, and at the ends of pieces, so that widths go straight over
 * short lengths only. A run-out is a slice of its own. */
static int bounds_of(const struct plan *p, const struct curve *line, struct cuts *out)
{
    int bad = cut_surface(p, out);
    for (int32_t i = 0; i < line->count && !bad; i++)
        bad = cut(out, line->piece[i].mid_m + line->piece[i].half_m);
    if (bad)
        return bad;
    cuts_finish(out, p->length_m, PLAN_LEAST_SLICE_M);
    if (line->is_closed)
        return 0;
    bad = cut(out, line->end_m);
    bad = bad ? bad : cut(out, line->end_m);
    if (bad)
        return bad;
    memmove(out->s_m + 1, out->s_m, (out->count - 1) * sizeof *out->s_m);
    out->s_m[0] = line->begin_m;
    return 0;
}

/* Fills slices and strips; NULL: only counts the strips. */
static size_t fill(const struct plan *p, const struct cuts *bounds, struct patches *patches,
                   struct segments_slice *slice, struct segments_strip *strip)
{
    size_t strips = 0;
    patches_rewind(patches);
    for (size_t i = 0; i + 1 < bounds->count; i++) {
        double from_m = bounds->s_m[i], to_m = bounds->s_m[i + 1];
        struct segments_strip *own = strip ? strip + strips : NULL;
        strips += strips_of(patches, from_m, to_m, own);
        if (!slice)
            continue;
        slice[i].end_m = i + 2 < bounds->count ? to_m : (double)INFINITY;
        slice[i].mid_m = 0.5 * (from_m + to_m);
        slice[i].strip = own;
        edge_of(&p->left, from_m, to_m, 0, slice[i].edge_m);
        edge_of(&p->right, from_m, to_m, 1, slice[i].edge_m);
    }
    return strips;
}

static void *zeroed_lines(size_t bytes)
{
    void *p = aligned_alloc(64, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

static int fill_all(const struct plan *p, const struct cuts *bounds, struct patches *patches,
                    struct segments *r)
{
    size_t slices = bounds->count - 1, strips = fill(p, bounds, patches, NULL, NULL);
    if (strips > PLAN_PIECES_MAX)
        return -E2BIG;
    struct segments_slice *slice = zeroed_lines(slices * sizeof *slice);
    struct segments_strip *strip = zeroed_lines(strips * sizeof *strip);
    r->slice = slice;
    r->strip = strip;
    if (!slice || !strip)
        return -ENOMEM;
    (void)fill(p, bounds, patches, slice, strip);
    r->slices = (int32_t)slices;
    r->strips = (int32_t)strips;
    return 0;
}

/* ---- cells */

/* The most slices that begin in one cell. */
static int32_t crowd_of(const struct cuts *bounds, double cell_m)
{
    int32_t most = 0, here = 0;
    double last = -1.0;
    for (size_t i = 0; i < bounds->count; i++) {
        double cell = floor((bounds->s_m[i] - bounds->s_m[0]) / cell_m);
        here = cell == last ? here + 1 : 1;
        last = cell;
        most = here > most ? here : most;
    }
    return most;
}

/* Between the run-outs, whose cells are the first and the last one. */
static int cells_build(const struct cuts *bounds, double length_m, struct segments *r)
{
    double cell_m = longest_cell_m;
    while (length_m / cell_m > CELLS_MAX)
        cell_m *= 2.0;
    while (cell_m > 2.0 * shortest_cell_m && 2.0 * length_m / cell_m <= CELLS_MAX &&
           crowd_of(bounds, cell_m) > SLICES_OF_CELL)
        cell_m *= 0.5;
    size_t cells = (size_t)ceil(length_m / cell_m) + 2, k = 0;
    const struct segments_slice **first = calloc(cells, sizeof(struct segments_slice *));
    r->first = first;
    if (!first)
        return -ENOMEM;
    for (size_t i = 0; i < cells; i++) {
        double begin_m = ((double)i - 1.0) * cell_m;
        /* A little early, for what rounding brings here from before. */
        while (i > 0 && k + 2 < bounds->count && bounds->s_m[k + 1] < begin_m - 1e-9)
            k++;
        first[i] = &r->slice[k];
    }
    r->per_cell_1pm[0] = 1.0 / cell_m;
    r->begin[0] = 1.0;
    r->last[0] = (double)(cells - 1);
    return 0;
}

int slices_build(const struct plan *p, struct segments *r)
{
    struct cuts bounds = {0};
    struct patches *patches = patches_open(p);
    int bad = patches ? bounds_of(p, &r->line, &bounds) : -ENOMEM;
    bad = bad ? bad : fill_all(p, &bounds, patches, r);
    bad = bad ? bad : cells_build(&bounds, p->length_m, r);
    free(bounds.s_m);
    patches_close(patches);
    return bad;
}

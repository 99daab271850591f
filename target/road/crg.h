/* A measured surface on a curved regular grid (ASAM OpenCRG), docs/road.md to.
 *
 * Places on it are (u, v): length along the reference line and offset to its left. The line is a
 * polygon whose corners lie one increment apart; rows of the grid belong to the corners. */
#ifndef SKIDPAD_ROAD_CRG_H
#define SKIDPAD_ROAD_CRG_H

#include "target/model/ground.h"
#include "target/road/curve.h"
#include "target/road/seed.h"

enum crg_border { CRG_NONE, CRG_ZERO, CRG_KEEP, CRG_REPEAT, CRG_REFLECT };

/* One side of the polygon. A place belongs to it if it lies between the bisectors of its ends:
 * a . (q - p) >= 0 and b . (q - p) <= 1. */
struct crg_part {
    v2 p; /* its begin */
    v2 a, b;
    v2 t;         /* unit vector along it */
    v2 z_bank[2]; /* height of the line and banking at its begin, and their rise to its end */
};

/* What happens beyond the grid, along and across. */
struct crg_edge {
    enum crg_border mode;
    double offset_m;
};

/* Const once loaded. */
struct crg {
    const struct crg_part *part;
    int32_t parts;
    int32_t is_closed; /* the last corner is the first */
    double increment_m, per_increment_1pm;
    double begin_u_m; /* u of the first corner */
    struct seed_grid grid;
    /* Heights over the line: rows of `columns` from right to left, less base_m. */
    const float *z_m;
    double base_m;
    int32_t columns;
    const double *v_m;       /* of the columns */
    const double *per_v_1pm; /* one over the distance to the next */
    const int32_t *v_seed;   /* column at the begin of cells from right to left */
    double per_v_cell_1pm, last_v_cell;
    struct crg_edge along, across;
    double smooth_begin_m, smooth_end_m; /* heights fade to that of the line over these */
    double friction, friction_beside;    /* the share of the weather included */
    int32_t weather;                     /* enum ground_weather */
    int32_t reserved;
    const struct crg *friction_grid; /* heights are friction; NULL: none */
};

/* The surface as a ground; c must outlive it. */
struct ground crg_ground(const struct crg *c);

/* Where on the surface (x, y) is. Bounded time. */
struct crg_place {
    double u_m, v_m;
    int32_t is_inside;
    int32_t reserved;
};
void crg_find(const struct crg *c, double x_m, double y_m, struct crg_place *out);

#endif

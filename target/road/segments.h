/* A road as a ribbon along a centre line, docs/road.md: curvature piecewise linear in arc length,
 * elevation, banking, transverse profile, roughness, bumps and cleats, friction by area.
 *
 * Places on it are (s, n): arc length of the centre line and offset to its left. */
#ifndef SKIDPAD_ROAD_SEGMENTS_H
#define SKIDPAD_ROAD_SEGMENTS_H

#include "target/model/ground.h"
#include "target/road/curve.h"
#include "target/road/seed.h"

enum {
    SEGMENTS_PROFILE_CELLS = 64,
    SEGMENTS_NAME = 80,
    SEGMENTS_WALK = 64,         /* most pieces from the one of the grid to the right one */
    SEGMENTS_ROUGH_ROWS = 8192, /* of the table of roughness, every 0.05 m: a period of 409.6 m */
    SEGMENTS_ROUGH_TRACKS = 16  /* every 0.5 m, from 3.75 m to the right to 3.75 m to the left */
};
#define SEGMENTS_ROUGH_ROW_M   0.05
#define SEGMENTS_ROUGH_TRACK_M 0.5

/* What lies beside each piece of the centre line; polynomials in t from its middle. */
struct segments_piece {
    v2 z_bank[4];     /* elevation of the centre line, m; rise to the left over run */
    double left_m[2]; /* width to the left and to the right */
    double right_m[2];
    int32_t area, areas;       /* first and number of its friction areas */
    int32_t feature, features; /* the same of bumps */
    int32_t reserved[4];       /* to 128 bytes */
};

/* Friction between two offsets; with cells a chequerboard of two values. */
struct segments_area {
    double right_m, left_m; /* right <= n < left */
    double friction[2];
    double cells_1pm[2]; /* along and across; 0: friction[0] throughout */
    double from_m;
    int32_t weather; /* enum ground_weather */
    int32_t has_own_weather;
};

/* Rises over edge_m, stays, falls over edge_m, as a cubic without kink. */
struct segments_feature {
    double from_m, to_m, per_edge_1pm, height_m;
    double right_m, left_m;
};

/* Const once loaded. */
struct segments {
    char name[SEGMENTS_NAME];
    struct curve line;
    const struct segments_piece *piece; /* one for each of the line */
    const struct segments_area *area;
    const struct segments_feature *feature;
    struct seed_grid grid; /* of pieces */
    double length_m;       /* without the run-outs at the ends */
    double friction, friction_beside;
    int32_t weather; /* of what is no area */
    int32_t reserved;
    /* Transverse profile: cubics in cells of equal width; none if per_profile_1pm is 0. */
    double profile_right_m, per_profile_1pm;
    double profile[SEGMENTS_PROFILE_CELLS][4];
    /* Roughness: weights of quadratic B-splines over one period, row by row along the road, two
     * rows repeated; blended between tracks without kink. NULL: smooth. */
    const double *rough_m;
};

/* The road as a ground; r must outlive it. */
struct ground segments_ground(const struct segments *r);

struct segments_place {
    double s_m, n_m;
    double tangent[2];
    double curvature_1pm;
    double left_m, right_m; /* width there */
    int32_t is_inside;      /* between the edges and between the ends */
    int32_t reserved;
};

/* Where on the road (x, y) is. Bounded time. */
void segments_find(const struct segments *r, double x_m, double y_m, struct segments_place *out);

#endif

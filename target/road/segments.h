/* A road as a ribbon along a centre line, docs/road.md: curvature piecewise linear in arc length,
 * elevation, banking, transverse profile, roughness, bumps and cleats, friction by area.
 *
 * Places on it are (s, n): arc length of the centre line and offset to its left. */
#ifndef SKIDPAD_ROAD_SEGMENTS_H
#define SKIDPAD_ROAD_SEGMENTS_H

#include "target/model/ground.h"
#include "target/road/curve.h"
#include "target/road/seed.h"
#include "target/road/terrain.h"

#include <stdbool.h>

enum {
    SEGMENTS_PROFILE_CELLS = 64,
    SEGMENTS_NAME = 80,
    SEGMENTS_WALK = 64,         /* most pieces from the one of the grid to the right one */
    SEGMENTS_ROUGH_ROWS = 8192, /* of the table of roughness, every 0.05 m: a period of 409.6 m */
    SEGMENTS_ROUGH_TRACKS = 16  /* every 0.5 m, from 3.75 m to the right to 3.75 m to the left */
};
#define SEGMENTS_ROUGH_ROW_M   0.05
#define SEGMENTS_ROUGH_TRACK_M 0.5

/* What a slice has between two offsets: from the strip on the right to left_m. Two cache lines. */
struct segments_strip {
    double left_m;    /* n < left_m; of the last NaN, which nothing reaches */
    int16_t weather;  /* enum ground_weather */
    int16_t chequers; /* 0: friction[0] throughout */
    int32_t area;     /* that says so, or -1 */
    v2 z_bank[4];     /* cubics in t: elevation of the centre line and bumps, m; rise to the left
                         over run */
    double friction[2];
    v2 per_cell_1pm, begin; /* chequerboard: (s, n) per_cell + begin counts its cells */
};

/* Between two arc lengths, where nothing begins nor ends; t is from its middle. One cache line. */
struct segments_slice {
    double end_m; /* of the last one infinite */
    double mid_m;
    v2 edge_m[2]; /* width to the left and to the right: edge_m[0] + t edge_m[1] */
    const struct segments_strip *strip; /* the rightmost */
    int64_t reserved;
};

/* Friction between two arc lengths and two offsets; with cells a chequerboard of two values. */
struct segments_area {
    double from_m, to_m;
    double right_m, left_m; /* right <= n < left */
    double friction[2];
    double cells_1pm[2]; /* along and across; 0: friction[0] throughout */
    int32_t weather;     /* enum ground_weather */
    int32_t has_own_weather;
};

/* Roughness over one row and from one track to the next, in u from 0 to 1 along the row: of the
 * right track, and how much higher the left one is; c[0] + u c[1] + u^2 c[2], m. One cache line. */
struct segments_rough {
    v2 c[3];
    v2 reserved;
};

/* Const once loaded. */
struct segments {
    char name[SEGMENTS_NAME];
    struct curve line;
    struct seed_grid grid; /* of pieces */
    /* (s, n) per_cell + begin, held between 0 and last, counts cells of equal length along the
     * road, each with its first slice, and those of the profile across it. */
    v2 per_cell_1pm, begin, last;
    const struct segments_slice *const *first;
    const struct segments_slice *slice; /* all, in the order of arc length */
    const struct segments_strip *strip; /* all, slice by slice */
    const struct segments_area *area;
    int32_t slices, strips, areas;
    int32_t weather; /* of what is no area */
    double friction, friction_beside;
    double length_m; /* without the run-outs at the ends */
    /* Transverse profile: cubics in n; held in the first and the last cell. */
    int32_t has_profile;
    int32_t reserved;
    double profile[SEGMENTS_PROFILE_CELLS + 2][4];
    /* Row by row along one period, blended between tracks without kink. NULL: smooth. */
    const struct segments_rough *rough;
    struct terrain land; /* around it */
};

/* The road as a ground; r must outlive it. */
struct ground segments_ground(const struct segments *r);

/* Whether it lies in a level plane everywhere, and the land around it. */
bool segments_are_level(const struct segments *r);

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

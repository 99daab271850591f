/* A smooth plane curve: the centre line of a road, or a path to follow. docs/road.md to
 * (R-4).
 *
 * It is a chain of pieces, each a polynomial of degree five in arc length that meets place, heading
 * and curvature at both ends. Pieces are short enough that the polynomial is the wanted curve to
 * better than a micrometre. */
#ifndef SKIDPAD_ROAD_CURVE_H
#define SKIDPAD_ROAD_CURVE_H

#include "target/road/pair.h"

#include <stdbool.h>
#include <stdint.h>

/* Three cache lines; to find a piece takes the first of them. */
struct curve_piece {
    /* How far a place lies before the normal to the curve at the end of the piece, and how far
     * behind that at its begin, m: ends[0] + x ends[1] + y ends[2]. Negative: not on this piece. */
    v2 ends[3];
    int32_t to[4]; /* where to look by what is negative of the two: nothing, the first, the second,
                      both; the piece itself if there is no other */
    v2 a[6];       /* place at t from the middle: sum of a[i] t^i, m */
    double mid_m;  /* arc length at the middle */
    double half_m;
    double curvature_1pm; /* in the middle; left positive */
    int32_t is_straight;  /* all of it */
    int32_t reserved;
};

/* Const once loaded. */
struct curve {
    const struct curve_piece *piece;
    int32_t count;
    int32_t is_closed;
    double begin_m, end_m; /* arc length; 0 to the length, but for run-outs */
    double loop_m; /* a closed curve goes on here behind its end: begin_m, unless a way leads in */
};

struct curve_point {
    double x_m, y_m;
    double tangent[2]; /* unit vector */
    double curvature_1pm;
};

/* An arc length of a closed curve, laps taken off; as it is on an open one. */
double curve_wrap(const struct curve *c, double s_m);

/* The point at an arc length; beyond the ends of an open curve straight on, round and round on a
 * closed one. *piece: where to look first, updated; any value is allowed. Bounded: at most as many
 * steps as there are pieces, a step or two if *piece is from the last call. */
void curve_at(const struct curve *c, double s_m, int32_t *piece, struct curve_point *out);

#endif

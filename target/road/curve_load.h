/* Makes curves from points with heading and curvature. */
#ifndef SKIDPAD_ROAD_CURVE_LOAD_H
#define SKIDPAD_ROAD_CURVE_LOAD_H

#include "target/road/curve.h"

#include <stddef.h>

struct curve_node {
    double s_m; /* arc length; strictly increasing */
    double x_m, y_m, heading_rad;
    double before_1pm, after_1pm; /* curvature on both sides; it may jump */
};

/* One piece between each two nodes, at least two; a closed curve goes on with piece `loop` behind
 * its end: 0, where the last node is the first one again, unless its first pieces only lead in.
 * Returns 0 or -ENOMEM; the caller frees. */
int curve_build(const struct curve_node *node, size_t count, bool is_closed, size_t loop,
                struct curve *out);
void curve_free(struct curve *c);

/* Length of pieces for a curvature that changes at a rate: short enough for a micrometre, (R-3),
 * and for one step to the foot of a perpendicular, (R-4). */
double curve_piece_m(double curvature_1pm, double rate_1pm2);

/* Moves a node along a curve whose curvature goes linearly from k0 to k1 over length_m, (R-2); the
 * length is that of a piece. before_1pm and after_1pm become k1. */
void curve_advance(struct curve_node *n, double length_m, double k0_1pm, double k1_1pm);

#endif

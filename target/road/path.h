/* A path to follow: a curve and the speed along it. docs/driver.md. */
#ifndef SKIDPAD_ROAD_PATH_H
#define SKIDPAD_ROAD_PATH_H

#include "target/road/curve.h"

/* Const once loaded. */
struct path {
    struct curve line;
    const double *speed2_m2ps2; /* square of the speed at the ends of pieces, linear in between */
    /* For whom the speeds are computed once the car is known: the same numbers, its share of the
     * grip, its highest speed. grip 0: they are there. */
    double *planned_m2ps2;
    double grip, top_mps;
};

struct path_point {
    struct curve_point at;
    double speed_mps;
    double accel_mps2; /* along the path, from the speed's course */
};

/* The path at an arc length; *piece as in curve_at(). */
void path_at(const struct path *p, double s_m, int32_t *piece, struct path_point *out);

/* Arc length of the point nearest to a place, looked for by walking from *piece, which is updated:
 * a step or two if it is from the last call. offset_m is how far the place lies to its left. On a
 * closed path the arc length is within one lap. */
double path_nearest(const struct path *p, double x_m, double y_m, int32_t *piece, double *offset_m);

/* Laps counted: along_m of path_nearest() plus as many laps as bring it nearest to last_m, which is
 * the result of the call before. along_m itself on an open path. */
double path_unwrap(const struct path *p, double along_m, double last_m);

#endif

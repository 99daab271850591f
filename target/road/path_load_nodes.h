/* Lists of nodes while a path is made; for the loader only. */
#ifndef SKIDPAD_ROAD_PATH_LOAD_NODES_H
#define SKIDPAD_ROAD_PATH_LOAD_NODES_H

#include "target/road/curve_load.h"

/* No path leads farther from the origin. */
#define PATH_FARTHEST_M 1e5

struct path_nodes {
    struct curve_node *node;
    size_t count, room;
};

/* Returns 0 or -ENOMEM; the owner frees node. */
int path_nodes_add(struct path_nodes *n, double x_m, double y_m, double heading_rad,
                   double curvature_1pm);

/* Arc lengths from 0, and headings without jumps of a turn. */
void path_nodes_lengths(struct path_nodes *n);

/* A curve through points: a cubic spline of each coordinate over the length of the chords. A closed
 * one ends where it begins. Returns 0 or -ENOMEM. */
int path_through(const double *xy_m, size_t count, bool is_closed, struct path_nodes *n);

/* Squares of the highest speeds at every node within limits, docs/driver.md (D-9). */
void path_speeds(const struct curve_node *node, size_t count, bool is_closed, double lateral_mps2,
                 double drive_mps2, double brake_mps2, double top_mps, double *speed2_m2ps2);

#endif

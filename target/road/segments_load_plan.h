/* What a road file says, between reading and building; for the loader only. */
#ifndef SKIDPAD_ROAD_SEGMENTS_LOAD_PLAN_H
#define SKIDPAD_ROAD_SEGMENTS_LOAD_PLAN_H

#include "shared/config/config.h"
#include "target/road/hermite_load.h"
#include "target/road/segments.h"
#include "target/road/spline_load.h"

struct plan_segment {
    double from_m, length_m, k0_1pm, k1_1pm;
};

struct plan_area {
    double from_m, to_m;
    struct segments_area area;
};

struct plan {
    double x_m, y_m, heading_rad;
    bool is_closed;
    struct plan_segment *segment; /* the centre line by segments, */
    size_t segments;
    struct spline through; /* or through points, if there are no segments */
    double length_m;
    struct plan_area *area;
    size_t areas;
    struct segments_feature *feature;
    size_t features;
    struct hermite elevation, bank, left, right, profile;
    double friction, friction_beside; /* the share of the weather included */
    int32_t weather;
    double rough_m3; /* displacement density at 0.1 cycles a metre; 0: smooth */
    int64_t rough_seed;
};

enum { PLAN_PIECES_MAX = 2000000 };

/* Builds the road; complains at the mapping if it cannot be. NULL then. */
struct segments *plan_build(const struct plan *p, const struct cfg_node *map);

/* segments_load_line.c: its centre line; complains if a circuit does not close. Returns 0 or
 * -ENOMEM. */
int line_build(const struct plan *p, const struct cfg_node *map, struct curve *out);

/* The table of, malloc'ed; NULL if memory ran out. */
double *rough_build(double density_m3, uint64_t seed);

/* segments_load_areas.c: friction areas, bumps and cleats; complains about those that overlap or
 * leave the road. Returns 0 or -ENOMEM. */
int areas_load(const struct cfg_node *map, struct plan *p, double length_m);
int features_load(const struct cfg_node *map, struct plan *p, double length_m);

/* segments_load_points.c: a centre line through points, with what they say of height, width and
 * banking. *length_m becomes its arc length. Returns 0, with messages after a mistake, or -ENOMEM.
 */
int points_load(const struct cfg_node *map, struct plan *p, double *length_m);

#endif

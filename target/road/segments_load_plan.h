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

/* Rises over edge_m, stays, falls over edge_m, as a cubic without kink. */
struct plan_bump {
    double from_m, to_m, right_m, left_m;
    double edge_m, height_m;
};

struct plan {
    double x_m, y_m, heading_rad;
    bool is_closed;
    struct plan_segment *segment; /* the centre line by segments, */
    size_t segments;
    struct spline through; /* or through points, if there are no segments */
    double length_m;
    struct segments_area *area;
    size_t areas;
    struct plan_bump *bump;
    size_t bumps;
    struct hermite elevation, bank, left, right, profile;
    double friction, friction_beside; /* the share of the weather included */
    int32_t weather;
    double rough_m3; /* displacement density at 0.1 cycles a metre; 0: smooth */
    int64_t rough_seed;
};

enum { PLAN_PIECES_MAX = 1 << 20 }; /* of the line, of its surface; 400 MB */
#define PLAN_ASIDE_M       1e3 /* the farthest side of an area or a bump, and where none is named */
#define PLAN_LEAST_SLICE_M 1e-4 /* the edges of bumps are ten times as long */

/* Builds the road; complains at the mapping if it cannot be. NULL then. */
struct segments *plan_build(const struct plan *p, const struct cfg_node *map);

/* segments_load_cut.c: arc lengths at which a road is cut. */
struct cuts {
    double *s_m; /* the caller frees */
    size_t count, room;
};
int cut(struct cuts *c, double s_m);
/* Sorts them, and drops those beyond the ends of the road and those too near to the one before. */
void cuts_finish(struct cuts *c, double length_m, double apart_m);

/* segments_load_line.c: the centre line; complains if a circuit does not close. Returns 0 or
 * -ENOMEM. */
int line_build(const struct plan *p, const struct cfg_node *map, struct curve *out);

/* segments_load_slices.c: slices with their strips and the cells that lead to them, along the
 * centre line, which is there already. Returns 0 or -ENOMEM. */
int slices_build(const struct plan *p, struct segments *r);

/* segments_load_strips.c: strips of one slice after the other. */
struct patches;
struct patches *patches_open(const struct plan *p); /* NULL: out of memory */
void patches_close(struct patches *s);
/* Goes on to a slice behind the last one; out: its strips, from right to left. Returns how many;
 * NULL only counts them. */
size_t strips_of(struct patches *s, double from_m, double to_m, struct segments_strip *out);
/* To the first slice again. */
void patches_rewind(struct patches *s);

/* The table of, malloc'ed; NULL if memory ran out. */
struct segments_rough *rough_build(double density_m3, uint64_t seed);

/* segments_load_areas.c: friction areas, bumps and cleats; complains about those that overlap or
 * leave the road. Returns 0 or -ENOMEM. */
int areas_load(const struct cfg_node *map, struct plan *p, double length_m);
int bumps_load(const struct cfg_node *map, struct plan *p, double length_m);

/* segments_load_points.c: a centre line through points, with what they say of height, width and
 * banking. *length_m becomes its arc length. Returns 0, with messages after a mistake, or -ENOMEM.
 */
int points_load(const struct cfg_node *map, struct plan *p, double *length_m);

#endif

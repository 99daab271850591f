/* Recorded drives as paths; for the loader of paths only. docs/driver.md. */
#ifndef SKIDPAD_ROAD_PATH_LOAD_RECORD_H
#define SKIDPAD_ROAD_PATH_LOAD_RECORD_H

#include "shared/base/err.h"
#include "shared/config/config.h"
#include "target/road/path_load_nodes.h"

/* Points of a drive. */
struct record {
    double *xy_m;      /* pairs */
    double *speed_mps; /* NAN: the file does not tell */
    double *time_s;    /* the same */
    size_t count, room;
};

/* Adds a point unless it is where the last one is. Returns 0 or -ENOMEM. */
int record_add(struct record *r, double time_s, double x_m, double y_m, double speed_mps);
/* Reads a CSV table or an MDF log (by its ending .mf4). 0 or a negative errno with a message. */
int record_read(const char *file, struct record *r, struct err *e);
void record_free(struct record *r);

/* Finds the last lap: the place before where the drive was as it is at its end. Moves the last
 * blend_m so that the lap ends where it begins. Returns the index of the lap's first point, or
 * -1. */
long record_close_lap(struct record *r, double blend_m);
/* Leaves out points that are nearer to the last one left in than apart_m or apart_s; never the
 * first one, that of index *keep, which becomes its new index, and the last one. */
void record_thin(struct record *r, double apart_m, double apart_s, size_t *keep);

/* `recorded:` of a path. *loop becomes the node at which a closed path begins its lap; speeds, one
 * for each node, are malloc'ed if the file has them, else NULL. 0, or -ENOMEM; mistakes become
 * messages. */
int record_load(const struct cfg_node *n, bool *is_closed, struct path_nodes *nodes, size_t *loop,
                double **speed_mps);

#endif

/* Measured surfaces from OpenCRG files; docs/road.md has the keys. */
#ifndef SKIDPAD_ROAD_CRG_LOAD_H
#define SKIDPAD_ROAD_CRG_LOAD_H

#include "shared/config/config.h"
#include "target/road/crg.h"
#include "target/road/crg_load_file.h"

/* What a road file may say otherwise than the OpenCRG file. */
struct crg_wish {
    bool has_start;
    double x_m, y_m, heading_rad; /* where the reference line begins */
    int mode_u, mode_v;           /* enum crg_border; -1: as the file says */
    bool is_friction;             /* its numbers are friction, not heights */
};

/* Builds the surface of a file that was read. Returns 0, or a negative errno with a message. The
 * caller calls crg_free(). */
int crg_build(const char *name, const struct crg_file *f, const struct crg_wish *wish,
              struct crg **out, struct err *e);

/* From the mapping of a road: keys crg, friction_crg and so on. NULL after a mistake, which became
 * a message of the document. */
struct crg *crg_load_map(const struct cfg_node *map, const struct cfg_doc *doc);

void crg_free(struct crg *c);

#endif

/* Which part of the ground a wheel stands on, docs/model.md (C-10) to (C-13).
 *
 * The tyre sees a plane: its normal, and how far the wheel's centre is above it. The simplest way
 * is the plane under the centre; the others pay where the ground is rougher than a contact patch.
 * Pure: no allocation, a bounded number of queries. */
#ifndef SKIDPAD_MODEL_CONTACT_H
#define SKIDPAD_MODEL_CONTACT_H

#include "target/model/ground.h"
#include "target/model/math/vec3.h"

#include <stdint.h>

enum contact_kind {
    CONTACT_POINT,   /* vertically under the centre; one query */
    CONTACT_LINE,    /* where the wheel's radius downwards meets the surface; 3 queries */
    CONTACT_CLOSEST, /* the point of the surface in the wheel's plane that is nearest; 9 queries,
                        and 5 for every dip of the distance, 8 where there may be an edge */
    CONTACT_PATCH    /* a plane through points of the contact patch; as many queries */
};

enum { CONTACT_POINTS_MAX = 9 }; /* along, and across */

struct contact_model {
    int32_t kind;          /* enum contact_kind */
    int32_t along, across; /* of the patch: odd numbers of points */
    int32_t reserved;
    double length_m, width_m;
};

struct contact_spot {
    struct vec3 normal; /* world axes */
    double height_m;    /* of the centre over the plane, along the normal */
    double friction;
    int32_t weather; /* enum ground_weather */
    int32_t reserved;
};

/* hub_m is the wheel's centre, axis its spin axis (unit, to the left), world axes; radius_m that of
 * the tyre without load. Not for CONTACT_POINT. */
void contact_find(const struct contact_model *c, const struct ground *ground, struct vec3 hub_m,
                  struct vec3 axis, double radius_m, struct contact_spot *out);

#endif

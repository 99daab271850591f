/* One corner of the suspension at a travel and a rack: what follows from its map,
 * docs/model.md (K-1) to (K-3). For loaders; a step has its own way, four corners at a time. */
#ifndef SKIDPAD_MODEL_CORNER_H
#define SKIDPAD_MODEL_CORNER_H

#include "target/model/kinematics.h"
#include "target/model/math/vec3.h"

/* Body axes. */
struct corner {
    struct vec3 hub_m, hub_z, hub_s; /* wheel centre; and per travel, per rack */
    struct vec3 axis;                /* spin axis, unit, to the left */
    struct vec3 turn_z, turn_s;      /* carrier rotation per travel, per rack; rad/m */
    double toe_rad, camber_rad;
    double spring_m, spring_z; /* length; and per travel */
};

/* side as in kinematics_at(). */
void corner_at(const struct kinematics_model *k, double travel_m, double rack_m, double side,
               struct corner *out);

/* From the hub to the contact point on level ground, with the loaded radius. (C-2) */
struct vec3 corner_arm_m(const struct corner *c, double radius_m);

#endif

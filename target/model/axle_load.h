/* Axles from YAML: the mappings `front:` and `rear:` of a vehicle file. */
#ifndef SKIDPAD_MODEL_AXLE_LOAD_H
#define SKIDPAD_MODEL_AXLE_LOAD_H

#include "shared/config/config.h"
#include "target/model/chassis.h"

/* What the axles say that enters the car elsewhere. */
struct axle_extra {
    double transverse_kgm2; /* of one wheel */
    bool find_preload;      /* no free length: the spring is set for travel 0 at rest */
};

/* Reads both axles and their tyres. False if one of them cannot be used at all. */
bool axle_load(const struct cfg_node *root, struct chassis *c, struct axle_extra extra[AXLES]);

/* Springs that carry the car at travel 0, wheels' inertia about the steering axis and the body's.
 * Needs total_kg and cg_m. False with a message if no spring can do it. */
bool axle_finish(const struct cfg_node *root, struct chassis *c,
                 const struct axle_extra extra[AXLES]);

#endif

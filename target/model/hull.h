/* The body against the ground: points that push back when the car lies on its side or roof. */
#ifndef SKIDPAD_MODEL_HULL_H
#define SKIDPAD_MODEL_HULL_H

#include "target/model/ground.h"
#include "target/model/math/vec3.h"

enum { HULL_POINTS_MAX = 16 };

struct hull_model {
    int count;
    int reserved;
    struct vec3 point_m[HULL_POINTS_MAX]; /* body frame */
    struct vec3 centre_m, half_m;         /* a box around the points; made by hull_finish() */
    double stiffness_Npm;                 /* of each point */
    double damping_Nspm;                  /* at full contact */
    double friction;                      /* against ground of friction 1 */
};

/* Computes the box. */
void hull_finish(struct hull_model *m);

/* Adds the contact force and its moment about the body origin, body axes. */
void hull_forces(const struct hull_model *m, const struct ground *ground, struct vec3 origin_m,
                 const struct mat3 *R, struct vec3 vel_body_mps, struct vec3 rate_radps,
                 struct vec3 *force_N, struct vec3 *moment_Nm);

#endif

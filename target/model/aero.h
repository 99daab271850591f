/* Air forces on the body, docs/aero.md.
 *
 * Steady coefficients over the angle at which the air meets the car, good for any angle: a car that
 * spins or reverses has air forces too. Nothing here has a state. Axes ISO 8855, SI. */
#ifndef SKIDPAD_MODEL_AERO_H
#define SKIDPAD_MODEL_AERO_H

#include "target/model/math/vec3.h"

/* Const once loaded. beta is the angle between the air flow and the car's length. */
struct aero_model {
    double air_density_kgpm3;
    double area_m2;       /* frontal area: the reference of all coefficients */
    double length_m;      /* reference of the yaw moment, usually the wheelbase */
    double cd, cd_rise;   /* drag along the car: cd + cd_rise sin^2 beta */
    double clf, clf_rise; /* lift at the front axle, upwards: the same way */
    double clr, clr_rise; /* lift at the rear axle */
    double cs;            /* side force: slope over beta near 0, value at 90 deg */
    double cn;            /* yaw moment: slope over beta near 0; > 0 turns away from the wind */
    double front_x_m, rear_x_m; /* axles, body frame: where the lift acts */
    struct vec3 reference_m;    /* where drag and side force act and about which cn counts */
};

/* A car without air forces (area 0) in air at 15 degC and 1013 hPa. Axles at front_x_m and
 * rear_x_m; the reference point half-way between them at height_m, body frame. */
void aero_defaults(struct aero_model *m, double front_x_m, double rear_x_m, double height_m);

/* Force and its moment about the body frame's origin, body axes. air_velocity_body_mps is the
 * velocity of the air relative to the car: wind less the car's own velocity, so that driving
 * forwards in still air at V gives (-V, 0, 0). */
void aero_force(const struct aero_model *m, struct vec3 air_velocity_body_mps, struct vec3 *force_N,
                struct vec3 *moment_Nm);

#endif

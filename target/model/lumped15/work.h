/* Everything one evaluation of the equations computes, in the order of its producers. Lives on the
 * stack of a step. All vectors in body axes unless they say world. */
#ifndef SKIDPAD_LUMPED15_WORK_H
#define SKIDPAD_LUMPED15_WORK_H

#include "target/model/lumped15/lumped15.h"

struct corner {
    /* pose.c */
    struct vec3 hub, hub_z, hub_s;   /* m; and per travel, per rack */
    struct vec3 curve_mps2;          /* hub acceleration from the curvature of the map */
    struct vec3 axis;                /* spin axis, unit, to the left */
    struct vec3 turn_z, turn_s;      /* carrier rotation per travel, per rack; rad/m */
    double toe_rad, camber_rad;
    double spring_m, spring_z, spring_s; /* length; and per travel, per rack */
    double damper_z, damper_s;
    struct vec3 hub_mps;             /* inertial velocity of the hub */
    struct vec3 carrier_radps;       /* inertial angular velocity of the carrier */
    /* contact.c */
    struct vec3 normal, forward, left; /* contact axes */
    struct vec3 arm_m;               /* hub to contact point */
    double sine, cosine;             /* of the inclination to the ground */
    double radius_m;                 /* loaded, in the wheel's plane */
};

struct work {
    struct mat3 R;                   /* body to world */
    struct vec3 vel, rate;           /* of the body, body axes */
    struct vec3 gravity;
    struct corner c[WHEELS];
    /* contact.c */
    double load_N[WHEELS], deflection_m[WHEELS], deflection_mps[WHEELS];
    double rolling_m[WHEELS];        /* effective rolling radius */
    double vx_mps[WHEELS], vsx_mps[WHEELS], vsy_mps[WHEELS];
    double gamma_rad[WHEELS], friction[WHEELS];
    double relax_x_m[WHEELS], relax_y_m[WHEELS];
    double leak_x_1ps[WHEELS], leak_y_1ps[WHEELS]; /* decay rates of the deflections */
    double kappa[WHEELS], tan_alpha[WHEELS];
    double grip_Nspr[WHEELS];        /* dFx / d spin within the step, >= 0; implicit only */
    struct tyre_out tyre;
    /* dynamics.c */
    struct driveline_now drive;
    struct spin_result spin;
    double brake_Nm[WHEELS], drive_Nm[WHEELS], inertia_kgm2[WHEELS];
    struct steering_now steer;
    double spring_N[WHEELS], damper_N[WHEELS], damper_Nspm[WHEELS];
    struct vec3 force_N, moment_Nm;  /* on the body, about its origin */
    struct vec3 aero_N;
    double travel_N[WHEELS], rack_N; /* generalised forces */
    struct vec3 acc_mps2, rate_acc_radps2;
    double travel_acc_mps2[WHEELS], rack_acc_mps2;
};

/* Evaluation in this order. implicit_s is the step over which stiff parts are taken at its end
 * (semi-implicit), 0 for rates at the present state; step_s > 0 resolves dry friction. */
void lumped15_pose(const struct lumped15_model *m, const struct lumped15_state *s, struct work *w);
void lumped15_contact(const struct lumped15_model *m, const struct lumped15_state *s,
                      const struct ground *ground, double implicit_s, double step_s,
                      struct work *w);
void lumped15_spin(const struct lumped15_model *m, const struct lumped15_state *s,
                   const struct plant_in *in, double step_s, struct work *w);
void lumped15_forces(const struct lumped15_model *m, const struct lumped15_state *s,
                     const struct plant_in *in, const struct ground *ground, struct work *w);
void lumped15_solve(const struct lumped15_model *m, const struct lumped15_state *s,
                    double implicit_s, double step_s, struct work *w);

/* All of them. */
void lumped15_evaluate(const struct lumped15_model *m, const struct lumped15_state *s,
                       const struct plant_in *in, const struct ground *ground, double implicit_s,
                       double step_s, struct work *w);

/* Keeps for the outputs what the evaluation saw. */
void lumped15_remember(const struct lumped15_model *m, const struct plant_in *in,
                       const struct work *w, struct lumped15_state *s);

void lumped15_reset(const void *model, void *state, const struct plant_start *start,
                    const struct ground *ground);
void lumped15_output(const void *model, const void *state, struct plant_out *out);

static inline int axle_of(int wheel)
{
    return wheel < RL ? FRONT : REAR;
}

static inline struct vec3 vec3_of(const double a[3])
{
    return v3(a[0], a[1], a[2]);
}

static inline void vec3_to(struct vec3 v, double a[3])
{
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}

static inline struct quat quat_of(const double a[4])
{
    return (struct quat){a[0], a[1], a[2], a[3]};
}

#endif

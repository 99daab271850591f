/* Everything one evaluation of the equations computes, in the order of its producers. Lives on the
 * stack of a step. One lane a wheel; vectors in body axes unless they say world. */
#ifndef SKIDPAD_LUMPED15_WORK_H
#define SKIDPAD_LUMPED15_WORK_H

#include "target/model/lumped15/lumped15.h"
#include "target/model/math/v4x3.h"
#include "target/model/rotation_kernel.h"
#include "target/model/slip_kernel.h"

struct work {
    /* kernel_pose.h */
    struct v4x3 hub, hub_z, hub_s; /* wheel centres, m; and per travel, per rack */
    struct v4x3 curve_mps2;        /* hub acceleration from the curvature of the map */
    struct v4x3 axis;              /* spin axes, unit, to the left */
    struct v4x3 turn_z, turn_s;    /* carrier rotation per travel, per rack; rad/m */
    v4 toe_rad, camber_rad;
    v4 spring_m, spring_z, spring_s; /* length; and per travel, per rack */
    v4 damper_z, damper_s;
    struct v4x3 hub_mps;            /* inertial velocity of the hubs */
    struct v4x3 carrier_radps;      /* inertial angular velocity of the carriers */
    struct mat3 R;                  /* body to world */
    struct vec3 vel, rate, gravity; /* of the body, body axes */

    /* kernel_contact.h */
    struct v4x3 normal, forward, left; /* contact axes */
    struct v4x3 arm_m;                 /* hub to contact point */
    v4 sine, cosine;                   /* of the inclination to the ground */
    v4 radius_m;                       /* loaded, in the wheel's plane */
    v4 deflection_m, deflection_mps;
    struct slip_now slip;
    v4 grip_Nspr;            /* dFx / d spin within the step, >= 0; implicit only */
    struct tyre_in tyre_in;  /* load, slips, inclination, friction */
    double friction[WHEELS]; /* of the ground, for tyres of dry ground */
    int32_t weather[WHEELS]; /* enum ground_weather */
    struct tyre_out tyre;

    /* kernel_forces.h */
    struct rotation_now turn;
    v4 spring_N, damper_N, damper_Nspm;
    v4 travel_N;   /* generalised forces on the travels */
    double rack_N; /* and on the rack */
    struct steering_now steer;
    struct vec3 force_N, moment_Nm; /* on the body, about its origin */
    struct vec3 aero_N;

    /* kernel_solve.h */
    struct vec3 acc_mps2, rate_acc_radps2;
    v4 travel_acc_mps2;
    double rack_acc_mps2;
};

/* The evaluation, once for each instruction set. implicit_s is the step over which stiff parts are
 * taken at its end (semi-implicit), 0 for rates at the present state; step_s > 0 resolves dry
 * friction. */
struct lumped15_isa {
    void (*pose)(const struct lumped15_model *m, const struct lumped15_state *s, struct work *w);
    void (*contact)(const struct lumped15_model *m, const struct lumped15_state *s,
                    const struct ground *ground, double implicit_s, double step_s, struct work *w);
    void (*forces)(const struct lumped15_model *m, const struct lumped15_state *s,
                   const struct plant_in *in, const struct ground *ground, struct work *w);
    /* All of it: pose, contact, spin, forces, accelerations. */
    void (*evaluate)(const struct lumped15_model *m, const struct lumped15_state *s,
                     const struct plant_in *in, const struct ground *ground, double implicit_s,
                     double step_s, struct work *w);
    /* One substep; hand_radps is the rate of an angle input. */
    void (*substep)(const struct lumped15_model *m, struct lumped15_state *s,
                    const struct plant_in *in, const struct ground *ground, double hand_radps,
                    double dt_s);
    /* Keeps for the outputs what the evaluation saw. */
    void (*remember)(const struct lumped15_model *m, const struct plant_in *in,
                     const struct work *w, struct lumped15_state *s);
    void (*output)(const struct lumped15_model *m, const struct lumped15_state *s,
                   struct plant_out *out);
};
extern const struct lumped15_isa lumped15_avx, lumped15_base;

/* The one for this CPU. */
static inline const struct lumped15_isa *lumped15_code(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        return &lumped15_avx;
#endif
    return &lumped15_base;
}

/* One wheel's lane. */
static inline struct vec3 vec3_lane(const struct v4x3 *a, int wheel)
{
    return v3(a->x[wheel], a->y[wheel], a->z[wheel]);
}

#endif

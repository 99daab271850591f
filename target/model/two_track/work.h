/* Everything one evaluation of the equations computes, in the order of its producers. Lives on the
 * stack of a step. One lane a wheel. Axes of the car: ahead and to the left in the plane, and its
 * normal. */
#ifndef SKIDPAD_TWO_TRACK_WORK_H
#define SKIDPAD_TWO_TRACK_WORK_H

#include "target/model/math/v4x3.h"
#include "target/model/rotation_kernel.h"
#include "target/model/slip_kernel.h"
#include "target/model/two_track/two_track.h"

struct work {
    /* kernel_loads.h */
    double friction[WHEELS];         /* of the ground, for tyres of dry ground */
    int32_t weather[WHEELS];         /* enum ground_weather */
    struct vec3 first, second;       /* the plane's axes, world */
    struct vec3 ahead, left, normal; /* the car's, world */
    double offset_m;                 /* of the plane */
    double vx_mps, vy_mps;           /* of the centre of gravity, axes of the car */
    struct vec3 aero_N;
    struct vec3 force_N, moment_Nm; /* gravity along the plane, air and push; about the cg */
    double roll_rad, pitch_rad;
    double dive_m[AXLES], lean_m[AXLES]; /* travel, less that of rest: of both wheels; more of the
                                            right one */
    struct tyre_in tyre_in;
    uint32_t lifted; /* whether a side or an axle is */

    /* kernel_contact.h */
    v4 travel_m, toe_rad, camber_rad, gamma_rad; /* gamma: to the ground */
    struct v4x3 hub;                             /* from the cg's foot; z is the loaded radius */
    struct v4x3 hub_s;                           /* per rack */
    v4 toe_s, camber_s, pitch_s;                 /* per rack */
    v4 sin_toe, cos_toe;
    v4 place_y_m; /* of the contacts */
    struct slip_now slip;
    v4 radius_m;
    v4 grip_Nspr;
    struct tyre_out tyre;

    /* kernel_step.h */
    struct rotation_now turn;
    struct two_track_carry carry;
    double acc_mps2[2], yaw_radps2;
    double rack_mps, column_Nm;
};

/* The evaluation, once for each instruction set. implicit_s is the step over which stiff parts are
 * taken at its end, 0 for rates at the present state; step_s > 0 resolves dry friction. */
struct two_track_isa {
    void (*evaluate)(const struct two_track_model *m, const struct two_track_state *s,
                     const struct plant_in *in, const struct ground *ground, double implicit_s,
                     double step_s, struct work *w);
    void (*step)(const struct two_track_model *m, struct two_track_state *s,
                 const struct plant_in *in, const struct ground *ground, double dt_s);
    /* Keeps for the outputs what the evaluation saw. */
    void (*remember)(const struct two_track_model *m, const struct plant_in *in,
                     const struct work *w, struct two_track_state *s);
    void (*output)(const struct two_track_model *m, const struct two_track_state *s,
                   struct plant_out *out);
};
extern const struct two_track_isa two_track_avx, two_track_base;

/* The one for this CPU. */
static inline const struct two_track_isa *two_track_code(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        return &two_track_avx;
#endif
    return &two_track_base;
}

#endif

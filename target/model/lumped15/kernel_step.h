/* One substep: command, evaluate, advance. docs/model.md (I-1) to (I-6) */
#ifndef SKIDPAD_LUMPED15_KERNEL_STEP_H
#define SKIDPAD_LUMPED15_KERNEL_STEP_H

#include "target/model/lumped15/kernel_contact.h"
#include "target/model/lumped15/kernel_forces.h"
#include "target/model/lumped15/kernel_pose.h"
#include "target/model/lumped15/kernel_solve.h"

V4_INLINE void kernel_evaluate(const struct lumped15_model *m, const struct lumped15_state *s,
                               const struct plant_in *in, const struct ground *ground,
                               double implicit_s, double step_s, struct work *w)
{
    kernel_pose(m, s, w);
    kernel_contact(m, s, ground, implicit_s, step_s, w);
    kernel_spin(m, s, in, step_s, w);
    kernel_forces(m, s, in, ground, w);
    kernel_solve(m, s, implicit_s, step_s, w);
}

V4_INLINE void advance_places(struct lumped15_state *s, const struct work *w, double dt_s)
{
    for (int k = 0; k < 3; k++)
        s->pos_m[k] += dt_s * s->vel_mps[k];
    struct quat q = quat_of(s->quat);
    struct quat dq = quat_rate(q, vec3_of(s->rate_radps));
    q = quat_normalise(
        (struct quat){q.w + dt_s * dq.w, q.x + dt_s * dq.x, q.y + dt_s * dq.y, q.z + dt_s * dq.z});
    s->quat[0] = q.w;
    s->quat[1] = q.x;
    s->quat[2] = q.y;
    s->quat[3] = q.z;
    s->rack_m += dt_s * s->rack_mps;
    v4 turn_radps = v4_load(s->spin_radps) - w3_dot(w->axis, w->carrier_radps);
    v4_store(s->travel_m, v4_load(s->travel_m) + dt_s * v4_load(s->travel_mps));
    v4_store(s->angle_rad, v4_load(s->angle_rad) + dt_s * turn_radps);
}

V4_INLINE void advance_speeds(struct lumped15_state *s, const struct work *w, double dt_s)
{
    struct vec3 a = m3_mul(&w->R, w->acc_mps2);
    vec3_to(v3_madd(vec3_of(s->vel_mps), dt_s, a), s->vel_mps);
    vec3_to(v3_madd(vec3_of(s->rate_radps), dt_s, w->rate_acc_radps2), s->rate_radps);
    s->rack_mps += dt_s * w->rack_acc_mps2;
    v4_store(s->travel_mps, v4_load(s->travel_mps) + dt_s * w->travel_acc_mps2);
    memcpy(s->spin_radps, w->turn.spin.speed_radps, sizeof s->spin_radps);
    s->driveline.engine_radps = w->turn.spin.speed_radps[SPIN_ENGINE];
    s->driveline.clutch_Nm = w->turn.spin.friction_Nm[SPIN_CLUTCH];
    memcpy(s->friction_Nm, w->turn.spin.friction_Nm, sizeof s->friction_Nm);
    s->locked = w->turn.spin.locked;
}

V4_INLINE void kernel_remember(const struct lumped15_model *m, const struct plant_in *in,
                               const struct work *w, struct lumped15_state *s)
{
    struct lumped15_seen *o = &s->seen;
    vec3_to(w->acc_mps2, o->acc_mps2);
    vec3_to(w->rate_acc_radps2, o->rate_acc_radps2);
    memcpy(o->load_N, w->tyre_in.load_N, sizeof o->load_N);
    memcpy(o->long_N, w->tyre.fx_N, sizeof o->long_N);
    memcpy(o->lat_N, w->tyre.fy_N, sizeof o->lat_N);
    memcpy(o->align_Nm, w->tyre.mz_Nm, sizeof o->align_Nm);
    memcpy(o->kappa, w->tyre_in.kappa, sizeof o->kappa);
    memcpy(o->tan_alpha, w->tyre_in.tan_alpha, sizeof o->tan_alpha);
    memcpy(o->friction, w->friction, sizeof o->friction);
    v4_store(o->brake_Nm, w->turn.brake_Nm);
    v4_store(o->drive_Nm, w->turn.drive_Nm);
    v4_store(o->spring_N, w->spring_N);
    v4_store(o->damper_N, w->damper_N);
    v4_store(o->toe_rad, w->toe_rad);
    v4_store(o->camber_rad, w->camber_rad);
    v4_store(o->carrier_radps, w3_dot(w->axis, w->carrier_radps));
    o->column_Nm = w->steer.column_Nm;
    o->engine_Nm = w->turn.drive.engine_Nm;
    o->clutch_Nm = w->turn.spin.friction_Nm[SPIN_CLUTCH];
    o->drag_N = -w->aero_N.x;
    o->throttle = in->throttle;
    o->brake_pedal = in->brake_pedal;
    brakes_see(&m->brake, &m->hydraulics, &s->hydraulics, in, &o->brakes);
    vec3_to(m3_mul(&w->R, vec3_lane(&w->normal, FL)), o->normal);
    s->airborne = 0;
    for (int i = 0; i < WHEELS; i++) {
        vec3_to(vec3_lane(&w->hub, i), o->hub_m[i]);
        vec3_to(vec3_lane(&w->axis, i), o->axis[i]);
        s->airborne |= w->tyre_in.load_N[i] > 0.0 ? 0u : 1u << i;
    }
}

/* Every number of the motion, times zero, adds up to zero unless one is not finite. And no car is
 * faster than 1000 m/s, or turns at 1000 rad/s: such a state is on its way there. */
V4_INLINE void step_check_finite(struct lumped15_state *s)
{
    const double *x = lumped15_motion(s);
    v4 zeros = v4_all(0.0 * x[LUMPED15_MOTION - 1]);
    for (size_t k = 0; k + 4 <= LUMPED15_MOTION; k += 4)
        zeros += 0.0 * v4_load(&x[k]);
    zeros += 0.0 * hydraulics_volume_m3(&s->hydraulics);
    const double *v = s->vel_mps, *r = s->rate_radps;
    double fast = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double turn = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (!((zeros[0] + zeros[1]) + (zeros[2] + zeros[3]) == 0.0 && fast < 1e6 && turn < 1e6))
        s->fault |= PLANT_FAULT_NONFINITE;
}

_Static_assert(LUMPED15_MOTION % 4 == 1, "four at a time and the last one");

/* Forward Euler or semi-implicit, as the model says. */
V4_INLINE void kernel_substep(const struct lumped15_model *m, struct lumped15_state *s,
                              const struct plant_in *in, const struct ground *ground,
                              double hand_radps, double dt_s)
{
    struct work w;
    double implicit_s = m->integrator == MODEL_SEMI_IMPLICIT ? dt_s : 0.0;
    brakes_step(&m->brake, &m->hydraulics, in, dt_s, &s->hydraulics, s->pressure_Pa);
    driveline_shift(&m->driveline, &s->driveline, in, dt_s);
    if (in->steer == PLANT_STEER_ANGLE)
        s->hand_radps = hand_radps;
    kernel_evaluate(m, s, in, ground, implicit_s, dt_s, &w);
    double hand_radps2 = 0.0; /* with angle input the hand wheel follows the input */
    if (in->steer == PLANT_STEER_TORQUE)
        hand_radps2 = steering_hand_acc(&m->steering, s->hand_radps, in->hand_wheel_Nm,
                                        w.steer.column_Nm, dt_s);
    if (m->integrator == MODEL_FORWARD) {
        advance_places(s, &w, dt_s);
        s->hand_rad += dt_s * s->hand_radps;
        slip_advance(&w.slip, v4_load(w.turn.spin.speed_radps), 0.0, dt_s, s->slip_x_m,
                     s->slip_y_m);
        advance_speeds(s, &w, dt_s);
        s->hand_radps += dt_s * hand_radps2;
    } else {
        slip_advance(&w.slip, v4_load(w.turn.spin.speed_radps), dt_s, dt_s, s->slip_x_m,
                     s->slip_y_m);
        advance_speeds(s, &w, dt_s);
        s->hand_radps += dt_s * hand_radps2;
        advance_places(s, &w, dt_s);
        s->hand_rad += dt_s * s->hand_radps;
    }
    kernel_remember(m, in, &w, s);
    step_check_finite(s);
}

#endif

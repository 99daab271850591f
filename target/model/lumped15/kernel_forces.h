/* Spins and forces. docs/model.md (D-1) to (D-5), (F-1) to (F-6), (M-5) */
#ifndef SKIDPAD_LUMPED15_KERNEL_FORCES_H
#define SKIDPAD_LUMPED15_KERNEL_FORCES_H

#include "target/model/lumped15/work.h"

/* Wheels and engine over the step. */
V4_INLINE void kernel_spin(const struct lumped15_model *m, const struct lumped15_state *s,
                           const struct plant_in *in, double step_s, struct work *w)
{
    const struct rotation_parts parts = {.driveline = &m->driveline,
                                         .shafts = &s->driveline,
                                         .brake = &m->brake,
                                         .pressure_Pa = s->pressure_Pa,
                                         .wheel_kgm2 = m->wheel_kgm2,
                                         .spin_radps = s->spin_radps,
                                         .friction_Nm = s->friction_Nm};
    const struct rotation_task task = {.radius_m = w->radius_m,
                                       .grip_Nspr = w->grip_Nspr,
                                       .twist_Nm = v4_load(w->tyre.mz_Nm) * w->sine,
                                       .rolling_Nm = v4_load(w->tyre.rolling_Nm),
                                       .carrier_radps = w3_dot(w->axis, w->carrier_radps),
                                       .body_radps = w3_dot(w->axis, w3_all(w->rate))};
    rotation_step(&parts, &task, in, step_s, w->tyre.fx_N, &w->turn);
}

/* (F-3), (F-5): spring, damper, stops and bar: generalised forces on travel and rack. */
V4_INLINE v4 forces_suspension(const struct lumped15_model *m, const struct lumped15_state *s,
                               struct work *w)
{
    v4 z = v4_load(s->travel_m), z_mps = v4_load(s->travel_mps);
    v4 stops_N = v4_all(0.0), slope_Nspm = v4_all(0.0);
    v4 squeeze_mps = -(w->damper_z * z_mps + w->damper_s * s->rack_mps);
    for (int i = 0; i < WHEELS; i++) {
        const struct axle_model *a = &m->axle[axle_of(i)];
        double unused, slope;
        w->spring_N[i] = table1_at(&a->spring_N, a->spring_free_m - w->spring_m[i], &unused);
        w->damper_N[i] = table1_at(&a->damper_N, squeeze_mps[i], &slope);
        slope_Nspm[i] = slope;
        stops_N[i] =
            table1_at(&a->rebound_N, -z[i], &unused) - table1_at(&a->bump_N, z[i], &unused);
    }
    v4 across = {z[FR], z[FL], z[RR], z[RL]};
    w->damper_Nspm = v4_max(slope_Nspm, v4_all(0.0)) * w->damper_z * w->damper_z;
    w->travel_N = w->spring_N * w->spring_z + w->damper_N * w->damper_z + stops_N -
                  v4_load(m->bar_Npm) * (z - across);
    return w->spring_N * w->spring_s + w->damper_N * w->damper_s;
}

/* (F-1) to (F-4), (M-5): gravity, tyre force and inertia of the moving hubs; tyre and brake moments
 * on the carriers; gyroscopic moment of the spinning wheels. rack: force of each corner on it. */
V4_INLINE void forces_corners(const struct lumped15_model *m, const struct lumped15_state *s,
                              v4 rack, struct work *w)
{
    v4 mass = v4_load(m->unsprung_kg), z = v4_load(s->travel_mps), r = v4_all(s->rack_mps);
    struct v4x3 rate = w3_all(w->rate);
    struct v4x3 slide = w3_madd(w3_scale(z, w->hub_z), r, w->hub_s);
    struct v4x3 bias = w3_cross(rate, w3_madd(w3_cross(rate, w->hub), v4_all(2.0), slide));
    bias = w3_add(bias, w->curve_mps2);

    struct v4x3 tyre = w3_scale(v4_load(w->tyre_in.load_N), w->normal);
    tyre = w3_madd(tyre, v4_load(w->tyre.fx_N), w->forward);
    tyre = w3_madd(tyre, v4_load(w->tyre.fy_N), w->left);
    struct v4x3 f = w3_madd(tyre, mass, w3_sub(w3_all(w->gravity), bias));

    struct v4x3 torque = w3_cross(w->arm_m, tyre);
    torque = w3_madd(torque, v4_load(w->tyre.mx_Nm), w->forward);
    torque = w3_madd(torque, v4_load(w->tyre.mz_Nm), w->normal);
    /* About its axis the wheel turns freely; there the carrier only feels the brake. */
    torque = w3_madd(torque, w->turn.brake_Nm - w3_dot(torque, w->axis), w->axis);
    v4 momentum = v4_load(m->wheel_kgm2) * v4_load(s->spin_radps);
    torque = w3_madd(torque, -momentum, w3_cross(w->carrier_radps, w->axis));

    struct v4x3 moment = w3_add(w3_cross(w->hub, f), torque);
    moment = w3_madd(moment, -w->turn.drive_Nm, w->axis);
    w->travel_N += w3_dot(w->hub_z, f) + w3_dot(w->turn_z, torque);
    rack += w3_dot(w->hub_s, f) + w3_dot(w->turn_s, torque);
    w->force_N = v3_add(w->force_N, w3_sum(f));
    v4 sums = v4_sums(moment.x, moment.y, moment.z, rack);
    w->moment_Nm = v3_add(w->moment_Nm, v3(sums[0], sums[1], sums[2]));
    w->rack_N += sums[3];
}

V4_INLINE struct vec3 forces_inertia(const double *I, struct vec3 w)
{
    return v3(I[0] * w.x + I[3] * w.y + I[4] * w.z, I[3] * w.x + I[1] * w.y + I[5] * w.z,
              I[4] * w.x + I[5] * w.y + I[2] * w.z);
}

V4_INLINE void kernel_forces(const struct lumped15_model *m, const struct lumped15_state *s,
                             const struct plant_in *in, const struct ground *ground, struct work *w)
{
    /* (F-6): gravity less centripetal inertia at the sprung mass's centre of gravity; push, air. */
    struct vec3 cg = m->sprung_cg_m, aero_Nm;
    struct vec3 centripetal = v3_cross(w->rate, v3_cross(w->rate, cg));
    struct vec3 f = v3_scale(m->sprung_kg, v3_sub(w->gravity, centripetal));
    f = v3_add(f, m3_tmul(&w->R, vec3_of(in->push_N)));
    struct vec3 gyro = v3_cross(w->rate, forces_inertia(m->inertia_kgm2, w->rate));
    struct vec3 air = v3_sub(m3_tmul(&w->R, vec3_of(in->wind_mps)), w->vel);
    aero_force(&m->aero, air, &w->aero_N, &aero_Nm);
    w->force_N = v3_add(f, w->aero_N);
    w->moment_Nm = v3_add(v3_sub(v3_cross(cg, f), gyro), aero_Nm);
    hull_forces(&m->hull, ground, vec3_of(s->pos_m), &w->R, w->vel, w->rate, &w->force_N,
                &w->moment_Nm);
    steering_forces(&m->steering, s->rack_m, s->rack_mps, s->hand_rad, s->hand_radps, w->vel.x,
                    &w->steer);
    w->rack_N = w->steer.force_N;
    forces_corners(m, s, forces_suspension(m, s, w), w);
}

#endif

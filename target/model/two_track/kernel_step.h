/* Motion and one step. docs/two-track.md (P-16) to (P-21) */
#ifndef SKIDPAD_TWO_TRACK_KERNEL_STEP_H
#define SKIDPAD_TWO_TRACK_KERNEL_STEP_H

#include "target/model/two_track/kernel_contact.h"
#include "target/model/two_track/kernel_loads.h"

/* Wheels and engine over the step; the wheels' axes do not turn with the car. */
V4_INLINE void kernel_spin(const struct two_track_model *m, const struct two_track_state *s,
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
                                       .twist_Nm = v4_load(w->tyre.mz_Nm) * w->gamma_rad,
                                       .rolling_Nm = v4_load(w->tyre.rolling_Nm),
                                       .carrier_radps = v4_all(0.0),
                                       .body_radps = v4_all(0.0)};
    rotation_step(&parts, &task, in, step_s, w->tyre.fx_N, &w->turn);
}

/* (P-16): what the front wheels do to the rack, by virtual work; one lane a wheel. */
V4_INLINE v4 motion_rack_N(const struct work *w, v4 fx, v4 fy)
{
    v4 load = v4_load(w->tyre_in.load_N), lat = v4_load(w->tyre.fy_N);
    v4 path_N = w->hub_s.x * fx + w->hub_s.y * fy + w->hub_s.z * load;
    v4 lean_Nm = w->radius_m * (lat + w->gamma_rad * load) + v4_load(w->tyre.mx_Nm);
    v4 brake = w->toe_s * w->gamma_rad + w->pitch_s;
    return path_N + w->camber_s * lean_Nm + w->toe_s * v4_load(w->tyre.mz_Nm) +
           brake * w->turn.brake_Nm;
}

/* (P-17): the rack follows hand wheel and tyres without inertia. */
V4_INLINE void motion_rack(const struct two_track_model *m, const struct two_track_state *s,
                           double tyres_N, double implicit_s, struct work *w)
{
    struct steering_now now;
    double stiffness_Npm;
    steering_forces_held(&m->steering, s->rack_m, s->hand_rad, s->hand_radps, w->vx_mps, &now,
                         &stiffness_Npm);
    double moves_N = shrink(now.force_N + tyres_N, m->steering.rack_friction_N);
    double damping_Nspm = at_least(now.damping_Nspm, 1.0) + implicit_s * stiffness_Npm;
    w->rack_mps = moves_N / damping_Nspm;
    w->column_Nm =
        now.column_Nm - m->steering.column_Nmsprad * w->rack_mps / m->steering.pinion_mprad;
}

/* (P-18), (P-19): accelerations of the car, and what its next loads follow from. */
V4_INLINE void kernel_motion(const struct two_track_model *m, const struct two_track_state *s,
                             double implicit_s, struct work *w)
{
    v4 along = v4_load(w->tyre.fx_N), lat = v4_load(w->tyre.fy_N);
    v4 fx = w->cos_toe * along - w->sin_toe * lat, fy = w->sin_toe * along + w->cos_toe * lat;
    v4 turn = w->hub.x * fy - w->place_y_m * fx + v4_load(w->tyre.mz_Nm);
    v4 rack = motion_rack_N(w, fx, fy), brake = w->turn.brake_Nm;
    v4 sums = v4_sums(turn, w->cos_toe * v4_load(w->tyre.mx_Nm), rack, rack);
    struct two_track_carry *c = &w->carry;
    c->along_N[FRONT] = fx[FL] + fx[FR];
    c->along_N[REAR] = fx[RL] + fx[RR];
    c->across_N[FRONT] = fy[FL] + fy[FR];
    c->across_N[REAR] = fy[RL] + fy[RR];
    c->brake_Nm[FRONT] = brake[FL] + brake[FR];
    c->brake_Nm[REAR] = brake[RL] + brake[RR];
    c->roll_Nm = sums[1];
    w->acc_mps2[0] = (c->along_N[FRONT] + c->along_N[REAR] + w->force_N.x) / m->total_kg;
    w->acc_mps2[1] = (c->across_N[FRONT] + c->across_N[REAR] + w->force_N.y) / m->total_kg;
    w->yaw_radps2 = (sums[0] + w->moment_Nm.z) / m->yaw_kgm2;
    motion_rack(m, s, sums[2], implicit_s, w);
}

V4_INLINE void kernel_evaluate(const struct two_track_model *m, const struct two_track_state *s,
                               const struct plant_in *in, const struct ground *ground,
                               double implicit_s, double step_s, struct work *w)
{
    kernel_loads(m, s, in, ground, w);
    kernel_contact(m, s, implicit_s, step_s, w);
    kernel_spin(m, s, in, step_s, w);
    kernel_motion(m, s, implicit_s, w);
}

/* (P-20): speeds first, then places with the new ones. */
V4_INLINE void advance(struct two_track_state *s, const struct work *w, double dt_s)
{
    double a = s->heading[0], b = s->heading[1], cosine = a * a - b * b, sine = 2.0 * a * b;
    slip_advance(&w->slip, v4_load(w->turn.spin.speed_radps), dt_s, dt_s, s->slip_x_m, s->slip_y_m);
    s->vel_mps[0] += dt_s * (cosine * w->acc_mps2[0] - sine * w->acc_mps2[1]);
    s->vel_mps[1] += dt_s * (sine * w->acc_mps2[0] + cosine * w->acc_mps2[1]);
    s->yaw_radps += dt_s * w->yaw_radps2;
    memcpy(s->spin_radps, w->turn.spin.speed_radps, sizeof s->spin_radps);
    s->driveline.engine_radps = w->turn.spin.speed_radps[SPIN_ENGINE];
    s->driveline.clutch_Nm = w->turn.spin.friction_Nm[SPIN_CLUTCH];
    memcpy(s->friction_Nm, w->turn.spin.friction_Nm, sizeof s->friction_Nm);
    s->locked = w->turn.spin.locked;
    s->carry = w->carry;

    double half = 0.5 * dt_s * s->yaw_radps, ha = a - half * b, hb = b + half * a;
    double k = 1.0 / sqrt(ha * ha + hb * hb), *v = s->vel_mps;
    s->heading[0] = k * ha;
    s->heading[1] = k * hb;
    s->pos_m[0] += dt_s * (v[0] * w->first.x + v[1] * w->second.x);
    s->pos_m[1] += dt_s * (v[0] * w->first.y + v[1] * w->second.y);
    s->rack_m += dt_s * w->rack_mps;
    v4_store(s->angle_rad, v4_load(s->angle_rad) + dt_s * v4_load(s->spin_radps));
}

V4_INLINE void kernel_remember(const struct two_track_model *m, const struct plant_in *in,
                               const struct work *w, struct two_track_state *s)
{
    struct two_track_seen *o = &s->seen;
    memcpy(o->acc_mps2, w->acc_mps2, sizeof o->acc_mps2);
    o->yaw_radps2 = w->yaw_radps2;
    o->roll_rad = w->roll_rad;
    o->pitch_rad = w->pitch_rad;
    memcpy(o->load_N, w->tyre_in.load_N, sizeof o->load_N);
    memcpy(o->long_N, w->tyre.fx_N, sizeof o->long_N);
    memcpy(o->lat_N, w->tyre.fy_N, sizeof o->lat_N);
    memcpy(o->align_Nm, w->tyre.mz_Nm, sizeof o->align_Nm);
    memcpy(o->kappa, w->tyre_in.kappa, sizeof o->kappa);
    memcpy(o->tan_alpha, w->tyre_in.tan_alpha, sizeof o->tan_alpha);
    memcpy(o->friction, w->friction, sizeof o->friction);
    v4_store(o->brake_Nm, w->turn.brake_Nm);
    v4_store(o->drive_Nm, w->turn.drive_Nm);
    v4_store(o->travel_m, w->travel_m);
    v4_store(o->toe_rad, w->toe_rad);
    v4_store(o->camber_rad, w->camber_rad);
    v4_store(o->hub_x_m, w->hub.x);
    v4_store(o->hub_y_m, w->hub.y);
    v4_store(o->hub_z_m, w->hub.z);
    v4 flat = 1.0 / v4_sqrt(1.0 + w->gamma_rad * w->gamma_rad);
    v4_store(o->axis_x, -flat * w->sin_toe);
    v4_store(o->axis_y, flat * w->cos_toe);
    v4_store(o->axis_z, flat * w->gamma_rad);
    vec3_to(w->normal, o->normal);
    o->offset_m = w->offset_m;
    o->rack_mps = w->rack_mps;
    o->column_Nm = w->column_Nm;
    o->engine_Nm = w->turn.drive.engine_Nm;
    o->clutch_Nm = w->turn.spin.friction_Nm[SPIN_CLUTCH];
    o->drag_N = -w->aero_N.x;
    o->throttle = in->throttle;
    o->brake_pedal = in->brake_pedal;
    brakes_see(&m->brake, &m->hydraulics, &s->hydraulics, in, &o->brakes);
    v4_mask up = v4_load(w->tyre_in.load_N) <= 0.0;
    s->airborne = (uint32_t)((up[0] & 1) | (up[1] & 2) | (up[2] & 4) | (up[3] & 8));
}

/* As in the other models: no number that is not finite, no car faster than 1000 m/s. */
V4_INLINE void step_check(const struct two_track_model *m, const struct work *w,
                          struct two_track_state *s)
{
    const double *x = two_track_motion(s);
    v4 zeros = 0.0 * v4_load(&x[TWO_TRACK_MOTION - 4]);
    for (size_t k = 0; k + 4 <= TWO_TRACK_MOTION; k += 4)
        zeros += 0.0 * v4_load(&x[k]);
    if (m->hydraulics.on)
        zeros += 0.0 * hydraulics_volume_m3(&s->hydraulics);
    double fast = s->vel_mps[0] * s->vel_mps[0] + s->vel_mps[1] * s->vel_mps[1];
    double turn = s->yaw_radps * s->yaw_radps;
    if (!((zeros[0] + zeros[1]) + (zeros[2] + zeros[3]) == 0.0 && fast < 1e6 && turn < 1e6))
        s->fault |= PLANT_FAULT_NONFINITE;
    if (w->lifted)
        s->fault |= PLANT_FAULT_LIFTED;
}

V4_INLINE void kernel_step(const struct two_track_model *m, struct two_track_state *s,
                           const struct plant_in *in, const struct ground *ground, double dt_s)
{
    struct work w;
    bool by_angle = in->steer == PLANT_STEER_ANGLE;
    brakes_step(&m->brake, &m->hydraulics, in, dt_s, &s->hydraulics, s->pressure_Pa);
    driveline_shift(&m->driveline, &s->driveline, in, dt_s);
    if (by_angle) /* it moves over the whole step, so that it has a rate */
        s->hand_radps = (in->hand_wheel_rad - s->hand_rad) / dt_s;
    kernel_evaluate(m, s, in, ground, dt_s, dt_s, &w);
    if (!by_angle)
        s->hand_radps += dt_s * steering_hand_acc(&m->steering, s->hand_radps, in->hand_wheel_Nm,
                                                  w.column_Nm, dt_s);
    advance(s, &w, dt_s);
    s->hand_rad += dt_s * s->hand_radps;
    kernel_remember(m, in, &w, s);
    step_check(m, &w, s);
}

#endif

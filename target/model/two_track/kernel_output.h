/* What the car does, from the state alone; every number of it, test_states.c proves it.
 * docs/two-track.md (P-22) */
#ifndef SKIDPAD_TWO_TRACK_KERNEL_OUTPUT_H
#define SKIDPAD_TWO_TRACK_KERNEL_OUTPUT_H

#include "target/model/math/scalar.h"
#include "target/model/math/v4_fast.h"
#include "target/model/two_track/kernel_loads.h"

/* Below this speed the direction of motion means nothing. */
#define OUTPUT_SIDESLIP_MPS 0.1

/* How the body stands on its plane: pitch and roll, cosines and sines of half and whole. */
struct output_tilt {
    double half_cp, half_sp, half_cr, half_sr;
    double cp, sp, cr, sr;
};

/* The angles are small: four terms of the series are exact to 1e-9 up to 0.2 rad. */
V4_INLINE double output_sine(double x)
{
    double xx = x * x;
    return x * (1.0 - xx * (1.0 / 6.0) * (1.0 - xx * (1.0 / 20.0) * (1.0 - xx * (1.0 / 42.0))));
}

V4_INLINE struct output_tilt output_tilt(double pitch_rad, double roll_rad)
{
    struct output_tilt t = {.half_sp = output_sine(0.5 * pitch_rad),
                            .half_sr = output_sine(0.5 * roll_rad)};
    t.half_cp = sqrt(1.0 - t.half_sp * t.half_sp);
    t.half_cr = sqrt(1.0 - t.half_sr * t.half_sr);
    t.cp = 1.0 - 2.0 * t.half_sp * t.half_sp;
    t.sp = 2.0 * t.half_sp * t.half_cp;
    t.cr = 1.0 - 2.0 * t.half_sr * t.half_sr;
    t.sr = 2.0 * t.half_sr * t.half_cr;
    return t;
}

/* Plane, heading, pitch, roll, one after the other. */
V4_INLINE struct quat output_attitude(const struct two_track_state *s, const struct output_tilt *t)
{
    const double *n = s->seen.normal;
    double a = s->heading[0], b = s->heading[1], tilt = sqrt(0.5 * (1.0 + n[2]));
    double per = 0.5 / tilt, x = -per * n[1], y = per * n[0];
    double qw = tilt * a, qx = x * a + y * b, qy = y * a - x * b, qz = tilt * b;
    double pw = t->half_cp * t->half_cr, px = t->half_cp * t->half_sr;
    double py = t->half_sp * t->half_cr, pz = -t->half_sp * t->half_sr;
    return (struct quat){
        qw * pw - qx * px - qy * py - qz * pz, qw * px + qx * pw + qy * pz - qz * py,
        qw * py - qx * pz + qy * pw + qz * px, qw * pz + qx * py - qy * px + qz * pw};
}

/* A vector along the plane, from the car's axes there to those of its body, which rolls. */
V4_INLINE void output_in_body(const struct output_tilt *t, double x, double y, double to[3])
{
    double nose = t->sp * x;
    to[0] = t->cp * x;
    to[1] = t->sr * nose + t->cr * y;
    to[2] = t->cr * nose - t->sr * y;
}

V4_INLINE void output_body(const struct two_track_model *m, const struct two_track_state *s,
                           struct vec3 foot, struct plant_out *o)
{
    const struct two_track_seen *seen = &s->seen;
    struct output_tilt t = output_tilt(seen->pitch_rad, seen->roll_rad);
    struct quat q = output_attitude(s, &t);
    double a = s->heading[0], b = s->heading[1], cosine = a * a - b * b, sine = 2.0 * a * b;
    double vx = cosine * s->vel_mps[0] + sine * s->vel_mps[1];
    double vy = cosine * s->vel_mps[1] - sine * s->vel_mps[0];
    vec3_to(v3_madd(foot, m->height_m, vec3_of(seen->normal)), o->pos_m);
    o->quat[0] = q.w;
    o->quat[1] = q.x;
    o->quat[2] = q.y;
    o->quat[3] = q.z;
    output_in_body(&t, vx, vy, o->vel_mps);
    output_in_body(&t, seen->acc_mps2[0], seen->acc_mps2[1], o->acc_mps2);
    const struct vec3 up = v3(-t.sp, t.cp * t.sr, t.cp * t.cr);
    vec3_to(v3_scale(s->yaw_radps, up), o->rate_radps);
    vec3_to(v3_scale(seen->yaw_radps2, up), o->rate_acc_radps2);
    vec3_to(m->cg_m, o->cg_body_m);
    /* The first column and the last row of the rotation that q is. */
    double down = 2.0 * (q.x * q.z - q.w * q.y), level = sqrt(at_least(1.0 - down * down, 0.0));
    bool moves = vx * vx + vy * vy > OUTPUT_SIDESLIP_MPS * OUTPUT_SIDESLIP_MPS;
    v4 angle = v4_fast_atan2(
        (v4){2.0 * (q.x * q.y + q.w * q.z), -down, 2.0 * (q.y * q.z + q.w * q.x), moves ? vy : 0.0},
        (v4){1.0 - 2.0 * (q.y * q.y + q.z * q.z), level, 1.0 - 2.0 * (q.x * q.x + q.y * q.y),
             moves ? vx : 1.0});
    o->yaw_rad = angle[0];
    o->pitch_rad = angle[1];
    o->roll_rad = angle[2];
    o->sideslip_rad = angle[3];
    memcpy(o->level_acc_mps2, seen->acc_mps2, sizeof o->level_acc_mps2);
}

/* Rows of H: the car's axes in the plane, world. */
V4_INLINE void output_wheels(const struct two_track_state *s, const struct mat3 *H,
                             struct vec3 foot, struct plant_out *o)
{
    const struct two_track_seen *seen = &s->seen;
    struct v4x3 hub = w3(v4_load(seen->hub_x_m), v4_load(seen->hub_y_m), v4_load(seen->hub_z_m));
    struct v4x3 axis = w3(v4_load(seen->axis_x), v4_load(seen->axis_y), v4_load(seen->axis_z));
    hub = w3_add(w3_all(foot), w3_turn_back(H, hub));
    axis = w3_turn_back(H, axis);
    for (int i = 0; i < WHEELS; i++) {
        o->hub_m[i][0] = hub.x[i];
        o->hub_m[i][1] = hub.y[i];
        o->hub_m[i][2] = hub.z[i];
        o->wheel_axis[i][0] = axis.x[i];
        o->wheel_axis[i][1] = axis.y[i];
        o->wheel_axis[i][2] = axis.z[i];
    }
    v4_store(o->alpha_rad, v4_fast_atan(v4_load(seen->tan_alpha)));
    memcpy(o->travel_m, seen->travel_m, sizeof o->travel_m);
    /* What this model does not know. */
    v4_store(o->travel_mps, v4_all(0.0));
    v4_store(o->spring_N, v4_all(0.0));
    v4_store(o->damper_N, v4_all(0.0));
    memcpy(o->steer_rad, seen->toe_rad, sizeof o->steer_rad);
    memcpy(o->camber_rad, seen->camber_rad, sizeof o->camber_rad);
    memcpy(o->spin_radps, s->spin_radps, sizeof o->spin_radps);
    memcpy(o->angle_rad, s->angle_rad, sizeof o->angle_rad);
    memcpy(o->load_N, seen->load_N, sizeof o->load_N);
    memcpy(o->long_N, seen->long_N, sizeof o->long_N);
    memcpy(o->lat_N, seen->lat_N, sizeof o->lat_N);
    memcpy(o->align_Nm, seen->align_Nm, sizeof o->align_Nm);
    memcpy(o->kappa, seen->kappa, sizeof o->kappa);
    memcpy(o->friction, seen->friction, sizeof o->friction);
    memcpy(o->brake_Nm, seen->brake_Nm, sizeof o->brake_Nm);
    memcpy(o->drive_Nm, seen->drive_Nm, sizeof o->drive_Nm);
    memcpy(o->pressure_Pa, s->pressure_Pa, sizeof o->pressure_Pa);
}

V4_INLINE void kernel_output(const struct two_track_model *m, const struct two_track_state *s,
                             struct plant_out *o)
{
    const struct two_track_seen *seen = &s->seen;
    struct vec3 n = vec3_of(seen->normal), first, second;
    double a = s->heading[0], b = s->heading[1], cosine = a * a - b * b, sine = 2.0 * a * b;
    loads_plane(n, &first, &second);
    const struct mat3 H = {v3_madd(v3_scale(cosine, first), sine, second),
                           v3_madd(v3_scale(-sine, first), cosine, second), n};
    double x = s->pos_m[0], y = s->pos_m[1];
    struct vec3 foot = v3(x, y, (seen->offset_m - n.x * x - n.y * y) / n.z);
    o->time_s = s->time_s;
    output_body(m, s, foot, o);
    output_wheels(s, &H, foot, o);
    o->rack_m = s->rack_m;
    o->rack_mps = seen->rack_mps;
    o->hand_wheel_rad = s->hand_rad;
    o->hand_wheel_radps = s->hand_radps;
    o->hand_wheel_Nm = seen->column_Nm;
    o->master_Pa = seen->brakes.master_Pa[CIRCUIT_1];
    o->pedal_m = seen->brakes.pedal_m;
    o->pedal_N = seen->brakes.pedal_N;
    memcpy(o->circuit_master_Pa, seen->brakes.master_Pa, sizeof o->circuit_master_Pa);
    memcpy(o->accumulator_m3, s->hydraulics.accumulator_m3, sizeof o->accumulator_m3);
    memcpy(o->pump_m3ps, s->hydraulics.pump_m3ps, sizeof o->pump_m3ps);
    o->engine_radps = s->driveline.engine_radps;
    o->engine_Nm = seen->engine_Nm;
    o->clutch_Nm = seen->clutch_Nm;
    struct driveline_torque t = driveline_torque(&m->driveline, &s->driveline, seen->throttle);
    o->engine_driver_Nm = t.driver_Nm;
    o->engine_least_Nm = t.least_Nm;
    o->engine_most_Nm = t.most_Nm;
    o->throttle = seen->throttle;
    o->brake_pedal = seen->brake_pedal;
    o->aero_drag_N = seen->drag_N;
    o->gear = s->driveline.gear;
    o->locked = s->locked;
    o->airborne = s->airborne;
    o->fault = s->fault;
}

#endif

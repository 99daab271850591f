/* What the car does, from the state alone; every number of it, test_states.c proves it. */
#ifndef SKIDPAD_LUMPED15_KERNEL_OUTPUT_H
#define SKIDPAD_LUMPED15_KERNEL_OUTPUT_H

#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"
#include "target/model/math/v4_fast.h"

#include <stdbool.h>
#include <string.h>

/* Below this speed the direction of motion means nothing. */
#define OUTPUT_SIDESLIP_MPS 0.1

/* Position, velocity and acceleration of the point that stands for the whole car. */
V4_INLINE void output_body(const struct lumped15_model *m, const struct lumped15_state *s,
                           const struct mat3 *R, struct plant_out *o)
{
    const struct lumped15_seen *seen = &s->seen;
    struct vec3 rate = vec3_of(s->rate_radps), cg = m->cg_m;
    struct vec3 v = v3_add(m3_tmul(R, vec3_of(s->vel_mps)), v3_cross(rate, cg));
    struct vec3 a = v3_add(vec3_of(seen->acc_mps2), v3_cross(vec3_of(seen->rate_acc_radps2), cg));
    a = v3_add(a, v3_cross(rate, v3_cross(rate, cg)));
    vec3_to(v3_add(vec3_of(s->pos_m), m3_mul(R, cg)), o->pos_m);
    memcpy(o->quat, s->quat, sizeof o->quat);
    vec3_to(v, o->vel_mps);
    vec3_to(rate, o->rate_radps);
    vec3_to(a, o->acc_mps2);
    memcpy(o->rate_acc_radps2, seen->rate_acc_radps2, sizeof o->rate_acc_radps2);
    vec3_to(cg, o->cg_body_m);
    double level = sqrt(at_least(1.0 - R->r2.x * R->r2.x, 0.0));
    bool moves = v.x * v.x + v.y * v.y > OUTPUT_SIDESLIP_MPS * OUTPUT_SIDESLIP_MPS;
    v4 angle = v4_fast_atan2((v4){R->r1.x, -R->r2.x, R->r2.y, moves ? v.y : 0.0},
                             (v4){R->r0.x, level, R->r2.z, moves ? v.x : 1.0});
    o->yaw_rad = angle[0];
    o->pitch_rad = angle[1];
    o->roll_rad = angle[2];
    o->sideslip_rad = angle[3];

    struct vec3 n = m3_tmul(R, vec3_of(seen->normal));
    struct vec3 ahead = v3_madd(v3(1.0, 0.0, 0.0), -n.x, n);
    double length = v3_norm(ahead);
    ahead = v3_scale(1.0 / at_least(length, 1e-6), ahead);
    o->level_acc_mps2[0] = v3_dot(a, ahead);
    o->level_acc_mps2[1] = v3_dot(a, v3_cross(n, ahead));
}

V4_INLINE void output_wheels(const struct lumped15_state *s, const struct mat3 *R,
                             struct plant_out *o)
{
    const struct lumped15_seen *seen = &s->seen;
    struct vec3 origin = vec3_of(s->pos_m);
    v4_store(o->alpha_rad, v4_fast_atan(v4_load(seen->tan_alpha)));
    for (int i = 0; i < WHEELS; i++) {
        vec3_to(v3_add(origin, m3_mul(R, vec3_of(seen->hub_m[i]))), o->hub_m[i]);
        vec3_to(m3_mul(R, vec3_of(seen->axis[i])), o->wheel_axis[i]);
        o->spin_radps[i] = s->spin_radps[i] - seen->carrier_radps[i];
    }
    memcpy(o->travel_m, s->travel_m, sizeof o->travel_m);
    memcpy(o->travel_mps, s->travel_mps, sizeof o->travel_mps);
    memcpy(o->steer_rad, seen->toe_rad, sizeof o->steer_rad);
    memcpy(o->camber_rad, seen->camber_rad, sizeof o->camber_rad);
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
    memcpy(o->spring_N, seen->spring_N, sizeof o->spring_N);
    memcpy(o->damper_N, seen->damper_N, sizeof o->damper_N);
}

V4_INLINE void kernel_output(const struct lumped15_model *m, const struct lumped15_state *s,
                             struct plant_out *o)
{
    const struct lumped15_seen *seen = &s->seen;
    struct mat3 R = quat_matrix(quat_of(s->quat));
    o->time_s = s->time_s;
    output_body(m, s, &R, o);
    output_wheels(s, &R, o);
    o->rack_m = s->rack_m;
    o->rack_mps = s->rack_mps;
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

/* Spins and forces. docs/model.md (D-1) to (D-5), (F-1) to (F-6), (M-5) */
#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"

#include <string.h>

/* Wheels and engine over the step. The tyre's reaction to a change of spin enters as inertia, so
 * that the step is implicit in it, (D-3). */
void lumped15_spin(const struct lumped15_model *m, const struct lumped15_state *s,
                   const struct plant_in *in, double step_s, struct work *w)
{
    struct spin_problem p;
    double brake_Nm[WHEELS];
    driveline_now(&m->driveline, &s->driveline, in, &w->drive);
    brake_capacity(&m->brake, s->pressure_Pa, brake_Nm);
    for (int i = 0; i < WHEELS; i++) {
        const struct corner *c = &w->c[i];
        w->inertia_kgm2[i] = m->axle[axle_of(i)].wheel_kgm2;
        p.inertia_kgm2[i] = w->inertia_kgm2[i] + step_s * c->radius_m * w->grip_Nspr[i];
        p.speed_radps[i] = s->spin_radps[i];
        p.torque_Nm[i] = in->wheel_torque_Nm[i] - c->radius_m * w->tyre.fx_N[i] +
                         w->tyre.mz_Nm[i] * c->sine;
        p.carrier_radps[i] = v3_dot(c->axis, c->carrier_radps);
        p.body_radps[i] = v3_dot(c->axis, w->rate);
        p.gear[i] = w->drive.gear[i];
        /* Rolling resistance is dry friction too: a car on the level stays where it is. */
        p.capacity_Nm[i] = brake_Nm[i] + w->tyre.rolling_Nm[i];
    }
    p.inertia_kgm2[SPIN_ENGINE] = m->driveline.inertia_kgm2;
    p.speed_radps[SPIN_ENGINE] = s->driveline.engine_radps;
    p.torque_Nm[SPIN_ENGINE] = w->drive.engine_Nm;
    p.capacity_Nm[SPIN_CLUTCH] = w->drive.clutch_capacity_Nm;
    p.capacity_Nm[SPIN_LOCK_FRONT] = m->driveline.lock_Nm[0];
    p.capacity_Nm[SPIN_LOCK_REAR] = m->driveline.lock_Nm[1];
    memcpy(w->spin.friction_Nm, s->friction_Nm, sizeof w->spin.friction_Nm);
    spin_solve(&p, step_s, &w->spin);
    for (int i = 0; i < WHEELS; i++) {
        double all_Nm = p.capacity_Nm[i];
        double share = all_Nm > 0.0 ? brake_Nm[i] / all_Nm : 0.0;
        w->brake_Nm[i] = share * w->spin.friction_Nm[i];
        double lock_Nm = w->spin.friction_Nm[i < RL ? SPIN_LOCK_FRONT : SPIN_LOCK_REAR];
        w->drive_Nm[i] = in->wheel_torque_Nm[i] + p.gear[i] * w->spin.friction_Nm[SPIN_CLUTCH] +
                         (i == FL || i == RL ? -lock_Nm : lock_Nm);
        w->tyre.fx_N[i] += w->grip_Nspr[i] * (w->spin.speed_radps[i] - s->spin_radps[i]);
        if (!(brake_Nm[i] > 0.0))
            w->spin.locked &= ~(1u << i);
    }
}

/* Spring, damper, stops and bar of one wheel: generalised forces on travel and rack. */
static void suspension(const struct lumped15_model *m, const struct lumped15_state *s, int i,
                       struct work *w)
{
    const struct lumped15_axle *a = &m->axle[axle_of(i)];
    const struct corner *c = &w->c[i];
    double slope, damping, z = s->travel_m[i];
    double squeeze_mps = -(c->damper_z * s->travel_mps[i] + c->damper_s * s->rack_mps);
    w->spring_N[i] = table1_at(&a->spring_N, a->spring_free_m - c->spring_m, &slope);
    w->damper_N[i] = table1_at(&a->damper_N, squeeze_mps, &damping);
    w->damper_Nspm[i] = at_least(damping, 0.0) * c->damper_z * c->damper_z;
    double stops_N = table1_at(&a->rebound_N, -z, &slope) - table1_at(&a->bump_N, z, &slope);
    double bar_N = a->bar_Npm * (z - s->travel_m[i ^ 1]);
    w->travel_N[i] += w->spring_N[i] * c->spring_z + w->damper_N[i] * c->damper_z + stops_N - bar_N;
    w->rack_N += w->spring_N[i] * c->spring_s + w->damper_N[i] * c->damper_s;
}

/* Gravity, tyre force and inertia of the moving hub; tyre and brake moments on the carrier;
 * gyroscopic moment of the spinning wheel. (F-2), (F-3), (M-5) */
static void corner_forces(const struct lumped15_model *m, const struct lumped15_state *s, int i,
                          struct work *w)
{
    const struct corner *c = &w->c[i];
    double mass = m->axle[axle_of(i)].unsprung_kg;
    struct vec3 slide = v3_madd(v3_scale(s->travel_mps[i], c->hub_z), s->rack_mps, c->hub_s);
    struct vec3 bias = v3_cross(w->rate, v3_madd(v3_cross(w->rate, c->hub), 2.0, slide));
    bias = v3_add(bias, c->curve_mps2);

    struct vec3 tyre = v3_scale(w->load_N[i], c->normal);
    tyre = v3_madd(tyre, w->tyre.fx_N[i], c->forward);
    tyre = v3_madd(tyre, w->tyre.fy_N[i], c->left);
    struct vec3 f = v3_madd(tyre, mass, v3_sub(w->gravity, bias));

    struct vec3 torque = v3_cross(c->arm_m, tyre);
    torque = v3_madd(torque, w->tyre.mx_Nm[i], c->forward);
    torque = v3_madd(torque, w->tyre.mz_Nm[i], c->normal);
    /* About its axis the wheel turns freely; there the carrier only feels the brake. */
    torque = v3_madd(torque, w->brake_Nm[i] - v3_dot(torque, c->axis), c->axis);
    torque = v3_madd(torque, -w->inertia_kgm2[i] * s->spin_radps[i],
                     v3_cross(c->carrier_radps, c->axis));

    w->force_N = v3_add(w->force_N, f);
    w->moment_Nm = v3_add(w->moment_Nm, v3_add(v3_cross(c->hub, f), torque));
    w->moment_Nm = v3_madd(w->moment_Nm, -w->drive_Nm[i], c->axis);
    w->travel_N[i] += v3_dot(c->hub_z, f) + v3_dot(c->turn_z, torque);
    w->rack_N += v3_dot(c->hub_s, f) + v3_dot(c->turn_s, torque);
}

static struct vec3 inertia_mul(const double *I, struct vec3 w)
{
    return v3(I[0] * w.x + I[3] * w.y + I[4] * w.z, I[3] * w.x + I[1] * w.y + I[5] * w.z,
              I[4] * w.x + I[5] * w.y + I[2] * w.z);
}

void lumped15_forces(const struct lumped15_model *m, const struct lumped15_state *s,
                     const struct plant_in *in, const struct ground *ground, struct work *w)
{
    /* Sprung body: gravity less centripetal inertia at its centre of gravity, push, air, hull. */
    struct vec3 cg = m->sprung_cg_m;
    struct vec3 centripetal = v3_cross(w->rate, v3_cross(w->rate, cg));
    struct vec3 f = v3_scale(m->sprung_kg, v3_sub(w->gravity, centripetal));
    f = v3_add(f, m3_tmul(&w->R, vec3_of(in->push_N)));
    struct vec3 gyro = v3_cross(w->rate, inertia_mul(m->inertia_kgm2, w->rate));
    struct vec3 air = v3_sub(m3_tmul(&w->R, vec3_of(in->wind_mps)), w->vel);
    struct vec3 aero_Nm;
    aero_force(&m->aero, air, &w->aero_N, &aero_Nm);
    w->force_N = v3_add(f, w->aero_N);
    w->moment_Nm = v3_add(v3_sub(v3_cross(cg, f), gyro), aero_Nm);
    hull_forces(&m->hull, ground, vec3_of(s->pos_m), &w->R, w->vel, w->rate, &w->force_N,
                &w->moment_Nm);

    steering_forces(&m->steering, s->rack_m, s->rack_mps, s->hand_rad, s->hand_radps, w->vel.x,
                    &w->steer);
    w->rack_N = w->steer.force_N;
    for (int i = 0; i < WHEELS; i++)
        w->travel_N[i] = 0.0;
    for (int i = 0; i < WHEELS; i++) {
        suspension(m, s, i, w);
        corner_forces(m, s, i, w);
    }
}

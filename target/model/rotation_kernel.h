/* Wheels, brakes, driveline and engine over a step, for the instruction set of the includer.
 * Private to the models. docs/model.md (D-1) to (D-5) */
#ifndef SKIDPAD_MODEL_ROTATION_KERNEL_H
#define SKIDPAD_MODEL_ROTATION_KERNEL_H

#include "target/model/brake.h"
#include "target/model/driveline.h"
#include "target/model/spin_kernel.h"

/* Of the car. */
struct rotation_parts {
    const struct driveline_model *driveline;
    const struct driveline_state *shafts;
    const struct brake_model *brake;
    const double *pressure_Pa, *wheel_kgm2, *spin_radps;
    const double *friction_Nm; /* of the last step: the first guess */
};

/* What the tyres do, and how the axes turn. */
struct rotation_task {
    v4 radius_m;      /* loaded */
    v4 grip_Nspr;     /* dFx / d spin within the step, >= 0; 0: explicit */
    v4 twist_Nm;      /* about the axes, besides that of Fx */
    v4 rolling_Nm;    /* resistance, >= 0 */
    v4 carrier_radps; /* of the carriers about the wheels' axes */
    v4 body_radps;    /* of the body about them */
};

struct rotation_now {
    v4 brake_Nm, drive_Nm;
    struct driveline_now drive;
    struct spin_result spin;
};

/* The tyre's reaction to a change of spin enters as inertia, so that the step is implicit in it,
 * (D-3); fx_N becomes the force with the new spin. */
V4_INLINE void rotation_step(const struct rotation_parts *m, const struct rotation_task *t,
                             const struct plant_in *in, double step_s, double fx_N[WHEELS],
                             struct rotation_now *w)
{
    struct spin_problem p;
    double brake_Nm[WHEELS];
    v4 torque = v4_load(in->wheel_torque_Nm), spin = v4_load(m->spin_radps);
    driveline_now(m->driveline, m->shafts, in, &w->drive);
    brake_capacity(m->brake, m->pressure_Pa, brake_Nm);
    v4 brake = v4_load(brake_Nm);
    /* Rolling resistance is dry friction too: a car on the level stays where it is. */
    v4 capacity = brake + t->rolling_Nm;
    v4_store(p.inertia_kgm2, v4_load(m->wheel_kgm2) + step_s * t->radius_m * t->grip_Nspr);
    v4_store(p.speed_radps, spin);
    v4_store(p.torque_Nm, torque - t->radius_m * v4_load(fx_N) + t->twist_Nm);
    v4_store(p.carrier_radps, t->carrier_radps);
    v4_store(p.body_radps, t->body_radps);
    v4_store(p.capacity_Nm, capacity);
    memcpy(p.gear, w->drive.gear, sizeof p.gear);
    p.inertia_kgm2[SPIN_ENGINE] = m->driveline->inertia_kgm2;
    p.speed_radps[SPIN_ENGINE] = m->shafts->engine_radps;
    p.torque_Nm[SPIN_ENGINE] = w->drive.engine_Nm;
    p.capacity_Nm[SPIN_CLUTCH] = w->drive.clutch_capacity_Nm;
    p.capacity_Nm[SPIN_LOCK_FRONT] = m->driveline->lock_Nm[FRONT];
    p.capacity_Nm[SPIN_LOCK_REAR] = m->driveline->lock_Nm[REAR];
    memcpy(w->spin.friction_Nm, m->friction_Nm, sizeof w->spin.friction_Nm);
    kernel_spin_solve(&p, step_s, &w->spin);

    const double *lambda = w->spin.friction_Nm;
    double front = lambda[SPIN_LOCK_FRONT], rear = lambda[SPIN_LOCK_REAR];
    v4 lock = {-front, front, -rear, rear};
    v4 share = v4_pick(capacity > 0.0, brake / capacity, v4_all(0.0));
    w->brake_Nm = share * v4_load(lambda);
    w->drive_Nm = torque + v4_load(p.gear) * lambda[SPIN_CLUTCH] + lock;
    v4_store(fx_N, v4_load(fx_N) + t->grip_Nspr * (v4_load(w->spin.speed_radps) - spin));
    for (int i = 0; i < WHEELS; i++)
        if (!(brake_Nm[i] > 0.0))
            w->spin.locked &= ~(1u << i);
}

#endif

/* spin.h for the instruction set of the includer. Private to the model. */
#ifndef SKIDPAD_MODEL_SPIN_KERNEL_H
#define SKIDPAD_MODEL_SPIN_KERNEL_H

#include "target/model/math/scalar.h"
#include "target/model/math/v4.h"
#include "target/model/spin.h"

#define SPIN_SWEEPS_MAX 24

/* What the sweeps work on: wheels in lanes, the engine apart. */
struct spin_sweep {
    v4 speed, brake, gear;
    v4 per_inertia; /* dt / inertia: speed per torque over the step */
    double engine, engine_per_inertia;
    double clutch, lock[2];
    v4_mask held; /* by their brakes in the sweep before; none before the first */
};

V4_INLINE double spin_sum(v4 x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* Speeds that follow from the guessed torques. */
V4_INLINE void spin_start(const struct spin_problem *p, double dt_s, const struct spin_result *r,
                          struct spin_sweep *w)
{
    const double *guess = r->friction_Nm, *most = p->capacity_Nm;
    v4 capacity = v4_load(most);
    w->held = (v4_mask){0, 0, 0, 0};
    w->gear = v4_load(p->gear);
    w->per_inertia = dt_s / v4_load(p->inertia_kgm2);
    w->engine_per_inertia = dt_s / p->inertia_kgm2[SPIN_ENGINE];
    w->brake = v4_clamp(v4_load(guess), -capacity, capacity);
    w->clutch = between(guess[SPIN_CLUTCH], -most[SPIN_CLUTCH], most[SPIN_CLUTCH]);
    for (int k = 0; k < 2; k++)
        w->lock[k] = between(guess[SPIN_LOCK_FRONT + k], -most[SPIN_LOCK_FRONT + k],
                             most[SPIN_LOCK_FRONT + k]);
    v4 lock = {-w->lock[0], w->lock[0], -w->lock[1], w->lock[1]};
    v4 torque = v4_load(p->torque_Nm) + w->gear * w->clutch - w->brake + lock;
    w->speed = v4_load(p->speed_radps) + w->per_inertia * torque;
    w->engine = p->speed_radps[SPIN_ENGINE] +
                w->engine_per_inertia * (p->torque_Nm[SPIN_ENGINE] - w->clutch);
}

/* Returns how much the clutch torque changed. per_slip: torque that stops a slip in the step. */
V4_INLINE double spin_sweep_clutch(const struct spin_problem *p, double per_slip,
                                   struct spin_sweep *w)
{
    double most = p->capacity_Nm[SPIN_CLUTCH];
    double slip = w->engine - spin_sum(w->gear * (w->speed - v4_load(p->body_radps)));
    double t = between(w->clutch + slip * per_slip, -most, most);
    double change = t - w->clutch;
    w->clutch = t;
    w->engine -= w->engine_per_inertia * change;
    w->speed += w->per_inertia * w->gear * change;
    return fabs(change);
}

/* The lock between the wheels of one axle. Returns how much its torque changed. */
V4_INLINE double spin_sweep_lock(const struct spin_problem *p, int axle, struct spin_sweep *w)
{
    int l = 2 * axle, r = l + 1;
    /* Two wheels that their brakes hold stay as they are whatever the lock carries: it keeps that.
     */
    if (w->held[l] && w->held[r])
        return 0.0;
    double most = p->capacity_Nm[SPIN_LOCK_FRONT + axle];
    double slip = (w->speed[l] - p->body_radps[l]) - (w->speed[r] - p->body_radps[r]);
    double t = between(w->lock[axle] + slip / (w->per_inertia[l] + w->per_inertia[r]), -most, most);
    double change = t - w->lock[axle];
    w->lock[axle] = t;
    w->speed[l] -= w->per_inertia[l] * change;
    w->speed[r] += w->per_inertia[r] * change;
    return fabs(change);
}

/* A wheel that its brake holds gets the carrier's speed to the bit. */
V4_INLINE void spin_sweep_brakes(const struct spin_problem *p, struct spin_sweep *w)
{
    v4 carrier = v4_load(p->carrier_radps), capacity = v4_load(p->capacity_Nm);
    v4 t = v4_clamp(w->brake + (w->speed - carrier) / w->per_inertia, -capacity, capacity);
    v4 moved = w->speed - w->per_inertia * (t - w->brake);
    w->held = v4_abs(t) < capacity;
    w->speed = v4_pick(w->held, carrier, moved);
    w->brake = t;
}

V4_INLINE void spin_finish(const struct spin_problem *p, const struct spin_sweep *w,
                           struct spin_result *r)
{
    v4_store(r->speed_radps, w->speed);
    v4_store(r->friction_Nm, w->brake);
    r->speed_radps[SPIN_ENGINE] = w->engine;
    r->friction_Nm[SPIN_CLUTCH] = w->clutch;
    r->friction_Nm[SPIN_LOCK_FRONT] = w->lock[0];
    r->friction_Nm[SPIN_LOCK_REAR] = w->lock[1];
    v4_mask held = v4_abs(w->brake) < v4_load(p->capacity_Nm);
    r->locked = (held[0] & 1) | (held[1] & 2) | (held[2] & 4) | (held[3] & 8);
}

V4_INLINE void kernel_spin_solve(const struct spin_problem *p, double dt_s, struct spin_result *r)
{
    const double *c = p->capacity_Nm;
    double coupled_Nm = c[SPIN_CLUTCH] + c[SPIN_LOCK_FRONT] + c[SPIN_LOCK_REAR];
    struct spin_sweep w;
    spin_start(p, dt_s, r, &w);
    if (!(coupled_Nm > 0.0)) {
        spin_sweep_brakes(p, &w); /* the wheels do not know of each other: one sweep is exact */
        spin_finish(p, &w, r);
        return;
    }
    double per_slip = 1.0 / (w.engine_per_inertia + spin_sum(w.gear * w.gear * w.per_inertia));
    double enough_Nm = 1e-10 * (1.0 + coupled_Nm);
    for (int n = 0; n < SPIN_SWEEPS_MAX; n++) {
        double change = spin_sweep_clutch(p, per_slip, &w);
        if (c[SPIN_LOCK_FRONT] > 0.0)
            change += spin_sweep_lock(p, 0, &w);
        if (c[SPIN_LOCK_REAR] > 0.0)
            change += spin_sweep_lock(p, 1, &w);
        spin_sweep_brakes(p, &w);
        if (change <= enough_Nm)
            break;
    }
    spin_finish(p, &w, r);
}

#endif

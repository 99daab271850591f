#include "target/model/spin.h"

#include <math.h>

enum { SWEEPS_MAX = 24 };

/* The torque that stops the slip within the step, as far as the capacity goes. */
static double hold_torque(double torque_Nm, double slip_radps, double stiffness, double capacity_Nm)
{
    double t = torque_Nm + slip_radps * stiffness;
    return t > capacity_Nm ? capacity_Nm : t < -capacity_Nm ? -capacity_Nm : t;
}

static double clutch_slip(const struct spin_problem *p, const double *speed)
{
    double slip = speed[SPIN_ENGINE];
    for (int i = 0; i < WHEELS; i++)
        slip -= p->gear[i] * (speed[i] - p->body_radps[i]);
    return slip;
}

/* Speeds that follow from the guessed torques. */
static void start(const struct spin_problem *p, double dt_s, struct spin_result *r)
{
    for (int k = 0; k < SPIN_ELEMENTS; k++)
        r->friction_Nm[k] = hold_torque(r->friction_Nm[k], 0.0, 0.0, p->capacity_Nm[k]);
    double clutch = r->friction_Nm[SPIN_CLUTCH];
    for (int i = 0; i < WHEELS; i++) {
        double lock = r->friction_Nm[i < RL ? SPIN_LOCK_FRONT : SPIN_LOCK_REAR];
        double torque = p->torque_Nm[i] + p->gear[i] * clutch - r->friction_Nm[i];
        torque += i == FL || i == RL ? -lock : lock;
        r->speed_radps[i] = p->speed_radps[i] + dt_s * torque / p->inertia_kgm2[i];
    }
    r->speed_radps[SPIN_ENGINE] =
        p->speed_radps[SPIN_ENGINE] +
        dt_s * (p->torque_Nm[SPIN_ENGINE] - clutch) / p->inertia_kgm2[SPIN_ENGINE];
}

/* Returns how much the clutch torque changed. */
static double sweep_clutch(const struct spin_problem *p, double dt_s, double per_slip,
                           struct spin_result *r)
{
    double old = r->friction_Nm[SPIN_CLUTCH];
    double t = hold_torque(old, clutch_slip(p, r->speed_radps), per_slip, p->capacity_Nm[SPIN_CLUTCH]);
    double change = t - old;
    r->friction_Nm[SPIN_CLUTCH] = t;
    r->speed_radps[SPIN_ENGINE] -= dt_s * change / p->inertia_kgm2[SPIN_ENGINE];
    for (int i = 0; i < WHEELS; i++)
        r->speed_radps[i] += dt_s * p->gear[i] * change / p->inertia_kgm2[i];
    return fabs(change);
}

/* A lock between the wheels left and left + 1. Returns how much its torque changed. */
static double sweep_lock(const struct spin_problem *p, double dt_s, int lock, int left,
                         struct spin_result *r)
{
    double il = dt_s / p->inertia_kgm2[left], ir = dt_s / p->inertia_kgm2[left + 1];
    double slip = (r->speed_radps[left] - p->body_radps[left]) -
                  (r->speed_radps[left + 1] - p->body_radps[left + 1]);
    double old = r->friction_Nm[lock];
    double t = hold_torque(old, slip, 1.0 / (il + ir), p->capacity_Nm[lock]);
    r->friction_Nm[lock] = t;
    r->speed_radps[left] -= il * (t - old);
    r->speed_radps[left + 1] += ir * (t - old);
    return fabs(t - old);
}

static void sweep_brakes(const struct spin_problem *p, double dt_s, struct spin_result *r)
{
    r->locked = 0;
    for (int i = 0; i < WHEELS; i++) {
        double per_slip = p->inertia_kgm2[i] / dt_s;
        double slip = r->speed_radps[i] - p->carrier_radps[i];
        double t = hold_torque(r->friction_Nm[i], slip, per_slip, p->capacity_Nm[i]);
        r->speed_radps[i] -= (t - r->friction_Nm[i]) / per_slip;
        r->friction_Nm[i] = t;
        if (fabs(t) < p->capacity_Nm[i]) {
            r->speed_radps[i] = p->carrier_radps[i];
            r->locked |= 1u << i;
        }
    }
}

/* Slip to torque for the clutch: the inertia that closes it, over the step. */
static double clutch_stiffness(const struct spin_problem *p, double dt_s)
{
    double compliance = 1.0 / p->inertia_kgm2[SPIN_ENGINE];
    for (int i = 0; i < WHEELS; i++)
        compliance += p->gear[i] * p->gear[i] / p->inertia_kgm2[i];
    return 1.0 / (dt_s * compliance);
}

void spin_solve(const struct spin_problem *p, double dt_s, struct spin_result *r)
{
    const double *c = p->capacity_Nm;
    double coupled_Nm = c[SPIN_CLUTCH] + c[SPIN_LOCK_FRONT] + c[SPIN_LOCK_REAR];
    start(p, dt_s, r);
    if (!(coupled_Nm > 0.0)) {
        sweep_brakes(p, dt_s, r); /* the wheels do not know of each other: one sweep is exact */
        return;
    }
    double per_slip = clutch_stiffness(p, dt_s), enough_Nm = 1e-10 * (1.0 + coupled_Nm);
    for (int n = 0; n < SWEEPS_MAX; n++) {
        double change = sweep_clutch(p, dt_s, per_slip, r);
        if (c[SPIN_LOCK_FRONT] > 0.0)
            change += sweep_lock(p, dt_s, SPIN_LOCK_FRONT, FL, r);
        if (c[SPIN_LOCK_REAR] > 0.0)
            change += sweep_lock(p, dt_s, SPIN_LOCK_REAR, RL, r);
        sweep_brakes(p, dt_s, r);
        if (change <= enough_Nm)
            break;
    }
}

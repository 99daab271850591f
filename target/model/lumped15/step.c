/* One step: command, evaluate, advance. docs/model.md (I-1) to (I-6) */
#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"

#include <string.h>

/* Step over which dry friction is resolved when only rates are asked for. */
static const double rate_step_s = 1e-5;

static void advance_places(struct lumped15_state *s, const struct work *w, double dt_s)
{
    for (int k = 0; k < 3; k++)
        s->pos_m[k] += dt_s * s->vel_mps[k];
    struct quat q = quat_of(s->quat);
    struct quat dq = quat_rate(q, vec3_of(s->rate_radps));
    q = quat_normalise((struct quat){q.w + dt_s * dq.w, q.x + dt_s * dq.x, q.y + dt_s * dq.y,
                                     q.z + dt_s * dq.z});
    s->quat[0] = q.w;
    s->quat[1] = q.x;
    s->quat[2] = q.y;
    s->quat[3] = q.z;
    s->rack_m += dt_s * s->rack_mps;
    v4 turn_radps = v4_load(s->spin_radps) - w3_dot(w->axis, w->carrier_radps);
    v4_store(s->travel_m, v4_load(s->travel_m) + dt_s * v4_load(s->travel_mps));
    v4_store(s->angle_rad, v4_load(s->angle_rad) + dt_s * turn_radps);
}

static void advance_speeds(struct lumped15_state *s, const struct work *w, double dt_s)
{
    struct vec3 a = m3_mul(&w->R, w->acc_mps2);
    vec3_to(v3_madd(vec3_of(s->vel_mps), dt_s, a), s->vel_mps);
    vec3_to(v3_madd(vec3_of(s->rate_radps), dt_s, w->rate_acc_radps2), s->rate_radps);
    s->rack_mps += dt_s * w->rack_acc_mps2;
    v4_store(s->travel_mps, v4_load(s->travel_mps) + dt_s * w->travel_acc_mps2);
    memcpy(s->spin_radps, w->spin.speed_radps, sizeof s->spin_radps);
    s->driveline.engine_radps = w->spin.speed_radps[SPIN_ENGINE];
    s->driveline.clutch_Nm = w->spin.friction_Nm[SPIN_CLUTCH];
    memcpy(s->friction_Nm, w->spin.friction_Nm, sizeof s->friction_Nm);
    s->locked = w->spin.locked;
}

/* Tyre deflections, (C-6): explicit with the slip at the start, or implicit with the new spin. */
static void advance_slips(struct lumped15_state *s, const struct work *w, double implicit_s,
                          double dt_s)
{
    v4 ux = v4_load(s->slip_x_m), uy = v4_load(s->slip_y_m);
    if (implicit_s > 0.0) {
        v4 vsx = w->vx_mps - w->rolling_m * v4_load(w->spin.speed_radps);
        ux = (ux - dt_s * vsx) / (1.0 + dt_s * w->leak_x_1ps);
        uy = (uy - dt_s * w->vsy_mps) / (1.0 + dt_s * w->leak_y_1ps);
    } else {
        ux -= dt_s * (w->vsx_mps + w->leak_x_1ps * ux);
        uy -= dt_s * (w->vsy_mps + w->leak_y_1ps * uy);
    }
    v4_store(s->slip_x_m, ux);
    v4_store(s->slip_y_m, uy);
}

/* The hand wheel as a coordinate of its own; with angle input it follows the input. */
static double hand_acc(const struct lumped15_model *m, const struct lumped15_state *s,
                       const struct plant_in *in, const struct work *w, double dt_s)
{
    const struct steering_model *st = &m->steering;
    double free_radps =
        s->hand_radps + dt_s * (in->hand_wheel_Nm - w->steer.column_Nm) / st->hand_inertia_kgm2;
    double bite = dt_s * st->hand_friction_Nm / st->hand_inertia_kgm2;
    return (shrink(free_radps, bite) - s->hand_radps) / dt_s;
}

void lumped15_remember(const struct lumped15_model *m, const struct plant_in *in,
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
    memcpy(o->friction, w->tyre_in.friction, sizeof o->friction);
    v4_store(o->brake_Nm, w->brake_Nm);
    v4_store(o->drive_Nm, w->drive_Nm);
    v4_store(o->spring_N, w->spring_N);
    v4_store(o->damper_N, w->damper_N);
    v4_store(o->toe_rad, w->toe_rad);
    v4_store(o->camber_rad, w->camber_rad);
    v4_store(o->carrier_radps, w3_dot(w->axis, w->carrier_radps));
    o->column_Nm = w->steer.column_Nm;
    o->engine_Nm = w->drive.engine_Nm;
    o->clutch_Nm = w->spin.friction_Nm[SPIN_CLUTCH];
    o->drag_N = -w->aero_N.x;
    o->throttle = in->throttle;
    o->brake_pedal = in->brake_pedal;
    o->master_Pa = brake_master_Pa(&m->brake, in->brake_pedal);
    vec3_to(m3_mul(&w->R, vec3_lane(&w->normal, FL)), o->normal);
    s->airborne = 0;
    for (int i = 0; i < WHEELS; i++) {
        vec3_to(vec3_lane(&w->hub, i), o->hub_m[i]);
        vec3_to(vec3_lane(&w->axis, i), o->axis[i]);
        s->airborne |= w->tyre_in.load_N[i] > 0.0 ? 0u : 1u << i;
    }
}

/* Every number of the motion, times zero, adds up to zero unless one is not finite. */
static void check_finite(struct lumped15_state *s)
{
    const double *x = lumped15_motion(s);
    double zero = 0.0;
    for (size_t k = 0; k < LUMPED15_MOTION; k++)
        zero += 0.0 * x[k];
    if (!(zero == 0.0))
        s->fault |= PLANT_FAULT_NONFINITE;
}

static void substep(const struct lumped15_model *m, struct lumped15_state *s,
                    const struct plant_in *in, const struct ground *ground, double hand_radps,
                    double dt_s)
{
    struct work w;
    double implicit_s = m->integrator == LUMPED15_SEMI_IMPLICIT ? dt_s : 0.0;
    brake_step(&m->brake, in, dt_s, s->pressure_Pa);
    driveline_shift(&m->driveline, &s->driveline, in, dt_s);
    if (in->steer == PLANT_STEER_ANGLE)
        s->hand_radps = hand_radps;
    lumped15_code()->evaluate(m, s, in, ground, implicit_s, dt_s, &w);
    double hand_radps2 =
        in->steer == PLANT_STEER_TORQUE ? hand_acc(m, s, in, &w, dt_s) : 0.0;
    if (m->integrator == LUMPED15_FORWARD) {
        advance_places(s, &w, dt_s);
        s->hand_rad += dt_s * s->hand_radps;
        advance_slips(s, &w, 0.0, dt_s);
        advance_speeds(s, &w, dt_s);
        s->hand_radps += dt_s * hand_radps2;
    } else {
        advance_slips(s, &w, dt_s, dt_s);
        advance_speeds(s, &w, dt_s);
        s->hand_radps += dt_s * hand_radps2;
        advance_places(s, &w, dt_s);
        s->hand_rad += dt_s * s->hand_radps;
    }
    lumped15_remember(m, in, &w, s);
    check_finite(s);
}

static void step(const void *model, void *state, const struct plant_in *in,
                 const struct ground *ground, double dt_s)
{
    const struct lumped15_model *m = model;
    struct lumped15_state *s = state;
    if (s->fault)
        return;
    double part_s = dt_s / m->substeps;
    /* An angle input moves over the whole step, so that it has a rate. */
    double hand_radps = (in->hand_wheel_rad - s->hand_rad) / dt_s;
    for (int n = 0; n < m->substeps; n++)
        substep(m, s, in, ground, hand_radps, part_s);
    s->ticks++;
    s->time_s = (double)s->ticks * dt_s;
}

static size_t state_size(const void *model)
{
    (void)model;
    return sizeof(struct lumped15_state);
}

/* The vector of the reference solver: the motion, then the engine. */
static size_t x_count(const void *model)
{
    (void)model;
    return LUMPED15_MOTION + 1;
}

static void x_get(const void *model, const void *state, double *x)
{
    (void)model;
    const struct lumped15_state *s = state;
    memcpy(x, (const char *)s + offsetof(struct lumped15_state, pos_m), LUMPED15_MOTION * sizeof *x);
    x[LUMPED15_MOTION] = s->driveline.engine_radps;
}

static void x_set(const void *model, void *state, const double *x)
{
    (void)model;
    struct lumped15_state *s = state;
    memcpy(lumped15_motion(s), x, LUMPED15_MOTION * sizeof *x);
    s->driveline.engine_radps = x[LUMPED15_MOTION];
}

/* Rates of the motion, written into a state so that each has the place of what it changes. */
static void deriv(const void *model, const void *state, const struct plant_in *in,
                  const struct ground *ground, double *xdot)
{
    const struct lumped15_model *m = model;
    struct lumped15_state s = *(const struct lumped15_state *)state, d;
    struct work w;
    double target_Pa[WHEELS];
    double norm = 1.0 / sqrt(s.quat[0] * s.quat[0] + s.quat[1] * s.quat[1] +
                             s.quat[2] * s.quat[2] + s.quat[3] * s.quat[3]);
    for (int k = 0; k < 4; k++)
        s.quat[k] *= norm;
    brake_target(&m->brake, in, target_Pa);
    for (int i = 0; i < WHEELS; i++)
        if (!(m->brake.lag_s > 0.0))
            s.pressure_Pa[i] = target_Pa[i];
    lumped15_code()->evaluate(m, &s, in, ground, 0.0, rate_step_s, &w);

    memset(&d, 0, sizeof d);
    memcpy(d.pos_m, s.vel_mps, sizeof d.pos_m);
    struct quat dq = quat_rate(quat_of(s.quat), w.rate);
    d.quat[0] = dq.w;
    d.quat[1] = dq.x;
    d.quat[2] = dq.y;
    d.quat[3] = dq.z;
    vec3_to(m3_mul(&w.R, w.acc_mps2), d.vel_mps);
    vec3_to(w.rate_acc_radps2, d.rate_radps);
    memcpy(d.travel_m, s.travel_mps, sizeof d.travel_m);
    v4_store(d.travel_mps, w.travel_acc_mps2);
    d.rack_m = s.rack_mps;
    v4_store(d.angle_rad, v4_load(s.spin_radps) - w3_dot(w.axis, w.carrier_radps));
    d.rack_mps = w.rack_acc_mps2;
    for (int i = 0; i < WHEELS; i++) {
        d.spin_radps[i] = (w.spin.speed_radps[i] - s.spin_radps[i]) / rate_step_s;
        d.slip_x_m[i] = -w.vsx_mps[i] - w.leak_x_1ps[i] * s.slip_x_m[i];
        d.slip_y_m[i] = -w.vsy_mps[i] - w.leak_y_1ps[i] * s.slip_y_m[i];
        if (m->brake.lag_s > 0.0)
            d.pressure_Pa[i] = (target_Pa[i] - s.pressure_Pa[i]) / m->brake.lag_s;
    }
    /* With angle input the hand wheel goes on as it turns: its driver holds place and rate. */
    d.hand_rad = s.hand_radps;
    if (in->steer == PLANT_STEER_TORQUE)
        d.hand_radps = hand_acc(m, &s, in, &w, rate_step_s);
    d.driveline.engine_radps =
        (w.spin.speed_radps[SPIN_ENGINE] - s.driveline.engine_radps) / rate_step_s;
    x_get(model, &d, xdot);
}

const struct plant_ops lumped15_ops = {
    .name = "lumped15",
    .state_size = state_size,
    .reset = lumped15_reset,
    .step = step,
    .x_count = x_count,
    .x_get = x_get,
    .x_set = x_set,
    .deriv = deriv,
    .output = lumped15_output,
};

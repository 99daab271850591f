/* The interface of a model: steps, and rates for the reference solver. */
#include "target/model/lumped15/work.h"

#include <stdbool.h>
#include <string.h>

/* Step over which dry friction is resolved when only rates are asked for. */
static const double rate_step_s = 1e-5;

void lumped15_step(const struct lumped15_model *m, struct lumped15_state *s,
                   const struct plant_in *in, const struct ground *ground, double dt_s)
{
    const struct lumped15_isa *code = lumped15_code();
    if (s->fault)
        return;
    double part_s = dt_s / m->substeps;
    /* An angle input moves over the whole step, so that it has a rate. */
    double hand_radps = (in->hand_wheel_rad - s->hand_rad) / dt_s;
    for (int n = 0; n < m->substeps; n++)
        code->substep(m, s, in, ground, hand_radps, part_s);
    s->ticks++;
    s->time_s = (double)s->ticks * dt_s;
}

/* The reference solver's tests ask without a model for the part that all cars have. */
static bool has_hydraulics(const struct lumped15_model *m)
{
    return m && m->hydraulics.on;
}

static size_t state_size(const void *model)
{
    (void)model;
    return sizeof(struct lumped15_state);
}

/* The vector of the reference solver: the motion, the engine, and the hydraulics if there are. */
static size_t x_count(const void *model)
{
    return LUMPED15_MOTION + 1 + (has_hydraulics(model) ? HYDRAULICS_X : 0);
}

static void x_get(const void *model, const void *state, double *x)
{
    const struct lumped15_state *s = state;
    memcpy(x, (const char *)s + offsetof(struct lumped15_state, pos_m),
           LUMPED15_MOTION * sizeof *x);
    x[LUMPED15_MOTION] = s->driveline.engine_radps;
    if (has_hydraulics(model))
        memcpy(x + LUMPED15_MOTION + 1, &s->hydraulics, HYDRAULICS_X * sizeof *x);
}

static void x_set(const void *model, void *state, const double *x)
{
    struct lumped15_state *s = state;
    memcpy(lumped15_motion(s), x, LUMPED15_MOTION * sizeof *x);
    s->driveline.engine_radps = x[LUMPED15_MOTION];
    if (has_hydraulics(model))
        memcpy(&s->hydraulics, x + LUMPED15_MOTION + 1, HYDRAULICS_X * sizeof *x);
}

/* Rates of the motion, written into a state so that each has the place of what it changes. */
static void deriv(const void *model, const void *state, const struct plant_in *in,
                  const struct ground *ground, double *xdot)
{
    const struct lumped15_model *m = model;
    struct lumped15_state s = *(const struct lumped15_state *)state, d;
    struct work w;
    double norm = 1.0 / sqrt(s.quat[0] * s.quat[0] + s.quat[1] * s.quat[1] + s.quat[2] * s.quat[2] +
                             s.quat[3] * s.quat[3]);
    for (int k = 0; k < 4; k++)
        s.quat[k] *= norm;
    memset(&d, 0, sizeof d);
    brakes_rates(&m->brake, &m->hydraulics, &s.hydraulics, in, rate_step_s, s.pressure_Pa,
                 d.pressure_Pa, &d.hydraulics);
    lumped15_code()->evaluate(m, &s, in, ground, 0.0, rate_step_s, &w);

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
        d.spin_radps[i] = (w.turn.spin.speed_radps[i] - s.spin_radps[i]) / rate_step_s;
        d.slip_x_m[i] = -w.slip.vsx_mps[i] - w.slip.leak_x_1ps[i] * s.slip_x_m[i];
        d.slip_y_m[i] = -w.slip.vsy_mps[i] - w.slip.leak_y_1ps[i] * s.slip_y_m[i];
    }
    /* With angle input the hand wheel goes on as it turns: its driver holds place and rate. */
    d.hand_rad = s.hand_radps;
    if (in->steer == PLANT_STEER_TORQUE)
        d.hand_radps = steering_hand_acc(&m->steering, s.hand_radps, in->hand_wheel_Nm,
                                         w.steer.column_Nm, rate_step_s);
    d.driveline.engine_radps =
        (w.turn.spin.speed_radps[SPIN_ENGINE] - s.driveline.engine_radps) / rate_step_s;
    x_get(model, &d, xdot);
}

static void step(const void *model, void *state, void *scratch, const struct plant_in *in,
                 const struct ground *ground, double dt_s)
{
    (void)scratch;
    lumped15_step(model, state, in, ground, dt_s);
}

static void reset(const void *model, void *state, void *scratch, const struct plant_start *start,
                  const struct ground *ground)
{
    (void)scratch;
    lumped15_reset(model, state, start, ground);
}

static void hold_hand_wheel(const void *model, void *state, double hand_rad)
{
    const struct lumped15_model *m = model;
    struct lumped15_state *s = state;
    s->hand_rad = hand_rad;
    s->rack_m = hand_rad * m->steering.pinion_mprad;
}

static double energy_J(const void *model, const void *state, const struct ground *ground)
{
    return lumped15_energy_J(model, state, ground);
}

static void output(const void *model, const void *state, struct plant_out *out)
{
    lumped15_code()->output(model, state, out);
}

const struct model_ops lumped15_ops = {
    .name = "lumped15",
    .version = 1,
    .state_size = state_size,
    .facts = lumped15_facts,
    .states = lumped15_states,
    .reset = reset,
    .hold_hand_wheel = hold_hand_wheel,
    .step = step,
    .output = output,
    .x_count = x_count,
    .x_get = x_get,
    .x_set = x_set,
    .deriv = deriv,
    .energy_J = energy_J,
};

/* The interface of a model: steps, and rates for the reference solver. */
#include "target/model/two_track/work.h"

#include <string.h>

/* Step over which dry friction is resolved when only rates are asked for. */
static const double rate_step_s = 1e-5;
/* Rates belong to loads that fit the forces: so many rounds at most, until this much is left. */
enum { RATE_ROUNDS = 60 };
static const double rate_rest_N = 1e-9;

void two_track_step(const struct two_track_model *m, struct two_track_state *s,
                    const struct plant_in *in, const struct ground *ground, double dt_s)
{
    if (s->fault)
        return;
    two_track_code()->step(m, s, in, ground, dt_s);
    s->ticks++;
    s->time_s = (double)s->ticks * dt_s;
}

static size_t state_size(const void *model)
{
    (void)model;
    return sizeof(struct two_track_state);
}

static size_t x_count(const void *model)
{
    const struct two_track_model *m = model;
    return TWO_TRACK_MOTION + 1 + (m->hydraulics.on ? HYDRAULICS_X : 0);
}

/* The motion, the engine, and the hydraulics if there are. */
static void x_get(const void *model, const void *state, double *x)
{
    const struct two_track_model *m = model;
    const struct two_track_state *s = state;
    memcpy(x, s->pos_m, TWO_TRACK_MOTION * sizeof *x);
    x[TWO_TRACK_MOTION] = s->driveline.engine_radps;
    if (m->hydraulics.on)
        memcpy(x + TWO_TRACK_MOTION + 1, &s->hydraulics, HYDRAULICS_X * sizeof *x);
}

static void x_set(const void *model, void *state, const double *x)
{
    const struct two_track_model *m = model;
    struct two_track_state *s = state;
    memcpy(two_track_motion(s), x, TWO_TRACK_MOTION * sizeof *x);
    s->driveline.engine_radps = x[TWO_TRACK_MOTION];
    if (m->hydraulics.on)
        memcpy(&s->hydraulics, x + TWO_TRACK_MOTION + 1, HYDRAULICS_X * sizeof *x);
}

/* (P-24): the forces at loads that follow from these very forces. */
static void evaluate_settled(const struct two_track_model *m, struct two_track_state *s,
                             const struct plant_in *in, const struct ground *ground, struct work *w)
{
    for (int n = 0; n < RATE_ROUNDS; n++) {
        two_track_code()->evaluate(m, s, in, ground, 0.0, rate_step_s, w);
        const double *now = (const double *)&w->carry, *was = (const double *)&s->carry;
        double rest = 0.0;
        for (size_t k = 0; k < sizeof s->carry / sizeof *now; k++)
            rest += fabs(now[k] - was[k]);
        s->carry = w->carry;
        if (rest < rate_rest_N)
            break;
    }
}

/* Rates of the motion, written into a state so that each has the place of what it changes. */
static void deriv(const void *model, const void *state, const struct plant_in *in,
                  const struct ground *ground, double *xdot)
{
    const struct two_track_model *m = model;
    struct two_track_state s = *(const struct two_track_state *)state, d;
    struct work w;
    double norm = 1.0 / sqrt(s.heading[0] * s.heading[0] + s.heading[1] * s.heading[1]);
    s.heading[0] *= norm;
    s.heading[1] *= norm;
    memset(&d, 0, sizeof d);
    brakes_rates(&m->brake, &m->hydraulics, &s.hydraulics, in, rate_step_s, s.pressure_Pa,
                 d.pressure_Pa, &d.hydraulics);
    evaluate_settled(m, &s, in, ground, &w);

    double a = s.heading[0], b = s.heading[1], cosine = a * a - b * b, sine = 2.0 * a * b;
    d.pos_m[0] = s.vel_mps[0] * w.first.x + s.vel_mps[1] * w.second.x;
    d.pos_m[1] = s.vel_mps[0] * w.first.y + s.vel_mps[1] * w.second.y;
    d.heading[0] = -0.5 * s.yaw_radps * b;
    d.heading[1] = 0.5 * s.yaw_radps * a;
    d.vel_mps[0] = cosine * w.acc_mps2[0] - sine * w.acc_mps2[1];
    d.vel_mps[1] = sine * w.acc_mps2[0] + cosine * w.acc_mps2[1];
    d.yaw_radps = w.yaw_radps2;
    d.rack_m = w.rack_mps;
    memcpy(d.angle_rad, s.spin_radps, sizeof d.angle_rad);
    for (int i = 0; i < WHEELS; i++) {
        d.spin_radps[i] = (w.turn.spin.speed_radps[i] - s.spin_radps[i]) / rate_step_s;
        d.slip_x_m[i] = -w.slip.vsx_mps[i] - w.slip.leak_x_1ps[i] * s.slip_x_m[i];
        d.slip_y_m[i] = -w.slip.vsy_mps[i] - w.slip.leak_y_1ps[i] * s.slip_y_m[i];
    }
    /* With angle input the hand wheel goes on as it turns: its driver holds place and rate. */
    d.hand_rad = s.hand_radps;
    if (in->steer == PLANT_STEER_TORQUE)
        d.hand_radps = steering_hand_acc(&m->steering, s.hand_radps, in->hand_wheel_Nm, w.column_Nm,
                                         rate_step_s);
    d.driveline.engine_radps =
        (w.turn.spin.speed_radps[SPIN_ENGINE] - s.driveline.engine_radps) / rate_step_s;
    x_get(model, &d, xdot);
}

static void step(const void *model, void *state, void *scratch, const struct plant_in *in,
                 const struct ground *ground, double dt_s)
{
    (void)scratch;
    two_track_step(model, state, in, ground, dt_s);
}

static void reset(const void *model, void *state, void *scratch, const struct plant_start *start,
                  const struct ground *ground)
{
    (void)scratch;
    two_track_reset(model, state, start, ground);
}

static void hold_hand_wheel(const void *model, void *state, double hand_rad)
{
    const struct two_track_model *m = model;
    struct two_track_state *s = state;
    s->hand_rad = hand_rad;
    s->rack_m = hand_rad * m->steering.pinion_mprad;
}

static void output(const void *model, const void *state, struct plant_out *out)
{
    two_track_code()->output(model, state, out);
}

/* Kinetic and gravity: nothing else stores energy but the tyres' carcasses, which count nowhere. */
static double energy_J(const void *model, const void *state, const struct ground *ground)
{
    const struct two_track_model *m = model;
    const struct two_track_state *s = state;
    struct ground_point g;
    const double *v = s->vel_mps;
    double twice = m->total_kg * (v[0] * v[0] + v[1] * v[1]);
    twice += m->yaw_kgm2 * s->yaw_radps * s->yaw_radps;
    for (int i = 0; i < WHEELS; i++)
        twice += m->wheel_kgm2[i] * s->spin_radps[i] * s->spin_radps[i];
    ground->query(ground->road, s->pos_m[0], s->pos_m[1], &g);
    double high_m = g.z_m + m->height_m * g.normal[2];
    return 0.5 * twice + m->total_kg * m->gravity_mps2 * high_m;
}

const struct model_ops two_track_ops = {
    .name = "two_track",
    .version = 1,
    .state_size = state_size,
    .facts = two_track_facts,
    .states = two_track_states,
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

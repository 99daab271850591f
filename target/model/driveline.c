#include "target/model/driveline.h"

#include "target/model/math/scalar.h"

#include <string.h>

static int piece(const double *grid, int count, double x)
{
    int i = 0;
    while (i < count - 2 && x >= grid[i + 1])
        i++;
    return i;
}

/* Between which rows of the torque map a speed lies, and how far. */
struct map_row {
    int i;
    double a;
};

static struct map_row map_row(const struct driveline_model *m, double speed_radps)
{
    double w = between(speed_radps, m->speed_radps[0], m->speed_radps[m->speeds - 1]);
    int i = piece(m->speed_radps, m->speeds, w);
    return (struct map_row){i,
                            (w - m->speed_radps[i]) / (m->speed_radps[i + 1] - m->speed_radps[i])};
}

/* Bilinear in speed and pedal; the edges are held. */
static double map_Nm(const struct driveline_model *m, struct map_row row, double pedal)
{
    double p = between(pedal, m->pedal[0], m->pedal[m->pedals - 1]);
    int i = row.i, k = piece(m->pedal, m->pedals, p);
    double b = (p - m->pedal[k]) / (m->pedal[k + 1] - m->pedal[k]);
    double low = m->torque_Nm[i][k] + b * (m->torque_Nm[i][k + 1] - m->torque_Nm[i][k]);
    double high =
        m->torque_Nm[i + 1][k] + b * (m->torque_Nm[i + 1][k + 1] - m->torque_Nm[i + 1][k]);
    return low + row.a * (high - low);
}

/* Above idle the governor asks for less than nothing, so that the engine drags. */
static double idle_Nm(const struct driveline_model *m, double speed_radps)
{
    return at_most(m->idle_gain_Nmspr * (m->idle_radps - speed_radps), m->idle_max_Nm);
}

/* The torque for a pedal at a speed whose row is known. */
static double engine_Nm(const struct driveline_model *m, double speed_radps, struct map_row row,
                        double pedal)
{
    if (speed_radps < m->stall_radps)
        return m->stall_radps > 0.0 ? 0.0 : map_Nm(m, row, pedal);
    /* Over 5 % above the limit the pedal fades to nothing. */
    double cut = between((speed_radps - m->limit_radps) / (0.05 * m->limit_radps), 0.0, 1.0);
    double torque = map_Nm(m, row, pedal * (1.0 - cut));
    double idle = idle_Nm(m, speed_radps);
    return torque > idle ? torque : idle;
}

double driveline_engine_Nm(const struct driveline_model *m, double speed_radps, double pedal)
{
    return engine_Nm(m, speed_radps, map_row(m, speed_radps), pedal);
}

struct driveline_torque driveline_torque(const struct driveline_model *m,
                                         const struct driveline_state *s, double pedal)
{
    struct driveline_torque t = {0.0, 0.0, 0.0};
    if (!m->present)
        return t;
    double speed_radps = s->engine_radps, asked = between(pedal, 0.0, 1.0);
    struct map_row row = map_row(m, speed_radps);
    t.least_Nm = engine_Nm(m, speed_radps, row, 0.0);
    t.most_Nm = engine_Nm(m, speed_radps, row, 1.0);
    t.driver_Nm = s->shift_left_s > 0.0 || !(asked > 0.0) ? t.least_Nm
                                                          : engine_Nm(m, speed_radps, row, asked);
    return t;
}

/* One of the two requests. The engine goes from what it gives towards what is asked for; after the
 * end of the request back towards the driver's torque, until it makes no difference. */
static void follow_request(int asked, double asked_Nm, double driver_Nm, double sign, double follow,
                           uint32_t bit, double *held_Nm, struct driveline_state *s)
{
    const double near_Nm = 0.5;
    if (!asked && !(s->requests & bit))
        return;
    if (!(s->requests & bit))
        *held_Nm = driver_Nm;
    s->requests |= bit;
    *held_Nm += follow * ((asked ? asked_Nm : driver_Nm) - *held_Nm);
    if (!asked && sign * (*held_Nm - driver_Nm) > -near_Nm) {
        *held_Nm = 0.0;
        s->requests &= ~bit;
    }
}

static void follow_requests(const struct driveline_model *m, struct driveline_state *s,
                            const struct plant_in *in, double dt_s)
{
    if (!(in->engine_limit || in->engine_raise || s->requests))
        return;
    struct driveline_torque t = driveline_torque(m, s, in->throttle);
    double follow = dt_s / (m->request_lag_s + dt_s);
    double limit_Nm = between(in->engine_limit_Nm, t.least_Nm, t.most_Nm);
    double raise_Nm = between(in->engine_raise_Nm, t.least_Nm, t.most_Nm);
    follow_request(in->engine_limit, limit_Nm, t.driver_Nm, 1.0, follow, DRIVELINE_CAP, &s->cap_Nm,
                   s);
    follow_request(in->engine_raise, raise_Nm, t.driver_Nm, -1.0, follow, DRIVELINE_FLOOR,
                   &s->floor_Nm, s);
}

/* The torque with requests; the governor keeps the engine from stalling whatever a unit asks. */
static double requested_Nm(const struct driveline_model *m, const struct driveline_state *s,
                           double torque_Nm)
{
    if (!s->requests || s->engine_radps < m->stall_radps)
        return torque_Nm;
    if (s->requests & DRIVELINE_FLOOR)
        torque_Nm = at_least(torque_Nm, s->floor_Nm);
    if (s->requests & DRIVELINE_CAP)
        torque_Nm = at_most(torque_Nm, s->cap_Nm);
    return at_least(torque_Nm, idle_Nm(m, s->engine_radps));
}

static double gear_ratio(const struct driveline_model *m, int32_t gear)
{
    if (gear == PLANT_GEAR_NEUTRAL)
        return 0.0;
    return gear > 0 ? m->ratio[gear - 1] : -m->reverse_ratio;
}

static int32_t wanted_gear(const struct driveline_model *m, const struct driveline_state *s,
                           const struct plant_in *in)
{
    if (in->gear != PLANT_GEAR_AUTO) {
        int32_t g = in->gear;
        return g > m->gears ? m->gears : g < PLANT_GEAR_REVERSE ? PLANT_GEAR_REVERSE : g;
    }
    if (s->gear < 1)
        return 1;
    double pedal = between(in->throttle, 0.0, 1.0);
    const double *up = m->up_radps[s->gear - 1], *down = m->down_radps[s->gear - 1];
    if (s->gear < m->gears && s->engine_radps > up[0] + pedal * (up[1] - up[0]))
        return s->gear + 1;
    if (s->gear > 1 && s->engine_radps < down[0] + pedal * (down[1] - down[0]))
        return s->gear - 1;
    return s->gear;
}

void driveline_shift(const struct driveline_model *m, struct driveline_state *s,
                     const struct plant_in *in, double dt_s)
{
    if (!m->present)
        return;
    follow_requests(m, s, in, dt_s);
    if (s->shift_left_s > 0.0) {
        /* The nearest tick, so that rounding does not make a shift one tick longer. */
        s->shift_left_s = s->shift_left_s > 1.5 * dt_s ? s->shift_left_s - dt_s : 0.0;
        return;
    }
    int32_t gear = wanted_gear(m, s, in);
    if (in->gear == PLANT_GEAR_AUTO && s->rest_left_s > 0.0) {
        s->rest_left_s -= dt_s;
        gear = s->gear;
    }
    if (gear == s->gear)
        return;
    s->gear = gear;
    s->shift_left_s = m->shift_s;
    s->rest_left_s = m->shift_rest_s;
}

static double clutch_engaged(const struct driveline_model *m, const struct driveline_state *s,
                             const struct plant_in *in)
{
    double pedal = 1.0 - between(in->clutch_pedal, 0.0, 1.0);
    if (s->gear == PLANT_GEAR_NEUTRAL)
        return 0.0;
    if (m->clutch == CLUTCH_LOCKED)
        return 1.0;
    if (s->shift_left_s > 0.0)
        return 0.0;
    if (m->clutch == CLUTCH_PEDAL)
        return pedal;
    double bite =
        (s->engine_radps - m->engage_low_radps) / (m->engage_high_radps - m->engage_low_radps);
    return between(bite, 0.0, 1.0) * pedal;
}

void driveline_now(const struct driveline_model *m, const struct driveline_state *s,
                   const struct plant_in *in, struct driveline_now *now)
{
    memset(now, 0, sizeof *now);
    if (!m->present)
        return;
    /* While the clutch is open for a shift the engine gets no pedal. */
    double pedal = s->shift_left_s > 0.0 ? 0.0 : between(in->throttle, 0.0, 1.0);
    double ratio = gear_ratio(m, s->gear);
    now->engine_Nm = requested_Nm(m, s, driveline_engine_Nm(m, s->engine_radps, pedal));
    now->clutch_capacity_Nm = m->clutch_Nm * clutch_engaged(m, s, in);
    for (int i = 0; i < WHEELS; i++)
        now->gear[i] = ratio * m->share[i];
}

void driveline_start(const struct driveline_model *m, struct driveline_state *s, int32_t gear,
                     const double wheel_radps[WHEELS])
{
    memset(s, 0, sizeof *s);
    if (!m->present)
        return;
    double shaft_radps = 0.0;
    for (int i = 0; i < WHEELS; i++)
        shaft_radps += m->share[i] * wheel_radps[i];
    if (gear == PLANT_GEAR_AUTO) {
        gear = shaft_radps < -0.5 ? PLANT_GEAR_REVERSE : 1;
        while (gear >= 1 && gear < m->gears &&
               shaft_radps * m->ratio[gear - 1] > m->up_radps[gear - 1][0])
            gear++;
    }
    s->gear = gear;
    s->engine_radps = shaft_radps * gear_ratio(m, gear);
    if (m->clutch != CLUTCH_LOCKED && s->engine_radps < m->idle_radps)
        s->engine_radps = m->idle_radps;
}

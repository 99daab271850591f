#include "target/scenario/fault.h"

#include "target/model/math/random.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.283185307179586;

static uint32_t bit(int i)
{
    return 1u << (unsigned)i;
}

void fault_reset(const struct fault_set *set, struct fault_state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < set->count; i++)
        s->random[i] = random_stream(set->seed, (uint64_t)i);
}

/* ---- which are on */

/* For one tick at least, however short: else it could fall between two. */
static bool in_time(const struct fault *f, struct fault_state *s, int i, double time_s)
{
    if (!(f->start_s >= 0.0) || !(time_s >= f->start_s))
        return false;
    bool first = !(s->started & bit(i));
    s->started |= bit(i);
    return first || time_s < f->end_s;
}

/* A condition starts a fault once; it then lasts for its time. */
static bool on_condition(const struct fault *f, struct fault_state *s, int i,
                         const struct signals *last)
{
    if (!f->by_condition)
        return false;
    if (!(s->started & bit(i))) {
        if (!expr_holds(&f->when, last))
            return false;
        s->started |= bit(i);
        return true;
    }
    return (s->active & bit(i)) && (f->for_s <= 0.0 || s->since_s[i] < f->for_s);
}

uint32_t fault_update(const struct fault_set *set, struct fault_state *s,
                      const struct signals *last, double time_s, double step_s)
{
    uint32_t before = s->active, now = 0;
    for (int i = 0; i < set->count; i++) {
        const struct fault *f = &set->fault[i];
        s->since_s[i] += step_s;
        if (in_time(f, s, i, time_s) || on_condition(f, s, i, last) || (s->by_hand & bit(i)))
            now |= bit(i);
    }
    s->active = now;
    s->entering = now & ~before;
    for (int i = 0; i < set->count; i++)
        if (s->entering & bit(i))
            s->since_s[i] = 0.0;
    return now ^ before;
}

/* ---- sensors */

static double *analog(struct sensors_out *out, int sensor)
{
    switch (sensor) {
    case FAULT_YAW_RATE:
        return &out->yaw_rate_radps;
    case FAULT_ROLL_RATE:
        return &out->roll_rate_radps;
    case FAULT_PITCH_RATE:
        return &out->pitch_rate_radps;
    case FAULT_FORCE_X:
    case FAULT_FORCE_Y:
    case FAULT_FORCE_Z:
        return &out->force_mps2[sensor - FAULT_FORCE_X];
    case FAULT_LEVEL_AX:
    case FAULT_LEVEL_AY:
        return &out->level_acc_mps2[sensor - FAULT_LEVEL_AX];
    case FAULT_HAND_WHEEL:
        return &out->hand_wheel_rad;
    case FAULT_HAND_WHEEL_RATE:
        return &out->hand_wheel_radps;
    case FAULT_MASTER:
        return &out->master_Pa;
    default:
        return NULL;
    }
}

static double altered(const struct fault *f, struct fault_state *s, int i, double value)
{
    switch (f->kind) {
    case FAULT_STUCK:
        return s->held[i];
    case FAULT_OFFSET:
        return value + f->amount;
    case FAULT_DRIFT:
        return value + f->amount * s->since_s[i];
    case FAULT_GAIN:
        return value * f->amount;
    case FAULT_NOISE:
        return value + f->amount * random_gauss(&s->random[i]);
    default:
        return value;
    }
}

static void alter_analog(const struct fault *f, struct fault_state *s, int i,
                         struct sensors_out *out)
{
    if (f->sensor == FAULT_BRAKE_SWITCH) {
        if (s->entering & bit(i))
            s->held[i] = out->brake_switch;
        out->brake_switch = (uint32_t)s->held[i];
        return;
    }
    double *value = analog(out, f->sensor);
    if (!value)
        return;
    if (s->entering & bit(i))
        s->held[i] = *value;
    *value = altered(f, s, i, *value);
}

/* The last `gone` teeth of every revolution make no edge. Between edges the wheel turns as its
 * speed says, so the time of the last edge seen follows from the teeth passed since. */
static void miss_teeth(const struct fault *f, struct fault_state *s, int i, double teeth, int w,
                       struct sensors_out *out)
{
    struct fault_wheel *seen = &s->wheel[i];
    uint32_t round = (uint32_t)teeth, gone = (uint32_t)f->amount;
    uint32_t turn = out->wheel_edges[w] / round, in_turn = out->wheel_edges[w] % round;
    uint32_t left = round - gone;
    uint32_t past = in_turn >= left ? in_turn - left + 1 : 0; /* gone ones since the last seen */
    uint32_t edges = turn * left + (past ? left - 1 : in_turn);
    double pitch_s = out->wheel_radps[w] > 0.0 ? two_pi / (teeth * out->wheel_radps[w]) : 0.0;
    int64_t edge_ns = out->wheel_edge_ns[w] - (int64_t)(1e9 * pitch_s * past);
    if (s->entering & bit(i))
        *seen =
            (struct fault_wheel){.radps = out->wheel_radps[w], .edge_ns = edge_ns, .edges = edges};
    if (edges != seen->edges && edge_ns > seen->edge_ns) {
        seen->radps = two_pi / teeth * (double)(edges - seen->edges) /
                      (1e-9 * (double)(edge_ns - seen->edge_ns));
        seen->edge_ns = edge_ns;
        seen->edges = edges;
    }
    out->wheel_edges[w] = seen->edges;
    out->wheel_edge_ns[w] = seen->edge_ns;
    out->wheel_radps[w] = seen->radps;
}

static void alter_wheel(const struct fault_set *set, struct fault_state *s, int i,
                        struct sensors_out *out)
{
    const struct fault *f = &set->fault[i];
    int w = f->sensor - FAULT_WHEEL;
    struct fault_wheel *seen = &s->wheel[i];
    if (f->kind == FAULT_MISSING_TEETH) {
        miss_teeth(f, s, i, set->teeth[w], w, out);
        return;
    }
    if (f->kind != FAULT_NO_EDGES && f->kind != FAULT_STUCK) {
        out->wheel_radps[w] = fmax(0.0, altered(f, s, i, out->wheel_radps[w]));
        return;
    }
    if (s->entering & bit(i))
        *seen = (struct fault_wheel){.radps = out->wheel_radps[w],
                                     .edge_ns = out->wheel_edge_ns[w],
                                     .edges = out->wheel_edges[w]};
    out->wheel_edges[w] = seen->edges;
    out->wheel_edge_ns[w] = seen->edge_ns;
    out->wheel_radps[w] = f->kind == FAULT_STUCK ? seen->radps : 0.0;
}

static void swap_wheels(int a, int b, struct sensors_out *out)
{
    const struct sensors_out was = *out;
    out->wheel_edges[a] = was.wheel_edges[b];
    out->wheel_edges[b] = was.wheel_edges[a];
    out->wheel_edge_ns[a] = was.wheel_edge_ns[b];
    out->wheel_edge_ns[b] = was.wheel_edge_ns[a];
    out->wheel_radps[a] = was.wheel_radps[b];
    out->wheel_radps[b] = was.wheel_radps[a];
}

void fault_sensors(const struct fault_set *set, struct fault_state *s, struct sensors_out *out)
{
    for (int i = 0; i < set->count; i++) {
        const struct fault *f = &set->fault[i];
        if (!(s->active & bit(i)) || f->kind >= FAULT_PRESSURE_STUCK)
            continue;
        if (f->kind == FAULT_SWAPPED)
            swap_wheels(f->wheel, f->other, out);
        else if (f->sensor >= FAULT_WHEEL)
            alter_wheel(set, s, i, out);
        else
            alter_analog(f, s, i, out);
    }
}

/* ---- brakes */

static bool is_hydraulic(const struct fault *f)
{
    return f->kind == FAULT_LEAK || f->kind == FAULT_VALVE_STUCK || f->kind == FAULT_PUMP_DEAD;
}

const struct fault *fault_needs_hydraulics(const struct fault_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (is_hydraulic(&set->fault[i]))
            return &set->fault[i];
    return NULL;
}

static void add_leak(const struct fault *f, struct plant_leak *leak)
{
    double *at = f->circuit < 0 ? &leak->wheel[f->wheel] : &leak->circuit[f->circuit];
    *at += f->amount;
}

/* Of two faults that slow a wheel down the slower one acts. */
static void slow_down(const struct fault *f, double *slow_Paps)
{
    if (!(*slow_Paps > 0.0 && *slow_Paps < f->amount))
        *slow_Paps = f->amount;
}

void fault_brakes(const struct fault_set *set, const struct fault_state *s, struct plant_in *in)
{
    memset(&in->leak, 0, sizeof in->leak);
    memset(in->slow_Paps, 0, sizeof in->slow_Paps);
    in->hold = in->hydraulic_fault = 0;
    for (int i = 0; i < set->count; i++) {
        const struct fault *f = &set->fault[i];
        if (!(s->active & bit(i)))
            continue;
        if (f->kind == FAULT_PRESSURE_STUCK)
            in->hold |= bit(f->wheel);
        else if (f->kind == FAULT_PRESSURE_SLOW)
            slow_down(f, &in->slow_Paps[f->wheel]);
        else if (f->kind == FAULT_LEAK)
            add_leak(f, &in->leak);
        else if (is_hydraulic(f))
            in->hydraulic_fault |= f->stuck;
    }
}

const char *fault_kind_name(int kind)
{
    static const char *const names[] = {
        "stuck",         "offset",      "drift",     "gain",           "noise",
        "missing_teeth", "no_edges",    "swapped",   "pressure_stuck", "pressure_slow",
        "leak",          "valve_stuck", "pump_dead", "frame"};
    return kind >= 0 && kind < FAULT_KINDS ? names[kind] : "unknown";
}

#include "target/model/hydraulics.h"

#include "target/model/math/scalar.h"
#include "target/model/math/v4.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* What flows where, at the start of a step: conductances are q over pressure difference there. */
struct now {
    double master_Pa[CIRCUITS], line_Pa[CIRCUITS], caliper_Pa[WHEELS], accumulator_Pa[CIRCUITS];
    /* dV/dp */
    double master_m3pPa[CIRCUITS], line_m3pPa[CIRCUITS], caliper_m3pPa[WHEELS];
    double accumulator_m3pPa[CIRCUITS];
    /* conductances, m3/s/Pa */
    double reservoir[CIRCUITS]; /* reservoir to master */
    double separation[CIRCUITS], inlet[WHEELS], outlet[WHEELS], relief[CIRCUITS];
    double wheel_leak[WHEELS], circuit_leak[CIRCUITS];
    double prime[CIRCUITS];       /* master to line by the pump, per pressure above vapour's */
    double empties_1ps[CIRCUITS]; /* accumulator to line by the pump, per filling */
    double piston_N[CIRCUITS];    /* springs and stops push each piston back by so much */
    double gap_Npm, back_Npm[CIRCUITS]; /* and stiffer: between the pistons, and to the body */
    /* out of line and accumulator within a step, to wheels whose flows are given, (H-15) */
    double line_given_m3[CIRCUITS], low_given_m3[CIRCUITS];
};

/* ---- parts */

double hydraulics_rod_N(const struct hydraulics_model *m, double pedal)
{
    double rod_N = clamp01(pedal) * m->pedal_N * m->pedal_ratio - m->boost_from_N;
    if (!(rod_N > 0.0))
        return 0.0;
    return rod_N + at_most((m->boost - 1.0) * rod_N, m->assist_N); /* (H-1) */
}

double hydraulics_static_Pa(const struct hydraulics_model *m, double pedal)
{
    double free_N = hydraulics_rod_N(m, pedal) - m->spring_N[CIRCUIT_1];
    return free_N > 0.0 ? free_N / m->piston_m2 : 0.0;
}

/* Turbulent above the transition, laminar below, (H-4): q = flow dp / (dp^2 + transition^2)^(1/4).
 * Returns q / dp. */
static double conductance(const struct hydraulics_model *m, double flow, double dp_Pa)
{
    double tr_Pa = m->transition_Pa;
    return flow / sqrt(sqrt(dp_Pa * dp_Pa + tr_Pa * tr_Pa));
}

/* Check valves and seals lift in proportion, up to their full opening. Without a difference they
 * are closed, so that none is open at the start of a step in which its flow turns. */
static double check_lift(const struct hydraulics_model *m, double dp_Pa)
{
    return clamp01(dp_Pa / m->lift_Pa);
}

/* A valve and the pipe behind it, (H-5): resistances of turbulent flow add. */
static double in_series(double flow, double pipe)
{
    double ratio = flow / pipe;
    return flow / sqrt(1.0 + ratio * ratio);
}

/* Chambers and lines are elastic down to the vapour's pressure; then a void grows. */
static double elastic_Pa(const struct hydraulics_model *m, double Papm3, double extra_m3,
                         double *m3pPa)
{
    const double share = 1e-5; /* of the stiffness is left */
    double p_Pa = Papm3 * extra_m3, over_Pa = p_Pa + m->vapour_Pa;
    *m3pPa = 1.0 / Papm3;
    if (over_Pa >= 0.0)
        return p_Pa;
    *m3pPa /= share;
    return share * over_Pa - m->vapour_Pa;
}

static double extra_m3(const struct hydraulics_model *m, const struct hydraulics_state *s, int c)
{
    double moved_m =
        c == CIRCUIT_1 ? s->piston_m[CIRCUIT_1] - s->piston_m[CIRCUIT_2] : s->piston_m[CIRCUIT_2];
    return s->master_m3[c] + m->piston_m2 * moved_m;
}

static double caliper_Pa(const struct hydraulics_model *m, int i, double v_m3, double *m3pPa)
{
    double bend = v_m3 > 0.0 ? m->caliper_Papm6[i] * v_m3 : 0.0;
    *m3pPa = 1.0 / (m->caliper_Papm3[i] + 2.0 * bend);
    return (m->caliper_Papm3[i] + bend) * v_m3; /* (H-7) */
}

/* The volume that has this pressure. */
static double caliper_m3(const struct hydraulics_model *m, int i, double p_Pa)
{
    double a = m->caliper_Papm3[i], b = m->caliper_Papm6[i];
    return p_Pa > 0.0 ? 2.0 * p_Pa / (a + sqrt(a * a + 4.0 * b * p_Pa)) : p_Pa / a;
}

/* Empty against its bottom, filling against its spring, full against its wall, (H-8). */
static double accumulator_Pa(const struct hydraulics_model *m, double v_m3, double *m3pPa)
{
    double begin_m3 = m->accumulator_Pa / m->wall_Papm3;
    double in_m3 = v_m3 - begin_m3, over_m3 = v_m3 - m->accumulator_m3;
    *m3pPa = 1.0 / (in_m3 > 0.0 && over_m3 < 0.0 ? m->accumulator_Papm3 : m->wall_Papm3);
    if (in_m3 <= 0.0)
        return m->wall_Papm3 * v_m3;
    double p_Pa = m->accumulator_Pa + m->accumulator_Papm3 * in_m3;
    return over_m3 > 0.0 ? p_Pa + (m->wall_Papm3 - m->accumulator_Papm3) * over_m3 : p_Pa;
}

/* ---- valves, (H-6) */

/* Where a valve is going: its current and whether it is stuck; rest is its opening without current.
 */
static double opening_for(double current, double rest, uint32_t fault, uint32_t open,
                          uint32_t closed)
{
    double x = rest > 0.5 ? 1.0 - clamp01(current) : clamp01(current);
    x = fault & open ? 1.0 : x;
    return fault & closed ? 0.0 : x;
}

static const struct plant_valves at_rest;

struct targets {
    double separation[CIRCUITS], prime[CIRCUITS], inlet[WHEELS], outlet[WHEELS];
    double pump;
};

static void find_targets(const struct hydraulics_model *m, const struct hydraulics_state *s,
                         const struct plant_in *in, struct targets *t)
{
    const struct plant_valves *v = in->brake == PLANT_BRAKE_VALVES ? &in->valves : &at_rest;
    uint32_t fault = in->hydraulic_fault;
    for (int i = 0; i < WHEELS; i++) {
        t->inlet[i] = opening_for(v->inlet[i], 1.0, fault, (uint32_t)PLANT_INLET_OPEN << i,
                                  (uint32_t)PLANT_INLET_CLOSED << i);
        t->outlet[i] = opening_for(v->outlet[i], 0.0, fault, (uint32_t)PLANT_OUTLET_OPEN << i,
                                   (uint32_t)PLANT_OUTLET_CLOSED << i);
    }
    double load_Pa = 0.0;
    for (int c = 0; c < CIRCUITS; c++) {
        t->separation[c] =
            opening_for(v->separation[c], 1.0, fault, (uint32_t)PLANT_SEPARATION_OPEN << c,
                        (uint32_t)PLANT_SEPARATION_CLOSED << c);
        t->prime[c] = opening_for(v->prime[c], 0.0, fault, (uint32_t)PLANT_PRIME_OPEN << c,
                                  (uint32_t)PLANT_PRIME_CLOSED << c);
        load_Pa += at_least(m->line_Papm3 * s->line_m3[c], 0.0);
    }
    /* (H-10): the motor gives way under pressure. */
    double speed = clamp01(v->pump) * at_least(1.0 - load_Pa / (CIRCUITS * m->stall_Pa), 0.0);
    t->pump = fault & PLANT_PUMP_DEAD ? 0.0 : speed;
}

/* Rate of a first-order lag; a valve that rests open closes by its current. */
static double lag_s(const struct hydraulics_valve *v, double rest, double now, double target)
{
    bool by_current = rest > 0.5 ? target < now : target > now;
    return by_current ? v->on_s : v->off_s;
}

/* First order, implicit; ends at the target, or differences would become ever smaller numbers,
 * which CPUs are slow with. */
static double lagged(double now, double target, double time_s, double dt_s)
{
    double next = now + dt_s / (time_s + dt_s) * (target - now);
    return fabs(target - next) < 1e-9 ? target : next;
}

/* Most valves are where they should be most of the time. */
static double follow(const struct hydraulics_valve *v, double rest, double now, double target,
                     double dt_s)
{
    if (fabs(target - now) < 1e-9)
        return target;
    return lagged(now, target, lag_s(v, rest, now, target), dt_s);
}

static void move_valves(const struct hydraulics_model *m, struct hydraulics_state *s,
                        const struct targets *t, double dt_s)
{
    for (int i = 0; i < WHEELS; i++) {
        s->inlet[i] = follow(&m->inlet[i], 1.0, s->inlet[i], t->inlet[i], dt_s);
        s->outlet[i] = follow(&m->outlet[i], 0.0, s->outlet[i], t->outlet[i], dt_s);
    }
    for (int c = 0; c < CIRCUITS; c++) {
        s->separation[c] = follow(&m->separation, 1.0, s->separation[c], t->separation[c], dt_s);
        s->prime[c] = follow(&m->prime, 0.0, s->prime[c], t->prime[c], dt_s);
    }
    s->pump = lagged(s->pump, t->pump, m->motor_s, dt_s);
}

/* ---- pressures and conductances */

/* Springs between the pistons and behind the second, and what stops them, (H-3). */
static void look_at_pistons(const struct hydraulics_model *m, const struct hydraulics_state *s,
                            struct now *n)
{
    double x1 = s->piston_m[CIRCUIT_1], x2 = s->piston_m[CIRCUIT_2], gap_m = x1 - x2;
    double gap_N = m->spring_N[CIRCUIT_1] + m->spring_Npm[CIRCUIT_1] * gap_m;
    double back_N = m->spring_N[CIRCUIT_2] + m->spring_Npm[CIRCUIT_2] * x2;
    double rest_N = 0.0, over_m;
    n->gap_Npm = m->spring_Npm[CIRCUIT_1];
    n->back_Npm[CIRCUIT_1] = 0.0;
    n->back_Npm[CIRCUIT_2] = m->spring_Npm[CIRCUIT_2];
    /* The springs' preloads are held: by the bolt between the pistons, by the stops in the body. */
    over_m = gap_m - m->stroke_m[CIRCUIT_1];
    if (over_m > 0.0) {
        gap_N += m->stop_Npm * over_m;
        n->gap_Npm += m->stop_Npm;
    } else if (gap_m < 0.0) {
        gap_N += m->stop_Npm * gap_m;
        n->gap_Npm += m->stop_Npm;
    }
    over_m = x2 - m->stroke_m[CIRCUIT_2];
    if (over_m > 0.0) {
        back_N += m->stop_Npm * over_m;
        n->back_Npm[CIRCUIT_2] += m->stop_Npm;
    } else if (x2 < 0.0) {
        back_N += m->stop_Npm * x2;
        n->back_Npm[CIRCUIT_2] += m->stop_Npm;
    }
    if (x1 < 0.0) {
        rest_N = m->stop_Npm * x1;
        n->back_Npm[CIRCUIT_1] = m->stop_Npm;
    }
    n->piston_N[CIRCUIT_1] = gap_N + rest_N;
    n->piston_N[CIRCUIT_2] = back_N - gap_N;
}

/* Port while the piston is near its rest, and its seal, which lets fluid in but not out, (H-2). */
static double reservoir_flow(const struct hydraulics_model *m, double piston_m, double p_Pa)
{
    double open = clamp01(1.0 - piston_m / m->port_m);
    return open * m->port + m->refill * check_lift(m, -p_Pa);
}

static void look_at_circuit(const struct hydraulics_model *m, const struct hydraulics_state *s,
                            const struct plant_in *in, int c, struct now *n)
{
    double master_Pa = n->master_Pa[c] =
        elastic_Pa(m, m->master_Papm3, extra_m3(m, s, c), &n->master_m3pPa[c]);
    double line_Pa = n->line_Pa[c] = elastic_Pa(m, m->line_Papm3, s->line_m3[c], &n->line_m3pPa[c]);
    double low_m3 = s->accumulator_m3[c];
    n->accumulator_Pa[c] = accumulator_Pa(m, low_m3, &n->accumulator_m3pPa[c]);
    n->reservoir[c] = conductance(m, reservoir_flow(m, s->piston_m[c], master_Pa), master_Pa);
    double sep = s->separation[c] * m->separation.flow;
    sep += m->separation_check * check_lift(m, master_Pa - line_Pa);
    n->separation[c] = conductance(m, sep, master_Pa - line_Pa);
    double over_Pa = line_Pa - master_Pa - m->relief_Pa;
    n->relief[c] = over_Pa > 0.0 ? conductance(m, m->separation.flow, over_Pa) : 0.0;
    /* (H-9): the accumulator first; the rest of the delivery through the prime valve, as much as
     * the pressure above the vapour's drives through it. */
    double wish_m3ps = s->pump * m->pump_m3ps;
    double kept_m3 = at_least(low_m3, 0.0) + m->suction_m3;
    n->empties_1ps[c] = wish_m3ps / kept_m3;
    double drive_Pa = master_Pa + m->vapour_Pa;
    n->prime[c] = 0.0;
    if (s->prime[c] > 0.0 && wish_m3ps > 0.0 && drive_Pa > 0.0) {
        double rest_m3ps = wish_m3ps * m->suction_m3 / kept_m3;
        double most = conductance(m, s->prime[c] * m->prime.flow, drive_Pa);
        n->prime[c] = most * rest_m3ps / (most * drive_Pa + rest_m3ps);
    }
    double leak = in->leak.circuit[c];
    n->circuit_leak[c] = 0.0;
    if (leak > 0.0 && line_Pa > 0.0) {
        double flow = at_least(m->inlet[m->wheel[c][0]].flow, m->inlet[m->wheel[c][1]].flow);
        n->circuit_leak[c] = conductance(m, leak * flow, line_Pa);
    }
}

static void look_at_wheel(const struct hydraulics_model *m, const struct hydraulics_state *s,
                          const struct plant_in *in, int i, struct now *n)
{
    int c = m->circuit[i];
    double p_Pa = n->caliper_Pa[i] = caliper_Pa(m, i, s->caliper_m3[i], &n->caliper_m3pPa[i]);
    double flow = s->inlet[i] * m->inlet[i].flow;
    flow += m->inlet_check[i] * check_lift(m, p_Pa - n->line_Pa[c]);
    n->inlet[i] = conductance(m, in_series(flow, m->pipe[i]), n->line_Pa[c] - p_Pa);
    flow = s->outlet[i] * m->outlet[i].flow;
    n->outlet[i] =
        flow > 0.0 ? conductance(m, in_series(flow, m->pipe[i]), p_Pa - n->accumulator_Pa[c]) : 0.0;
    double leak = in->leak.wheel[i];
    n->wheel_leak[i] =
        leak > 0.0 && p_Pa > 0.0 ? conductance(m, leak * m->inlet[i].flow, p_Pa) : 0.0;
}

/* Nothing flows at this wheel, (H-14). */
static void close_wheel(struct now *n, int i)
{
    n->inlet[i] = n->outlet[i] = n->wheel_leak[i] = 0.0;
}

static void look(const struct hydraulics_model *m, const struct hydraulics_state *s,
                 const struct plant_in *in, struct now *n)
{
    look_at_pistons(m, s, n);
    for (int c = 0; c < CIRCUITS; c++) {
        look_at_circuit(m, s, in, c, n);
        n->line_given_m3[c] = n->low_given_m3[c] = 0.0;
    }
    for (int i = 0; i < WHEELS; i++)
        look_at_wheel(m, s, in, i, n);
    if (!in->hold)
        return;
    for (int i = 0; i < WHEELS; i++)
        if (in->hold >> i & 1u)
            close_wheel(n, i);
}

/* ---- a step */

/* Changes of pressure within a step. */
struct change {
    double master_Pa[CIRCUITS], line_Pa[CIRCUITS], caliper_Pa[WHEELS], accumulator_Pa[CIRCUITS];
    double piston_m[CIRCUITS];
};

/* One circuit with calipers, accumulator and line eliminated in this order:
 * master dp = (master_b + what the pistons displace) / master_y, and back again. */
struct reduced {
    double caliper_y[2], caliper_b[2], line_k[2], low_k[2]; /* of the circuit's two wheels */
    double low_y, low_b, low_line;
    double line_y, line_b, line_master;
    double master_y, master_b;
};

V4_INLINE void reduce(const struct hydraulics_model *m, const struct hydraulics_state *s,
                      const struct now *n, int c, double h, struct reduced *r)
{
    double pm = n->master_Pa[c], pl = n->line_Pa[c], pa = n->accumulator_Pa[c];
    double sep = h * n->separation[c], relief = h * n->relief[c], prime = h * n->prime[c];
    double empties = h * n->empties_1ps[c], low_m3pPa = n->accumulator_m3pPa[c];
    double to_line = sep * (pm - pl) - relief * (pl - pm - m->relief_Pa);
    double primed = prime * (pm + m->vapour_Pa), pumped = empties * s->accumulator_m3[c];
    double leak = h * n->circuit_leak[c];
    /* y dp - k dp' = b for each place, in its own order */
    double low_y = low_m3pPa * (1.0 + empties), low_line = 0.0;
    double low_b = -pumped - n->low_given_m3[c];
    double line_y = n->line_m3pPa[c] + sep + relief + leak;
    double line_b = to_line + primed + pumped - leak * pl - n->line_given_m3[c];
    double line_low = empties * low_m3pPa; /* what the pump brings grows with the accumulator */
    for (int k = 0; k < 2; k++) {
        int i = m->wheel[c][k];
        double in = h * n->inlet[i], out = h * n->outlet[i], lost = h * n->wheel_leak[i];
        double p = n->caliper_Pa[i];
        double flow_in = in * (pl - p), flow_out = out * (p - pa);
        double y = n->caliper_m3pPa[i] + in + out + lost, b = flow_in - flow_out - lost * p;
        double over = 1.0 / y, share_in = in * over, share_out = out * over;
        r->caliper_y[k] = over;
        r->caliper_b[k] = b;
        r->line_k[k] = in;
        r->low_k[k] = out;
        line_y += in - share_in * in;
        line_b += share_in * b - flow_in;
        line_low += share_in * out;
        low_y += out - share_out * out;
        low_b += share_out * b + flow_out;
        low_line += share_out * in;
    }
    double over = 1.0 / low_y;
    line_y -= line_low * over * low_line;
    line_b += line_low * over * low_b;
    r->low_y = over;
    r->low_b = low_b;
    r->low_line = low_line;
    double line_master = sep + relief + prime, master_line = sep + relief;
    over = 1.0 / line_y;
    double port = h * n->reservoir[c];
    r->line_y = over;
    r->line_b = line_b;
    r->line_master = line_master;
    r->master_y =
        n->master_m3pPa[c] + port + sep + relief + prime - master_line * over * line_master;
    r->master_b = -port * pm - to_line - primed + master_line * over * line_b;
}

/* Both pistons with the reduced circuits, (H-12). */
V4_INLINE void solve_pistons(const struct hydraulics_model *m, const struct now *n,
                             const struct reduced r[CIRCUITS], double rod_N, double h,
                             struct change *d)
{
    double A = m->piston_m2, p1 = n->master_Pa[CIRCUIT_1], p2 = n->master_Pa[CIRCUIT_2];
    double over1 = 1.0 / r[CIRCUIT_1].master_y, over2 = 1.0 / r[CIRCUIT_2].master_y;
    double b1 = r[CIRCUIT_1].master_b * over1, b2 = r[CIRCUIT_2].master_b * over2;
    /* dp1 = b1 + A (dx1 - dx2) over1, dp2 = b2 + A dx2 over2 */
    double k1 = h * (n->gap_Npm + A * A * over1), k2 = h * (n->back_Npm[CIRCUIT_2] + A * A * over2);
    double y11 = m->damping_Nspm + h * n->back_Npm[CIRCUIT_1] + k1;
    double y22 = m->damping_Nspm + k1 + k2;
    double f1 = h * (rod_N - A * (p1 + b1) - n->piston_N[CIRCUIT_1]);
    double f2 = h * (A * (p1 + b1 - p2 - b2) - n->piston_N[CIRCUIT_2]);
    double over = 1.0 / (y11 * y22 - k1 * k1);
    double x1 = d->piston_m[CIRCUIT_1] = (f1 * y22 + k1 * f2) * over;
    double x2 = d->piston_m[CIRCUIT_2] = (f2 * y11 + k1 * f1) * over;
    d->master_Pa[CIRCUIT_1] = b1 + A * (x1 - x2) * over1;
    d->master_Pa[CIRCUIT_2] = b2 + A * x2 * over2;
}

V4_INLINE void go_back(const struct hydraulics_model *m, const struct reduced *r, int c,
                       struct change *d)
{
    double line = d->line_Pa[c] = (r->line_b + r->line_master * d->master_Pa[c]) * r->line_y;
    double low = d->accumulator_Pa[c] = (r->low_b + r->low_line * line) * r->low_y;
    for (int k = 0; k < 2; k++)
        d->caliper_Pa[m->wheel[c][k]] =
            (r->caliper_b[k] + r->line_k[k] * line + r->low_k[k] * low) * r->caliper_y[k];
}

/* Both pistons and the pressures of the master cylinder; go_back() finds the other pressures. */
V4_INLINE void solve(const struct hydraulics_model *m, const struct hydraulics_state *s,
                     const struct now *n, double h, struct reduced r[CIRCUITS], struct change *d)
{
    for (int c = 0; c < CIRCUITS; c++)
        reduce(m, s, n, c, h, &r[c]);
    solve_pistons(m, n, r, s->booster_N, h, d);
}

/* Through inlet, outlet and leak of a wheel. */
struct wheel_flow {
    double in_m3, out_m3, leak_m3;
};

static struct wheel_flow flow_wheel(const struct now *n, int i, double line_Pa, double p_Pa,
                                    double low_Pa, double h)
{
    return (struct wheel_flow){.in_m3 = h * n->inlet[i] * (line_Pa - p_Pa),
                               .out_m3 = h * n->outlet[i] * (p_Pa - low_Pa),
                               .leak_m3 = h * n->wheel_leak[i] * p_Pa};
}

/* What the wheel gains by them. */
static double gain_m3(const struct wheel_flow *f)
{
    return f->in_m3 - f->out_m3 - f->leak_m3;
}

/* The flows with the pressures of the step's end, each from one place to another. With d all zero
 * and h of one second they are the rates at the present state. */
static void flow_circuit(const struct hydraulics_model *m, const struct now *n,
                         const struct change *d, double low_m3, int c, double h,
                         struct hydraulics_state *to)
{
    double pm = n->master_Pa[c] + d->master_Pa[c], pl = n->line_Pa[c] + d->line_Pa[c];
    double pa = n->accumulator_Pa[c] + d->accumulator_Pa[c];
    double in_low_m3 = low_m3 + n->accumulator_m3pPa[c] * d->accumulator_Pa[c];
    double pumped = h * n->empties_1ps[c] * in_low_m3;
    double primed = h * n->prime[c] * (pm + m->vapour_Pa);
    double returned = h * n->reservoir[c] * pm;
    double to_line = h * (n->separation[c] * (pm - pl) - n->relief[c] * (pl - pm - m->relief_Pa));
    double lost = h * n->circuit_leak[c] * pl;
    double line = to_line + primed + pumped - lost, low = -pumped;
    for (int k = 0; k < 2; k++) {
        int i = m->wheel[c][k];
        struct wheel_flow f = flow_wheel(n, i, pl, n->caliper_Pa[i] + d->caliper_Pa[i], pa, h);
        to->caliper_m3[i] += gain_m3(&f);
        line -= f.in_m3;
        low += f.out_m3;
        lost += f.leak_m3;
    }
    to->master_m3[c] -= returned + to_line + primed;
    to->line_m3[c] += line;
    to->accumulator_m3[c] += low;
    to->reservoir_m3 += returned;
    to->lost_m3 += lost;
    to->pump_m3ps[c] = (primed + pumped) / h;
}

/* ---- wheels that a fault slows down, (H-15) */

/* Wheels that change at their rate in a step, up (1) or down (-1), and the flows that do it. */
struct slow {
    int way[WHEELS]; /* 0: free, by its conductances */
    struct wheel_flow given[WHEELS];
};

static bool any_slow(const struct plant_in *in)
{
    const double *slow = in->slow_Paps;
    return (slow[FL] + slow[FR]) + (slow[RL] + slow[RR]) > 0.0;
}

/* By how much the pressure of a wheel would change, (H-12), between these pressures. */
static double free_change_Pa(const struct hydraulics_model *m, const struct now *n, int i,
                             double v_m3, double line_Pa, double low_Pa, double h)
{
    double unused, p_Pa = n->caliper_Pa[i], m3pPa = n->caliper_m3pPa[i];
    struct wheel_flow f = flow_wheel(n, i, line_Pa, p_Pa, low_Pa, h);
    double y = m3pPa + h * (n->inlet[i] + n->outlet[i] + n->wheel_leak[i]);
    return caliper_Pa(m, i, v_m3 + m3pPa * gain_m3(&f) / y, &unused) - p_Pa;
}

/* The flows at a pressure to_Pa of the wheel, all by the same share, so that it gets just there. */
static struct wheel_flow flow_to(const struct hydraulics_model *m, const struct now *n, int i,
                                 double v_m3, double line_Pa, double low_Pa, double to_Pa, double h)
{
    struct wheel_flow f = flow_wheel(n, i, line_Pa, to_Pa, low_Pa, h);
    double share = (caliper_m3(m, i, to_Pa) - v_m3) / gain_m3(&f);
    return (struct wheel_flow){share * f.in_m3, share * f.out_m3, share * f.leak_m3};
}

/* Which wheels would be too fast between the pressures of the solution d. With more_only those that
 * have their rate already keep it. Returns whether any changed. */
static bool choose_slow(const struct hydraulics_model *m, const struct hydraulics_state *s,
                        const struct plant_in *in, const struct now *n, const struct change *d,
                        double h, bool more_only, struct slow *w)
{
    bool changed = false;
    for (int i = 0; i < WHEELS; i++) {
        int c = m->circuit[i];
        double most_Pa = in->slow_Paps[i] * h, v_m3 = s->caliper_m3[i];
        if (!(most_Pa > 0.0) || (more_only && w->way[i]))
            continue;
        double line_Pa = n->line_Pa[c] + d->line_Pa[c];
        double low_Pa = n->accumulator_Pa[c] + d->accumulator_Pa[c];
        double dp_Pa = free_change_Pa(m, n, i, v_m3, line_Pa, low_Pa, h);
        int way = dp_Pa > most_Pa ? 1 : dp_Pa < -most_Pa ? -1 : 0;
        if (way == w->way[i])
            continue;
        changed = true;
        w->way[i] = way;
        w->given[i] = (struct wheel_flow){.in_m3 = 0.0};
        if (way)
            w->given[i] =
                flow_to(m, n, i, v_m3, line_Pa, low_Pa, n->caliper_Pa[i] + way * most_Pa, h);
    }
    return changed;
}

/* Chooses by the pressures at the start, then by those of the solution; where these say otherwise
 * it solves again, from then on only with more wheels: at most WHEELS + 2 times, most often once.
 */
static __attribute__((noinline)) void solve_slow(const struct hydraulics_model *m,
                                                 const struct hydraulics_state *s,
                                                 const struct plant_in *in, double h, struct now *n,
                                                 struct reduced r[CIRCUITS], struct change *d,
                                                 struct slow *w)
{
    const struct now open = *n;
    memset(w, 0, sizeof *w);
    memset(d, 0, sizeof *d);
    (void)choose_slow(m, s, in, &open, d, h, false, w);
    for (int pass = 0; pass < WHEELS + 2; pass++) {
        *n = open;
        for (int i = 0; i < WHEELS; i++) {
            if (w->way[i])
                close_wheel(n, i);
            n->line_given_m3[m->circuit[i]] += w->given[i].in_m3;
            n->low_given_m3[m->circuit[i]] -= w->given[i].out_m3;
        }
        solve(m, s, n, h, r, d);
        for (int c = 0; c < CIRCUITS; c++)
            go_back(m, &r[c], c, d);
        if (!choose_slow(m, s, in, &open, d, h, pass > 0, w))
            return;
    }
}

static void flow_given(const struct hydraulics_model *m, const struct slow *w,
                       struct hydraulics_state *s)
{
    for (int i = 0; i < WHEELS; i++) {
        const struct wheel_flow *f = &w->given[i];
        int c = m->circuit[i];
        s->caliper_m3[i] += gain_m3(f);
        s->line_m3[c] -= f->in_m3;
        s->accumulator_m3[c] += f->out_m3;
        s->lost_m3 += f->leak_m3;
    }
}

/* The same for rates: at the present pressures less conductance is less flow. */
static void slow_rates(const struct hydraulics_model *m, const struct plant_in *in, struct now *n)
{
    for (int i = 0; i < WHEELS; i++) {
        int c = m->circuit[i];
        struct wheel_flow f =
            flow_wheel(n, i, n->line_Pa[c], n->caliper_Pa[i], n->accumulator_Pa[c], 1.0);
        double rate_Paps = fabs(gain_m3(&f)) / n->caliper_m3pPa[i], slow_Paps = in->slow_Paps[i];
        double share = slow_Paps > 0.0 && rate_Paps > slow_Paps ? slow_Paps / rate_Paps : 1.0;
        n->inlet[i] *= share;
        n->outlet[i] *= share;
        n->wheel_leak[i] *= share;
    }
}

void hydraulics_step(const struct hydraulics_model *m, struct hydraulics_state *s,
                     const struct plant_in *in, double dt_s)
{
    struct targets t;
    struct now n;
    struct reduced r[CIRCUITS];
    struct change d;
    struct slow w;
    find_targets(m, s, in, &t);
    move_valves(m, s, &t, dt_s);
    double rod_N = hydraulics_rod_N(m, in->brake_pedal);
    s->booster_N = lagged(s->booster_N, rod_N, m->booster_s, dt_s);
    look(m, s, in, &n);
    bool slow = any_slow(in);
    if (slow)
        solve_slow(m, s, in, dt_s, &n, r, &d, &w);
    else
        solve(m, s, &n, dt_s, r, &d);
    for (int c = 0; c < CIRCUITS; c++) {
        go_back(m, &r[c], c, &d);
        flow_circuit(m, &n, &d, s->accumulator_m3[c], c, dt_s, s);
        s->piston_m[c] += d.piston_m[c];
    }
    if (slow)
        flow_given(m, &w, s);
}

void hydraulics_deriv(const struct hydraulics_model *m, const struct hydraulics_state *s,
                      const struct plant_in *in, struct hydraulics_state *rate)
{
    const struct change none = {.piston_m = {0.0}};
    struct targets t;
    struct now n;
    memset(rate, 0, sizeof *rate);
    find_targets(m, s, in, &t);
    for (int i = 0; i < WHEELS; i++) {
        rate->inlet[i] =
            (t.inlet[i] - s->inlet[i]) / lag_s(&m->inlet[i], 1.0, s->inlet[i], t.inlet[i]);
        rate->outlet[i] =
            (t.outlet[i] - s->outlet[i]) / lag_s(&m->outlet[i], 0.0, s->outlet[i], t.outlet[i]);
    }
    look(m, s, in, &n);
    if (any_slow(in))
        slow_rates(m, in, &n);
    for (int c = 0; c < CIRCUITS; c++) {
        rate->separation[c] = (t.separation[c] - s->separation[c]) /
                              lag_s(&m->separation, 1.0, s->separation[c], t.separation[c]);
        rate->prime[c] =
            (t.prime[c] - s->prime[c]) / lag_s(&m->prime, 0.0, s->prime[c], t.prime[c]);
        flow_circuit(m, &n, &none, s->accumulator_m3[c], c, 1.0, rate);
    }
    rate->pump = (t.pump - s->pump) / m->motor_s;
    rate->booster_N = (hydraulics_rod_N(m, in->brake_pedal) - s->booster_N) / m->booster_s;
    double A = m->piston_m2, p1 = n.master_Pa[CIRCUIT_1], p2 = n.master_Pa[CIRCUIT_2];
    rate->piston_m[CIRCUIT_1] = (s->booster_N - A * p1 - n.piston_N[CIRCUIT_1]) / m->damping_Nspm;
    rate->piston_m[CIRCUIT_2] = (A * (p1 - p2) - n.piston_N[CIRCUIT_2]) / m->damping_Nspm;
}

/* ---- what can be seen */

void hydraulics_reset(const struct hydraulics_model *m, struct hydraulics_state *s)
{
    memset(s, 0, sizeof *s);
    if (!m->on)
        return;
    for (int i = 0; i < WHEELS; i++)
        s->inlet[i] = 1.0;
    for (int c = 0; c < CIRCUITS; c++)
        s->separation[c] = 1.0;
    /* The springs press the pistons into their stops, which give by a hair; docs (H-13). */
    const double *spring_N = m->spring_N, *rate_Npm = m->spring_Npm;
    double stop1 = m->stop_Npm + rate_Npm[CIRCUIT_1], stop2 = m->stop_Npm + rate_Npm[CIRCUIT_2];
    double gap_N = (spring_N[CIRCUIT_1] / stop1 + spring_N[CIRCUIT_2] / stop2) /
                   (1.0 / m->stop_Npm + 1.0 / stop1 + 1.0 / stop2);
    s->piston_m[CIRCUIT_1] = -gap_N / m->stop_Npm;
    s->piston_m[CIRCUIT_2] = (gap_N - spring_N[CIRCUIT_2]) / stop2;
    for (int c = 0; c < CIRCUITS; c++)
        s->master_m3[c] = -extra_m3(m, s, c);
}

void hydraulics_caliper_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                           double pressure_Pa[WHEELS])
{
    double unused;
    for (int i = 0; i < WHEELS; i++)
        pressure_Pa[i] = caliper_Pa(m, i, s->caliper_m3[i], &unused);
}

void hydraulics_fill(const struct hydraulics_model *m, struct hydraulics_state *s,
                     const double pressure_Pa[WHEELS])
{
    hydraulics_reset(m, s);
    for (int i = 0; i < WHEELS; i++)
        s->caliper_m3[i] = caliper_m3(m, i, at_least(pressure_Pa[i], 0.0));
}

double hydraulics_master_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                            int circuit)
{
    double unused;
    return elastic_Pa(m, m->master_Papm3, extra_m3(m, s, circuit), &unused);
}

double hydraulics_line_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                          int circuit)
{
    double unused;
    return elastic_Pa(m, m->line_Papm3, s->line_m3[circuit], &unused);
}

double hydraulics_accumulator_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                                 int circuit)
{
    double unused;
    return accumulator_Pa(m, s->accumulator_m3[circuit], &unused);
}

double hydraulics_pedal_m(const struct hydraulics_model *m, const struct hydraulics_state *s)
{
    return at_least(s->piston_m[CIRCUIT_1], 0.0) * m->pedal_ratio;
}

/* The booster passes on what the pressure pushes back with, less its assistance. */
double hydraulics_pedal_N(const struct hydraulics_model *m, const struct hydraulics_state *s)
{
    double back_N = m->piston_m2 * hydraulics_master_Pa(m, s, CIRCUIT_1) + m->spring_N[CIRCUIT_1];
    double knee_N = m->assist_N * m->boost / (m->boost - 1.0);
    double rod_N = back_N > knee_N ? back_N - m->assist_N : back_N / m->boost;
    return back_N > 0.0 && s->piston_m[CIRCUIT_1] > 0.0 ? (rod_N + m->boost_from_N) / m->pedal_ratio
                                                        : 0.0;
}

double hydraulics_volume_m3(const struct hydraulics_state *s)
{
    double sum = s->reservoir_m3 + s->lost_m3;
    for (int c = 0; c < CIRCUITS; c++)
        sum += s->master_m3[c] + s->line_m3[c] + s->accumulator_m3[c];
    for (int i = 0; i < WHEELS; i++)
        sum += s->caliper_m3[i];
    return sum;
}

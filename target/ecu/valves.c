#include "target/ecu/valves.h"

#include <math.h>

static const double empty_Pa = 1e5; /* a brake with less is one that does not brake */

enum { PARTS = 5 }; /* of a cycle, in the model */
static const double part_s = ECU_CYCLE_S / PARTS;
/* The pump runs while the accumulator holds more than the first; it stops below the second. */
static const double pump_on_m3 = 0.15e-6, pump_off_m3 = 0.03e-6, motor_s = 0.04;
static const double suction_m3 = 0.15e-6; /* left in it: the pump gets half of its delivery there */

static int circuit_of(const struct valves_params *p, int wheel)
{
    if (p->front_rear)
        return wheel < ECU_RL ? 0 : 1;
    return wheel == ECU_FL || wheel == ECU_RR ? 0 : 1;
}

static double flow(double coefficient, double from_Pa, double to_Pa)
{
    double dp_Pa = from_Pa - to_Pa;
    return dp_Pa > 0.0 ? coefficient * sqrt(dp_Pa) : -coefficient * sqrt(-dp_Pa);
}

static double pressure_of(const struct valves_params *p, int i, double v_m3)
{
    return v_m3 * (p->caliper_Papm3[i] + p->caliper_Papm6[i] * v_m3);
}

static double volume_of(const struct valves_params *p, int i, double p_Pa)
{
    double a = p->caliper_Papm3[i], b = p->caliper_Papm6[i];
    return 2.0 * p_Pa / (a + sqrt(a * a + 4.0 * b * p_Pa));
}

static double lagged(double now, double to, double time_s)
{
    return now + part_s / (time_s + part_s) * (to - now);
}

/* ---- the model: one part of a cycle */

/* The most that the line of a circuit can have: in one that the pump builds up, what the separation
 * valve holds. */
static double line_top_Pa(const struct valves_params *p, const struct valves *s, int c,
                          double driver_Pa)
{
    return driver_Pa + (s->active >> c & 1u ? p->relief_Pa : 0.0);
}

/* What it has while the pump runs: the pressure of the wheels that are open to it. */
static double line_Pa(const struct valves_params *p, const struct valves *s, int c,
                      double driver_Pa)
{
    double most_Pa = 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        if (circuit_of(p, i) == c && s->inlet_open[i] > 0.05)
            most_Pa = fmax(most_Pa, s->brake_Pa[i]);
    if (!(s->active >> c & 1u) || most_Pa < driver_Pa)
        return driver_Pa;
    return most_Pa;
}

/* Of the pump for each circuit; its motor gives way under the pressure of both. */
static double delivery_m3ps(const struct valves_params *p, const struct valves *s, double driver_Pa)
{
    double mean_Pa = 0.5 * (line_Pa(p, s, 0, driver_Pa) + line_Pa(p, s, 1, driver_Pa));
    return s->pump_speed * p->pump_m3ps * fmax(1.0 - mean_Pa / p->stall_Pa, 0.0);
}

/* Into the line: the accumulator comes first, then the prime valve. */
static double supply_m3ps(const struct valves_params *p, const struct valves *s, int c,
                          double delivery, double from_low)
{
    return from_low + s->prime[c] * p->prime_share * (delivery - from_low);
}

/* From the driver into a caliper in a part; back by the check valve, which opens fully. */
static double from_driver_m3(const struct valves_params *p, const struct valves *s, int i,
                             double driver_Pa)
{
    double now_Pa = s->brake_Pa[i];
    double C = now_Pa > driver_Pa ? 2.0 * p->inlet[i] : s->inlet_open[i] * p->inlet[i];
    double most_m3 = volume_of(p, i, driver_Pa) - s->caliper_m3[i];
    double m3 = part_s * flow(C, driver_Pa, now_Pa);
    return m3 > 0.0 ? fmin(m3, most_m3) : fmax(m3, most_m3);
}

/* What flows into the calipers of a circuit in a part. One that the pump builds up has in its line
 * what the pump brings and what was left there; all of it finds its way through the least opening,
 * up to what that carries. */
static void fill(const struct valves_params *p, int c, double driver_Pa, double supply,
                 struct valves *s, double in_m3[ECU_WHEELS])
{
    double top_Pa = line_top_Pa(p, s, c, driver_Pa), sum_m3 = 0.0;
    int active = s->active >> c & 1u ? 1 : 0;
    for (int i = 0; i < ECU_WHEELS; i++) {
        if (circuit_of(p, i) != c)
            continue;
        int pumped = active && s->brake_Pa[i] >= driver_Pa;
        in_m3[i] = pumped ? part_s * s->inlet_open[i] *
                                fmax(flow(p->inlet[i], top_Pa, s->brake_Pa[i]), 0.0)
                          : from_driver_m3(p, s, i, driver_Pa);
        sum_m3 += pumped ? in_m3[i] : 0.0;
    }
    double there_m3 = active ? s->line_m3[c] + part_s * supply : 0.0;
    double share = sum_m3 > there_m3 ? there_m3 / sum_m3 : 1.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        if (circuit_of(p, i) == c && active && s->brake_Pa[i] >= driver_Pa)
            in_m3[i] *= share;
    s->line_m3[c] = fmin(fmax(there_m3 - sum_m3, 0.0), p->line_m3);
}

/* The current in a part of the cycle: a pulse is over after its parts. */
static double in_part(const struct valves_params *p, double command, int part)
{
    return p->interface == VALVES_PWM ? (part + 0.5 < command * PARTS ? 1.0 : 0.0) : command;
}

static void model_part(const struct valves_params *p, double driver_Pa, int part, struct valves *s)
{
    double in_m3[ECU_WHEELS];
    s->pump_speed = lagged(s->pump_speed, s->pump, motor_s);
    for (int i = 0; i < ECU_WHEELS; i++) {
        s->inlet_open[i] = lagged(s->inlet_open[i], 1.0 - in_part(p, s->inlet[i], part), p->lag_s);
        s->outlet_open[i] = lagged(s->outlet_open[i], in_part(p, s->outlet[i], part), p->lag_s);
    }
    double delivery = delivery_m3ps(p, s, driver_Pa);
    for (int c = 0; c < ECU_CIRCUITS; c++) {
        double from_low = delivery * s->low_m3[c] / (s->low_m3[c] + suction_m3);
        fill(p, c, driver_Pa, supply_m3ps(p, s, c, delivery, from_low), s, in_m3);
        s->low_m3[c] -= part_s * from_low;
    }
    for (int i = 0; i < ECU_WHEELS; i++) {
        int c = circuit_of(p, i);
        double out_m3 = part_s * s->outlet_open[i] *
                        flow(p->outlet[i], s->brake_Pa[i], fmin(p->accumulator_Pa, s->brake_Pa[i]));
        out_m3 = fmin(out_m3, fmin(s->caliper_m3[i], p->accumulator_m3 - s->low_m3[c]));
        s->caliper_m3[i] = fmax(s->caliper_m3[i] + in_m3[i] - out_m3, 0.0);
        s->low_m3[c] += out_m3;
        s->brake_Pa[i] = pressure_of(p, i, s->caliper_m3[i]);
    }
}

/* ---- commands */

/* The share of the opening that moves a caliper by so much in a cycle; with pulses that of the
 * cycle, in whole parts. */
static double share_of(const struct valves_params *p, double m3, double m3ps)
{
    double share = m3ps > 0.0 ? fmin(fmax(m3 / (m3ps * ECU_CYCLE_S), 0.0), 1.0) : 1.0;
    return p->interface == VALVES_PWM ? floor(share * PARTS + 0.5) / PARTS : share;
}

static void command_wheel(const struct valves_params *p, int i, double want_Pa, double driver_Pa,
                          int active, struct valves *s)
{
    double now_Pa = s->brake_Pa[i], error_Pa = want_Pa - now_Pa;
    s->inlet[i] = s->outlet[i] = 0.0;
    if (!active && want_Pa >= driver_Pa)
        return; /* the driver's pressure */
    s->inlet[i] = 1.0;
    /* What still flows while the valves follow is on its way. */
    double coming_m3 =
        p->lag_s *
        (s->inlet_open[i] * fmax(flow(p->inlet[i], driver_Pa, now_Pa), 0.0) -
         s->outlet_open[i] * flow(p->outlet[i], now_Pa, fmin(p->accumulator_Pa, now_Pa)));
    double m3 = volume_of(p, i, fmax(want_Pa, 0.0)) - s->caliper_m3[i] - coming_m3;
    if (error_Pa > p->dead_Pa) {
        double from_Pa = line_top_Pa(p, s, circuit_of(p, i), driver_Pa);
        double rate = flow(p->inlet[i], want_Pa > driver_Pa ? from_Pa : driver_Pa, now_Pa);
        s->inlet[i] = 1.0 - share_of(p, m3, fmax(rate, 0.0));
    } else if (error_Pa < -p->dead_Pa || (want_Pa <= 0.0 && now_Pa > 0.0)) {
        s->outlet[i] =
            share_of(p, -m3, flow(p->outlet[i], now_Pa, fmin(p->accumulator_Pa, 0.5 * now_Pa)));
    }
}

static void command_circuit(const struct valves_params *p, int c, const double request_Pa[],
                            double driver_Pa, struct valves *s)
{
    uint32_t bit = 1u << (unsigned)c;
    int wanted = 0, builds = 0, above = 0;
    for (int i = 0; i < ECU_WHEELS; i++) {
        if (circuit_of(p, i) != c)
            continue;
        wanted |= request_Pa[i] > driver_Pa + p->active_Pa;
        above |= request_Pa[i] > driver_Pa;
        builds |= request_Pa[i] > driver_Pa && request_Pa[i] > s->brake_Pa[i] + p->dead_Pa;
    }
    if (wanted)
        s->active |= bit;
    else if (!above)
        s->active &= ~bit;
    int active = s->active & bit ? 1 : 0;
    s->separation[c] = active;
    s->prime[c] = active && builds;
    for (int i = 0; i < ECU_WHEELS; i++)
        if (circuit_of(p, i) == c)
            command_wheel(p, i, request_Pa[i], driver_Pa, active, s);
}

void valves_step(const struct valves_params *p, const double request_Pa[ECU_WHEELS],
                 double driver_Pa, int control, struct valves *s)
{
    if (p->interface == VALVES_OFF)
        return;
    if (!s->ready) {
        for (int i = 0; i < ECU_WHEELS; i++) {
            s->inlet_open[i] = 1.0;
            s->caliper_m3[i] = volume_of(p, i, driver_Pa);
        }
        s->ready = 1;
    }
    for (int n = 0; n < PARTS; n++)
        model_part(p, driver_Pa, n, s);
    double most_m3 = fmax(s->low_m3[0], s->low_m3[1]);
    for (int c = 0; c < ECU_CIRCUITS; c++)
        command_circuit(p, c, request_Pa, driver_Pa, s);
    int needed = s->prime[0] > 0.0 || s->prime[1] > 0.0;
    if (!needed)
        needed = most_m3 > (s->pump > 0.0 ? pump_off_m3 : pump_on_m3);
    s->pump = needed ? 1.0 : 0.0;
    if (control)
        return;
    for (int i = 0; i < ECU_WHEELS; i++)
        s->inlet[i] = s->outlet[i] = 0.0;
    s->separation[0] = s->separation[1] = s->prime[0] = s->prime[1] = s->pump = 0.0;
    s->active = 0;
}

void valves_check(struct valves *s, int valve, int pump)
{
    int wheel = (valve - 1) % ECU_WHEELS;
    if (valve > 0 && s->brake_Pa[wheel] < empty_Pa)
        (valve <= ECU_WHEELS ? s->inlet : s->outlet)[wheel] = 1.0;
    if (pump)
        s->pump = 1.0;
}

double valves_left_Pa(const struct valves_params *p, const struct valves *s, int wheel)
{
    return p->interface == VALVES_OFF ? 0.0 : fmax(s->brake_Pa[wheel] - p->accumulator_Pa, 0.0);
}

double valves_build_s(const struct valves_params *p, double pressure_Pa)
{
    double circuit_m3[ECU_CIRCUITS] = {0.0, 0.0};
    if (p->interface == VALVES_OFF)
        return 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        circuit_m3[circuit_of(p, i)] += volume_of(p, i, pressure_Pa);
    return 0.5 * fmax(circuit_m3[0], circuit_m3[1]) / (p->prime_share * p->pump_m3ps);
}

double valves_on_s(const struct valves_params *p, double command)
{
    return p->interface == VALVES_PWM ? command * ECU_CYCLE_S : ECU_CYCLE_S;
}

double valves_current(const struct valves_params *p, double command)
{
    return p->interface == VALVES_PWM ? (command > 0.0 ? 1.0 : 0.0) : command;
}

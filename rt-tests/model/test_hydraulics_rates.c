/* The hydraulics written down once more, from docs/hydraulics.md and in another way: a list of
 * flows from place to place, each by its own law, instead of conductances. Rates of random states
 * agree, and what flows without a pump only ever loses energy. */
#include "rt-tests/support/near.h"
#include "target/model/hydraulics_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BAR 1e5
#define CM3 1e-6

/* Places that hold fluid. */
enum {
    RESERVOIR,
    OUTSIDE,
    MASTER,
    LINE = MASTER + 2,
    LOW = LINE + 2,
    CALIPER = LOW + 2,
    PLACES = CALIPER + 4
};

static struct hydraulics_model model;
static uint64_t seed = 88172645463325252u;

static double uniform(double low, double high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

struct balance {
    double pressure_Pa[PLACES], gain_m3ps[PLACES];
    double lost_W; /* in throttles */
};

static void carry(struct balance *b, int from, int to, double m3ps)
{
    b->gain_m3ps[from] -= m3ps;
    b->gain_m3ps[to] += m3ps;
    b->lost_W += m3ps * (b->pressure_Pa[from] - b->pressure_Pa[to]);
}

/* (H-4) */
static double throttle(double C, double dp_Pa)
{
    double p_t = model.transition_Pa;
    return C * dp_Pa * pow(dp_Pa * dp_Pa + p_t * p_t, -0.25);
}

static double lift(double dp_Pa)
{
    return fmin(fmax(dp_Pa / model.lift_Pa, 0.0), 1.0);
}

/* (H-5): C = o C_v / sqrt(1 + (o C_v / C_p)^2) */
static double with_pipe(double C, double pipe)
{
    return C > 0.0 ? 1.0 / sqrt(1.0 / (C * C) + 1.0 / (pipe * pipe)) : 0.0;
}

/* Not below the vapour's pressure, but for the little that a void resists. */
static double elastic(double Papm3, double m3)
{
    double p = Papm3 * m3;
    return p < -model.vapour_Pa ? -model.vapour_Pa + 1e-5 * (p + model.vapour_Pa) : p;
}

static void find_pressures(const struct hydraulics_state *s, struct balance *b)
{
    double x1 = s->piston_m[0], x2 = s->piston_m[1], A = model.piston_m2;
    b->pressure_Pa[MASTER] = elastic(model.master_Papm3, s->master_m3[0] + A * (x1 - x2));
    b->pressure_Pa[MASTER + 1] = elastic(model.master_Papm3, s->master_m3[1] + A * x2);
    for (int c = 0; c < CIRCUITS; c++) {
        double low = s->accumulator_m3[c], begin = model.accumulator_Pa / model.wall_Papm3;
        b->pressure_Pa[LINE + c] = elastic(model.line_Papm3, s->line_m3[c]);
        double p = low < begin ? model.wall_Papm3 * low
                               : model.accumulator_Pa + model.accumulator_Papm3 * (low - begin);
        p += low > model.accumulator_m3
                 ? (model.wall_Papm3 - model.accumulator_Papm3) * (low - model.accumulator_m3)
                 : 0.0;
        b->pressure_Pa[LOW + c] = p; /* (H-8) */
    }
    for (int i = 0; i < WHEELS; i++) /* (H-7) */
        b->pressure_Pa[CALIPER + i] =
            s->caliper_m3[i] *
            (model.caliper_Papm3[i] + model.caliper_Papm6[i] * fmax(s->caliper_m3[i], 0.0));
}

/* (H-14), (H-15): nothing flows at a held wheel; at a slow one so much less that its pressure,
 * whose slope over the volume is a + 2 b V, changes at its rate. */
static double share_of_flows(const struct hydraulics_state *s, const struct plant_in *in, int i,
                             double gain_m3ps)
{
    double slope =
        model.caliper_Papm3[i] + 2.0 * model.caliper_Papm6[i] * fmax(s->caliper_m3[i], 0.0);
    if (in->hold & 1u << i)
        return 0.0;
    return in->slow_Paps[i] > 0.0 ? fmin(1.0, in->slow_Paps[i] / fabs(slope * gain_m3ps)) : 1.0;
}

/* Everything but the pump. */
static void flow_by_itself(const struct hydraulics_state *s, const struct plant_in *in,
                           struct balance *b)
{
    const double *p = b->pressure_Pa;
    for (int c = 0; c < CIRCUITS; c++) {
        int m = MASTER + c, l = LINE + c;
        double port = fmin(fmax(1.0 - s->piston_m[c] / model.port_m, 0.0), 1.0) * model.port;
        carry(b, m, RESERVOIR, throttle(port + model.refill * lift(-p[m]), p[m]));
        double C =
            s->separation[c] * model.separation.flow + model.separation_check * lift(p[m] - p[l]);
        carry(b, m, l, throttle(C, p[m] - p[l]));
        double over = p[l] - p[m] - model.relief_Pa;
        carry(b, l, m, over > 0.0 ? throttle(model.separation.flow, over) : 0.0);
        double big = fmax(model.inlet[model.wheel[c][0]].flow, model.inlet[model.wheel[c][1]].flow);
        carry(b, l, OUTSIDE, p[l] > 0.0 ? throttle(in->leak.circuit[c] * big, p[l]) : 0.0);
    }
    for (int i = 0; i < WHEELS; i++) {
        int w = CALIPER + i,
            c = model.split == HYDRAULICS_DIAGONAL ? (i == FL || i == RR ? 0 : 1) : i / 2;
        int l = LINE + c, a = LOW + c;
        double C = s->inlet[i] * model.inlet[i].flow + model.inlet_check[i] * lift(p[w] - p[l]);
        double fills = throttle(with_pipe(C, model.pipe[i]), p[l] - p[w]);
        C = with_pipe(s->outlet[i] * model.outlet[i].flow, model.pipe[i]);
        double empties = throttle(C, p[w] - p[a]);
        double leaks = p[w] > 0.0 ? throttle(in->leak.wheel[i] * model.inlet[i].flow, p[w]) : 0.0;
        double share = share_of_flows(s, in, i, fills - empties - leaks);
        carry(b, l, w, share * fills);
        carry(b, w, a, share * empties);
        carry(b, w, OUTSIDE, share * leaks);
    }
}

/* (H-9) */
static void pump(const struct hydraulics_state *s, struct balance *b)
{
    for (int c = 0; c < CIRCUITS; c++) {
        double Q = s->pump * model.pump_m3ps, V = s->accumulator_m3[c], V_s = model.suction_m3;
        double above = fmax(b->pressure_Pa[MASTER + c] + model.vapour_Pa, 0.0);
        double most = throttle(s->prime[c] * model.prime.flow, above),
               rest = Q * V_s / (fmax(V, 0.0) + V_s);
        carry(b, LOW + c, LINE + c, Q * V / (fmax(V, 0.0) + V_s));
        /* what is wanted and what can come, both in the way of one another */
        carry(b, MASTER + c, LINE + c,
              most > 0.0 && rest > 0.0 ? 1.0 / (1.0 / most + 1.0 / rest) : 0.0);
    }
}

/* Stops as stiff springs, (H-3). */
static double spring_N(int k, double x_m)
{
    double N = model.spring_N[k] + model.spring_Npm[k] * x_m;
    return N + model.stop_Npm * (fmin(x_m, 0.0) + fmax(x_m - model.stroke_m[k], 0.0));
}

static void anything(struct hydraulics_state *s, struct plant_in *in)
{
    memset(in, 0, sizeof *in);
    hydraulics_reset(&model, s);
    in->brake = PLANT_BRAKE_VALVES;
    in->brake_pedal = uniform(0.0, 1.0);
    s->booster_N = uniform(0.0, 6000.0);
    s->piston_m[1] = uniform(-1e-4, 19e-3);
    s->piston_m[0] = s->piston_m[1] + uniform(-1e-4, 19e-3);
    for (int c = 0; c < CIRCUITS; c++) {
        double moved = c ? s->piston_m[1] : s->piston_m[0] - s->piston_m[1];
        s->master_m3[c] = uniform(-1.0, 150.0) * BAR / model.master_Papm3 - model.piston_m2 * moved;
        s->line_m3[c] = uniform(-1.0, 220.0) * BAR / model.line_Papm3;
        s->accumulator_m3[c] = uniform(-1e-9, 1.001 * model.accumulator_m3);
        s->separation[c] = uniform(0.0, 1.0);
        s->prime[c] = uniform(0.0, 1.0);
        in->leak.circuit[c] = uniform(0.0, 1.0);
    }
    for (int i = 0; i < WHEELS; i++) {
        s->caliper_m3[i] = uniform(-1e-9, 4.0 * CM3);
        s->inlet[i] = uniform(0.0, 1.0);
        s->outlet[i] = uniform(0.0, 1.0);
        in->leak.wheel[i] = uniform(0.0, 1.0);
        if (uniform(0.0, 1.0) < 0.15)
            in->hold |= 1u << i;
        if (uniform(0.0, 1.0) < 0.3)
            in->slow_Paps[i] = uniform(0.0, 3000.0 * BAR);
    }
    s->pump = uniform(0.0, 1.0);
    in->valves.pump = uniform(0.0, 1.0);
}

/* Both say the same flow in another order of operations: some roundings of the largest flow. */
static void near(double is, double want, double size)
{
    assert_near(is, want, 1e-12 * size);
}

static void rates_are_those_of_the_equations(void **unused)
{
    (void)unused;
    for (int n = 0; n < 20000; n++) {
        struct hydraulics_state s, rate;
        struct plant_in in;
        struct balance b = {.lost_W = 0.0};
        hydraulics_defaults(&model);
        if (n % 2) {
            model.split = HYDRAULICS_FRONT_REAR;
            for (int i = 0; i < WHEELS; i++)
                model.circuit[i] = i / 2;
            for (int k = 0; k < WHEELS; k++)
                model.wheel[k / 2][k % 2] = k;
        }
        anything(&s, &in);
        hydraulics_deriv(&model, &s, &in, &rate);
        find_pressures(&s, &b);
        flow_by_itself(&s, &in, &b);
        assert_true(b.lost_W >= 0.0); /* throttles heat the fluid */
        pump(&s, &b);
        const double size =
            1e-2; /* m3/s: flows of 100 cm3/s at 100 bar, the reservoir's twice that */
        near(rate.reservoir_m3, b.gain_m3ps[RESERVOIR], size);
        near(rate.lost_m3, b.gain_m3ps[OUTSIDE], size);
        for (int c = 0; c < CIRCUITS; c++) {
            near(rate.master_m3[c], b.gain_m3ps[MASTER + c], size);
            near(rate.line_m3[c], b.gain_m3ps[LINE + c], size);
            near(rate.accumulator_m3[c], b.gain_m3ps[LOW + c], size);
        }
        for (int i = 0; i < WHEELS; i++)
            near(rate.caliper_m3[i], b.gain_m3ps[CALIPER + i], size);
        double A = model.piston_m2, d = model.damping_Nspm, x1 = s.piston_m[0], x2 = s.piston_m[1];
        double p1 = b.pressure_Pa[MASTER], p2 = b.pressure_Pa[MASTER + 1];
        double between_N = spring_N(0, x1 - x2), rest_N = model.stop_Npm * fmin(x1, 0.0);
        near(rate.piston_m[0], (s.booster_N - A * p1 - between_N - rest_N) / d, 1e3);
        near(rate.piston_m[1], (A * (p1 - p2) + between_N - spring_N(1, x2)) / d, 1e3);
        double load =
            fmax(s.line_m3[0] * model.line_Papm3, 0.0) + fmax(s.line_m3[1] * model.line_Papm3, 0.0);
        near(rate.pump,
             (in.valves.pump * fmax(1.0 - 0.5 * load / model.stall_Pa, 0.0) - s.pump) /
                 model.motor_s,
             1e3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

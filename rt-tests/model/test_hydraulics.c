/* The brake hydraulics against the reference solver and against closed forms; fluid is conserved
 * and pressures stay bounded whatever the valves do. */
#include "rt-tests/support/hydraulics_run.h"
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

enum { SAMPLES = 1200, PHASES = 4 };

static struct hydraulics_model model;

/* A run of one phase from *s to its end. */
static void run(struct hydraulics_state *s, const struct plant_in *in, double for_s, double dt_s)
{
    for (int n = (int)(for_s / dt_s + 0.5); n > 0; n--)
        hydraulics_step(&model, s, in, dt_s);
}

static double caliper_Pa(const struct hydraulics_state *s, int i)
{
    double p_Pa[WHEELS];
    hydraulics_caliper_Pa(&model, s, p_Pa);
    return p_Pa[i];
}

/* At rest, then braked until nothing moves. */
static void settle(struct hydraulics_state *s, double pedal)
{
    struct plant_in in = hydraulics_pressed(pedal);
    hydraulics_reset(&model, s);
    run(s, &in, 0.6, 1e-3);
}

/* ---- against CVODE */

struct errors {
    double caliper_Pa, master_Pa, accumulator_m3, piston_m; /* largest of the run */
    double sum_Pa;                                          /* mean over calipers and time */
};

static struct errors compare(const struct hydraulics_state *is, const struct hydraulics_state *want,
                             int count)
{
    struct errors e = {.sum_Pa = 0.0};
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < WHEELS; i++) {
            double d = fabs(caliper_Pa(&is[n], i) - caliper_Pa(&want[n], i));
            e.caliper_Pa = fmax(e.caliper_Pa, d);
            e.sum_Pa += d / (WHEELS * count);
        }
        for (int c = 0; c < CIRCUITS; c++) {
            e.master_Pa = fmax(e.master_Pa, fabs(hydraulics_master_Pa(&model, &is[n], c) -
                                                 hydraulics_master_Pa(&model, &want[n], c)));
            e.accumulator_m3 =
                fmax(e.accumulator_m3, fabs(is[n].accumulator_m3[c] - want[n].accumulator_m3[c]));
            e.piston_m = fmax(e.piston_m, fabs(is[n].piston_m[c] - want[n].piston_m[c]));
        }
    }
    return e;
}

/* Largest errors at 1 ms, each with its reason; at 0.05 ms a twentieth, first order, with half as
 * much again for what is not yet in the asymptotic range. */
struct tolerance {
    double caliper_Pa, master_Pa, accumulator_m3, piston_m;
};

static void against_cvode(const char *name, const struct hydraulics_state *start,
                          const struct hydraulics_phase *phase, int phases,
                          const struct tolerance *most)
{
    static struct hydraulics_state want[SAMPLES], is[SAMPLES];
    const double dt_s[3] = {1e-3, 1e-4, 5e-5};
    struct errors e[3];
    int count = hydraulics_reference(&model, start, phase, phases, 1e-3, 1e-7, want, SAMPLES);
    assert_true(count > 0);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(hydraulics_run(&model, start, phase, phases, 1e-3, dt_s[k], is, SAMPLES),
                         count);
        e[k] = compare(is, want, count);
        print_message("    %-20s %5.2f ms: calipers %.3f bar, master %.3f bar, accumulators %.4f "
                      "cm3, pistons %.4f mm\n",
                      name, 1e3 * dt_s[k], e[k].caliper_Pa / BAR, e[k].master_Pa / BAR,
                      e[k].accumulator_m3 / CM3, 1e3 * e[k].piston_m);
        double share = k == 0 ? 1.0 : 1.5 * dt_s[k] / 1e-3;
        assert_below(e[k].caliper_Pa, share * most->caliper_Pa);
        assert_below(e[k].master_Pa, share * most->master_Pa);
        assert_below(e[k].accumulator_m3, share * most->accumulator_m3);
        assert_below(e[k].piston_m, share * most->piston_m);
    }
    double slope = log(e[1].sum_Pa / e[2].sum_Pa) / log(2.0);
    print_message("    %-20s slope %.3f\n", name, slope);
    assert_near(slope, 1.0, 0.05);
}

/* A hard push from rest: rises of up to 1,000 bar/s, so that half a step of 1 ms is 0.5 bar; the
 * booster's own lag is of first order too, in all twice that. The master rises by 7 bar in a
 * millisecond. */
static void build_up_is_that_of_cvode(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct hydraulics_phase phase = {0.4, hydraulics_pressed(0.8)};
    hydraulics_reset(&model, &s);
    against_cvode("build-up", &s, &phase, 1,
                  &(struct tolerance){1.2 * BAR, 8.0 * BAR, 0.001 * CM3, 0.5e-3});
}

/* Released and held, then built up again. */
static void release_is_that_of_cvode(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct hydraulics_phase phase[3] = {{0.05, hydraulics_pressed(0.8)},
                                        {0.05, hydraulics_pressed(0.8)},
                                        {0.1, hydraulics_pressed(0.8)}};
    settle(&s, 0.8);
    for (int i = 0; i < WHEELS; i++)
        phase[0].in.valves.inlet[i] = phase[0].in.valves.outlet[i] = phase[1].in.valves.inlet[i] =
            1.0;
    against_cvode("release", &s, phase, 3,
                  &(struct tolerance){1.2 * BAR, 2.0 * BAR, 0.03 * CM3, 0.2e-3});
}

static void pump_return_is_that_of_cvode(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct plant_in in = hydraulics_pressed(0.8);
    settle(&s, 0.8);
    in.valves.inlet[FL] = in.valves.outlet[FL] = 1.0;
    run(&s, &in, 0.08, 1e-4);
    struct hydraulics_phase phase[2] = {{0.5, in}, {0.2, hydraulics_pressed(0.8)}};
    phase[0].in.valves.outlet[FL] = 0.0;
    phase[0].in.valves.pump = 1.0;
    phase[1].in.valves.pump = 1.0;
    against_cvode("pump return", &s, phase, 2,
                  &(struct tolerance){1.2 * BAR, 0.3 * BAR, 0.005 * CM3, 0.05e-3});
}

/* Through open inlets and outlets until both accumulators are full, and emptied by the pump. The
 * wall is met within a step of 1 ms, which the master feels as a blow of 5 bar. */
static void accumulator_filling_is_that_of_cvode(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct hydraulics_phase phase[2] = {{0.25, hydraulics_pressed(0.8)},
                                        {0.6, hydraulics_pressed(0.8)}};
    settle(&s, 0.8);
    for (int i = 0; i < WHEELS; i++)
        phase[0].in.valves.outlet[i] = 1.0;
    phase[1].in.valves.pump = 1.0;
    against_cvode("accumulator filling", &s, phase, 2,
                  &(struct tolerance){1.2 * BAR, 7.0 * BAR, 0.02 * CM3, 0.1e-3});
}

/* Two slow wheels, a held one and one without a fault: built up, then let down by the pedal. The
 * errors are those of the same drive without faults, 0.6 bar at the calipers, and a little more. */
static void faults_of_pressures_are_those_of_cvode(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct hydraulics_phase phase[2] = {{0.3, hydraulics_pressed(0.5)},
                                        {0.3, hydraulics_pressed(0.3)}};
    settle(&s, 0.2);
    for (int k = 0; k < 2; k++) {
        phase[k].in.slow_Paps[FL] = 150.0 * BAR;
        phase[k].in.slow_Paps[RL] = 400.0 * BAR;
        phase[k].in.hold = 1u << FR;
    }
    against_cvode("slow and held", &s, phase, 2,
                  &(struct tolerance){1.0 * BAR, 1.2 * BAR, 0.001 * CM3, 0.1e-3});
}

/* ---- closed forms */

/* A line of so much compliance that nothing changes its pressure, cut off from the master. */
static void constant_line(struct hydraulics_model *m, struct hydraulics_state *s, double p_Pa)
{
    m->line_Papm3 = 1e6;
    m->separation.flow = m->separation_check = 0.0;
    m->relief_Pa = 1e9;
    hydraulics_reset(m, s);
    for (int c = 0; c < CIRCUITS; c++)
        s->line_m3[c] = p_Pa / m->line_Papm3;
}

/* Linear caliper, turbulent orifice: V' = C sqrt(p0 - a V), so that sqrt(p0 - p) falls linearly:
 * p = p0 - (sqrt(p0) - a C t / 2)^2. The transition is taken out, which leaves a share of
 * (transition / difference)^2 / 4. */
static void caliper_fills_through_an_orifice(void **unused)
{
    (void)unused;
    const double p0_Pa = 100.0 * BAR, step_s[2] = {1e-3, 5e-5};
    struct hydraulics_state s;
    for (int k = 0; k < 2; k++) {
        struct plant_in in = hydraulics_pressed(0.0);
        hydraulics_defaults(&model);
        model.transition_Pa = 1e3;
        constant_line(&model, &s, p0_Pa);
        double worst_Pa = 0.0, flow[2];
        for (int axle = 0; axle < 2; axle++) {
            double C = model.inlet[2 * axle].flow, pipe = model.pipe[2 * axle];
            flow[axle] = 1.0 / sqrt(1.0 / (C * C) + 1.0 / (pipe * pipe));
        }
        for (int i = 0; i < WHEELS; i++)
            model.caliper_Papm6[i] = 0.0;
        for (int n = 1; n * step_s[k] < 0.2; n++) {
            hydraulics_step(&model, &s, &in, step_s[k]);
            for (int i = 0; i < WHEELS; i++) {
                double root =
                    sqrt(p0_Pa) - 0.5 * model.caliper_Papm3[i] * flow[i / 2] * n * step_s[k];
                double want_Pa = root > 0.0 ? p0_Pa - root * root : p0_Pa;
                worst_Pa = fmax(worst_Pa, fabs(caliper_Pa(&s, i) - want_Pa));
            }
        }
        print_message("    caliper through an orifice at %.2f ms: off by at most %.4f bar\n",
                      1e3 * step_s[k], worst_Pa / BAR);
        /* First order: pressures change by about 1 bar in a step of 1 ms; 0.05 ms a twentieth. */
        assert_below(worst_Pa, 1.0 * BAR * step_s[k] / 1e-3);
    }
    hydraulics_defaults(&model);
}

/* Inflow through an outlet and delivery of the pump find their balance:
 * Q v / (v + v_s) = C sqrt(p - p_a(v)). */
static void accumulator_finds_its_balance(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct plant_in in = hydraulics_pressed(0.0);
    const double p0_Pa = 4.0 * BAR + model.accumulator_Pa;
    model.transition_Pa = 1.0;
    constant_line(&model, &s, p0_Pa);
    for (int i = 0; i < WHEELS; i++)
        in.valves.inlet[i] = 1.0;
    in.valves.pump = 1.0;
    in.valves.inlet[FL] = 0.0;
    in.valves.outlet[FL] = 1.0;
    run(&s, &in, 20.0, 1e-3);
    double v = s.accumulator_m3[CIRCUIT_1];
    /* The caliper is between line and accumulator: inlet and outlet in series carry the same. */
    double a = model.inlet[FL].flow, b = model.outlet[FL].flow, pipe = model.pipe[FL];
    double r_in = 1.0 / (a * a) + 1.0 / (pipe * pipe), r_out = 1.0 / (b * b) + 1.0 / (pipe * pipe);
    double begin_m3 = model.accumulator_Pa / model.wall_Papm3;
    double low_Pa = model.accumulator_Pa + model.accumulator_Papm3 * (v - begin_m3);
    double inflow = sqrt((p0_Pa - low_Pa) / (r_in + r_out));
    double speed = 1.0 - p0_Pa / model.stall_Pa;
    double outflow = speed * model.pump_m3ps * v / (v + model.suction_m3);
    print_message("    balance at %.3f cm3: %.4f in, %.4f cm3/s out, step says %.4f\n", v / CM3,
                  inflow / CM3, outflow / CM3, s.pump_m3ps[CIRCUIT_1] / CM3);
    assert_above(v, 0.1 * CM3); /* or there is nothing to balance */
    assert_below(v, 0.9 * model.accumulator_m3);
    /* Steady: only the transition of 1e-5 bar is left out of the closed form. */
    assert_ratio(inflow, outflow, 1e-4);
    assert_ratio(s.pump_m3ps[CIRCUIT_1], outflow, 1e-6);
    hydraulics_defaults(&model);
}

/* Cut off from the line, a caliper empties into its accumulator until their pressures are equal:
 * p(V - v) = p_a(v), found by halving. */
static void caliper_empties_into_the_accumulator(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct plant_in in = hydraulics_pressed(0.8);
    settle(&s, 0.8);
    double before_m3 = s.caliper_m3[FL], low = 0.0, high = before_m3;
    for (int i = 0; i < WHEELS; i++)
        in.valves.inlet[i] = 1.0;
    run(&s, &in, 0.05, 1e-3);
    before_m3 = s.caliper_m3[FL];
    in.valves.outlet[FL] = 1.0;
    run(&s, &in, 3.0, 1e-3);
    for (int n = 0; n < 60; n++) {
        double v = 0.5 * (low + high), left = before_m3 - v;
        double p = model.caliper_Papm3[FL] * left + model.caliper_Papm6[FL] * left * left;
        double begin_m3 = model.accumulator_Pa / model.wall_Papm3;
        double pa = model.accumulator_Pa + model.accumulator_Papm3 * (v - begin_m3);
        *(p > pa ? &low : &high) = v;
    }
    print_message("    accumulator takes %.4f of %.4f cm3\n", s.accumulator_m3[CIRCUIT_1] / CM3,
                  before_m3 / CM3);
    assert_near(s.accumulator_m3[CIRCUIT_1], low, 1e-6 * before_m3); /* laminar creep at the end */
}

/* (H-1): gain up to the knee, then one to one; the pistons pass on what their springs leave. */
static void booster_has_a_knee(void **unused)
{
    (void)unused;
    double knee = (model.assist_N / (model.boost - 1.0) + model.boost_from_N) /
                  (model.pedal_N * model.pedal_ratio);
    double rod_N = model.pedal_N * model.pedal_ratio;
    assert_true(knee > 0.5 && knee < 1.0);
    assert_near(hydraulics_rod_N(&model, 0.5 * knee),
                model.boost * (0.5 * knee * rod_N - model.boost_from_N), 1e-9);
    assert_near(hydraulics_rod_N(&model, 1.0), rod_N - model.boost_from_N + model.assist_N, 1e-9);
    assert_near(hydraulics_rod_N(&model, 0.0), 0.0, 0.0);
    for (int fifths = 1; fifths <= 5; fifths++) {
        double pedal = 0.2 * fifths;
        struct hydraulics_state s;
        struct plant_in in = hydraulics_pressed(pedal);
        settle(&s, pedal);
        run(&s, &in, 2.0, 1e-3);
        /* Spring and its travel take the rest of the force. */
        double spring_N = model.spring_N[CIRCUIT_1] +
                          model.spring_Npm[CIRCUIT_1] * (s.piston_m[0] - s.piston_m[1]);
        double want_Pa = (hydraulics_rod_N(&model, pedal) - spring_N) / model.piston_m2;
        assert_near(hydraulics_master_Pa(&model, &s, CIRCUIT_1), want_Pa, 1e-4 * BAR);
        for (int i = 0; i < WHEELS; i++)
            assert_near(caliper_Pa(&s, i), hydraulics_master_Pa(&model, &s, model.circuit[i]),
                        1e-3 * BAR);
        assert_ratio(hydraulics_pedal_N(&model, &s), pedal * model.pedal_N, 0.05);
    }
}

/* ---- whatever the valves do */

static double uniform(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (double)(*random >> 11) / 9007199254740992.0;
}

/* On, off or anything between, each a third. */
static double command(uint64_t *random)
{
    double u = uniform(random);
    return u < 0.33 ? 0.0 : u < 0.66 ? 1.0 : uniform(random);
}

static void anything(uint64_t *random, bool faults, struct plant_in *in)
{
    in->brake_pedal = command(random);
    for (int i = 0; i < WHEELS; i++) {
        in->valves.inlet[i] = command(random);
        in->valves.outlet[i] = command(random);
        in->leak.wheel[i] = faults && uniform(random) < 0.1 ? uniform(random) : 0.0;
    }
    for (int c = 0; c < CIRCUITS; c++) {
        in->valves.separation[c] = command(random);
        in->valves.prime[c] = command(random);
        in->leak.circuit[c] = faults && uniform(random) < 0.1 ? uniform(random) : 0.0;
    }
    in->valves.pump = command(random);
    in->hydraulic_fault = 0;
    for (int bit = 0; bit <= 24 && faults; bit++)
        in->hydraulic_fault |= (uint32_t)(uniform(random) < 0.05) << bit;
}

/* Fluid to 1e-9 of what is in the brakes, and no pressure that nothing could make: the booster, its
 * pressure plus the relief's, or the pump at its stall; and what a wall met within a step adds. */
static void random_valves_keep_fluid_and_bounds(void **unused)
{
    (void)unused;
    const double step_s[2] = {1e-3, 5e-5};
    const double top_Pa = hydraulics_rod_N(&model, 1.0) / model.piston_m2 + model.relief_Pa;
    for (int k = 0; k < 2; k++)
        for (int faults = 0; faults < 2; faults++) {
            struct hydraulics_state s;
            struct plant_in in = hydraulics_pressed(0.0);
            uint64_t random = 88172645463325252u + (uint64_t)faults;
            double worst = 0.0, most_Pa = 0.0, least_Pa = 0.0;
            double lost_m3 = 0.0, back_m3 = 0.0;
            hydraulics_reset(&model, &s);
            const double begin_m3 = hydraulics_volume_m3(&s);
            for (int n = 0; n < 60000; n++) {
                if (n % (int)(0.01 / step_s[k] + 0.5) == 0)
                    anything(&random, faults, &in);
                hydraulics_step(&model, &s, &in, step_s[k]);
                worst = fmax(worst, fabs(hydraulics_volume_m3(&s) - begin_m3));
                back_m3 += fmax(lost_m3 - s.lost_m3, 0.0);
                lost_m3 = s.lost_m3;
                for (int i = 0; i < WHEELS; i++) {
                    most_Pa = fmax(most_Pa, caliper_Pa(&s, i));
                    least_Pa = fmin(least_Pa, caliper_Pa(&s, i));
                }
                for (int c = 0; c < CIRCUITS; c++) {
                    most_Pa = fmax(most_Pa, hydraulics_line_Pa(&model, &s, c));
                    least_Pa = fmin(least_Pa, hydraulics_line_Pa(&model, &s, c));
                    most_Pa = fmax(most_Pa, hydraulics_master_Pa(&model, &s, c));
                    least_Pa = fmin(least_Pa, hydraulics_master_Pa(&model, &s, c));
                }
            }
            print_message("    %.2f ms, %s: fluid %.1e cm3 off, pressures %.2f to %.1f bar, leaked "
                          "%.1f cm3\n",
                          1e3 * step_s[k], faults ? "faults" : "valves", worst / CM3,
                          least_Pa / BAR, most_Pa / BAR, lost_m3 / CM3);
            /* 10 cm3 are in the brakes. */
            assert_below(worst, 1e-9 * 10.0 * CM3);
            assert_true(faults ? lost_m3 > 1.0 * CM3 : lost_m3 <= 0.0);
            /* A leak takes nothing in, but for the step in which its pressure falls below ambient.
             */
            assert_true(back_m3 <= 1e-3 * lost_m3);
            assert_below(most_Pa, 1.1 * top_Pa);
            assert_above(least_Pa, -1.0 * BAR);
        }
}

/* The step is stable where an explicit one would need 0.03 ms: with everything open and a small
 * difference of pressures they meet without a swing, at any step. */
static void stiff_lines_do_not_swing(void **unused)
{
    (void)unused;
    const double step_s[3] = {1e-3, 5e-5, 1.0};
    double rate = model.line_Papm3 * model.inlet[FL].flow / sqrt(model.transition_Pa);
    print_message("    fastest: %.0f 1/s\n", rate);
    assert_above(rate, 20000.0);
    for (int k = 0; k < 3; k++) {
        struct hydraulics_state s;
        struct plant_in in = hydraulics_pressed(0.3);
        settle(&s, 0.3);
        s.line_m3[CIRCUIT_1] += 0.5 * BAR / model.line_Papm3;
        double before_Pa = model.line_Papm3 * s.line_m3[CIRCUIT_1];
        double rest_Pa = before_Pa - 0.5 * BAR;
        for (int n = 0; n < 50; n++) {
            hydraulics_step(&model, &s, &in, step_s[k]);
            double now_Pa = model.line_Papm3 * s.line_m3[CIRCUIT_1];
            assert_below(now_Pa, before_Pa + 10.0); /* falls, to the roundings */
            assert_above(now_Pa, rest_Pa - 0.02 * BAR);
            before_Pa = now_Pa;
        }
    }
}

static int set_up(void **unused)
{
    (void)unused;
    hydraulics_defaults(&model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(build_up_is_that_of_cvode, set_up),
        cmocka_unit_test_setup(release_is_that_of_cvode, set_up),
        cmocka_unit_test_setup(pump_return_is_that_of_cvode, set_up),
        cmocka_unit_test_setup(accumulator_filling_is_that_of_cvode, set_up),
        cmocka_unit_test_setup(faults_of_pressures_are_those_of_cvode, set_up),
        cmocka_unit_test_setup(caliper_fills_through_an_orifice, set_up),
        cmocka_unit_test_setup(accumulator_finds_its_balance, set_up),
        cmocka_unit_test_setup(caliper_empties_into_the_accumulator, set_up),
        cmocka_unit_test_setup(booster_has_a_knee, set_up),
        cmocka_unit_test_setup(random_valves_keep_fluid_and_bounds, set_up),
        cmocka_unit_test_setup(stiff_lines_do_not_swing, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

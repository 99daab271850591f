/* Runs that are not smooth: wheels lock, the car stops and stays, dry friction sticks in the rack,
 * gears shift. There the rates have jumps, which a reference solver cannot cross; but each
 * integrator still tends to a limit. The error of a step is its difference to a sixteenth of it. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/trace.h"
#include "target/road/plane.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static double ramp(double time_s, double from_s, double to_s)
{
    double x = (time_s - from_s) / (to_s - from_s);
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

static void stop_and_hold(double time_s, struct plant_in *in, double *hand_radps)
{
    *hand_radps = 0.0;
    in->brake_pedal = 0.35 * ramp(time_s, 0.1, 0.3);
}

static void lock_in_a_turn(double time_s, struct plant_in *in, double *hand_radps)
{
    *hand_radps = 0.0;
    in->hand_wheel_rad = 0.5 * ramp(time_s, 0.1, 0.5);
    in->brake_pedal = 0.9 * ramp(time_s, 0.8, 1.0);
}

static void sine_with_rack_friction(double time_s, struct plant_in *in, double *hand_radps)
{
    *hand_radps = 0.0;
    in->hand_wheel_rad = 0.8 * sin(pi * time_s);
}

/* By hand, at times that are ticks of every step (less what rounding makes of them). */
static void shift_by_hand(double time_s, struct plant_in *in, double *hand_radps)
{
    *hand_radps = 0.0;
    in->throttle = 0.8 * ramp(time_s, 0.1, 0.3);
    in->gear = time_s < 1.0 - 1e-9 ? 2 : time_s < 2.0 - 1e-9 ? 3 : 4;
}

static void shift_by_schedule(double time_s, struct plant_in *in, double *hand_radps)
{
    *hand_radps = 0.0;
    in->throttle = 0.8 * ramp(time_s, 0.1, 0.3);
}

static struct trace_run runs[] = {
    /* not const: cmocka passes them on as such */
    {"stop and hold", stop_and_hold, 30.0 / 3.6, PLANT_GEAR_NEUTRAL},
    {"lock in a turn", lock_in_a_turn, 80.0 / 3.6, PLANT_GEAR_NEUTRAL},
    {"rack friction", sine_with_rack_friction, 60.0 / 3.6, PLANT_GEAR_NEUTRAL},
    {"shift by hand", shift_by_hand, 40.0 / 3.6, 2},
};
static const struct trace_run scheduled = {"shift by schedule", shift_by_schedule, 40.0 / 3.6,
                                           PLANT_GEAR_AUTO};

/* Ticks of 1, 0.5 and 0.25 ms. */
#ifdef __SANITIZE_ADDRESS__
static const int per_sample[] = {50, 100}; /* slow there, and the code is the same */
#else
static const int per_sample[] = {50, 100, 200};
#endif
enum { STEPS = sizeof per_sample / sizeof per_sample[0], FINER = 16 };
/* A signal below this (SI) does not take part; its differences are rounding. */
static const double takes_part = 1e-6;

static void self_errors(const struct lumped15_model *m, const struct ground *ground,
                        const struct trace_run *run, struct trace_error e[STEPS])
{
    struct trace coarse, fine;
    for (int n = 0; n < STEPS; n++) {
        trace_by_steps(m, ground, run, per_sample[n], &coarse);
        trace_by_steps(m, ground, run, FINER * per_sample[n], &fine);
        trace_compare(&coarse, &fine, &e[n]);
    }
}

/* Prints the slopes; returns how many signals do not get better with a shorter step. */
static int check_fall(const char *car, const struct trace_run *run, const struct lumped15_model *m,
                      const struct trace_error e[STEPS])
{
    int bad = 0;
    printf("%s, %s, %s: error at 1 ms (slope)", car, run->name,
           m->integrator == MODEL_FORWARD ? "forward" : "semi-implicit");
    for (int i = 0; i < TRACE_WIDTH; i++) {
        if (!(e[0].rms[i] > takes_part))
            continue;
        double slope = log2(e[0].rms[i] / e[STEPS - 1].rms[i]) / (STEPS - 1);
        printf(", %s %.2g %s (%.2f)", trace_names[i].name, e[0].most[i] * trace_names[i].factor,
               trace_names[i].unit, slope);
        for (int n = 1; n < STEPS; n++)
            bad += e[n].rms[i] < e[n - 1].rms[i] ? 0 : 1;
    }
    printf("\n");
    return bad;
}

static int check_car(const char *path, int integrator, const struct trace_run *run,
                     const struct ground *ground)
{
    struct trace_error e[STEPS];
    char name[64];
    struct vehicle *v = car_load(path, integrator, 1e-3);
    self_errors(lumped15_of(v), ground, run, e);
    int bad = check_fall(car_name(path, name, sizeof name), run, lumped15_of(v), e);
    free(v);
    return bad;
}

/* Under sanitizers the first car has to do; they are slow and the code is the same for all. */
static int cars_wanted(const struct cars *cars)
{
#ifdef __SANITIZE_ADDRESS__
    return cars->count > 0 ? 1 : 0;
#else
    return cars->count;
#endif
}

static void semi_implicit_tends_to_a_limit(void **state)
{
    const struct trace_run *run = *state;
    struct cars cars;
    struct plane road;
    plane_defaults(&road);
    struct ground ground = plane_ground(&road);
    cars_find(&cars);
    int bad = 0;
    for (int c = 0; c < cars_wanted(&cars); c++)
        bad += check_car(cars.path[c], MODEL_SEMI_IMPLICIT, run, &ground);
    assert_int_equal(bad, 0);
}

/* One car: its substeps make this the slowest of the tests. */
static void forward_tends_to_a_limit(void **state)
{
    const struct trace_run *run = *state;
    struct plane road;
    plane_defaults(&road);
    struct ground ground = plane_ground(&road);
    assert_int_equal(check_car("config/vehicles/sedan.yaml", MODEL_FORWARD, run, &ground), 0);
}

/* A threshold is seen at the next tick, so each shift is up to one tick late, by chance: that gives
 * no slope but a bound. Speed is off by at most the change of acceleration in a shift (below
 * 5 m/s2 for these cars) times a tick for each of at most 4 shifts, and place by that times the
 * time of the run; twice that for what the engine's inertia adds. */
static void a_shift_is_late_by_a_tick_at_most(void **state)
{
    (void)state;
    struct cars cars;
    struct plane road;
    plane_defaults(&road);
    struct ground ground = plane_ground(&road);
    cars_find(&cars);
    for (int c = 0; c < cars_wanted(&cars); c++) {
        struct trace_error e[STEPS];
        struct vehicle *v = car_load(cars.path[c], MODEL_SEMI_IMPLICIT, 1e-3);
        self_errors(lumped15_of(v), &ground, &scheduled, e);
        free(v);
        for (int n = 0; n < STEPS; n++) {
            double tick_s = trace_every_s / per_sample[n];
            double vx_mps = 2.0 * 4.0 * 5.0 * tick_s;
            printf("%s, tick %g ms: vx %.2g mm/s, x %.2g mm\n", cars.path[c], 1e3 * tick_s,
                   1e3 * e[n].most[TRACE_vx], 1e3 * e[n].most[TRACE_x]);
            assert_true(e[n].most[TRACE_vx] < vx_mps);
            assert_true(e[n].most[TRACE_x] < vx_mps * TRACE_SAMPLES * trace_every_s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"semi_implicit_stop_and_hold", semi_implicit_tends_to_a_limit, NULL, NULL, &runs[0]},
        {"semi_implicit_lock_in_a_turn", semi_implicit_tends_to_a_limit, NULL, NULL, &runs[1]},
        {"semi_implicit_rack_friction", semi_implicit_tends_to_a_limit, NULL, NULL, &runs[2]},
        {"semi_implicit_shift_by_hand", semi_implicit_tends_to_a_limit, NULL, NULL, &runs[3]},
        {"forward_stop_and_hold", forward_tends_to_a_limit, NULL, NULL, &runs[0]},
        {"forward_lock_in_a_turn", forward_tends_to_a_limit, NULL, NULL, &runs[1]},
        {"forward_shift_by_hand", forward_tends_to_a_limit, NULL, NULL, &runs[3]},
        cmocka_unit_test(a_shift_is_late_by_a_tick_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Both integrators against SUNDIALS CVODE on smooth runs: the error falls with the first power of
 * the step. Prints the error at 1 ms; docs/convergence.md shows the table. */
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

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* ---- smooth runs of 3 s. Value and rate of every input begin and end at zero. */

static double hump(double time_s, double from_s, double to_s, double *rate)
{
    double x = (time_s - from_s) / (to_s - from_s);
    *rate = 0.0;
    if (!(x > 0.0 && x < 1.0))
        return 0.0;
    *rate = pi / (to_s - from_s) * sin(2.0 * pi * x);
    return sin(pi * x) * sin(pi * x);
}

/* Left, then right: 0.5 to 0.75 g. */
static void lane_change(double time_s, struct plant_in *in, double *hand_radps)
{
    double rate, envelope = hump(time_s, 0.2, 2.7, &rate);
    double w = pi, phase = w * (time_s - 0.2);
    in->hand_wheel_rad = 0.8 * envelope * sin(phase);
    *hand_radps = 0.8 * (rate * sin(phase) + envelope * w * cos(phase));
}

/* 0.4 to 0.5 g, no wheel locks. */
static void brake(double time_s, struct plant_in *in, double *hand_radps)
{
    double unused, pressure_Pa = 35e5 * hump(time_s, 0.2, 2.8, &unused);
    *hand_radps = 0.0;
    in->brake = PLANT_BRAKE_PRESSURES;
    for (int i = 0; i < WHEELS; i++)
        in->wheel_pressure_Pa[i] = pressure_Pa;
}

/* All wheels driven, in a turn. */
static void drive(double time_s, struct plant_in *in, double *hand_radps)
{
    double rate, unused, torque_Nm = 350.0 * hump(time_s, 0.2, 2.8, &unused);
    in->hand_wheel_rad = 0.4 * hump(time_s, 0.4, 2.9, &rate);
    *hand_radps = 0.4 * rate;
    for (int i = 0; i < WHEELS; i++)
        in->wheel_torque_Nm[i] = torque_Nm;
}

/* The hand wheel as the sixteenth coordinate. */
static void steer_by_torque(double time_s, struct plant_in *in, double *hand_radps)
{
    double unused, envelope = hump(time_s, 0.2, 2.7, &unused);
    *hand_radps = 0.0;
    in->steer = PLANT_STEER_TORQUE;
    in->hand_wheel_Nm = 3.0 * envelope * sin(pi * (time_s - 0.2));
}

static struct trace_run runs[] = {
    /* not const: cmocka passes them on as such */
    {"lane change", lane_change, 80.0 / 3.6, PLANT_GEAR_NEUTRAL},
    {"braking", brake, 100.0 / 3.6, PLANT_GEAR_NEUTRAL},
    {"driving in a turn", drive, 60.0 / 3.6, PLANT_GEAR_NEUTRAL},
    {"steering by torque", steer_by_torque, 80.0 / 3.6, PLANT_GEAR_NEUTRAL},
};

/* ---- the check */

/* Steps of 1, 0.5 and 0.25 ms, as ticks between two rows of a trace. */
static const int per_sample[] = {50, 100, 200};
enum { STEPS = sizeof per_sample / sizeof per_sample[0] };
static const double rtol = 1e-9;
/* A signal whose error at 1 ms is below this (SI) does not take part in the run: a car that brakes
 * straight does not yaw. The slope would be that of rounding. */
static const double takes_part = 1e-6;

/* Slope of log(error) over log(step): least squares through equally spaced steps. */
static double slope_of(const struct trace_error e[STEPS], int i)
{
    return log2(e[0].rms[i] / e[STEPS - 1].rms[i]) / (STEPS - 1);
}

static void print_head(void)
{
    printf("| car | run | integrator |");
    for (int i = 0; i < TRACE_WIDTH; i++)
        printf(" %s, %s |", trace_names[i].name, trace_names[i].unit);
    printf("\n|---|---|---|");
    for (int i = 0; i < TRACE_WIDTH; i++)
        printf("---|");
    printf("\n");
}

static void print_row(const char *car, const struct trace_run *run, const struct lumped15_model *m,
                      const struct trace_error *e)
{
    printf("| %s | %s | ", car, run->name);
    if (m->integrator == MODEL_FORWARD)
        printf("forward, %d substeps |", m->substeps);
    else
        printf("semi-implicit |");
    for (int i = 0; i < TRACE_WIDTH; i++) {
        if (e->rms[i] > takes_part)
            printf(" %.2g |", e->most[i] * trace_names[i].factor);
        else
            printf(" |");
    }
    printf("\n");
}

/* Returns how many slopes are out of bounds. */
static int check_slopes(const struct trace_error e[STEPS], const char *car,
                        const struct trace_run *run)
{
    int bad = 0;
    for (int i = 0; i < TRACE_WIDTH; i++) {
        double slope = slope_of(e, i);
        if (!(e[0].rms[i] > takes_part) || (slope > 0.9 && slope < 1.1))
            continue;
        print_error("%s, %s: %s falls with the power %.3f of the step (errors %g, %g, %g)\n", car,
                    run->name, trace_names[i].name, slope, e[0].rms[i], e[1].rms[i], e[2].rms[i]);
        bad++;
    }
    return bad;
}

/* Dry friction is no smooth force: it is for test_self_convergence.c. */
static void make_smooth(struct lumped15_model *m)
{
    m->steering.rack_friction_N = 0.0;
    m->steering.hand_friction_Nm = 0.0;
    m->driveline.lock_Nm[0] = m->driveline.lock_Nm[1] = 0.0;
}

static int check_car(const char *path, const struct trace_run *run, const struct ground *ground)
{
    static const int integrators[] = {MODEL_FORWARD, MODEL_SEMI_IMPLICIT};
    struct trace exact, got;
    char name[64];
    int bad = 0;
    car_name(path, name, sizeof name);
    for (int k = 0; k < 2; k++) {
        struct trace_error e[STEPS];
        /* Forward Euler keeps the substeps of 1 ms: only then does its step shrink with the tick.
         */
        struct vehicle *v = car_load(path, integrators[k], 1e-3);
        make_smooth(lumped15_of(v));
        if (k == 0)
            trace_by_reference(lumped15_of(v), ground, run, rtol, &exact);
        for (int n = 0; n < STEPS; n++) {
            trace_by_steps(lumped15_of(v), ground, run, per_sample[n], &got);
            trace_compare(&got, &exact, &e[n]);
        }
        print_row(name, run, lumped15_of(v), &e[0]);
        bad += check_slopes(e, name, run);
        free(v);
    }
    return bad;
}

/* Under sanitizers one car has to do: the code is the same for all, and slow there. */
static int cars_wanted(const struct cars *cars)
{
#ifdef __SANITIZE_ADDRESS__
    return cars->count > 0 ? 1 : 0;
#else
    return cars->count;
#endif
}

static void converges(void **state)
{
    const struct trace_run *run = *state;
    struct cars cars;
    struct plane road;
    plane_defaults(&road);
    struct ground ground = plane_ground(&road);
    cars_find(&cars);
    int bad = 0;
    print_head();
    for (int c = 0; c < cars_wanted(&cars); c++)
        bad += check_car(cars.path[c], run, &ground);
    assert_int_equal(bad, 0);
}

/* The reference is good enough to judge by: ten times its tolerance moves each signal by less than
 * a thousandth of the error that is measured with it. */
static void reference_is_sharp(void **state)
{
    (void)state;
    struct cars cars;
    struct plane road;
    struct trace exact, rough, steps;
    struct trace_error own, measured;
    plane_defaults(&road);
    struct ground ground = plane_ground(&road);
    cars_find(&cars);
    struct vehicle *v = car_load(cars.path[0], MODEL_SEMI_IMPLICIT, 1e-3);
    make_smooth(lumped15_of(v));
    trace_by_reference(lumped15_of(v), &ground, &runs[0], rtol, &exact);
    trace_by_reference(lumped15_of(v), &ground, &runs[0], 10.0 * rtol, &rough);
    trace_by_steps(lumped15_of(v), &ground, &runs[0], per_sample[0], &steps);
    trace_compare(&rough, &exact, &own);
    trace_compare(&steps, &exact, &measured);
    for (int i = 0; i < TRACE_WIDTH; i++)
        assert_true(own.most[i] < 1e-3 * measured.most[i]);
    free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_is_sharp),
        {"lane_change_converges", converges, NULL, NULL, &runs[0]},
        {"braking_converges", converges, NULL, NULL, &runs[1]},
        {"driving_in_a_turn_converges", converges, NULL, NULL, &runs[2]},
        {"steering_by_torque_converges", converges, NULL, NULL, &runs[3]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

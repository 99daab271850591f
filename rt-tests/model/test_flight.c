/* A car in the air: gravity alone acts from outside, so the linear momentum grows by m g t and the
 * angular momentum about the centre of mass stays, whatever happens inside: tumbling, swinging
 * wheels and rack, gyroscopic wheels, dampers, brakes, drive torque. Then back to the ground. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/parts.h"
#include "rt-tests/support/reference.h"
#include "target/road/plane.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 50 };
static const double every_s = 0.01;

/* Inner forces: two wheels driven from the body, two braked (not to a stop in this time). */
static void inner_input(double time_s, struct plant_in *in, double *hand_radps)
{
    (void)time_s;
    in->wheel_torque_Nm[FL] = 150.0;
    in->wheel_torque_Nm[RR] = -80.0;
    in->brake = PLANT_BRAKE_PRESSURES;
    in->wheel_pressure_Pa[FR] = 4e5; /* 72 Nm */
    in->wheel_pressure_Pa[RL] = 5e5; /* 45 Nm */
    *hand_radps = 0.0;
}

static void throw_up(struct lumped15_state *s)
{
    static const double quat[4] = {0.8, 0.36, -0.48, 0.0};
    memset(s, 0, sizeof *s);
    memcpy(s->quat, quat, sizeof quat);
    s->pos_m[2] = 30.0;
    s->vel_mps[0] = 12.0;
    s->vel_mps[1] = -5.0;
    s->vel_mps[2] = 8.0;
    s->rate_radps[0] = 2.5;
    s->rate_radps[1] = -1.5;
    s->rate_radps[2] = 2.0;
    for (int i = 0; i < WHEELS; i++) {
        s->spin_radps[i] = 90.0 - 3.0 * i;
        s->travel_mps[i] = i % 2 ? -0.8 : 0.6;
    }
    s->rack_m = 0.02;
    s->rack_mps = 0.7;
}

struct flight {
    struct testcar car;
    struct vehicle *vehicle;
    struct plane road;
    struct ground ground;
    struct lumped15_state start;
};

static void flight_open(struct flight *f)
{
    testcar_curved(&f->car);
    testcar_dissipate(&f->car);
    f->car.rack_friction_N = 0.0; /* its jumps only cost the solver time */
    f->vehicle = testcar_load(&f->car, 1e-3);
    plane_defaults(&f->road);
    f->ground = plane_ground(&f->road);
    throw_up(&f->start);
}

/* How far momentum is from what it must be, as shares of its size. */
struct miss {
    double linear, angular, centre_m, formulas;
};

static void compare(const struct flight *f, const struct lumped15_state *now, double time_s,
                    struct miss *worst)
{
    double p0[3], c0[3], l0[3], p[3], c[3], l[3], model_p[3], model_l[3];
    struct parts parts;
    parts_of(&f->car, &f->start, &parts);
    parts_momentum(&f->car, &parts, p0, c0, l0);
    parts_of(&f->car, now, &parts);
    parts_momentum(&f->car, &parts, p, c, l);
    lumped15_momentum(lumped15_of(f->vehicle), now, model_p, model_l);
    double mass = parts_mass_kg(&f->car), g = f->car.gravity_mps2;
    double size_p = 0.0, size_l = 0.0, off_p = 0.0, off_l = 0.0, off_c = 0.0, off_f = 0.0;
    for (int k = 0; k < 3; k++) {
        double fall_mps = k == 2 ? -g * time_s : 0.0;
        double want_m = c0[k] + (p0[k] / mass + 0.5 * fall_mps) * time_s;
        /* the model's is about the world's origin */
        double moved = c[(k + 1) % 3] * p[(k + 2) % 3] - c[(k + 2) % 3] * p[(k + 1) % 3];
        size_p += p0[k] * p0[k];
        size_l += l0[k] * l0[k];
        off_p += pow(p[k] - p0[k] - mass * fall_mps, 2.0);
        off_l += pow(l[k] - l0[k], 2.0);
        off_c += pow(c[k] - want_m, 2.0);
        off_f += pow(model_p[k] - p[k], 2.0) + pow(model_l[k] - l[k] - moved, 2.0);
    }
    worst->linear = fmax(worst->linear, sqrt(off_p / size_p));
    worst->angular = fmax(worst->angular, sqrt(off_l / size_l));
    worst->centre_m = fmax(worst->centre_m, sqrt(off_c));
    worst->formulas = fmax(worst->formulas, sqrt(off_f / size_p));
}

static void reference_keeps_momentum(void **unused)
{
    (void)unused;
    struct flight f;
    static double x[SAMPLES][REFERENCE_X];
    flight_open(&f);
    struct reference_run run = {
        .model = lumped15_of(f.vehicle), .ground = &f.ground, .input = inner_input, .rtol = 1e-11};
    struct miss worst = {0.0, 0.0, 0.0, 0.0};
    assert_int_equal(reference_solve(&run, &f.start, every_s, SAMPLES, x), 0);
    for (int n = 0; n < SAMPLES; n++) {
        struct lumped15_state s = f.start;
        lumped15_ops.x_set(run.model, &s, x[n]);
        compare(&f, &s, (n + 1) * every_s, &worst);
    }
    print_message("    linear %.1e, angular %.1e, centre %.1e m, formulas %.1e\n", worst.linear,
                  worst.angular, worst.centre_m, worst.formulas);
    /* The solver's tolerance of 1e-11, summed up over some thousand steps. */
    assert_below(worst.linear, 1e-8);
    assert_below(worst.angular, 1e-8);
    assert_below(worst.centre_m, 1e-8);
    /* Two formulas for the same: rounding; the angular one sums up arms of 30 m. */
    assert_below(worst.formulas, 1e-11);
    free(f.vehicle);
}

/* ---- the shipped integrators */

static struct miss by_steps(struct flight *f, int integrator, double step_s, int substeps)
{
    struct miss worst = {0.0, 0.0, 0.0, 0.0};
    struct lumped15_state s = f->start;
    lumped15_of(f->vehicle)->integrator = integrator;
    lumped15_of(f->vehicle)->substeps = substeps;
    for (int n = 1; n * step_s < 0.5001; n++) {
        struct plant_in in = {0};
        double unused;
        inner_input(0.0, &in, &unused);
        lumped15_step(lumped15_of(f->vehicle), &s, &in, &f->ground, step_s);
        compare(f, &s, n * step_s, &worst);
    }
    return worst;
}

/* Both are of first order: the momentum of a tumbling car is right to the angle it turns in a step,
 * 3.5 mrad, and half a step gives half the error. Forward Euler needs substeps here: 4. */
static void integrators_stay_within_their_bounds(void **unused)
{
    (void)unused;
    static const int kinds[2] = {MODEL_SEMI_IMPLICIT, MODEL_FORWARD}, substeps[2] = {1, 4};
    struct flight f;
    flight_open(&f);
    for (int k = 0; k < 2; k++) {
        struct miss whole = by_steps(&f, kinds[k], 1e-3, substeps[k]);
        struct miss half = by_steps(&f, kinds[k], 0.5e-3, substeps[k]);
        print_message("    %s: linear %.1e, angular %.1e, centre %.1e m\n",
                      k ? "forward" : "semi-implicit", whole.linear, whole.angular, whole.centre_m);
        assert_below(whole.linear, 1e-3);
        assert_below(whole.angular, 3.5e-3);
        assert_below(whole.centre_m, 5e-3); /* 15 m/s, 0.5 s, share of linear */
        /* 10 %: terms of second order. */
        assert_ratio(whole.linear / half.linear, 2.0, 0.1);
        assert_ratio(whole.angular / half.angular, 2.0, 0.1);
    }
    free(f.vehicle);
}

/* ---- the ground again */

/* Upside down, 1 m above it, with 8 m/s and a slow roll. */
static void upside_down(const struct lumped15_model *m, double roof_m, struct lumped15_state *s)
{
    static const double quat[4] = {0.0, 1.0, 0.0, 0.0};
    struct plane level;
    plane_defaults(&level);
    struct ground ground = plane_ground(&level);
    struct plant_start start = {.speed_mps = 8.0};
    lumped15_reset(m, s, &start, &ground);
    memcpy(s->quat, quat, sizeof quat);
    s->pos_m[2] = roof_m + 1.0;
    s->rate_radps[0] = 0.2;
}

static double speed_of(const struct lumped15_state *s)
{
    return sqrt(s->vel_mps[0] * s->vel_mps[0] + s->vel_mps[1] * s->vel_mps[1] +
                s->vel_mps[2] * s->vel_mps[2]);
}

static void comes_to_rest_on_its_roof(const char *path, int integrator)
{
    struct vehicle *v = car_load(path, integrator, 1e-3);
    const struct lumped15_model *m = lumped15_of(v);
    struct plane level;
    plane_defaults(&level);
    struct ground ground = plane_ground(&level);
    struct lumped15_state s;
    struct plant_in in = {.brake_pedal = 1.0};
    double roof_m = 0.0;
    for (int k = 0; k < m->hull.count; k++)
        roof_m = fmax(roof_m, m->hull.point_m[k].z);
    assert_above(roof_m, 1.0);
    upside_down(m, roof_m, &s);
    double first_J = lumped15_energy_J(m, &s, &ground);
    for (int n = 0; n < 8000; n++) {
        lumped15_step(m, &s, &in, &ground, 1e-3);
        assert_int_equal(s.fault, 0);
        /* Nothing drives it: it only loses energy. 1 %: first order, test_energy.c. */
        assert_below(lumped15_energy_J(m, &s, &ground), 1.01 * first_J);
    }
    /* Four corners of the roof carry the weight. */
    double sunk_m = m->total_kg * m->gravity_mps2 / (4.0 * m->hull.stiffness_Npm);
    print_message("    %s: origin %.3f m high, roof at %.3f m, speed %.1e m/s\n", v->name,
                  s.pos_m[2], roof_m, speed_of(&s));
    /* The centre of gravity is not in the middle: the car tilts by some of that depth. */
    assert_near(s.pos_m[2], roof_m - sunk_m, 0.3 * sunk_m);
    /* Hull friction grows in proportion below 5 cm/s: what is left dies out within milliseconds. */
    assert_below(speed_of(&s), 1e-3);
    assert_int_equal(s.airborne, 15);
    free(v);
}

static void cars_come_to_rest_on_their_roofs(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++)
        for (int integrator = 0; integrator < 2; integrator++)
            comes_to_rest_on_its_roof(cars.path[k], integrator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_keeps_momentum),
        cmocka_unit_test(integrators_stay_within_their_bounds),
        cmocka_unit_test(cars_come_to_rest_on_their_roofs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

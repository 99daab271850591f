/* Stop from 100 km/h on a slope of 10 %, hold for a minute, push sideways, let go. For every
 * shipped car, both integrators, steps of 1 and 0.1 ms, uphill and downhill. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
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

struct hill {
    struct vehicle *vehicle;
    struct plane road;
    struct ground ground;
    struct lumped15_state state;
    struct plant_in in;
    struct plant_out out;
    double step_s;
};

static void hill_open(struct hill *w, const char *path, int integrator, double step_s, double slope)
{
    memset(w, 0, sizeof *w);
    struct plant_start start = {.speed_mps = 100.0 / 3.6};
    w->vehicle = car_load(path, integrator, step_s);
    lumped15_of(w->vehicle)->brake.lag_s = 0.0; /* so that a release is at once */
    w->step_s = step_s;
    plane_defaults(&w->road);
    plane_incline(&w->road, slope, 0.0);
    w->ground = plane_ground(&w->road);
    lumped15_reset(lumped15_of(w->vehicle), &w->state, &start, &w->ground);
}

/* Drives on; returns how far the car has been from where it was at the beginning. */
static double hill_drive(struct hill *w, double time_s)
{
    double from_m[3], far_m = 0.0;
    long ticks = lround(time_s / w->step_s);
    const struct lumped15_model *m = lumped15_of(w->vehicle);
    lumped15_ops.output(m, &w->state, &w->out);
    memcpy(from_m, w->out.pos_m, sizeof from_m);
    for (long n = 0; n < ticks; n++) {
        lumped15_step(m, &w->state, &w->in, &w->ground, w->step_s);
        lumped15_ops.output(m, &w->state, &w->out);
        double x = w->out.pos_m[0] - from_m[0], y = w->out.pos_m[1] - from_m[1];
        double z = w->out.pos_m[2] - from_m[2];
        far_m = fmax(far_m, sqrt(x * x + y * y + z * z));
    }
    assert_int_equal(w->state.fault, 0);
    return far_m;
}

static void stop(struct hill *w)
{
    w->in.brake_pedal = 0.4; /* firm, just short of locking */
    for (int n = 0; n < 100 && !(w->out.vel_mps[0] < 0.01 && n > 0); n++)
        hill_drive(w, 0.1);
    assert_true(w->out.vel_mps[0] < 0.01);
}

/* Less than 0.1 mm in a minute, as the issue asks; and at the end the car is still but for rounding
 * (1e-9 m/s). */
static double holds(struct hill *w)
{
    hill_drive(w, 3.0);
    double drift_m = hill_drive(w, 60.0);
    assert_below(drift_m, 1e-4);
    assert_below(fabs(w->out.vel_mps[0]), 1e-9);
    assert_int_equal(w->out.locked, 0xf);
    return drift_m;
}

/* 100 N sideways move the car on its tyres and springs: between 0.1 mm (tyres alone) and 3 mm. When
 * the push ends it comes back, but for the little that dry friction in the rack keeps (10 %). */
static double gives_way_and_returns(struct hill *w)
{
    double before_m = w->out.pos_m[1];
    w->in.push_N[1] = 100.0;
    hill_drive(w, 2.0);
    double pushed_m = w->out.pos_m[1] - before_m;
    w->in.push_N[1] = 0.0;
    hill_drive(w, 3.0);
    assert_above(pushed_m, 1e-4);
    assert_below(pushed_m, 3e-3);
    assert_below(fabs(w->out.pos_m[1] - before_m), 0.1 * pushed_m);
    return pushed_m;
}

/* g sin(theta) less rolling resistance, with the wheels' inertia; positive uphill. Resistance and
 * radii from the tyres and loads of the standing car. */
static double free_roll_mps2(const struct hill *w)
{
    const struct lumped15_model *m = lumped15_of(w->vehicle);
    struct tyre_in in;
    struct tyre_out tyre;
    double resist_N = 0.0, mass_kg = m->total_kg;
    memset(&in, 0, sizeof in);
    memcpy(in.load_N, w->out.load_N, sizeof in.load_N);
    memcpy(in.pressure_Pa, m->inflation_Pa, sizeof in.pressure_Pa);
    memcpy(in.friction, w->out.friction, sizeof in.friction);
    tyre_forces(&m->tyres, &in, &tyre);
    for (int i = 0; i < WHEELS; i++) {
        double z = w->out.hub_m[i][2] - w->road.slope * w->out.hub_m[i][0];
        double radius_m = z * w->road.normal[2];
        resist_N += tyre.rolling_Nm[i] / radius_m;
        mass_kg += m->wheel_kgm2[i] / (radius_m * radius_m);
    }
    double push_N = m->total_kg * m->gravity_mps2 * w->road.normal[0]; /* normal[0] = -sin theta */
    return (push_N > 0.0 ? push_N - resist_N : push_N + resist_N) / mass_kg;
}

/* The tyres were wound up by the slope: when the brake lets go, they spin the wheels a little too
 * fast, and the body feels that as up to a fifth more until the wheels have fallen back, some 20 ms
 * later. So: at 20 ms on the way with the right acceleration within a fifth, from there on in the
 * mean over a tenth of a second within 4 %, at 0.2 s within 2 % (the body still pitches). */
static void rolls_off(struct hill *w, double result[2])
{
    double want = free_roll_mps2(w);
    w->in.brake_pedal = 0.0;
    hill_drive(w, 0.020);
    double speed_mps = w->out.vel_mps[0], at20 = w->out.level_acc_mps2[0];
    assert_ratio(at20, want, 0.2);
    assert_ratio(speed_mps, 0.020 * want, 0.2);
    hill_drive(w, 0.100);
    double mean = (w->out.vel_mps[0] - speed_mps) / 0.100;
    assert_ratio(mean, want, 0.04);
    hill_drive(w, 0.080);
    assert_ratio(w->out.level_acc_mps2[0], want, 0.02);
    result[0] = want;
    result[1] = mean;
}

static void check(const char *path, int integrator, double step_s, double slope)
{
    struct hill w;
    char name[64];
    double roll[2];
    hill_open(&w, path, integrator, step_s, slope);
    stop(&w);
    double drift_m = holds(&w), pushed_m = gives_way_and_returns(&w);
    rolls_off(&w, roll);
    printf("%-16s %-13s %g ms, slope %+.1f: drift %.2g mm, pushed %.2f mm, rolls off with %.3f "
           "m/s2, expected %.3f\n",
           car_name(path, name, sizeof name),
           integrator == MODEL_FORWARD ? "forward" : "semi-implicit", 1e3 * step_s, slope,
           1e3 * drift_m, 1e3 * pushed_m, roll[1], roll[0]);
    free(w.vehicle);
}

struct setting {
    int integrator;
    double step_s, slope;
};

static void stands(void **state)
{
    const struct setting *s = *state;
    struct cars cars;
    cars_find(&cars);
#ifdef __SANITIZE_ADDRESS__
    cars.count = 1; /* the code is the same for all, and slow there */
#endif
    for (int c = 0; c < cars.count; c++)
        check(cars.path[c], s->integrator, s->step_s, s->slope);
}

int main(void)
{
    static struct setting settings[] = {
        {MODEL_SEMI_IMPLICIT, 1e-3, 0.1},  {MODEL_FORWARD, 1e-3, 0.1},
        {MODEL_SEMI_IMPLICIT, 1e-4, 0.1},  {MODEL_FORWARD, 1e-4, 0.1},
        {MODEL_SEMI_IMPLICIT, 1e-3, -0.1}, {MODEL_FORWARD, 1e-3, -0.1},
    };
    const struct CMUnitTest tests[] = {
        {"semi_implicit_1_ms_uphill", stands, NULL, NULL, &settings[0]},
        {"forward_1_ms_uphill", stands, NULL, NULL, &settings[1]},
        {"semi_implicit_0.1_ms_uphill", stands, NULL, NULL, &settings[2]},
        {"forward_0.1_ms_uphill", stands, NULL, NULL, &settings[3]},
        {"semi_implicit_1_ms_downhill", stands, NULL, NULL, &settings[4]},
        {"forward_1_ms_downhill", stands, NULL, NULL, &settings[5]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

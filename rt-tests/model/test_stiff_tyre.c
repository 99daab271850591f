/* Known traps of tyres in explicit steps, and that the car avoids each of them:
 * wheel spin against relaxing slip is stable in forward Euler only above V = h R^2 K / J; a
 * standing tyre is a spring, which forward Euler makes swing up; a light tyre relaxes within a
 * fraction of a step. Each trap is shown first, then the cure. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/chatter.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/model/lumped15/stiffness_load.h"
#include "target/model/tyre/tyre_grip.h"
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

static const double step_s = 1e-3;

static struct ground level(struct plane *road)
{
    plane_defaults(road);
    return plane_ground(road);
}

/* h R^2 K / J of the front left wheel under its static load. */
static double limit_mps(const struct lumped15_model *m)
{
    struct lumped15_state s;
    struct plane road;
    struct tyre_in in;
    struct tyre_grip grip;
    struct plant_start start = {0};
    struct ground ground = level(&road);
    lumped15_reset(m, &s, &start, &ground);
    memset(&in, 0, sizeof in);
    memcpy(in.load_N, s.seen.load_N, sizeof in.load_N);
    memcpy(in.pressure_Pa, m->inflation_Pa, sizeof in.pressure_Pa);
    memcpy(in.friction, s.seen.friction, sizeof in.friction);
    tyre_grip(&m->tyres, &in, &grip);
    double radius_m = s.seen.hub_m[FL][2] + s.pos_m[2];
    return step_s * radius_m * radius_m * grip.stiff_x_N[FL] / m->wheel_kgm2[FL];
}

/* Largest deviation of the front left spin from that of its neighbour, over the last 50 of so many
 * ticks, after its spin was set off by 0.01 rad/s. */
static double swing_radps(const struct lumped15_model *m, double speed_mps, int ticks)
{
    struct lumped15_state s;
    struct plane road;
    struct plant_in in = {.gear = PLANT_GEAR_NEUTRAL};
    struct plant_start start = {.speed_mps = speed_mps};
    struct ground ground = level(&road);
    double most = 0.0;
    lumped15_reset(m, &s, &start, &ground);
    s.spin_radps[FL] += 0.01;
    for (int n = 0; n < ticks; n++) {
        lumped15_step(m, &s, &in, &ground, step_s);
        if (n >= ticks - 50)
            most = fmax(most, fabs(s.spin_radps[FL] - s.spin_radps[FR]));
    }
    return most;
}

/* One substep of 1 ms: at 0.8 of the limit a disturbance grows to more than ten times itself within
 * 0.8 s, at 1.3 of it it dies out to less than a tenth. With the substeps of the loader and with
 * the semi-implicit integrator it dies out below the limit too. */
static void spin_against_slip(void **state)
{
    (void)state;
    struct cars cars;
    cars_find(&cars);
    for (int c = 0; c < cars.count; c++) {
        struct vehicle *v = car_load(cars.path[c], MODEL_FORWARD, step_s);
        double limit = limit_mps(lumped15_of(v));
        int substeps = lumped15_of(v)->substeps;
        lumped15_of(v)->substeps = 1;
        double below = swing_radps(lumped15_of(v), 0.8 * limit, 800);
        double above = swing_radps(lumped15_of(v), 1.3 * limit, 800);
        lumped15_of(v)->substeps = substeps;
        double cured = swing_radps(lumped15_of(v), 0.8 * limit, 800);
        lumped15_of(v)->integrator = MODEL_SEMI_IMPLICIT;
        lumped15_of(v)->substeps = 1;
        double implicit = swing_radps(lumped15_of(v), 0.8 * limit, 800);
        printf("%s: limit %.1f m/s; a swing of 0.01 rad/s becomes %.2g below it, %.2g above; %.2g "
               "with %d substeps, %.2g semi-implicit\n",
               cars.path[c], limit, below, above, cured, substeps, implicit);
        free(v);
        assert_above(limit, 4.0); /* above the carcass damping, which would hide it */
        assert_above(below, 0.1);
        assert_below(above, 0.001);
        assert_below(cured, 0.001);
        assert_below(implicit, 0.001);
    }
}

/* Largest spin of the front left wheel of a standing car, 0.1 to 0.15 s after it was set off by
 * 2 rad/s. */
static double standing_swing_radps(const struct lumped15_model *m)
{
    struct lumped15_state s;
    struct plane road;
    struct plant_in in = {.gear = PLANT_GEAR_NEUTRAL};
    struct plant_start start = {0};
    struct ground ground = level(&road);
    double most = 0.0;
    lumped15_reset(m, &s, &start, &ground);
    s.spin_radps[FL] += 2.0;
    for (int n = 0; n < 150; n++) {
        lumped15_step(m, &s, &in, &ground, step_s);
        if (n >= 100)
            most = fmax(most, fabs(s.spin_radps[FL]));
    }
    return most;
}

/* On a bare tyre spring the wheel turns to and fro with w of some 200 rad/s; forward Euler adds
 * w^2 h / 2 = 20/s to that, until the tyre slides. Carcass damping brings it to rest. */
static void standing_tyre_is_a_spring(void **state)
{
    (void)state;
    struct cars cars;
    cars_find(&cars);
    for (int c = 0; c < cars.count; c++) {
        struct vehicle *v = car_load(cars.path[c], MODEL_FORWARD, step_s);
        double forward = standing_swing_radps(lumped15_of(v));
        lumped15_of(v)->substeps = 1;
        lumped15_of(v)->integrator = MODEL_SEMI_IMPLICIT;
        double implicit = standing_swing_radps(lumped15_of(v));
        lumped15_of(v)->integrator = MODEL_FORWARD;
        lumped15_of(v)->slip.damping_spm[0] = lumped15_of(v)->slip.damping_spm[1] = 0.0;
        double bare = standing_swing_radps(lumped15_of(v));
        free(v);
        printf("%s: 2 rad/s become %.2g rad/s on a bare spring; with carcass damping %.2g forward, "
               "%.2g semi-implicit\n",
               cars.path[c], bare, forward, implicit);
        assert_above(bare, 5.0);
        assert_below(forward, 0.05);
        assert_below(implicit, 0.05);
    }
}

/* A fiftieth of the weight on the tyres at 70 m/s: relaxation lengths of millimetres would decay at
 * more than 10,000/s. Floored at V h, the car rolls on quietly, also when it steers. */
static void light_tyre_at_speed(void **state)
{
    (void)state;
    struct cars cars;
    struct plane road;
    struct ground ground = level(&road);
    cars_find(&cars);
    for (int c = 0; c < cars.count; c++) {
        struct vehicle *v = car_load(cars.path[c], MODEL_SEMI_IMPLICIT, step_s);
        struct plant_start start = {.speed_mps = 70.0};
        struct plant_in in = {.gear = PLANT_GEAR_NEUTRAL};
        struct lumped15_state s;
        struct chatter chatter;
        lumped15_of(v)->gravity_mps2 /= 50.0;
        memset(&lumped15_of(v)->aero, 0, sizeof lumped15_of(v)->aero);
        lumped15_reset(lumped15_of(v), &s, &start, &ground);
        chatter_begin(&chatter);
        for (int n = 0; n < 1000; n++) {
            in.hand_wheel_rad = 0.05 * sin(0.01 * (n + 1));
            lumped15_step(lumped15_of(v), &s, &in, &ground, step_s);
            chatter_add(&chatter, &s);
        }
        printf("%s: %s chatters for %d ticks\n", cars.path[c], chatter.what, chatter.longest);
        assert_int_equal(s.fault, 0);
        assert_true(chatter.longest <= 3);
        for (int i = 0; i < WHEELS; i++) /* it still rolls; 5 %: growth by spin, a little slip */
            assert_ratio(s.spin_radps[i] * lumped15_of(v)->tyres.radius_m[i], 70.0, 0.05);
        free(v);
    }
}

/* The printed eigenvalues tell the truth: at its tightest point the car swings up with a step 1.3
 * times the longest stable one and calms down with 0.7 of it; slowly, as it rolls slowly. */
static void eigenvalues_tell_the_longest_step(void **state)
{
    (void)state;
    struct cars cars;
    cars_find(&cars);
    struct vehicle *v = car_load(cars.path[0], MODEL_FORWARD, step_s);
    struct stiffness s;
    assert_int_equal(stiffness_of(lumped15_of(v), 0.0, &s), 0);
    lumped15_of(v)->gravity_mps2 *= s.tightest.load;
    /* swing_radps() steps by 1 ms: substeps make the step that is wanted. */
    lumped15_of(v)->substeps = (int)floor(step_s / (1.3 * s.tightest.forward_s));
    double longer = swing_radps(lumped15_of(v), s.tightest.speed_mps, 800);
    lumped15_of(v)->substeps = (int)ceil(step_s / (0.7 * s.tightest.forward_s));
    double shorter = swing_radps(lumped15_of(v), s.tightest.speed_mps, 800);
    free(v);
    assert_above(longer, 0.02);
    assert_below(shorter, 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spin_against_slip),
        cmocka_unit_test(standing_tyre_is_a_spring),
        cmocka_unit_test(light_tyre_at_speed),
        cmocka_unit_test(eigenvalues_tell_the_longest_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

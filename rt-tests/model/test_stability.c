/* No car becomes unstable at 1 ms, whatever the speed, the friction and the driver. Both
 * integrators, forward Euler with the substeps that it was loaded with. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/chatter.h"
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

static const double step_s = 1e-3, run_s = 3.0;
/* Ticks that a sign may change in a row: wheels that lock, lift or land ring for a moment. */
enum { CHATTER_MAX = 12 };

struct drive {
    const char *name;
    double steer, brake, throttle; /* shares of the most */
};

static const struct drive drives[] = {
    {"coasting", 0.0, 0.0, 0.0},
    {"steering", 1.0, 0.0, 0.0},
    {"braking", 0.0, 1.0, 0.0},
    {"full throttle", 0.0, 0.0, 1.0},
    {"braking and steering", 1.0, 1.0, 0.0},
    {"throttle and steering", 1.0, 0.0, 1.0},
};
enum { DRIVES = sizeof drives / sizeof drives[0] };

static double ramp(double time_s, double from_s, double over_s)
{
    double x = (time_s - from_s) / over_s;
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

/* A sine of half a hertz at the hand wheel, a turn at a crawl and a few degrees at top speed. */
static void inputs(const struct drive *d, double speed_mps, double time_s, struct plant_in *in)
{
    double most_rad = 6.0 / (1.0 + 0.5 * fabs(speed_mps));
    memset(in, 0, sizeof *in);
    in->gear = speed_mps < 0.0 ? PLANT_GEAR_REVERSE : PLANT_GEAR_AUTO;
    in->hand_wheel_rad = d->steer * most_rad * sin(3.0 * (time_s + step_s)) * ramp(time_s, 0, 0.5);
    in->brake_pedal = d->brake * ramp(time_s, 0.5, 0.1);
    in->throttle = d->throttle * ramp(time_s, 0.2, 0.2);
}

static double speed_of(const struct lumped15_state *s)
{
    return sqrt(s->vel_mps[0] * s->vel_mps[0] + s->vel_mps[1] * s->vel_mps[1]);
}

/* Lies on its side or roof: then the hull slides on the ground, which is another matter. */
static bool fallen(const struct lumped15_state *s)
{
    double up = 1.0 - 2.0 * (s->quat[1] * s->quat[1] + s->quat[2] * s->quat[2]);
    return up < 0.5;
}

/* One run; returns how many things are wrong. */
static int run(const struct lumped15_model *m, const struct drive *d, double speed_mps,
               double friction)
{
    struct plane road;
    struct lumped15_state s;
    struct chatter chatter;
    struct plant_in in;
    struct plant_start start = {.speed_mps = speed_mps, .gear = PLANT_GEAR_AUTO};
    plane_defaults(&road);
    road.friction_left = road.friction_right = friction;
    struct ground ground = plane_ground(&road);
    lumped15_reset(m, &s, &start, &ground);
    chatter_begin(&chatter);
    double fastest_mps = 0.0;
    for (int n = 0; n * step_s < run_s && !s.fault && !fallen(&s); n++) {
        inputs(d, speed_mps, n * step_s, &in);
        lumped15_step(m, &s, &in, &ground, step_s);
        chatter_add(&chatter, &s);
        fastest_mps = fmax(fastest_mps, speed_of(&s));
    }
    /* Without the pedal only idle in gear drives the car; 0.5 m/s more than at the start is room
     * for that. With the pedal no car here gains 45 m/s in 3 s. */
    double more_mps = d->throttle > 0.0 ? 45.0 : 0.5;
    bool grown = !(fastest_mps < fabs(speed_mps) + more_mps);
    if (!s.fault && !grown && chatter.longest <= CHATTER_MAX)
        return 0;
    print_error("%s at %g m/s, friction %g: fault %u, fastest %g m/s, %s chatters for %d ticks\n",
                d->name, speed_mps, friction, s.fault, fastest_mps, chatter.what, chatter.longest);
    return 1;
}

static int run_all(const char *path, int integrator, const double *speeds_mps, int speeds,
                   const double *frictions, int grounds)
{
    struct vehicle *v = car_load(path, integrator, step_s);
    int bad = 0;
    for (int k = 0; k < DRIVES; k++)
        for (int a = 0; a < speeds; a++)
            for (int b = 0; b < grounds; b++)
                bad += run(lumped15_of(v), &drives[k], speeds_mps[a], frictions[b]);
    if (bad)
        print_error("%s: %d runs failed\n", path, bad);
    free(v);
    return bad;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static void find_cars(struct cars *cars)
{
    cars_find(cars);
#ifdef __SANITIZE_ADDRESS__
    cars->count = 1; /* the code is the same for all, and slow there */
#endif
}

static void semi_implicit_is_stable(void **state)
{
    static const double speeds_mps[] = {-10.0, -3.0, -0.5, 0.0,  0.3,  1.0,  2.0,
                                        2.5,   3.0,  5.0,  10.0, 20.0, 40.0, 70.0};
    static const double frictions[] = {0.1, 0.4, 1.0, 1.2};
    struct cars cars;
    int bad = 0;
    (void)state;
    find_cars(&cars);
    for (int c = 0; c < cars.count; c++)
        bad += run_all(cars.path[c], MODEL_SEMI_IMPLICIT, speeds_mps, COUNT(speeds_mps), frictions,
                       COUNT(frictions));
    assert_int_equal(bad, 0);
}

/* Fewer runs, because each has several substeps: around the speed where carcass damping ends, which
 * sets their number, and at both ends. */
static void forward_with_its_substeps_is_stable(void **state)
{
    static const double speeds_mps[] = {-3.0, 0.3, 2.5, 2.8, 20.0, 70.0};
    static const double frictions[] = {0.2, 1.2};
    struct cars cars;
    int bad = 0;
    (void)state;
    find_cars(&cars);
    for (int c = 0; c < cars.count; c++)
        bad += run_all(cars.path[c], MODEL_FORWARD, speeds_mps, COUNT(speeds_mps), frictions,
                       COUNT(frictions));
    assert_int_equal(bad, 0);
}

/* ---- parked */

struct park {
    double slope, bank, brake;
    int32_t gear;
};

/* Kinetic energy of a car that should not move: body, travels, wheels. */
static double unrest_J(const struct lumped15_model *m, const struct lumped15_state *s)
{
    double twice = 0.0;
    for (int k = 0; k < 3; k++)
        twice += m->total_kg * s->vel_mps[k] * s->vel_mps[k] +
                 m->inertia_kgm2[k] * s->rate_radps[k] * s->rate_radps[k];
    for (int i = 0; i < WHEELS; i++)
        twice += m->unsprung_kg[i] * s->travel_mps[i] * s->travel_mps[i] +
                 m->wheel_kgm2[i] * s->spin_radps[i] * s->spin_radps[i];
    return 0.5 * twice;
}

/* A minute; returns the most energy in its last ten seconds, and in *drift_m how far the car crept
 * from 10 s on. */
static double park(const struct lumped15_model *m, const struct park *p, double *drift_m)
{
    struct plane road;
    struct lumped15_state s;
    struct plant_in in = {.gear = p->gear, .brake_pedal = p->brake};
    struct plant_start start = {.gear = p->gear};
    double most_J = 0.0, at_m[3] = {0.0, 0.0, 0.0};
    plane_defaults(&road);
    plane_incline(&road, p->slope, p->bank);
    struct ground ground = plane_ground(&road);
    lumped15_reset(m, &s, &start, &ground);
    *drift_m = 0.0;
    for (int n = 0; n < 60000; n++) {
        lumped15_step(m, &s, &in, &ground, step_s);
        if (n == 10000)
            memcpy(at_m, s.pos_m, sizeof at_m);
        for (int k = 0; n > 10000 && k < 3; k++)
            *drift_m = fmax(*drift_m, fabs(s.pos_m[k] - at_m[k]));
        if (n >= 50000)
            most_J = fmax(most_J, unrest_J(m, &s));
    }
    assert_int_equal(s.fault, 0);
    return most_J;
}

/* A microjoule would be 1500 kg at 0.04 mm/s. What is left is rounding, far below. */
static void a_parked_car_stays(void **state)
{
    static const struct park parks[] = {
        {0.0, 0.0, 0.0, PLANT_GEAR_NEUTRAL}, /* rolling resistance alone holds it on the level */
        {0.0, 0.1, 0.5, PLANT_GEAR_AUTO},    /* on a bank, engine idling */
        {-0.25, 0.1, 1.0, PLANT_GEAR_NEUTRAL},
    };
    struct cars cars;
    (void)state;
    find_cars(&cars);
    for (int c = 0; c < cars.count; c++) {
        struct vehicle *v = car_load(cars.path[c], MODEL_SEMI_IMPLICIT, step_s);
        for (int k = 0; k < COUNT(parks); k++) {
            double drift_m, left_J = park(lumped15_of(v), &parks[k], &drift_m);
            printf("%s, slope %+.2f, bank %+.2f: %.2g J, %.2g mm\n", cars.path[c], parks[k].slope,
                   parks[k].bank, left_J, 1e3 * drift_m);
            assert_below(left_J, 1e-12);
            assert_below(drift_m, 1e-5);
        }
        free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semi_implicit_is_stable),
        cmocka_unit_test(forward_with_its_substeps_is_stable),
        cmocka_unit_test(a_parked_car_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

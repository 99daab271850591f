/* Straight full braking with the stand-in unit, against the quasi-static optimum of the same tyres:
 * each wheel at the peak of its curve, at the load that the deceleration makes, with air drag
 * (rt-tests/support/ecu_optimum.h). Mean deceleration from 80 to 15 km/h. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/ecu_optimum.h"
#include "rt-tests/support/ecu_stop.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ecu_car car; /* large: not for the stack */

/* Least share of the optimum that each friction asks for. */
static const struct {
    double friction, share;
} roads[] = {{0.8, 0.90}, {0.3, 0.80}, {0.15, 0.80}};
enum { ROADS = sizeof roads / sizeof roads[0] };

static struct stop_result stop_on(double friction)
{
    struct stop_plan plan = stop_plan();
    car.road.left = car.road.right = friction;
    ecu_car_reset(&car, plan.from_mps);
    return stop_run(&car, &plan);
}

static double share_of_optimum(double friction, const struct stop_result *r)
{
    return r->mean_mps2 /
           optimum_mean_mps2(lumped15_of(car.vehicle), friction, KMH(80.0), KMH(15.0));
}

static double longest_s(const double locked_s[WHEELS])
{
    return fmax(fmax(locked_s[FL], locked_s[FR]), fmax(locked_s[RL], locked_s[RR]));
}

static void each_car_uses_its_tyres(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        ecu_car_open(&car, car_name(cars.path[k], name, sizeof name), 1.0, 20.0);
        for (int n = 0; n < ROADS; n++) {
            struct stop_result r = stop_on(roads[n].friction);
            double share = share_of_optimum(roads[n].friction, &r);
            print_message("    %-15s friction %.2f: %.2f m/s2, %.1f %% of the optimum, locked at "
                          "most %.0f ms\n",
                          name, roads[n].friction, r.mean_mps2, 100.0 * share,
                          1e3 * longest_s(r.locked_s));
            assert_true(r.stopped);
            assert_above(share, roads[n].share);
            assert_below(share, 1.0); /* the optimum is one */
            assert_below(longest_s(r.locked_s), 0.2);
            assert_int_equal(r.faults, 0);
            assert_below(r.yaw_rad, 0.05);
        }
        ecu_car_close(&car);
    }
}

/* The unit is what keeps the wheels turning: the same cars without it. */
static void without_the_unit_wheels_lock(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        ecu_car_open(&car, car_name(cars.path[k], name, sizeof name), 1.0, 20.0);
        car.with_unit = false;
        for (int n = 0; n < ROADS; n++) {
            struct stop_result r = stop_on(roads[n].friction);
            assert_above(fmin(r.locked_s[FL], r.locked_s[FR]), 0.2);
        }
        ecu_car_close(&car);
    }
}

/* The engine's inertia hangs on two or four wheels; the clutch opens at low speed. */
static void works_with_the_engine_coupled(void **unused)
{
    (void)unused;
    static const char *const names[] = {"sedan", "sports", "suv"}; /* front, rear, all wheels */
    for (int k = 0; k < 3; k++) {
        ecu_car_open(&car, names[k], 1.0, 20.0);
        car.gear = 3;
        for (int n = 0; n < ROADS; n++) {
            struct stop_result r = stop_on(roads[n].friction);
            double share = share_of_optimum(roads[n].friction, &r);
            print_message(
                "    %-7s in third gear, friction %.2f: %.1f %%, locked at most %.0f ms\n",
                names[k], roads[n].friction, 100.0 * share, 1e3 * longest_s(r.locked_s));
            /* Wheels are several times as heavy to turn: a tenth less is accepted. */
            assert_above(share, roads[n].share - 0.1);
            assert_below(longest_s(r.locked_s), 0.2);
        }
        ecu_car_close(&car);
    }
}

/* What a late bus costs: the same unit with 10 ms more from sensor to unit. */
static void delay_degrades_it(void **unused)
{
    (void)unused;
    ecu_car_open(&car, "sedan", 1.0, 20.0);
    double loss = 0.0;
    for (int n = 0; n < ROADS; n++) {
        double share[2];
        for (int late = 0; late < 2; late++) {
            car.delay_in_ticks = late ? 11 : 1;
            struct stop_result r = stop_on(roads[n].friction);
            share[late] = share_of_optimum(roads[n].friction, &r);
        }
        print_message("    friction %.2f: %.1f %% of the optimum, %.1f %% with 10 ms more delay\n",
                      roads[n].friction, 100.0 * share[0], 100.0 * share[1]);
        assert_below(share[1], share[0]);
        loss += (share[0] - share[1]) / ROADS;
    }
    assert_above(loss, 0.01); /* visible: at least one hundredth of the optimum in the mean */
    ecu_car_close(&car);
}

static void runs_are_bit_equal(void **unused)
{
    (void)unused;
    static struct lumped15_state plant;
    static struct ecu_state unit;
    ecu_car_open(&car, "sedan", 0.8, 20.0);
    (void)stop_on(0.8);
    plant = car.plant;
    unit = car.unit;
    (void)stop_on(0.8);
    assert_memory_equal(&plant, &car.plant, sizeof plant);
    assert_memory_equal(&unit, &car.unit, sizeof unit);
    ecu_car_close(&car);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_car_uses_its_tyres),
        cmocka_unit_test(without_the_unit_wheels_lock),
        cmocka_unit_test(works_with_the_engine_coupled),
        cmocka_unit_test(delay_degrades_it),
        cmocka_unit_test(runs_are_bit_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

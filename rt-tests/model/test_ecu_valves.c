/* The stand-in unit with valves and pump as the interface: what it does with pressures holds with
 * the car's hydraulics between, by the same criteria as test_ecu_stop and test_ecu_road; and what
 * its model of the hydraulics is worth. */
#include "rt-tests/support/ecu_optimum.h"
#include "rt-tests/support/ecu_stop.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/ecu/valves_load.h"
#include "target/valve_in.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DEG (3.14159265358979323846 / 180.0)
#define G   9.81
#define BAR 1e5

static struct ecu_car car; /* large: not for the stack */

static const struct {
    double friction, share;
} roads[] = {{0.8, 0.90}, {0.3, 0.80}, {0.15, 0.80}};
enum { ROADS = sizeof roads / sizeof roads[0] };

static const char *const names[] = {"sedan", "sports", "suv", "suv_overloaded"};
enum { CARS = sizeof names / sizeof names[0] };

static double longest_s(const double locked_s[WHEELS])
{
    return fmax(fmax(locked_s[FL], locked_s[FR]), fmax(locked_s[RL], locked_s[RR]));
}

static void straight_stops(const char *name, int interface)
{
    ecu_car_open_by(&car, name, 1.0, 20.0, interface);
    for (int n = 0; n < ROADS; n++) {
        struct stop_plan plan = stop_plan();
        car.road.left = car.road.right = roads[n].friction;
        ecu_car_reset(&car, plan.from_mps);
        struct stop_result r = stop_run(&car, &plan);
        double best =
            optimum_mean_mps2(lumped15_of(car.vehicle), roads[n].friction, KMH(80.0), KMH(15.0));
        print_message("    %-15s %s, friction %.2f: %.2f m/s2, %.1f %% of the optimum, locked at "
                      "most %.0f ms\n",
                      name, ecu_car_interface(interface), roads[n].friction, r.mean_mps2,
                      100.0 * r.mean_mps2 / best, 1e3 * longest_s(r.locked_s));
        assert_true(r.stopped);
        assert_above(r.mean_mps2 / best, roads[n].share);
        assert_below(r.mean_mps2 / best, 1.0);
        assert_below(longest_s(r.locked_s), 0.2);
        assert_int_equal(r.faults, 0);
        assert_below(r.yaw_rad, 0.05);
    }
    ecu_car_close(&car);
}

static void cars_stop_with_currents(void **unused)
{
    (void)unused;
    for (int k = 0; k < CARS; k++)
        straight_stops(names[k], VALVES_PERCENT);
}

static void cars_stop_with_pulses(void **unused)
{
    (void)unused;
    straight_stops("sedan", VALVES_PWM);
    straight_stops("sports", VALVES_PWM);
}

static void split_friction_is_held(void **unused)
{
    (void)unused;
    for (int k = 0; k < CARS; k++) {
        struct stop_plan plan = stop_plan();
        plan.from_mps = KMH(50.0);
        plan.fast_mps = 0.9 * plan.from_mps;
        plan.steered = true;
        ecu_car_open_by(&car, names[k], 0.8, 20.0, VALVES_PERCENT);
        car.road.right = 0.2;
        ecu_car_reset(&car, plan.from_mps);
        struct stop_result r = stop_run(&car, &plan);
        const struct lumped15_model *m = lumped15_of(car.vehicle);
        double k_h = optimum_mean_mps2(m, 0.8, plan.fast_mps, plan.slow_mps) / G;
        double k_l = optimum_mean_mps2(m, 0.2, plan.fast_mps, plan.slow_mps) / G;
        double z = r.mean_mps2 / G;
        print_message(
            "    %-15s z %.3f (at least %.3f), hand wheel %.0f deg in 2 s, aside %.2f m\n",
            names[k], z, 0.75 * (4.0 * k_l + k_h) / 5.0, r.hand_early_rad / DEG, r.side_m);
        assert_true(r.stopped);
        assert_above(z, 0.75 * (4.0 * k_l + k_h) / 5.0);
        assert_above(z, k_l);
        assert_below(r.hand_early_rad, 120.0 * DEG);
        assert_below(longest_s(r.locked_s), 0.2);
        assert_below(r.side_m, 1.0);
        assert_int_equal(r.faults, 0);
        ecu_car_close(&car);
    }
}

static void from_high_to_low(void **unused)
{
    (void)unused;
    for (int k = 0; k < CARS; k++) {
        struct stop_plan plan = stop_plan();
        ecu_car_open_by(&car, names[k], 0.8, 20.0, VALVES_PERCENT);
        car.road.change_m = 30.0;
        car.road.left2 = car.road.right2 = 0.2;
        ecu_car_reset(&car, plan.from_mps);
        struct stop_result r = stop_run(&car, &plan);
        print_message("    %-15s locked at most %.0f ms\n", names[k], 1e3 * longest_s(r.locked_s));
        assert_true(r.stopped);
        assert_below(longest_s(r.locked_s), 0.2);
        assert_int_equal(r.faults, 0);
        ecu_car_close(&car);
    }
}

/* Gentle braking is the driver's: no valve moves, and once it is checked no pump runs. */
static void gentle_braking_moves_no_valve(void **unused)
{
    (void)unused;
    ecu_car_open_by(&car, "sedan", 1.0, KMH(80.0), VALVES_PERCENT);
    for (int n = 0; n < 3000; n++) {
        car.in.brake_pedal = fmin(n / 500.0, 1.0) * 0.2;
        ecu_car_step(&car);
        for (int i = 0; i < WHEELS; i++)
            assert_true(car.in.valves.inlet[i] <= 0.0 && car.in.valves.outlet[i] <= 0.0);
        assert_true(car.in.valves.pump <= 0.0 || n < 500);
    }
    assert_true(car.tx.pump_checked > 0.5);
    ecu_car_close(&car);
}

/* The unit's own idea of the pressures against the car's, in a stop with ABS: within 15 bar in the
 * mean of the front wheels, which swing by several times that. */
static void model_knows_the_pressures(void **unused)
{
    (void)unused;
    double sum_Pa = 0.0, swing_Pa = 0.0, last_Pa = 0.0;
    int count = 0;
    ecu_car_open_by(&car, "sedan", 0.8, KMH(100.0), VALVES_PERCENT);
    for (int n = 0; n < 2500; n++) {
        car.in.brake_pedal = fmin(fmax((n - 200) / 100.0, 0.0), 1.0) * 0.8;
        ecu_car_step(&car);
        if (n < 600)
            continue;
        sum_Pa += fabs(car.unit.valves.brake_Pa[FL] - car.out.pressure_Pa[FL]);
        swing_Pa += fabs(car.out.pressure_Pa[FL] - last_Pa);
        last_Pa = car.out.pressure_Pa[FL];
        count++;
    }
    print_message("    mean error %.1f bar\n", sum_Pa / count / BAR);
    assert_below(sum_Pa / count, 15.0 * BAR);
    assert_above(swing_Pa, 100.0 * BAR); /* or there was nothing to know */
    ecu_car_close(&car);
}

/* ---- the stage on the hydraulics alone: pressures above the driver's */

static struct hydraulics_state plant;

/* The unit asks for these pressures for so long; its currents act on the hydraulics. */
static void ask(const struct valves_params *p, struct valves *v, const double request_Pa[WHEELS],
                double pedal, double for_s)
{
    const struct hydraulics_model *m = &lumped15_of(car.vehicle)->hydraulics;
    struct plant_in in;
    memset(&in, 0, sizeof in);
    in.brake = PLANT_BRAKE_VALVES;
    in.brake_pedal = pedal;
    for (int n = 0; n < (int)(for_s * 1e3 + 0.5); n++) {
        if (n % 5 == 0) {
            double driver_Pa = fmax(hydraulics_master_Pa(m, &plant, CIRCUIT_1), 0.0);
            valves_step(p, request_Pa, driver_Pa, 1, v);
            memcpy(in.valves.inlet, v->inlet, sizeof in.valves.inlet);
            memcpy(in.valves.outlet, v->outlet, sizeof in.valves.outlet);
            memcpy(in.valves.separation, v->separation, sizeof in.valves.separation);
            memcpy(in.valves.prime, v->prime, sizeof in.valves.prime);
            in.valves.pump = v->pump;
        }
        hydraulics_step(m, &plant, &in, 1e-3);
    }
}

static void pump_makes_what_no_driver_asks(void **unused)
{
    (void)unused;
    for (int k = 0; k < CARS; k++) {
        double p_Pa[WHEELS];
        struct valves v;
        memset(&v, 0, sizeof v);
        ecu_car_open_by(&car, names[k], 1.0, 20.0, VALVES_PERCENT);
        const struct hydraulics_model *m = &lumped15_of(car.vehicle)->hydraulics;
        hydraulics_reset(m, &plant);
        const double one[WHEELS] = {40.0 * BAR, 0.0, 0.0, 0.0}, none[WHEELS] = {0.0};
        ask(&car.params.valves, &v, one, 0.0, 1.2);
        hydraulics_caliper_Pa(m, &plant, p_Pa);
        print_message("    %-15s front left %.1f bar of 40, others %.1f %.1f %.1f\n", names[k],
                      p_Pa[FL] / BAR, p_Pa[FR] / BAR, p_Pa[RL] / BAR, p_Pa[RR] / BAR);
        assert_near(p_Pa[FL], 40.0 * BAR, 5.0 * BAR); /* no sensor there: its model's error */
        for (int i = FR; i < WHEELS; i++)
            assert_below(p_Pa[i], 4.0 * BAR);
        ask(&car.params.valves, &v, none, 0.0, 1.0);
        hydraulics_caliper_Pa(m, &plant, p_Pa);
        assert_below(p_Pa[FL], 2.0 * BAR); /* and let go again */
        ecu_car_close(&car);
    }
}

/* Up and down without the driver, as traction control does: what is let out of a brake goes into
 * the accumulator, and the pump brings it back. A model that loses it would be off by more each
 * time. */
static void model_keeps_up_without_the_driver(void **unused)
{
    (void)unused;
    for (int k = 0; k < CARS; k++) {
        double p_Pa[WHEELS], worst_Pa = 0.0;
        struct valves v;
        memset(&v, 0, sizeof v);
        ecu_car_open_by(&car, names[k], 1.0, 20.0, VALVES_PERCENT);
        const struct hydraulics_model *m = &lumped15_of(car.vehicle)->hydraulics;
        hydraulics_reset(m, &plant);
        for (int n = 0; n < 12; n++) {
            const double wish[WHEELS] = {(n % 2 ? 20.0 : 35.0) * BAR, 0.0, 0.0, 0.0};
            ask(&car.params.valves, &v, wish, 0.0, n == 0 ? 1.0 : 0.4);
            hydraulics_caliper_Pa(m, &plant, p_Pa);
            worst_Pa = fmax(worst_Pa, fabs(p_Pa[FL] - v.brake_Pa[FL]));
        }
        print_message("    %-15s model off by at most %.1f bar\n", names[k], worst_Pa / BAR);
        assert_below(worst_Pa,
                     10.0 * BAR); /* half of a swing of 15 bar, and what one build-up is off */
        ecu_car_close(&car);
    }
}

/* ---- frames to currents */

static void frames_become_currents(void **unused)
{
    (void)unused;
    struct plant_valves v;
    struct valve_request r = {.current = {.inlet = {0.5, 2.0, -1.0, NAN}, .pump = 1.0},
                              .inlet_on_s = {2e-3, 5e-3, 5e-3, 5e-3}};
    assert_false(valve_take(&r, false, true, 4e-3, 0.02, &v));
    assert_near(v.inlet[FL], 0.5, 0.0);
    assert_near(v.inlet[FR], 1.0, 0.0); /* limited */
    assert_near(v.inlet[RL], 0.0, 0.0);
    assert_near(v.inlet[RR], 0.0, 0.0);
    assert_false(valve_take(&r, true, true, 1e-3, 0.02, &v));
    assert_near(v.inlet[FL], 0.5, 0.0); /* the pulse is on for 2 ms */
    assert_false(valve_take(&r, true, true, 2e-3, 0.02, &v));
    assert_near(v.inlet[FL], 0.0, 0.0);
    assert_near(v.inlet[FR], 1.0, 0.0);
    assert_true(valve_take(&r, false, true, 0.021, 0.02, &v)); /* too old: at rest */
    assert_near(v.inlet[FR] + v.pump, 0.0, 0.0);
    assert_true(valve_take(&r, false, false, 0.0, 0.02, &v)); /* the unit does not control */
    assert_near(v.inlet[FR] + v.pump, 0.0, 0.0);
    assert_true(valve_take(&r, false, true, NAN, 0.02, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cars_stop_with_currents),
        cmocka_unit_test(cars_stop_with_pulses),
        cmocka_unit_test(split_friction_is_held),
        cmocka_unit_test(from_high_to_low),
        cmocka_unit_test(gentle_braking_moves_no_valve),
        cmocka_unit_test(model_knows_the_pressures),
        cmocka_unit_test(pump_makes_what_no_driver_asks),
        cmocka_unit_test(model_keeps_up_without_the_driver),
        cmocka_unit_test(frames_become_currents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

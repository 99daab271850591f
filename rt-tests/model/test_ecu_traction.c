/* Traction and drag torque control, the talk with the engine, hill hold: each drive without and
 * with the unit. */
#include "rt-tests/support/ecu_stop.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DEG (3.14159265358979 / 180.0)

static struct ecu_car car;

/* ---- a start on split friction */

struct start_result {
    double way_m, speed_mps, spin_mps, hand_rad, aside_m;
    int braked; /* ticks in which a wheel was braked without a foot */
};

/* Half throttle for 9.5 s, left side dry, right side ice. */
static struct start_result split_start(const char *name, int interface, bool with_unit)
{
    struct start_result r;
    memset(&r, 0, sizeof r);
    ecu_car_open_by(&car, name, 1.0, 0.0, interface);
    car.road.left = 0.8;
    car.road.right = 0.1;
    car.gear = PLANT_GEAR_AUTO;
    car.with_unit = with_unit;
    ecu_car_reset(&car, 0.0);
    while (ecu_car_time_s(&car) < 12.0) {
        double t = ecu_car_time_s(&car) - 2.5;
        car.in.brake_pedal = t < 0.0 ? 0.1 : 0.0;
        car.in.throttle = fmin(fmax(t / 0.5, 0.0), 1.0) * 0.5;
        car.in.hand_wheel_rad = stop_steer_rad(&car, car.in.hand_wheel_rad);
        ecu_car_step(&car);
        for (int i = 0; i < WHEELS; i++)
            r.spin_mps = fmax(r.spin_mps, car.out.spin_radps[i] * car.params.car.radius_m[i] -
                                              car.out.vel_mps[0]);
        r.hand_rad = fmax(r.hand_rad, fabs(car.in.hand_wheel_rad));
        r.aside_m = fmax(r.aside_m, fabs(car.out.pos_m[1]));
        r.braked += car.tx.brake_light > 0.5;
    }
    r.way_m = car.out.pos_m[0];
    r.speed_mps = car.out.vel_mps[0];
    assert_int_equal(car.unit.faults.stored, 0);
    ecu_car_close(&car);
    return r;
}

static void starts_on_split_friction(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double gain; /* of the speed reached; an axle lock does some of it alone */
        int interface;
    } cases[] = {{"sedan", 2.0, VALVES_OFF},     {"compact", 2.0, VALVES_OFF},
                 {"sports", 1.5, VALVES_OFF},    {"suv", 1.3, VALVES_OFF},
                 {"sedan", 2.0, VALVES_PERCENT}, {"sports", 1.5, VALVES_PERCENT},
                 {"suv", 1.3, VALVES_PERCENT},   {"sedan", 2.0, VALVES_PWM}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct start_result without = split_start(cases[k].name, cases[k].interface, false);
        struct start_result with = split_start(cases[k].name, cases[k].interface, true);
        print_message("    %-8s %-9s %.0f m and %.0f km/h without, %.0f m and %.0f km/h with the "
                      "unit; spins %.0f and %.0f km/h, aside %.2f m, hand wheel %.0f deg\n",
                      cases[k].name, ecu_car_interface(cases[k].interface), without.way_m,
                      3.6 * without.speed_mps, with.way_m, 3.6 * with.speed_mps,
                      3.6 * without.spin_mps, 3.6 * with.spin_mps, with.aside_m,
                      with.hand_rad / DEG);
        assert_above(with.speed_mps, cases[k].gain * without.speed_mps);
        assert_below(with.spin_mps, 0.4 * without.spin_mps);
        assert_above(with.braked, 1000);
        assert_int_equal(without.braked, 0);
        assert_below(with.aside_m, 1.0);
    }
}

/* ---- a shift down on ice, in a gentle bend, foot off the pedals */

struct down_result {
    double sideslip_rad, slip_s; /* time with a driven wheel slipping more than a tenth */
    double raise_Nm;
};

static struct down_result shift_down(const char *name, int interface, bool with_unit)
{
    struct down_result r;
    memset(&r, 0, sizeof r);
    const double v = KMH(70.0), acc_y = 0.8;
    ecu_car_open_by(&car, name, 0.2, v, interface);
    car.gear = 5;
    car.with_unit = with_unit;
    ecu_car_reset(&car, v);
    const struct car_params *p = &car.params.car;
    double hand =
        acc_y / (v * v) * (p->wheelbase_m + p->understeer_radspm * v * v) * p->steering_ratio;
    while (ecu_car_time_s(&car) < 7.0 && car.out.vel_mps[0] > 3.0) {
        double t = ecu_car_time_s(&car);
        car.in.throttle = t < 2.2 ? fmax(0.1 + 0.1 * (v - car.out.vel_mps[0]), 0.0) : 0.0;
        car.in.gear = t < 2.5 ? 5 : 2;
        car.in.hand_wheel_rad = hand * fmin(fmax(t - 0.5, 0.0), 1.0);
        ecu_car_step(&car);
        double slip = 0.0;
        for (int i = 0; i < WHEELS; i++)
            slip = fmin(slip, ecu_car_slip(&car, i));
        r.slip_s += t > 2.5 && slip < -0.1 ? 1e-3 : 0.0;
        r.sideslip_rad = fmax(r.sideslip_rad, fabs(car.out.sideslip_rad));
        r.raise_Nm = fmax(r.raise_Nm, car.out.engine_Nm - car.out.engine_driver_Nm);
    }
    assert_int_equal(car.unit.faults.stored, 0);
    ecu_car_close(&car);
    return r;
}

static void shifts_down_on_ice(void **unused)
{
    (void)unused;
    /* By pressures stability control takes back at once what the shift has begun, a pump is slower.
     */
    const double most_rad[] = {4.0 * DEG, 8.0 * DEG};
    struct down_result without = shift_down("sports", VALVES_OFF, false), with;
    assert_above(without.sideslip_rad, 45.0 * DEG); /* spins */
    assert_near(without.raise_Nm, 0.0, 1.0);
    for (int interface = VALVES_OFF; interface <= VALVES_PERCENT; interface++) {
        with = shift_down("sports", interface, true);
        print_message("    sports   %-9s sideslip %.0f deg without, %.1f deg with the unit; more "
                      "than a tenth of slip for %.2f s and %.2f s; up to %.0f Nm more\n",
                      ecu_car_interface(interface), without.sideslip_rad / DEG,
                      with.sideslip_rad / DEG, without.slip_s, with.slip_s, with.raise_Nm);
        assert_below(with.sideslip_rad, most_rad[interface]);
        assert_above(with.raise_Nm, 30.0);
    }
    /* A car with driven front wheels slides straight on instead. */
    without = shift_down("sedan", VALVES_OFF, false);
    with = shift_down("sedan", VALVES_OFF, true);
    print_message(
        "    sedan    more than a tenth of slip for %.2f s without, %.2f s with the unit\n",
        without.slip_s, with.slip_s);
    assert_below(with.slip_s, 0.7 * without.slip_s);
}

/* ---- the talk with the engine */

static bool deaf; /* the engine follows nothing */

static void deaf_engine(struct ecu_car *c, struct plant_in *in)
{
    (void)c;
    if (deaf)
        in->engine_limit = in->engine_raise = 0;
}

static void refuse(struct ecu_car *c, struct ecu_rx *rx)
{
    (void)c;
    rx->limit_possible = rx->raise_possible = 0.0;
}

static void full_throttle_on_ice(double until_s)
{
    ecu_car_reset(&car, 10.0);
    while (ecu_car_time_s(&car) < until_s) {
        car.in.gear = 3; /* far from the limit of its speed for some seconds */
        car.in.throttle = ecu_car_time_s(&car) < 2.5 ? 0.0 : 0.6;
        ecu_car_step(&car);
    }
}

static void an_engine_that_does_not_follow_is_found(void **unused)
{
    (void)unused;
    ecu_car_open(&car, "sedan", 0.15, 10.0);
    car.gear = 3;
    car.inputs = deaf_engine;
    deaf = false;
    full_throttle_on_ice(6.0);
    assert_int_equal(car.unit.faults.stored, 0);
    assert_true(car.tx.limit_active > 0.5);
    deaf = true;
    full_throttle_on_ice(6.0);
    assert_int_equal(car.unit.faults.stored, ECU_FAULT_BIT(ECU_FAULT_ENGINE_ANSWER));
    assert_int_equal((int)car.tx.mode, ECU_MODE_NO_MODEL);
    assert_true(car.tx.limit_active < 0.5); /* nobody asks it any more */
    /* An engine that says it cannot is not asked, and that is no fault. */
    car.tamper = refuse;
    full_throttle_on_ice(6.0);
    assert_int_equal(car.unit.faults.stored, 0);
    assert_true(car.tx.limit_active < 0.5);
    ecu_car_close(&car);
}

/* ---- hill hold */

struct hill_result {
    double back_m, held_s; /* rolled back since the foot left the brake; pressure held */
    double way_m;
};

/* A stop uphill; the foot goes from brake to accelerator in drive_s. */
static struct hill_result hill(const char *name, int interface, bool with_unit, double slope,
                               double drive_s)
{
    struct hill_result r;
    memset(&r, 0, sizeof r);
    ecu_car_open_by(&car, name, 1.0, 0.0, interface);
    car.road.slope = slope;
    car.gear = 1;
    car.with_unit = with_unit;
    ecu_car_reset(&car, 0.0);
    double from_m = 0.0;
    while (ecu_car_time_s(&car) < 9.0) {
        double t = ecu_car_time_s(&car) - 3.0;
        car.in.gear = 1;
        car.in.brake_pedal = t < 0.0 ? 0.3 : fmax(0.3 - 1.5 * t, 0.0);
        car.in.throttle = fmin(fmax(t - drive_s, 0.0) * 0.8, 0.5);
        ecu_car_step(&car);
        if (t <= 0.0)
            from_m = car.out.pos_m[0];
        r.back_m = fmax(r.back_m, from_m - car.out.pos_m[0]);
        r.held_s += car.tx.hold_active > 0.5 ? 1e-3 : 0.0;
    }
    r.way_m = car.out.pos_m[0] - from_m;
    assert_int_equal(car.unit.faults.stored, 0);
    ecu_car_close(&car);
    return r;
}

static void holds_on_a_hill(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        int interface;
    } cases[] = {{"sedan", VALVES_OFF},   {"sports", VALVES_OFF},    {"compact", VALVES_OFF},
                 {"suv", VALVES_OFF},     {"sedan", VALVES_PERCENT}, {"sports", VALVES_PERCENT},
                 {"suv", VALVES_PERCENT}, {"sedan", VALVES_PWM}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct hill_result without = hill(cases[k].name, cases[k].interface, false, 0.12, 0.8);
        struct hill_result with = hill(cases[k].name, cases[k].interface, true, 0.12, 0.8);
        print_message("    %-8s %-9s rolls back %.2f m without, %.3f m with the unit, held for "
                      "%.2f s\n",
                      cases[k].name, ecu_car_interface(cases[k].interface), without.back_m,
                      with.back_m, with.held_s);
        assert_above(without.back_m, 0.3);
        assert_below(with.back_m, 0.02);
        assert_above(with.way_m, 5.0); /* and lets go */
    }
    /* Nobody drives off: after 2 s it lets the car go, gently. */
    struct hill_result left = hill("sedan", VALVES_PERCENT, true, 0.12, 100.0);
    print_message("    nobody drives off: held for %.2f s\n", left.held_s);
    assert_above(left.held_s, 2.0);
    assert_above(left.back_m, 0.5);
    /* On the level there is nothing to hold. */
    assert_near(hill("sedan", VALVES_PERCENT, true, 0.0, 0.8).held_s, 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_on_split_friction),
        cmocka_unit_test(shifts_down_on_ice),
        cmocka_unit_test(an_engine_that_does_not_follow_is_found),
        cmocka_unit_test(holds_on_a_hill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Panic brake assist and distance assist. */
#include "rt-tests/support/ecu_stop.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ecu_car car;

/* Way from the touch of the pedal to a stop; rise: time of the foot. */
static double stop_m(const char *name, int interface, double pedal, double rise_s, bool assist,
                     int *active)
{
    ecu_car_open_by(&car, name, 1.0, 20.0, interface);
    if (!assist)
        car.params.functions.assist.rise_Paps = 1e12;
    ecu_car_reset(&car, KMH(100.0));
    double from_m = 0.0;
    *active = 0;
    while (ecu_car_time_s(&car) < 20.0 && car.out.vel_mps[0] > 0.3) {
        double t = ecu_car_time_s(&car) - 2.5;
        if (t <= 0.0)
            from_m = car.out.pos_m[0];
        car.in.brake_pedal = fmin(fmax(t / rise_s, 0.0), 1.0) * pedal;
        ecu_car_step(&car);
        *active += car.tx.assist_active > 0.5;
    }
    assert_int_equal(car.unit.faults.stored, 0);
    double way_m = car.out.pos_m[0] - from_m;
    ecu_car_close(&car);
    return way_m;
}

static void a_fast_foot_gets_full_brakes(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        int interface;
    } cases[] = {{"sedan", VALVES_OFF},  {"sports", VALVES_OFF},    {"compact", VALVES_OFF},
                 {"suv", VALVES_OFF},    {"sedan", VALVES_PERCENT}, {"sports", VALVES_PERCENT},
                 {"suv", VALVES_PERCENT}};
    int active;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double without = stop_m(cases[k].name, cases[k].interface, 0.25, 0.06, false, &active);
        double with = stop_m(cases[k].name, cases[k].interface, 0.25, 0.06, true, &active);
        print_message("    %-8s %-9s a quarter of the pedal, fast: %.1f m without, %.1f m with "
                      "assist\n",
                      cases[k].name, ecu_car_interface(cases[k].interface), without, with);
        assert_above(active, 500);
        assert_below(with, 0.75 * without);
    }
    /* The same pedal, slowly, is what the driver wants. */
    double slow_without = stop_m("sedan", VALVES_OFF, 0.25, 0.4, false, &active);
    double slow = stop_m("sedan", VALVES_OFF, 0.25, 0.4, true, &active);
    assert_int_equal(active, 0);
    assert_near(slow, slow_without, 1e-9);
}

static void it_ends_with_the_foot(void **unused)
{
    (void)unused;
    ecu_car_open(&car, "sedan", 1.0, 20.0);
    ecu_car_reset(&car, KMH(100.0));
    while (ecu_car_time_s(&car) < 4.5) {
        double t = ecu_car_time_s(&car) - 2.5;
        car.in.brake_pedal = t < 0.0 ? 0.0 : t < 0.8 ? fmin(t / 0.06, 1.0) * 0.25 : 0.1;
        ecu_car_step(&car);
        if (t > 0.3 && t < 0.75)
            assert_true(car.tx.assist_active > 0.5);
    }
    assert_true(car.tx.assist_active < 0.5);
    assert_below(car.tx.pressure_Pa[ECU_FL], 17e5); /* a tenth of the pedal */
    ecu_car_close(&car);
}

/* ---- an object ahead */

struct object_case {
    const char *name, *car;
    double speed_kmh, object_kmh, ahead_m, left_m, brake_mps2;
    double throttle;
    double hit_kmh; /* at most */
    int stage;      /* reached */
    int interface;
};

static const struct object_case objects[] = {
    {"stands, from 50 km/h", "sedan", 50, 0, 60, 0, 0, 0, 0, 3, VALVES_OFF},
    {"stands, from 80 km/h", "sedan", 80, 0, 100, 0, 0, 0, 0, 3, VALVES_OFF},
    {"stands, from 80 km/h", "sports", 80, 0, 100, 0, 0, 0, 0, 3, VALVES_OFF},
    {"stands, from 80 km/h", "suv", 80, 0, 100, 0, 0, 0, 0, 3, VALVES_OFF},
    {"drives 50, from 100 km/h", "sedan", 100, 50, 80, 0, 0, 0, 0, 2, VALVES_OFF},
    {"brakes at 6 m/s2 ahead at 70 km/h", "sedan", 70, 70, 25, 0, 6, 0, 10, 3, VALVES_OFF},
    {"stands, from 80 km/h", "sedan", 80, 0, 100, 0, 0, 0, 0, 3, VALVES_PERCENT},
    {"stands, from 80 km/h", "suv", 80, 0, 100, 0, 0, 0, 0, 3, VALVES_PERCENT},
    {"brakes at 6 m/s2 ahead at 70 km/h", "sedan", 70, 70, 25, 0, 6, 0, 10, 3, VALVES_PERCENT},
    {"stands in the other lane", "sedan", 80, 0, 100, 3.5, 0, 0, 999, 0, VALVES_OFF},
    {"drives away, faster", "sedan", 60, 90, 15, 0, 0, 0.2, 0, 0, VALVES_OFF},
    {"stands, the driver kicks down", "sedan", 50, 0, 80, 0, 0, 1.0, 999, 0, VALVES_OFF},
};

struct object_result {
    double hit_kmh, least_m, warned_s, braked_s;
    int stage;
};

static struct object_result meet(const struct object_case *o, bool with_unit)
{
    struct object_result r = {.least_m = INFINITY, .warned_s = -1.0, .braked_s = -1.0};
    ecu_car_open_by(&car, o->car, 1.0, 20.0, o->interface);
    car.object.present = 1;
    car.object.ahead_m = o->ahead_m;
    car.object.left_m = o->left_m;
    car.object.speed_mps = KMH(o->object_kmh);
    car.object.brake_s = 1.0;
    car.object.brake_mps2 = o->brake_mps2;
    car.gear = 4;
    car.with_unit = with_unit;
    ecu_car_reset(&car, KMH(o->speed_kmh));
    while (ecu_car_time_s(&car) < 12.0) {
        double t = ecu_car_time_s(&car);
        car.in.throttle = o->throttle;
        ecu_car_step(&car);
        r.least_m = fmin(r.least_m, car.sense.object_m);
        if (car.sense.object_m < 0.0 && !(r.hit_kmh > 0.0))
            r.hit_kmh = fmax(-3.6 * car.sense.object_mps, 0.01);
        if (r.warned_s < 0.0 && car.tx.distance_stage > 0.5)
            r.warned_s = t;
        if (r.braked_s < 0.0 && car.tx.distance_stage > 1.5)
            r.braked_s = t;
        r.stage = (int)fmax(r.stage, car.tx.distance_stage);
    }
    return r; /* the car stays open to be looked at */
}

static void objects_ahead(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof objects / sizeof objects[0]; k++) {
        const struct object_case *o = &objects[k];
        double without_kmh = meet(o, false).hit_kmh;
        ecu_car_close(&car);
        struct object_result r = meet(o, true);
        print_message(
            "    %-34s %-7s %-9s hits at %.0f km/h without; stage %d, warns %.2f s before it "
            "brakes, %.1f m left, hits at %.0f km/h\n",
            o->name, o->car, ecu_car_interface(o->interface), without_kmh, r.stage,
            r.braked_s - r.warned_s, r.least_m, r.hit_kmh);
        assert_int_equal(r.stage, o->stage);
        assert_true(r.hit_kmh <= o->hit_kmh);
        if (o->stage > 0)
            assert_above(without_kmh, 10.0);
        else
            assert_true(car.unit.pressure.request_Pa[ECU_FL] <= 0.0);
        assert_int_equal(car.unit.faults.stored, 0);
        ecu_car_close(&car);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_foot_gets_full_brakes),
        cmocka_unit_test(it_ends_with_the_foot),
        cmocka_unit_test(objects_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

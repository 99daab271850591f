/* An hour of ordinary driving, twelve minutes with each car: no fault is found, nothing brakes
 * without the driver, traction control acts on wheels that do slip, and the reference speed is
 * right. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/ecu_drive.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ecu_car car;

struct account {
    double way_m, top_mps, lateral_mps2, standing_s;
    double reference_mps;      /* largest error */
    int abs_ticks, wrong_lamp; /* ABS without the brake; a lamp after the self-test */
    int alone_ticks;           /* stability control, assists, hill hold */
    int torque_ticks;          /* traction or drag torque control ... */
    int torque_wrong;          /* ... that begins without a wheel that slips */
    int torque_before;
    double slipped_s; /* time of the last such wheel */
};

static void watch(struct account *a)
{
    const struct plant_out *o = &car.out;
    a->way_m += o->vel_mps[0] * 1e-3;
    a->top_mps = fmax(a->top_mps, o->vel_mps[0]);
    a->lateral_mps2 = fmax(a->lateral_mps2, fabs(o->acc_mps2[1]));
    a->standing_s += o->vel_mps[0] < 0.1 ? 1e-3 : 0.0;
    if (ecu_car_time_s(&car) < 2.5)
        return;
    if (o->vel_mps[0] > 3.0)
        a->reference_mps = fmax(a->reference_mps, fabs(car.tx.reference_mps - o->vel_mps[0]));
    a->abs_ticks += car.tx.abs_active > 0.5 && car.in.brake_pedal <= 0.0;
    a->alone_ticks +=
        car.tx.esp_active + car.tx.assist_active + car.tx.hold_active + car.tx.distance_stage > 0.5;
    for (int i = 0; i < WHEELS; i++)
        if (fabs(ecu_car_slip(&car, i)) > 0.04)
            a->slipped_s = ecu_car_time_s(&car);
    int torque = car.tx.tc_active > 0.5;
    a->torque_ticks += torque;
    a->torque_wrong += torque && !a->torque_before && ecu_car_time_s(&car) - a->slipped_s > 0.1;
    a->torque_before = torque;
    a->wrong_lamp += car.tx.lamp_abs + car.tx.lamp_brake + car.tx.lamp_esp > 0.5;
}

static void an_hour_finds_nothing(void **unused)
{
    (void)unused;
    struct cars cars;
    double way_km = 0.0;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        struct ecu_driver driver;
        struct account a;
        memset(&a, 0, sizeof a);
        ecu_car_open(&car, car_name(cars.path[k], name, sizeof name), 1.0, 0.0);
        car.gear = PLANT_GEAR_AUTO;
        ecu_car_reset(&car, 10.0);
        ecu_driver_start(&driver, (uint64_t)k + 1);
        double minutes = 60.0 / cars.count;
        for (long n = 0; n < lround(minutes * 60e3); n++) {
            ecu_driver_step(&driver, &car);
            ecu_car_step(&car);
            watch(&a);
        }
        print_message("    %-15s %.1f km, up to %.0f km/h and %.1f m/s2 aside, %.0f s at a stop, "
                      "reference speed to %.2f m/s, traction control %.1f s\n",
                      name, a.way_m / 1e3, 3.6 * a.top_mps, a.lateral_mps2, a.standing_s,
                      a.reference_mps, 1e-3 * a.torque_ticks);
        assert_int_equal(car.unit.faults.stored, 0);
        assert_int_equal(ecu_car_codes(&car, &(struct uds_code){0}, 1), 0);
        assert_int_equal(a.abs_ticks, 0);
        assert_int_equal(a.alone_ticks, 0);
        assert_int_equal(a.torque_wrong, 0);
        assert_int_equal(a.wrong_lamp, 0);
        /* Gear changes and curves with drive torque make wheels slip a few hundredths. */
        assert_below(a.reference_mps, 1.5);
        assert_above(a.top_mps, 25.0); /* it was a varied drive */
        assert_above(a.lateral_mps2, 3.0);
        way_km += a.way_m / 1e3;
        ecu_car_close(&car);
    }
    assert_above(way_km, 40.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_hour_finds_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

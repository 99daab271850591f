/* Parameter files of the unit: the ones that ship fit their cars; mistakes are told with place and
 * remedy. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/drive.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/ecu/ecu_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CAR                                                                                        \
    "kind: ecu\nname: test\ncar:\n  mass_kg: 1500\n  wheelbase_m: 2.7\n"                           \
    "  front_axle_to_cg_m: 1.2\n  cg_height_m: 0.5\n  track_m: [1.5, 1.6]\n"                       \
    "  radius_m: [0.3, 0.31]\n  wheel_inertia_kgm2: [1, 1.1]\n  brake_Nmpbar: [18, 8]\n"           \
    "  threshold_bar: 0.5\n  lag_ms: 30\n  pitch_degpg: 2\n  steering_ratio: 16\n"                 \
    "  understeer_degpg: 1\n  teeth: [48, 44]\n  rear_slip_degpg: 2\n  roll_degpg: 4\n"            \
    "  yaw_inertia_kgm2: 2500\n  front_drive: 1\n  first_ratio: 14\n  engine_inertia_kgm2: 0.2\n"

static int load(const char *text, struct ecu_params *p, char *messages, size_t size)
{
    struct cfg_doc *doc = NULL;
    int bad = ecu_load_text("unit.yaml", text, strlen(text), p, NULL, &doc);
    messages[0] = '\0';
    for (size_t n = 0; n < cfg_message_count(doc); n++) {
        size_t used = strlen(messages);
        (void)snprintf(messages + used, size - used, "%s\n", cfg_message(doc, n));
    }
    cfg_close(doc);
    return bad;
}

/* What the unit is told of a car is what the car's own file says. */
static void shipped_files_fit_their_cars(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64], path[256], title[ECU_NAME];
        struct ecu_params p;
        struct cfg_doc *doc = NULL;
        struct vehicle *v = car_load(cars.path[k], VEHICLE_AS_FILE, 1e-3);
        struct beam b = beam_of(lumped15_of(v));
        (void)snprintf(path, sizeof path, "config/ecu/%s.yaml",
                       car_name(cars.path[k], name, sizeof name));
        assert_int_equal(ecu_load(path, &p, title, &doc), 0);
        assert_true(title[0] != '\0');
        cfg_close(doc);
        assert_ratio(p.car.mass_kg, b.kg, 0.01); /* the files are rounded to a hundredth */
        assert_ratio(p.car.wheelbase_m, b.length_m, 0.01);
        assert_ratio(p.car.front_m, b.front_m, 0.01);
        assert_ratio(p.car.height_m, b.height_m, 0.01);
        for (int a = 0; a < AXLES; a++)
            assert_ratio(p.car.track_m[a], b.track_m[a], 0.01);
        for (int i = 0; i < WHEELS; i++) {
            assert_ratio(p.car.brake_NmpPa[i], lumped15_of(v)->brake.gain_NmpPa[i], 1e-9);
            assert_ratio(p.car.inertia_kgm2[i], lumped15_of(v)->wheel_kgm2[i], 1e-9);
            assert_near(p.car.teeth[i], v->sensors.toothed.teeth[i], 0.0);
            /* the rolling radius is a little less than the free one */
            assert_below(p.car.radius_m[i], lumped15_of(v)->tyres.radius_m[i]);
            assert_above(p.car.radius_m[i], 0.95 * lumped15_of(v)->tyres.radius_m[i]);
        }
        assert_near(p.car.lag_s, lumped15_of(v)->brake.lag_s, 1e-12);
        const struct driveline_model *d = &lumped15_of(v)->driveline;
        assert_near(p.car.front_drive, d->share[FL] + d->share[FR], 1e-9);
        assert_ratio(p.car.first_ratio, d->ratio[0], 0.01);
        assert_near(p.car.engine_kgm2, d->inertia_kgm2, 1e-9);
        assert_near(p.car.threshold_Pa, lumped15_of(v)->brake.threshold_Pa, 1e-6);
        free(v);
    }
}

static void units_are_converted(void **unused)
{
    (void)unused;
    struct ecu_params p;
    char messages[2000];
    static const char text[] = CAR "abs: {enter_kmh: 9, end_kmh: 3.6, release_barps: 900}\n"
                                   "yaw_delay: {yaw_rate_degps: 9, free_below_kmh: 18}\n"
                                   "esp: {over_degps: 9, over_max_bar: 120}\n"
                                   "hold: {time_out_ms: 1500}\n"
                                   "frames: {timeout_ms: {fl: 25, engine: 200}}\n";
    assert_int_equal(load(text, &p, messages, sizeof messages), 0);
    assert_near(p.abs.enter_mps, 2.5, 1e-12);
    assert_near(p.abs.release_Paps, 900e5, 1e-3);
    assert_near(p.yaw_delay.yaw_radps, 0.15707963267948966, 1e-12);
    assert_near(p.yaw_delay.speed_mps, 5.0, 1e-12);
    assert_near(p.functions.esp.over_radps, 0.15707963267948966, 1e-12);
    assert_near(p.functions.esp.over_max_Pa, 120e5, 1e-3);
    assert_near(p.functions.hold.time_out_s, 1.5, 1e-12);
    assert_near(p.frames.timeout_s[ECU_SOURCE_FL], 0.025, 1e-12);
    assert_near(p.frames.timeout_s[ECU_SOURCE_ENGINE], 0.2, 1e-12);
    assert_near(p.car.brake_NmpPa[ECU_RR], 8e-5, 1e-15);
    assert_near(p.car.teeth[ECU_RL], 44.0, 0.0);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {CAR "abs: {enter_kmh: 4, end_kmh: 6}\n", "end_kmh: must be below enter_kmh (4)"},
        {CAR "abs: {hold_mps2: 90}\n", "hold_mps2: must not exceed release_mps2"},
        {CAR "abs: {realease_mps2: 20}\n", "release_mps2"}, /* did you mean */
        {CAR "ebd: {slip: 0.3}\n", "slip: must not exceed reduce_slip"},
        {CAR "start: {frames_ms: 900, give_up_ms: 800}\n",
         "give_up_ms: must be at least frames_ms"},
        {CAR "frames: {timeout_ms: {yaw: 20}}\n", "yaw_rate"},
        {"kind: ecu\nname: x\ncar: {mass_kg: 1000}\n", "wheelbase_m"},
        {"kind: vehicle\nname: x\n", "ecu"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct ecu_params p;
        char messages[8000];
        assert_int_not_equal(load(cases[n].text, &p, messages, sizeof messages), 0);
        if (!strstr(messages, cases[n].said) || !strstr(messages, "unit.yaml:"))
            fail_msg("'%s' is not in:\n%s", cases[n].said, messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_files_fit_their_cars),
        cmocka_unit_test(units_are_converted),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

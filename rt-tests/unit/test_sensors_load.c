/* Sensors from YAML. */
#include "target/model/sensors_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

/* Loads text as the sensors mapping; the caller closes the document. */
static struct cfg_doc *load(const char *text, struct sensors_model *m)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("car.yaml", text, strlen(text), &doc), 0);
    sensors_defaults(m);
    (void)sensors_load(cfg_map(cfg_root(doc), "sensors"), 1e-3, m);
    return doc;
}

static void yaml_sets_every_key(void **unused)
{
    (void)unused;
    static const char text[] =
        "sensors:\n"
        "  seed: 7\n"
        "  mount: {position_m: [1.0, 0.1, 0.3], rotation_deg: [0, 0, 90]}\n"
        "  yaw_rate: {noise_radps: 0.002, bias_radps: 0.01, resolution_radps: 0.0001,\n"
        "             delay_ms: 1, bandwidth_hz: 50, limit_radps: 3, gain_error: 0.01}\n"
        "  acc_y: {noise_g: 0.01, limit_g: 2}\n"
        "  hand_wheel: {resolution_deg: 0.1}\n"
        "  master_pressure: {limit_bar: 250, lower_bar: 0, delay_ms: 3}\n"
        "  brake_switch: {threshold: 0.1, hysteresis: 0.05, delay_ms: 2}\n"
        "  wheel_speed: {teeth: 60, teeth_rear: 44, threshold_hz: 0, resolution_us: 2,\n"
        "                jitter_us: 3, cycle_ms: 10, timeout_ms: 300, delay_ms: 1}\n";
    struct sensors_model m;
    struct cfg_doc *doc = load(text, &m);
    cfg_print_messages(doc, stderr);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
    const struct sensor_error *yaw = &m.channel[SENSOR_YAW_RATE];
    assert_true(m.seed == 7 && m.mount_at_cg == 0 && m.mount_m.y == 0.1);
    assert_true(yaw->noise == 0.002 && yaw->bias == 0.01 && yaw->resolution == 0.0001);
    assert_true(m.bank.delay_ticks[SENSOR_YAW_RATE] == 1 && yaw->low == -3.0 && yaw->high == 3.0);
    assert_true(yaw->gain == 1.01 && yaw->bandwidth_hz == 50.0);
    assert_near(m.channel[SENSOR_FORCE_Y].noise, 0.0980665, 1e-15); /* rounding, here and below */
    assert_near(m.channel[SENSOR_HAND_WHEEL].resolution, 0.0017453292519943296, 1e-17);
    assert_true(m.channel[SENSOR_MASTER].low == 0.0 && m.channel[SENSOR_MASTER].high == 250e5);
    assert_near(m.switch_off, 0.05, 1e-15);
    assert_true(m.toothed.teeth[FR] == 60.0 && m.toothed.teeth[RL] == 44.0);
    assert_true(m.toothed.threshold_hz == 0.0 && m.toothed.stamp_ns == 2000);
    assert_true(m.toothed.cycle_ticks == 10 && m.toothed.timeout_ns == 300000000);
    assert_int_equal(m.delay_samples, 1 + 3 + 8 + 2);
    /* turned by 90 deg to the left: the sensor's x is the car's y; its y the car's -x */
    struct vec3 felt = m3_tmul(&m.mount_rotation, v3(1.0, 2.0, 3.0));
    assert_near(felt.x, 2.0, 1e-15);
    assert_near(felt.y, -1.0, 1e-15);
    assert_near(felt.z, 3.0, 1e-15);
}

static void yaml_without_sensors_gives_ideal_ones(void **unused)
{
    (void)unused;
    struct sensors_model m, ideal;
    sensors_defaults(&ideal);
    assert_int_equal(sensors_prepare(&ideal, 1e-3), 0);
    struct cfg_doc *doc = load("mass_kg: 1\n", &m);
    assert_int_equal(m.bank.stages, 0);
    assert_int_equal(m.toothed.cycle_ticks, ideal.toothed.cycle_ticks);
    cfg_close(doc);
}

static void yaml_mistakes_are_named(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"sensors: {yaw_rat: {noise_radps: 1}}\n", "yaw_rate"},
        {"sensors: {yaw_rate: {noise: 1}}\n", "noise_"},
        {"sensors: {yaw_rate: {noise_radps: -1}}\n", "noise_radps"},
        {"sensors: {yaw_rate: {noise_radps: .nan}}\n", "noise_radps"},
        {"sensors: {yaw_rate: {noise_radps: 1, noise_degps: 1}}\n", "give one of the two"},
        {"sensors: {master_pressure: {limit_bar: 10, lower_bar: 20}}\n", "below the limit"},
        {"sensors: {yaw_rate: {delay_ms: 900}, acc_y: {delay_ms: 900}, acc_x: {delay_ms: 900}}\n",
         "need 2700 samples"},
        {"sensors: {wheel_speed: {teeth: 0}}\n", "teeth"},
        {"sensors: {wheel_speed: {cycle_ms: 20, timeout_ms: 10}}\n", "at least cycle_ms"},
        {"sensors: {brake_switch: {hysteresis: 0.5}}\n", "never opens"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sensors_model m;
        struct cfg_doc *doc = load(cases[i].text, &m);
        assert_int_equal(cfg_message_count(doc), 1);
        if (!strstr(cfg_message(doc, 0), cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", cfg_message(doc, 0), cases[i].says);
        cfg_close(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml_sets_every_key),
        cmocka_unit_test(yaml_without_sensors_gives_ideal_ones),
        cmocka_unit_test(yaml_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parameters, series and drives before, from text to numbers, and what mistakes get. */
#include "rt-tests/support/near.h"
#include "target/log_parameters.h"
#include "target/scenario/scenario_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double deg = 0.017453292519943295;
static const char head[] = "kind: scenario\nname: test\nvehicle: config/vehicles/sedan.yaml\n";

static struct scenario *load(const char *rest, const struct parameters *given)
{
    char text[2000];
    struct scenario *sc = NULL;
    struct cfg_doc *doc = NULL;
    const struct scenario_given set = {.parameters = given};
    (void)snprintf(text, sizeof text, "%s%s", head, rest);
    if (scenario_load_text("test.yaml", text, strlen(text), &set, &sc, &doc))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    return sc;
}

static void refused(const char *rest, const char *message)
{
    char text[2000];
    struct scenario *sc = NULL;
    struct cfg_doc *doc = NULL;
    (void)snprintf(text, sizeof text, "%s%s", head, rest);
    assert_int_not_equal(scenario_load_text("test.yaml", text, strlen(text), NULL, &sc, &doc), 0);
    for (size_t i = 0; i < cfg_message_count(doc); i++)
        if (strstr(cfg_message(doc, i), message)) {
            cfg_close(doc);
            return;
        }
    fail_msg("wanted \"%s\", the first message is \"%s\"", message, cfg_message(doc, 0));
}

static double value(const struct scenario *sc, const char *name)
{
    int i = parameters_find(&sc->parameters, name);
    assert_true(i >= 0);
    return sc->parameters.value[i];
}

static void numbers_are_computed_from_names(void **unused)
{
    (void)unused;
    struct scenario *sc = load("parameters: {speed: 72 km/h, twice: 2 * speed, angle: 30 deg}\n"
                               "start: {speed_kmh: =speed / 1 km/h, x_m: =-3 * 2}\n"
                               "duration_s: \"=max(3, 4)\"\n"
                               "inputs: {hand_wheel_deg: [[0, 0], [=1 + 1, =angle / 1 deg]]}\n",
                               NULL);
    assert_near(sc->start.speed_mps, 20.0, 1e-12);
    assert_near(value(sc, "twice"), 40.0, 1e-12);
    assert_near(sc->start.x_m, -6.0, 0.0);
    assert_near(sc->duration_s, 4.0, 0.0);
    assert_near(sc->script.hand_wheel_rad.time_s[1], 2.0, 0.0);
    assert_near(sc->script.hand_wheel_rad.value[1], 30.0 * deg, 1e-12);
    scenario_free(sc);
}

/* The sedan: 1500 kg, wheelbase 2.70 m, hull of 1.76 m, centre of gravity 0.54 m up. Its file gives
 * the height at the design position; at rest it stands within 1 cm of that. */
static void the_car_is_known_by_its_numbers(void **unused)
{
    (void)unused;
    struct scenario *sc = load("parameters: {b: car_width_m, m: car_mass_kg, l: car_wheelbase_m,\n"
                               "  h: car_cg_height_m, f: car_front_share}\n",
                               NULL);
    assert_near(value(sc, "b"), 1.76, 1e-9);
    assert_near(value(sc, "m"), 1500.0, 1e-9);
    assert_near(value(sc, "l"), 2.70, 0.005);
    assert_near(value(sc, "h"), 0.54, 0.01);
    assert_near(value(sc, "f"), 0.55, 0.005);
    scenario_free(sc);
}

static void names_from_outside_count(void **unused)
{
    (void)unused;
    struct parameters given = {0};
    char text[LOG_PARAMETERS];
    struct parameters back;
    assert_true(parameters_set(&given, "speed", 10.0, (struct expr_dim){.m = 1, .s = -1}));
    assert_true(parameters_set(&given, "stranger", 1.0, (struct expr_dim){0}));
    log_parameters_text(&given, text, sizeof text);
    log_parameters_read(text, &back);
    assert_int_equal(back.count, 2);
    struct scenario *sc = load("parameters: {speed: 72 km/h, twice: 2 * speed}\n", &back);
    assert_near(value(sc, "speed"), 10.0, 0.0);
    assert_near(value(sc, "twice"), 20.0, 0.0);
    assert_int_equal(parameters_find(&sc->parameters, "stranger"), -1);
    scenario_free(sc);
}

static void a_series_has_every_combination(void **unused)
{
    (void)unused;
    struct scenario *sc = load("before: [{scenario: other.yaml, measure: A, otherwise: 20 deg}]\n"
                               "parameters: {side: 1, amplitude: A}\n"
                               "series:\n"
                               "  side: [1, -1]\n"
                               "  amplitude: {from: 1.5 * A, to: 70 deg, by: 0.5 * A, unit: deg}\n",
                               NULL);
    /* 30, 40, 50, 60, 70 deg on each side */
    assert_int_equal(plan_count(&sc->plan), 10);
    struct parameters p = sc->parameters;
    plan_at(&sc->plan, 0, &p);
    assert_near(p.value[parameters_find(&p, "side")], 1.0, 0.0);
    assert_near(p.value[parameters_find(&p, "amplitude")], 30.0 * deg, 1e-12);
    plan_at(&sc->plan, 9, &p);
    assert_near(p.value[parameters_find(&p, "side")], -1.0, 0.0);
    assert_near(p.value[parameters_find(&p, "amplitude")], 70.0 * deg, 1e-12);
    assert_int_equal(sc->plan.befores, 1);
    assert_string_equal(sc->plan.before[0].name, "A");
    scenario_free(sc);
}

/* The last step is shorter if the range is no multiple; the end itself is always driven. */
static void a_range_ends_with_its_end(void **unused)
{
    (void)unused;
    struct scenario *sc =
        load("parameters: {a: 1}\nseries: {a: {from: 1, to: 4.5, by: 1}}\n", NULL);
    assert_int_equal(plan_count(&sc->plan), 5);
    assert_near(sc->plan.name[0].value[3], 4.0, 0.0);
    assert_near(sc->plan.name[0].value[4], 4.5, 0.0);
    scenario_free(sc);
}

/* One sine of 0.5 Hz from 1 s on, half a second at its second peak. */
static void a_sine_dwells_at_its_second_peak(void **unused)
{
    (void)unused;
    struct scenario *sc =
        load("inputs: {hand_wheel_deg: {sine: {begin_s: 1, amplitude: 90, frequency_hz: 0.5,\n"
             "  dwell_s: 0.5}}}\n",
             NULL);
    const struct series *s = &sc->script.hand_wheel_rad;
    static const double points[][2] = {{0.5, 0.0},   {1.5, 90.0},  {2.0, 0.0}, {2.5, -90.0},
                                       {2.7, -90.0}, {3.0, -90.0}, {3.5, 0.0}, {9.0, 0.0}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        assert_near(series_at(s, points[i][0], 7.0), points[i][1] * deg, 1e-9);
    /* between the points: chords of 1/256 cycle are off by 8e-5 of the amplitude at most */
    assert_near(series_at(s, 1.3337, 7.0), 90.0 * deg * sin(3.14159265358979 * 0.3337),
                8e-5 * 90.0 * deg);
    scenario_free(sc);
}

static void mistakes_are_told_with_their_place(void **unused)
{
    (void)unused;
    refused("parameters: {speed: 72 km/h}\nstart: {speed_kmh: =sped / 1 km/h}\n",
            "test.yaml:5:20: start.speed_kmh: character 1: no signal \"sped\"");
    refused("parameters: {a: 3}\nstart: {speed_kmh: =a * 1000}\n",
            "start.speed_kmh: must be >= -500 and <= 500, is 3000");
    refused("parameters: {speed: 72 km/h}\nstart: {speed_kmh: =speed}\n",
            "start.speed_kmh: is in m/s: divide it by the unit of this key");
    refused("parameters: {a: 1 m}\nseries: {a: [1, 2]}\n", "a is in m, not in a plain number");
    refused("parameters: {a: 1 m}\nseries: {a: {from: 1 m, to: 2 m, by: 1 s}}\n",
            "by: a is in m, not in s");
    refused("parameters: {a: max(vx_mps)}\n", "there is no drive yet");
    refused("parameters: {a: 1 / 0}\n", "not a finite number");
    refused("parameters: {vx_mps: 1}\n", "is the name of a signal");
    refused("parameters: {car_width_m: 1 m}\n", "of the car");
    refused("parameters: {a: 1 m}\nseries: {b: [1]}\n", "must be one of the parameters");
    refused("parameters: {a: 1}\nseries: {a: {from: 1, to: 0, by: 1}}\n", "is no series");
    refused("parameters: {a: 1}\nseries: {a: {from: 0, to: 1, by: 1e-6}}\n", "is no series");
    refused("parameters: {a: 1}\nseries: {a: []}\n", "list of 1 to");
    refused("before: [{scenario: x.yaml, measure: A}]\n", "otherwise");
    refused("unit: {params: x.yaml}\n", "bus");
    refused("unit: maybe\n", "none");
    refused("inputs: {throttle: {sine: {amplitude: 1, frequncy_hz: 1}}}\n", "frequency_hz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_computed_from_names),
        cmocka_unit_test(the_car_is_known_by_its_numbers),
        cmocka_unit_test(names_from_outside_count),
        cmocka_unit_test(a_series_has_every_combination),
        cmocka_unit_test(a_range_ends_with_its_end),
        cmocka_unit_test(a_sine_dwells_at_its_second_peak),
        cmocka_unit_test(mistakes_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

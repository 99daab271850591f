/* Weather: friction and tyre parameters under each wheel. */
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/model/tyre/tyre_file.h"
#include "target/offline.h"
#include "target/road/road_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ground_point ask(const struct ground *g, double x_m, double y_m)
{
    struct ground_point p;
    g->query(g->road, x_m, y_m, &p);
    return p;
}

static void areas_have_their_weather(void **unused)
{
    (void)unused;
    static const char text[] =
        "segments: [{length_m: 100}]\nweather: wet\nfriction: 0.9\nareas:\n"
        "  - {from_m: 10, to_m: 20, weather: ice}\n"
        "  - {from_m: 30, to_m: 40, friction: 0.5}\n"
        "  - {from_m: 50, to_m: 60, left_m: 0, friction: 0.8, weather: snow}\n"
        "  - {from_m: 70, to_m: 80, weather: dry}\n";
    struct cfg_doc *doc;
    struct road r;
    assert_int_equal(cfg_open_text("road.yaml", text, strlen(text), &doc), 0);
    road_load_map(cfg_root(doc), doc, &r);
    if (!cfg_ok(doc))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    static const struct {
        double x, y, friction, in_snow;
        int32_t weather, weather_in_snow;
    } want[] = {{5.0, 0.0, 0.9 * 0.7, 0.9 * 0.3, GROUND_WET, GROUND_SNOW},
                {15.0, 0.0, 0.1, 0.1, GROUND_ICE, GROUND_ICE},
                {35.0, 0.0, 0.5 * 0.7, 0.5 * 0.3, GROUND_WET, GROUND_SNOW},
                {55.0, -1.0, 0.8 * 0.3, 0.8 * 0.3, GROUND_SNOW, GROUND_SNOW},
                {55.0, 1.0, 0.9 * 0.7, 0.9 * 0.3, GROUND_WET, GROUND_SNOW},
                {75.0, 0.0, 1.0, 1.0, GROUND_DRY, GROUND_DRY}};
    struct ground g = road_ground(&r);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct ground_point p = ask(&g, want[i].x, want[i].y);
        assert_near(p.friction, want[i].friction, 1e-15);
        assert_int_equal(p.weather, want[i].weather);
    }
    road_set_weather(&r, GROUND_SNOW); /* as a scenario does */
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct ground_point p = ask(&g, want[i].x, want[i].y);
        assert_near(p.friction, want[i].in_snow, 1e-15);
        assert_int_equal(p.weather, want[i].weather_in_snow);
    }
    road_free(&r);
}

static void wrong_weather_is_told(void **unused)
{
    (void)unused;
    static const char text[] = "segments: [{length_m: 100}]\nweather: rain\n";
    struct cfg_doc *doc;
    struct road r;
    assert_int_equal(cfg_open_text("road.yaml", text, strlen(text), &doc), 0);
    road_load_map(cfg_root(doc), doc, &r);
    assert_string_equal(cfg_message(doc, 0),
                        "road.yaml:2:10: weather: must be dry, wet, snow or ice, is \"rain\"");
    cfg_close(doc);
}

/* ---- sets of tyres */

static void read_tyre(const char *path, struct tyre_model *tyre)
{
    struct err e = {""};
    if (tyre_model_read(path, tyre, NULL, &e))
        fail_msg("%s", e.text);
}

/* Each wheel of a mixed set is that wheel of its own set, to the last bit. */
static void mixed_set_has_the_wheels_of_its_sets(void **unused)
{
    (void)unused;
    static struct tyre_model a, b;
    static struct tyre_set dry, snow, mixed;
    read_tyre("config/tyres/sedan_205_55R16.tir", &a);
    read_tyre("config/tyres/sports_rear_275_35R18.tir", &b);
    const struct tyre_model *const four_a[WHEELS] = {&a, &a, &a, &a};
    const struct tyre_model *const four_b[WHEELS] = {&b, &b, &b, &b};
    tyre_set_init(&dry, four_a, TYRE_SIDES_MIRROR);
    tyre_set_init(&snow, four_b, TYRE_SIDES_MIRROR);
    for (int which = 0; which < 16; which++) {
        const struct tyre_set *of[WHEELS];
        struct tyre_in in = {.load_N = {2000.0, 3500.0, 4800.0, 900.0},
                             .kappa = {0.03, -0.1, 0.002, -0.7},
                             .tan_alpha = {0.02, -0.3, 0.09, 0.001},
                             .gamma_rad = {0.01, -0.05, 0.0, 0.03},
                             .vx_mps = {20.0, 21.0, -3.0, 0.4},
                             .friction = {1.0, 0.5, 0.9, 1.0}};
        struct tyre_out is, want[2];
        for (int i = 0; i < WHEELS; i++)
            of[i] = which >> i & 1 ? &snow : &dry;
        tyre_set_mix(&mixed, of);
        tyre_forces(&mixed, &in, &is);
        tyre_forces(&dry, &in, &want[0]);
        tyre_forces(&snow, &in, &want[1]);
        for (int i = 0; i < WHEELS; i++) {
            const struct tyre_out *w = &want[which >> i & 1];
            assert_true(is.fx_N[i] == w->fx_N[i] && is.fy_N[i] == w->fy_N[i] &&
                        is.mz_Nm[i] == w->mz_Nm[i] && is.relax_y_m[i] == w->relax_y_m[i]);
        }
        assert_true(want[0].fx_N[0] != want[1].fx_N[0]);
    }
}

/* ---- in the car: braking in a turn across patches of snow, under the left wheels and under all */

struct patches {
    double friction;
    int32_t weather;
};

static void patches_query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    const struct patches *p = road;
    bool snow = (x_m > 35.0 && x_m < 45.0 && y_m > -0.2) || (x_m > 60.0 && x_m < 70.0);
    *out = (struct ground_point){.normal = {0.0, 0.0, 1.0}, .friction = snow ? p->friction : 1.0};
    out->weather = snow ? p->weather : GROUND_DRY;
}

struct drive_end {
    struct plant_out out;
    int32_t mixed, all; /* steps with snow under some wheels, and under all */
};

/* own: the car has tyres for snow, here the same as its usual ones. */
static struct drive_end drive(struct patches patches, bool own)
{
    static const struct offline_options plain = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    struct drive_end end = {.mixed = 0};
    struct offline o;
    assert_int_equal(offline_open("config/scenarios/brake_in_turn.yaml", &plain, &o), 0);
    lumped15_of(o.vehicle)->weather_tyres[GROUND_SNOW] = lumped15_of(o.vehicle)->tyres;
    lumped15_of(o.vehicle)->weathers = own ? 1u << GROUND_SNOW : 0;
    o.ground = (struct ground){&patches, patches_query};
    for (int i = 0; i < 5000; i++) {
        offline_step(&o);
        int snowy = 0;
        for (int k = 0; k < WHEELS; k++)
            snowy += o.out.friction[k] < 0.9;
        end.mixed += snowy > 0 && snowy < WHEELS;
        end.all += snowy == WHEELS;
    }
    end.out = o.out;
    offline_close(&o);
    return end;
}

/* Tyres of their own know the friction of snow: where the ground has half of the grip of snow they
 * have half of theirs. With the usual tyres in their place that is a drive on friction 0.5, across
 * borders and with other tyres under each wheel; 0.15 / 0.3 is 0.5 to one bit. */
static void tyres_change_under_each_wheel(void **unused)
{
    (void)unused;
    struct drive_end want = drive((struct patches){0.5, GROUND_DRY}, true);
    struct drive_end is = drive((struct patches){0.5 * 0.3, GROUND_SNOW}, true);
    assert_true(want.mixed > 100 && want.all > 100);
    assert_int_equal(is.mixed, want.mixed);
    assert_int_equal(is.all, want.all);
    for (int i = 0; i < 3; i++)
        assert_near(is.out.pos_m[i], want.out.pos_m[i], 1e-9);
    /* A car without such tyres takes the friction as it is. */
    struct drive_end none = drive((struct patches){0.5, GROUND_SNOW}, false);
    assert_memory_equal(none.out.pos_m, want.out.pos_m, sizeof none.out.pos_m);
}

/* The sedan of config/vehicles has tyres for snow: they are in use on snow and nowhere else. */
static void shipped_sedan_feels_the_snow(void **unused)
{
    (void)unused;
    static const struct offline_options plain = {
        .duration_s = -1.0, .integrator = VEHICLE_AS_FILE, .vehicle = "config/vehicles/sedan.yaml"};
    double x_m[3];
    for (int k = 0; k < 3; k++) {
        struct offline o;
        struct patches patches = {0.3, k == 2 ? GROUND_SNOW : GROUND_DRY};
        assert_int_equal(offline_open("config/scenarios/brake_in_turn.yaml", &plain, &o), 0);
        assert_int_equal(lumped15_of(o.vehicle)->weathers, 1u << GROUND_SNOW);
        if (k == 0)
            lumped15_of(o.vehicle)->weathers = 0;
        o.ground = (struct ground){&patches, patches_query};
        for (int i = 0; i < 5000; i++)
            offline_step(&o);
        x_m[k] = o.out.pos_m[0];
        offline_close(&o);
    }
    assert_true(x_m[0] == x_m[1]); /* on what does not say snow nothing changes */
    assert_true(fabs(x_m[2] - x_m[1]) > 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_have_their_weather),
        cmocka_unit_test(wrong_weather_is_told),
        cmocka_unit_test(mixed_set_has_the_wheels_of_its_sets),
        cmocka_unit_test(tyres_change_under_each_wheel),
        cmocka_unit_test(shipped_sedan_feels_the_snow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

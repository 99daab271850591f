/* The land around a road: it does not jump where the road's line does, and the road stays as it
 * was. */
#include "rt-tests/support/near.h"
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

static struct road road_of(const char *path)
{
    struct road r;
    struct cfg_doc *doc = NULL;
    if (road_load(path, &r, &doc))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    return r;
}

static struct ground_point ask(const struct segments *r, double x_m, double y_m)
{
    struct ground g = segments_ground(r);
    struct ground_point p;
    g.query(g.road, x_m, y_m, &p);
    return p;
}

/* Between stretches of the circuit that are 13 m apart in height, and far outside. */
static void land_does_not_jump(void **unused)
{
    (void)unused;
    static const char *const files[] = {"config/roads/circuit.yaml", "config/roads/handling.yaml"};
    for (int i = 0; i < 2; i++) {
        struct road r = road_of(files[i]);
        assert_non_null(r.segments->land.z_m);
        for (int row = 0; row < 164; row++) {
            double y_m = -300.0 + 7.3 * row, last_m = ask(r.segments, -300.0, y_m).z_m;
            for (int k = 1; k < 2600; k++) {
                double z_m = ask(r.segments, -300.0 + 0.5 * k, y_m).z_m;
                assert_near(z_m, last_m, 0.25); /* no steeper than one in two, kerb to field */
                last_m = z_m;
            }
        }
        road_free(&r);
    }
}

static void road_is_as_without_it(void **unused)
{
    (void)unused;
    struct road r = road_of("config/roads/circuit.yaml");
    struct segments bare = *r.segments;
    bare.land.z_m = NULL;
    int beside = 0;
    for (int i = 0; i < 4000; i++) {
        struct curve_point c;
        struct segments_place at;
        int32_t piece = 0;
        double n_m = -12.0 + 24.0 * fmod(0.618034 * i, 1.0);
        curve_at(&bare.line, bare.length_m * i / 4000.0, &piece, &c);
        double x_m = c.x_m - n_m * c.tangent[1], y_m = c.y_m + n_m * c.tangent[0];
        struct ground_point with = ask(r.segments, x_m, y_m), without = ask(&bare, x_m, y_m);
        segments_find(r.segments, x_m, y_m, &at);
        if (at.is_inside)
            assert_memory_equal(&with, &without, sizeof with);
        beside += with.z_m != without.z_m;
    }
    assert_true(beside > 500);
    road_free(&r);
}

/* Away from the kinks of the grid, at the side where road and land meet and farther out. */
static void normal_is_the_slope_beside_the_road(void **unused)
{
    (void)unused;
    struct road r = road_of("config/roads/circuit.yaml");
    const struct terrain *t = &r.segments->land;
    int checked = 0;
    for (int i = 0; i < 2000; i++) {
        double x_m = -100.0 + 800.0 * fmod(0.618034 * i, 1.0), d = 1e-4;
        double y_m = -100.0 + 700.0 * fmod(0.754877 * i, 1.0);
        double u = fmod((x_m - t->origin_m[0]) * t->per_cell_1pm[0], 1.0);
        double v = fmod((y_m - t->origin_m[1]) * t->per_cell_1pm[1], 1.0);
        struct segments_place at;
        segments_find(r.segments, x_m, y_m, &at);
        double beyond_m = at.n_m > 0.0 ? at.n_m - at.left_m : -at.n_m - at.right_m;
        /* Where the line's place is hard to find, far inside a bend, only the land counts. */
        bool hard = beyond_m < 0.1 || (beyond_m < 15.1 && fabs(at.n_m * at.curvature_1pm) > 0.5);
        if (hard || u < 0.01 || u > 0.99 || v < 0.01 || v > 0.99)
            continue;
        struct ground_point p = ask(r.segments, x_m, y_m);
        double by_x = (ask(r.segments, x_m + d, y_m).z_m - ask(r.segments, x_m - d, y_m).z_m);
        double by_y = (ask(r.segments, x_m, y_m + d).z_m - ask(r.segments, x_m, y_m - d).z_m);
        /* The width of the road changes along it; that is left out of the slope. */
        assert_near(-p.normal[0] / p.normal[2], by_x / (2.0 * d), 0.01);
        assert_near(-p.normal[1] / p.normal[2], by_y / (2.0 * d), 0.01);
        checked++;
    }
    assert_true(checked > 1000);
    road_free(&r);
}

static void level_road_needs_none(void **unused)
{
    (void)unused;
    struct road r = road_of("config/roads/rough.yaml");
    assert_null(r.segments->land.z_m);
    road_free(&r);
}

/* Cars that spin off the circuit. Where the ground jumped by metres under a wheel they were thrown
 * to the clouds, at up to 1e16 m/s. An engine gives a car less than 10 m/s2. */
static void car_that_leaves_the_circuit_stays_a_car(void **unused)
{
    (void)unused;
    static const struct {
        const char *vehicle, *style, *grip, *top_kmh, *start_kmh;
        double friction, time_s;
        int integrator;
    } cases[] = {
        {"suv", "aggressive", "1.18343", "332.261", "124.483", 0.989467, 39.0, MODEL_FORWARD},
        {"sports", "relaxed", "0.938445", "339.991", "96.2326", 0.86475, 28.0, MODEL_FORWARD},
        {"sedan", "aggressive", "1.16665", "306.339", "30.4404", 0.415165, 40.0,
         MODEL_SEMI_IMPLICIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char vehicle[64];
        const struct cfg_change change[] = {{"driver.kind", "preview"},
                                            {"driver.style", cases[i].style},
                                            {"driver.path.limits.grip", cases[i].grip},
                                            {"driver.path.limits.top_kmh", cases[i].top_kmh},
                                            {"start.speed_kmh", cases[i].start_kmh}};
        const struct offline_options how = {.duration_s = -1.0,
                                            .integrator = cases[i].integrator,
                                            .vehicle = vehicle,
                                            .scenario_change = change,
                                            .scenario_changes = sizeof change / sizeof change[0],
                                            .friction = cases[i].friction};
        struct offline o;
        double half_s_ago_mps[500] = {0.0}, aside_m = 0.0;
        (void)snprintf(vehicle, sizeof vehicle, "config/vehicles/%s.yaml", cases[i].vehicle);
        assert_int_equal(offline_open("config/scenarios/lap.yaml", &how, &o), 0);
        for (int n = 0; 1e-3 * n < cases[i].time_s; n++) {
            offline_step(&o);
            double speed_mps = hypot(o.out.vel_mps[0], hypot(o.out.vel_mps[1], o.out.vel_mps[2]));
            if (n >= 500)
                assert_below(speed_mps - half_s_ago_mps[n % 500], 5.0);
            half_s_ago_mps[n % 500] = speed_mps;
            aside_m = fmax(aside_m, fabs(o.course.now.path_error_m));
        }
        assert_above(aside_m, 30.0); /* it has been where the land is */
        offline_close(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(land_does_not_jump),
        cmocka_unit_test(road_is_as_without_it),
        cmocka_unit_test(normal_is_the_slope_beside_the_road),
        cmocka_unit_test(level_road_needs_none),
        cmocka_unit_test(car_that_leaves_the_circuit_stays_a_car),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a host is told about the scene: it must lie where the car drives. */
#include "shared/base/json_read.h"
#include "target/describe_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct bed {
    struct offline car;
    struct json_doc *doc;
    const struct json *scene;
};

/* The scene of a scenario with this road. */
static void describe(struct bed *b, const char *road)
{
    const struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    char path[] = "/tmp/skidpad-describe-XXXXXX", here[512], *text = NULL;
    size_t bytes = 0;
    struct err e = {""};
    assert_non_null(getcwd(here, sizeof here));
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fprintf(f, "kind: scenario\nname: a test\nvehicle: %s/config/vehicles/sedan.yaml\n", here);
    fprintf(f, "duration_s: 1\nroad: {file: %s/config/roads/%s}\n", here, road);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(offline_open(path, &options, &b->car), 0);
    (void)unlink(path);
    f = open_memstream(&text, &bytes);
    assert_non_null(f);
    struct json_writer w = {.to = f};
    json_open(&w, NULL, '{');
    describe_scene(&w, &b->car);
    json_close(&w);
    assert_int_equal(json_finish(&w), 0);
    assert_int_equal(fclose(f), 0);
    if (json_read("scene", text, bytes, &b->doc, &e))
        fail_msg("%s", e.text);
    free(text);
    b->scene = json_member(json_root(b->doc), "scene");
}

static void bed_close(struct bed *b)
{
    json_free(b->doc);
    offline_close(&b->car);
}

/* The height told at each point is the one under a tyre there: places are told in millimetres, and
 * the steepest ground here rises 0.06 m/m, so that the height moves by less than 0.6 mm. */
static size_t check_points(const struct bed *b, const struct json *points)
{
    size_t n = 0;
    for (const struct json *p = json_first(points); p; p = json_next(p), n++) {
        const struct json *x = json_first(p), *y = json_next(x), *z = json_next(y);
        struct ground_point at;
        b->car.ground.query(b->car.ground.road, x->number, y->number, &at);
        assert_true(fabs(z->number - at.z_m) < 0.6e-3);
    }
    return n;
}

static void a_measured_surface_is_a_mesh_from_edge_to_edge(void **state)
{
    (void)state;
    struct bed b;
    describe(&b, "waves.yaml"); /* 40 parts of 1 m, from 3 m right to 3 m left of its line */
    const struct json *surface = json_member(b.scene, "surface");
    const struct json *points = json_member(surface, "points");
    assert_null(json_member(b.scene, "plane"));
    assert_null(json_member(b.scene, "road"));
    size_t columns = (size_t)json_member(surface, "columns")->number;
    assert_int_equal(columns, 7);
    assert_int_equal(check_points(&b, points), 41 * columns);
    assert_int_equal(json_member(surface, "friction")->count, 41);
    double low_m = INFINITY, high_m = -INFINITY;
    size_t i = 0;
    for (const struct json *p = json_first(points); p; p = json_next(p), i++) {
        const struct json *x = json_first(p), *y = json_next(x);
        struct crg_place on;
        crg_find(b.car.scenario->crg, x->number, y->number, &on);
        /* The grid's rows stand on the bisectors of the line's parts, which turn by 1 degree. */
        size_t row = i / columns, column = i % columns;
        assert_true(fabs(on.u_m - (double)row) < 0.06);
        assert_true(fabs(on.v_m - (-3.0 + (double)column)) < 0.06);
        low_m = fmin(low_m, json_next(y)->number);
        high_m = fmax(high_m, json_next(y)->number);
    }
    assert_true(high_m - low_m > 0.03); /* its waves are there */
    for (const struct json *f = json_first(json_member(surface, "friction")); f; f = json_next(f))
        assert_true(f->number == 0.8);
    bed_close(&b);
}

static void a_road_has_two_edges_and_a_centre(void **state)
{
    (void)state;
    struct bed b;
    describe(&b, "banked_circle.yaml");
    const struct json *road = json_member(b.scene, "road");
    assert_null(json_member(b.scene, "surface"));
    size_t centre = check_points(&b, json_member(road, "centre"));
    assert_true(centre > 2);
    assert_int_equal(check_points(&b, json_member(road, "left")), centre);
    assert_int_equal(check_points(&b, json_member(road, "right")), centre);
    assert_int_equal(json_member(road, "friction")->count, centre);
    bed_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_surface_is_a_mesh_from_edge_to_edge),
        cmocka_unit_test(a_road_has_two_edges_and_a_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

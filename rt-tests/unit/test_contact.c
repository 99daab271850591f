/* Ways to find the ground under a wheel, against closed forms on planes, steps and cylinders. */
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/model/contact.h"
#include "target/model/contact_load.h"
#include "target/offline.h"
#include "target/road/plane.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double radius_m = 0.32;
static const struct contact_model line = {.kind = CONTACT_LINE},
                                  closest = {.kind = CONTACT_CLOSEST},
                                  patch = {.kind = CONTACT_PATCH,
                                           .along = 5,
                                           .across = 3,
                                           .length_m = 0.1,
                                           .width_m = 0.15};

static struct contact_spot find(const struct contact_model *c, const struct ground *g,
                                struct vec3 hub, struct vec3 axis)
{
    struct contact_spot out;
    contact_find(c, g, hub, axis, radius_m, &out);
    return out;
}

/* Axis of a wheel that heads to `yaw` and leans to its right by `lean`. */
static struct vec3 axis_of(double yaw, double lean)
{
    return v3(-sin(yaw) * cos(lean), cos(yaw) * cos(lean), -sin(lean));
}

/* A plane is a plane: every way must see the one that the point under the centre sees. */
static void all_agree_on_an_inclined_plane(void **unused)
{
    (void)unused;
    const struct contact_model *const ways[] = {&line, &closest, &patch};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 60; i++) {
            struct plane p;
            plane_defaults(&p);
            plane_incline(&p, -0.3 + 0.011 * i, 0.2 - 0.007 * i);
            struct ground g = plane_ground(&p);
            double x = 1.0 + 0.1 * i, y = -2.0, z = p.slope * x + p.bank * y + 0.31;
            struct vec3 n = v3(p.normal[0], p.normal[1], p.normal[2]);
            struct contact_spot c =
                find(ways[k], &g, v3(x, y, z), axis_of(0.1 * i, 0.2 - 0.007 * i));
            assert_near(c.normal.x, n.x, 1e-12);
            assert_near(c.normal.y, n.y, 1e-12);
            assert_near(c.normal.z, n.z, 1e-12);
            assert_near(c.height_m, 0.31 * n.z, 1e-12);
            assert_near(c.friction, 1.0, 1e-15);
        }
}

/* ---- a step across the way: z = 0.06 from x = 0 on */

static void step_query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    (void)road;
    (void)y_m;
    *out = (struct ground_point){.z_m = x_m >= 0.0 ? 0.06 : 0.0,
                                 .normal = {0.0, 0.0, 1.0},
                                 .friction = x_m >= 0.0 ? 0.5 : 1};
}
static const struct ground step = {NULL, step_query};

/* The edge is what the wheel meets first: far_m = sqrt(a^2 + (H - h)^2) when that is below H. */
static void closest_point_meets_the_edge_of_a_step(void **unused)
{
    (void)unused;
    int edges = 0;
    for (int i = 0; i < 30; i++) {
        double ahead_m = 0.01 + 0.01 * i, edge_m = hypot(ahead_m, 0.30 - 0.06);
        struct contact_spot c = find(&closest, &step, v3(-ahead_m, 0.0, 0.30), axis_of(0.0, 0.0));
        bool is_edge = edge_m < 0.30 && ahead_m <= 0.8 * radius_m;
        /* The edge is found to 0.2 R / 2^8 = 0.25 mm ahead. */
        assert_near(c.height_m, is_edge ? edge_m : 0.30, 2.6e-4);
        if (is_edge) {
            assert_near(c.normal.x, -ahead_m / edge_m, 2e-3);
            assert_near(c.normal.z, 0.24 / edge_m, 2e-3);
            edges++;
        }
    }
    assert_true(edges > 10);
}

/* Of five points along 0.1 m, those at -40, -20, 0, 20, 40 mm, k lie on the step. */
static void patch_averages_a_step(void **unused)
{
    (void)unused;
    for (int k = 0; k <= 5; k++) {
        double x = -0.05 + 0.02 * k; /* half-way between two points */
        struct contact_spot c = find(&patch, &step, v3(x, 0.0, 0.30), axis_of(0.0, 0.0));
        double mean_m = 0.06 * k / 5.0, by_x = 0.0, xx = 0.0;
        for (int i = 0; i < 5; i++) {
            double at_m = 0.02 * (i - 2);
            by_x += i >= 5 - k ? at_m * 0.06 : 0.0;
            xx += at_m * at_m;
        }
        by_x /= xx;
        double up = 1.0 / sqrt(1.0 + by_x * by_x);
        assert_near(c.height_m, (0.30 - mean_m) * up, 1e-12);
        assert_near(c.normal.x, -by_x * up, 1e-12);
        assert_near(c.friction, 1.0 - 0.5 * k / 5.0, 1e-12);
    }
}

/* ---- a cylinder across the way: radius 0.1 m, 0.04 m above the level */

static void cylinder_query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    (void)road;
    (void)y_m;
    double square = 0.01 - x_m * x_m, z = square > 0.0 ? sqrt(square) - 0.06 : -1.0;
    *out = (struct ground_point){.z_m = 0.0, .normal = {0.0, 0.0, 1.0}, .friction = 1.0};
    if (z > 0.0) {
        out->z_m = z;
        out->normal[0] = x_m / 0.1;
        out->normal[2] = sqrt(square) / 0.1;
    }
}
static const struct ground cylinder = {NULL, cylinder_query};

/* The nearest point of a cylinder lies towards its axis: far_m = distance of the axes - 0.1. */
static void closest_point_of_a_cylinder_lies_towards_its_axis(void **unused)
{
    (void)unused;
    for (int i = -12; i <= 12; i++) {
        double x = 0.02 * i, to_axis_m = hypot(x, 0.33 + 0.06);
        if (fabs(x) / to_axis_m * 0.1 > 0.078) /* the point lies below the level */
            continue;
        struct contact_spot c = find(&closest, &cylinder, v3(x, 0.0, 0.33), axis_of(0.0, 0.0));
        bool is_level = 0.33 < to_axis_m - 0.1;
        assert_near(c.height_m, is_level ? 0.33 : to_axis_m - 0.1, 1e-5);
        if (!is_level)
            assert_near(c.normal.x, x / to_axis_m, 3e-3);
    }
}

/* ---- a bowl across the wheel: z = 0.5 y^2 */

static void bowl_query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    (void)road;
    (void)x_m;
    double up = 1.0 / sqrt(1.0 + y_m * y_m);
    *out = (struct ground_point){
        .z_m = 0.5 * y_m * y_m, .normal = {0.0, -y_m * up, up}, .friction = 1.0};
}

/* A wheel that leans by g meets it where H - r cos g = 0.5 (r sin g)^2. */
static void leaning_radius_meets_a_bowl(void **unused)
{
    (void)unused;
    static const struct ground bowl = {NULL, bowl_query};
    for (int i = -6; i <= 6; i++) {
        double lean = 0.05 * i + 0.01, a = 0.5 * sin(lean) * sin(lean), b = cos(lean);
        double r = (-b + sqrt(b * b + 4.0 * a * 0.3)) / (2.0 * a), y = -r * sin(lean);
        struct contact_spot c = find(&line, &bowl, v3(0.0, 0.0, 0.3), axis_of(0.0, lean));
        double up = 1.0 / sqrt(1.0 + y * y);
        assert_near(c.normal.y, -y * up, 1e-9); /* Newton, three times */
        assert_near(c.height_m, (0.3 - 0.5 * y * y) * up + y * y * up, 1e-9);
    }
}

/* ---- in the car */

static void drive(const struct contact_model *c, struct plant_out *out)
{
    static const struct offline_options plain = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    struct offline o;
    assert_int_equal(offline_open("config/scenarios/brake_in_turn.yaml", &plain, &o), 0);
    lumped15_of(o.vehicle)->contact = *c;
    for (int i = 0; i < 3000; i++)
        offline_step(&o);
    *out = o.out;
    offline_close(&o);
}

/* On the level all ways are the same up to rounding; 3 s of braking in a turn may make that grow.
 */
static void car_on_the_level_drives_the_same(void **unused)
{
    (void)unused;
    static const struct contact_model point = {.kind = CONTACT_POINT};
    struct plant_out a, b;
    drive(&point, &a);
    assert_true(a.pos_m[0] > 20.0 && fabs(a.pos_m[1]) > 0.5);
    const struct contact_model *const ways[] = {&line, &closest, &patch};
    for (int k = 0; k < 3; k++) {
        drive(ways[k], &b);
        for (int i = 0; i < 3; i++)
            assert_near(b.pos_m[i], a.pos_m[i], 1e-7);
    }
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"kind: patch\npoints: [4, 3]\n",
         "car.yaml:2:1: points: are odd numbers along and across: 3, 5, 7 or 9"},
        {"kind: line\nlength_m: 0.1\n", "car.yaml:2:1: length_m: is only for kind: patch"},
        {"length_m: 0.1\n", "car.yaml:1:1: kind: missing, this key is required"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cfg_doc *doc;
        struct contact_model c;
        assert_int_equal(cfg_open_text("car.yaml", cases[i][0], strlen(cases[i][0]), &doc), 0);
        contact_load(cfg_root(doc), &c);
        assert_true(cfg_message_count(doc) > 0);
        assert_string_equal(cfg_message(doc, 0), cases[i][1]);
        cfg_close(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_agree_on_an_inclined_plane),
        cmocka_unit_test(closest_point_meets_the_edge_of_a_step),
        cmocka_unit_test(patch_averages_a_step),
        cmocka_unit_test(closest_point_of_a_cylinder_lies_towards_its_axis),
        cmocka_unit_test(leaning_radius_meets_a_bowl),
        cmocka_unit_test(car_on_the_level_drives_the_same),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

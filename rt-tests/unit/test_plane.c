/* The plane road. */
#include "target/road/plane.h"
#include "target/road/plane_load.h"

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

static struct ground_point ask(const struct plane *p, double x_m, double y_m)
{
    struct ground g = plane_ground(p);
    struct ground_point at;
    g.query(g.road, x_m, y_m, &at);
    return at;
}

static void default_is_level_with_friction_one(void **unused)
{
    (void)unused;
    struct plane p;
    plane_defaults(&p);
    struct ground_point at = ask(&p, 1e6, -3.0);
    assert_true(at.z_m == 0.0 && at.friction == 1.0 && at.normal[2] == 1.0);
    assert_true(at.normal[0] == 0.0 && at.normal[1] == 0.0);
}

static void normal_is_a_unit_vector_at_a_right_angle_to_the_surface(void **unused)
{
    (void)unused;
    struct plane p;
    plane_defaults(&p);
    plane_incline(&p, 0.1, -0.05);
    struct ground_point o = ask(&p, 0.0, 0.0), a = ask(&p, 1.0, 0.0), b = ask(&p, 0.0, 1.0);
    const double *n = o.normal;
    /* rounding */
    assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-15);
    assert_near(n[0] + n[2] * (a.z_m - o.z_m), 0.0, 1e-16);
    assert_near(n[1] + n[2] * (b.z_m - o.z_m), 0.0, 1e-16);
    assert_true(n[2] > 0.0 && a.z_m > 0.0 && b.z_m < 0.0);
}

static void ten_percent_uphill_rises_ten_metres_in_a_hundred(void **unused)
{
    (void)unused;
    struct plane p;
    plane_defaults(&p);
    plane_incline(&p, 0.1, 0.02);
    assert_near(ask(&p, 100.0, 50.0).z_m, 11.0, 1e-14); /* rounding */
}

static void friction_splits_at_the_boundary(void **unused)
{
    (void)unused;
    struct plane p;
    plane_defaults(&p);
    p.friction_left = 0.2;
    p.friction_right = 0.9;
    p.boundary_y_m = 1.5;
    assert_true(ask(&p, 7.0, 1.5).friction == 0.2);
    assert_true(ask(&p, -7.0, 1.4999).friction == 0.9);
}

static struct cfg_doc *load(const char *text, struct plane *p)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("drive.yaml", text, strlen(text), &doc), 0);
    plane_defaults(p);
    plane_load(cfg_map(cfg_root(doc), "road"), p);
    return doc;
}

static void yaml_sets_every_key(void **unused)
{
    (void)unused;
    struct plane p;
    struct cfg_doc *doc = load("road: {slope_percent: 10, bank_percent: -2, friction: 0.5,\n"
                               "       friction_left: 0.1, boundary_y_m: 0.3}\n",
                               &p);
    cfg_print_messages(doc, stderr);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
    assert_near(p.slope, 0.1, 1e-17); /* rounding */
    assert_near(p.bank, -0.02, 1e-17);
    assert_true(p.friction_left == 0.1 && p.friction_right == 0.5 && p.boundary_y_m == 0.3);
    assert_near(p.normal[0] / p.normal[2], -0.1, 1e-15);
}

static void yaml_mistakes_are_named(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"road: {friction: 0}\n", "road: {friction: .nan}\n",
                                        "road: {slope_percent: 101}\n", "road: {slope: 10}\n"};
    for (int i = 0; i < 4; i++) {
        struct plane p;
        struct cfg_doc *doc = load(texts[i], &p);
        assert_int_equal(cfg_message_count(doc), 1);
        cfg_close(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_is_level_with_friction_one),
        cmocka_unit_test(normal_is_a_unit_vector_at_a_right_angle_to_the_surface),
        cmocka_unit_test(ten_percent_uphill_rises_ten_metres_in_a_hundred),
        cmocka_unit_test(friction_splits_at_the_boundary),
        cmocka_unit_test(yaml_sets_every_key),
        cmocka_unit_test(yaml_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

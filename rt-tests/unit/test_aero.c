/* Air forces against hand values, and the properties that hold at every angle. */
#include "target/model/aero.h"
#include "target/model/aero_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979324;

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

/* Axles at +1.2 and -1.4 m; k = rho A / 2 = 1.25 kg/m. */
static struct aero_model sedan(void)
{
    struct aero_model m;
    aero_defaults(&m, 1.2, -1.4, 0.3);
    m.air_density_kgpm3 = 1.25;
    m.area_m2 = 2.0;
    m.cd = 0.3;
    m.cd_rise = 0.5;
    m.clf = 0.06;
    m.clf_rise = 0.8;
    m.clr = 0.1;
    m.clr_rise = 0.6;
    m.cs = 2.2;
    m.cn = 0.8;
    return m;
}

static void head_on_flow_gives_drag_and_lift(void **unused)
{
    (void)unused;
    struct aero_model m = sedan();
    struct vec3 f, n;
    aero_force(&m, v3(-40.0, 0.0, 0.0), &f, &n);
    /* k V^2 = 2000 N; 1e-10 N for rounding, here and below */
    assert_near(f.x, -600.0, 1e-10);
    assert_true(f.y == 0.0);
    assert_near(f.z, 2000.0 * 0.16, 1e-10);
    assert_true(n.x == 0.0 && n.z == 0.0);
    /* nose-down pitch is positive: lift ahead takes it away, drag 0.3 m up as well */
    assert_near(n.y, -1.2 * 120.0 + 1.4 * 200.0 - 0.3 * 600.0, 1e-10);
}

static void no_flow_gives_no_force(void **unused)
{
    (void)unused;
    struct aero_model m = sedan();
    struct vec3 f, n;
    aero_force(&m, v3(0.0, 0.0, 0.0), &f, &n);
    assert_true(f.x == 0.0 && f.y == 0.0 && f.z == 0.0 && n.x == 0.0 && n.y == 0.0 && n.z == 0.0);
}

static void wind_from_the_left_pushes_right_and_turns_right(void **unused)
{
    (void)unused;
    struct aero_model m = sedan();
    double beta = 1e-4;
    struct vec3 f, n;
    aero_force(&m, v3(-40.0 * cos(beta), -40.0 * sin(beta), 0.0), &f, &n);
    /* small angle: 2000 N cs beta and 2000 N L cn beta, L = 2.6 m; relative beta^2 */
    double side_N = -2000.0 * 2.2 * beta;
    assert_near(f.y, side_N, 1e-7 * 0.44);
    /* the side force acts at x = -0.1 m, drag on the centre line */
    assert_near(n.z, -2000.0 * 2.6 * 0.8 * beta - 0.1 * side_N, 1e-7 * 0.44);
    /* and at 0.3 m height */
    assert_near(n.x, -0.3 * side_N, 1e-7 * 0.44);
}

static void side_wind_has_no_drag_and_no_yaw_moment_of_its_own(void **unused)
{
    (void)unused;
    struct aero_model m = sedan();
    m.reference_m = v3(0.0, 0.0, 0.0);
    struct vec3 f, n;
    aero_force(&m, v3(0.0, 20.0, 0.0), &f, &n);
    assert_true(f.x == 0.0);
    assert_near(f.y, 500.0 * 2.2, 1e-10);
    assert_near(f.z, 500.0 * (0.86 + 0.7), 1e-10);
    assert_true(n.z == 0.0);
}

static void left_and_right_are_mirror_images(void **unused)
{
    (void)unused;
    struct aero_model m = sedan();
    for (int i = 0; i < 100; i++) {
        double a = 0.0628 * i;
        struct vec3 f, n, fm, nm;
        aero_force(&m, v3(30.0 * cos(a), 30.0 * sin(a), 2.0), &f, &n);
        aero_force(&m, v3(30.0 * cos(a), -30.0 * sin(a), 2.0), &fm, &nm);
        assert_true(f.x == fm.x && f.y == -fm.y && f.z == fm.z);
        assert_true(n.x == -nm.x && n.y == nm.y && n.z == -nm.z);
    }
}

/* In still air the car's velocity is minus the flow: the power F.v must never be positive. */
static void air_at_rest_never_drives_the_car(void **unused)
{
    (void)unused;
    struct aero_model m = sedan();
    m.clf = -3.0; /* strong lift must not matter: it is at a right angle to the flow */
    m.clr = 4.0;
    for (int i = 0; i < 360; i++) {
        for (int j = -90; j <= 90; j += 5) {
            double a = i * pi / 180.0, e = j * pi / 180.0, speed = 0.01 + i;
            struct vec3 u = v3(speed * cos(a) * cos(e), speed * sin(a) * cos(e), speed * sin(e));
            struct vec3 f, n;
            aero_force(&m, u, &f, &n);
            double power_W = -v3_dot(f, u);
            /* at least the drag of cd in every direction: k cd V^3; rounding 1e-12 of the lift */
            assert_true(power_W <= -1.25 * 0.3 * speed * speed * speed * (1.0 - 1e-11));
        }
    }
}

static void force_is_smooth_around_the_clock_and_through_zero(void **unused)
{
    (void)unused;
    struct aero_model m = sedan();
    struct vec3 last = {0}, f, n;
    for (int i = 0; i <= 36000; i++) {
        double a = i * pi / 18000.0;
        aero_force(&m, v3(-30.0 * cos(a), -30.0 * sin(a), 0.0), &f, &n);
        assert_true(isfinite(n.x) && isfinite(n.y) && isfinite(n.z));
        /* k V^2 = 1125 N; no coefficient changes faster than 3 a rad; 1.75e-4 rad a step */
        if (i > 0)
            assert_true(v3_norm(v3_sub(f, last)) < 1125.0 * 3.0 * 1.75e-4);
        last = f;
    }
    double v = 1e-3;
    for (int i = 0; i < 300; i++) { /* down to where squares vanish */
        v *= 0.1;
        aero_force(&m, v3(-v, v, v), &f, &n);
        /* k |u|^2 with all coefficients together below 10 */
        assert_true(v3_norm(f) <= 1.25 * 3.0 * v * v * 10.0);
        assert_true(isfinite(n.x) && isfinite(n.y) && isfinite(n.z));
    }
}

static void car_without_area_has_no_air_forces(void **unused)
{
    (void)unused;
    struct aero_model m;
    aero_defaults(&m, 1.0, -1.0, 0.0);
    struct vec3 f, n;
    aero_force(&m, v3(-50.0, 10.0, 1.0), &f, &n);
    assert_true(v3_norm(f) == 0.0 && v3_norm(n) == 0.0);
}

static struct cfg_doc *load(const char *text, struct aero_model *m)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("car.yaml", text, strlen(text), &doc), 0);
    aero_defaults(m, 1.2, -1.4, 0.3);
    aero_load(cfg_map(cfg_root(doc), "aero"), m);
    return doc;
}

static void yaml_sets_every_key(void **unused)
{
    (void)unused;
    struct aero_model m;
    struct cfg_doc *doc =
        load("aero: {air_density_kgpm3: 1.2, area_m2: 2.2, length_m: 2.5, cd: 0.3, cd_rise: 0.1,\n"
             "       clf: 0.05, clf_rise: 0.2, clr: 0.1, clr_rise: 0.3, cs: 2.1, cn: 0.7,\n"
             "       reference_m: [0.1, 0.0, 0.2]}\n",
             &m);
    cfg_print_messages(doc, stderr);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
    assert_true(m.air_density_kgpm3 == 1.2 && m.area_m2 == 2.2 && m.length_m == 2.5);
    assert_true(m.cd == 0.3 && m.cd_rise == 0.1 && m.clf == 0.05 && m.clf_rise == 0.2);
    assert_true(m.clr == 0.1 && m.clr_rise == 0.3 && m.cs == 2.1 && m.cn == 0.7);
    assert_true(m.reference_m.x == 0.1 && m.reference_m.z == 0.2 && m.front_x_m == 1.2);
}

static void yaml_refuses_air_that_drives_the_car(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"aero: {area_m2: 2, cd: -0.3}\n",
                                        "aero: {area_m2: 2, cs: -1}\n",
                                        "aero: {area_m2: 2, cd: 0.3, cd_rise: -0.4}\n",
                                        "aero: {cd: 0.3}\n", "aero: {area_m2: 2, cdd: 1}\n"};
    for (int i = 0; i < 5; i++) {
        struct aero_model m;
        struct cfg_doc *doc = load(texts[i], &m);
        assert_int_equal(cfg_message_count(doc), 1);
        cfg_close(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_on_flow_gives_drag_and_lift),
        cmocka_unit_test(no_flow_gives_no_force),
        cmocka_unit_test(wind_from_the_left_pushes_right_and_turns_right),
        cmocka_unit_test(side_wind_has_no_drag_and_no_yaw_moment_of_its_own),
        cmocka_unit_test(left_and_right_are_mirror_images),
        cmocka_unit_test(air_at_rest_never_drives_the_car),
        cmocka_unit_test(force_is_smooth_around_the_clock_and_through_zero),
        cmocka_unit_test(car_without_area_has_no_air_forces),
        cmocka_unit_test(yaml_sets_every_key),
        cmocka_unit_test(yaml_refuses_air_that_drives_the_car),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

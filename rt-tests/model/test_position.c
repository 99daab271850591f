/* The position driver: banked circle in closed form, a circuit, and a skid. */
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/offline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct offline o;

/* Opens a scenario from text, with paths from the top of the repository. */
static void open_text(const char *text)
{
    char path[] = "/tmp/skidpad-position-XXXXXX", folder[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *to = fdopen(fd, "w");
    assert_non_null(getcwd(folder, sizeof folder));
    fprintf(to, "kind: scenario\nname: test\nvehicle: %s/config/vehicles/sedan.yaml\n", folder);
    fprintf(to, text, folder);
    assert_int_equal(fclose(to), 0);
    struct offline_options set = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    assert_int_equal(offline_open(path, &set, &o), 0);
    (void)remove(path);
}

static void drive_for(double time_s)
{
    uint64_t until = o.tick + (uint64_t)(time_s / o.scenario->step_s + 0.5);
    while (o.tick < until) {
        offline_step(&o);
        assert_int_equal(o.out.fault, 0);
    }
}

/* On a circle of radius R banked by tan b a car needs the side force m (v^2/R cos b - g sin b):
 * none at v^2 = g R tan b. Speeds of half, one and one and a half times that; 2 % of the weight is
 * what the camber and toe of the wheels add. */
static void banked_circle_needs_the_side_force_of_its_speed(void **unused)
{
    (void)unused;
    const double R = 100.0, bank = 0.2, g = 9.80665, slope = sqrt(1.0 + bank * bank);
    for (int i = 1; i <= 3; i++) {
        char text[512];
        double v = 0.5 * i * sqrt(g * R * bank);
        (void)snprintf(text, sizeof text,
                       "road: {file: %%s/config/roads/banked_circle.yaml}\nstart: {speed_kmh: "
                       "%g}\ndriver: {path: {road: {offset_m: 0}, speed_kmh: %g}}\n",
                       3.6 * v, 3.6 * v);
        open_text(text);
        drive_for(12.0);
        double side_N = 0.0, load_N = 0.0, error_m = 0.0;
        for (int n = 0; n < 1000; n++) {
            offline_step(&o);
            for (int w = 0; w < WHEELS; w++) {
                side_N += o.out.lat_N[w] / 1000.0;
                load_N += o.out.load_N[w] / 1000.0;
            }
            error_m = fmax(error_m, fabs(o.course.now.path_error_m));
        }
        double kg = lumped15_of(o.vehicle)->total_kg;
        double want_N = kg * (v * v / R - g * bank) / slope;
        double want_load_N = kg * (g + bank * v * v / R) / slope;
        assert_near(side_N, want_N, 0.02 * kg * g);
        assert_near(load_N, want_load_N, 0.02 * kg * g);
        assert_below(error_m, 0.1);
        offline_close(&o);
    }
}

/* A lap of the handling course, speed computed from limits: off the path by less than half a
 * metre everywhere, patches of low friction included. */
static void lap_of_a_circuit_stays_near_the_path(void **unused)
{
    (void)unused;
    open_text(
        "duration_s: 80\nroad: {file: %s/config/roads/handling.yaml}\nstart: {speed_kmh: 50}\n"
        "driver:\n  path:\n    road: {offset_m: 0}\n"
        "    limits: {lateral_mps2: 4, drive_mps2: 1.5, brake_mps2: 3, top_kmh: 90}\n");
    double error_m = 0.0, top_mps = 0.0, s_m = 0.0;
    while (s_m < 850.0 && o.tick < 80000) {
        offline_step(&o);
        assert_int_equal(o.out.fault, 0);
        assert_int_equal(o.course.now.off_road, 0);
        error_m = fmax(error_m, fabs(o.course.now.path_error_m));
        top_mps = fmax(top_mps, o.out.vel_mps[0]);
        s_m = fmax(s_m, o.course.driver.position.along_m);
    }
    printf("# lap in %.1f s, error %.3f m, top %.1f km/h\n", o.out.time_s, error_m, 3.6 * top_mps);
    assert_above(s_m, 849.0);
    assert_below(error_m, 0.5);
    assert_above(top_mps, 20.0);
    offline_close(&o);
}

/* Sliding with the nose to the left of the way it goes: the front wheels must point where the car
 * goes, to the right of its nose. */
static void driver_counter_steers_in_a_skid(void **unused)
{
    (void)unused;
    open_text("start: {speed_kmh: 70}\ndriver: {path: {lanes: [[-10, 500, 0]], speed_kmh: 70}}\n"
              "# %s\n");
    drive_for(0.5);
    struct plant_out skid = o.out;
    struct plant_in in = {0};
    struct position_state s = o.course.driver.position;
    /* Nose 25 degrees to the left, the velocity still along the path. */
    skid.yaw_rad = 0.436;
    skid.vel_mps[0] = 19.4 * cos(0.436);
    skid.vel_mps[1] = -19.4 * sin(0.436);
    skid.rate_radps[2] = 0.3;
    for (int n = 0; n < 400; n++) /* hands take time */
        position_step(&o.driver.position, &s, &skid, 1e-3, &in);
    assert_below(in.hand_wheel_rad, -2.0); /* more than a quarter turn to the right */
    offline_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banked_circle_needs_the_side_force_of_its_speed),
        cmocka_unit_test(lap_of_a_circuit_stays_near_the_path),
        cmocka_unit_test(driver_counter_steers_in_a_skid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The preview driver: how well either driver and either style keeps to its path, and how much they
 * move hands and feet for it, as in Dempsey, Fish and Delgado Beltran. */
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

static const char slalom[] = "sine: {amplitude_m: 1.5, wavelength_m: 60, first_peak_m: 90, peaks: "
                             "8, entry_m: 30}, speed_kmh: 60";
static const char lane_change[] =
    "lanes: [[-20, 62, 0.1], [97, 117, 3.4], [148, 180, 0.2]], speed_kmh: 80";
/* The handling course: clothoids, banking, hills, patches of low friction. */
static const char circuit[] =
    "road: {offset_m: 0}, limits: {lateral_mps2: 4, drive_mps2: 1.5, brake_mps2: 3, top_kmh: 90}";

static const char *const who[] = {"kind: position", "kind: preview, style: aggressive",
                                  "kind: preview, style: relaxed"};

static void open_drive(const char *driver, const char *path, double speed_kmh, bool on_road)
{
    char name[] = "/tmp/skidpad-preview-XXXXXX", folder[256];
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    FILE *to = fdopen(fd, "w");
    assert_non_null(getcwd(folder, sizeof folder));
    fprintf(to, "kind: scenario\nname: test\nduration_s: 100\n");
    fprintf(to, "vehicle: %s/config/vehicles/sedan.yaml\n", folder);
    if (on_road)
        fprintf(to, "road: {file: %s/config/roads/handling.yaml}\n", folder);
    fprintf(to, "start: {speed_kmh: %g}\ndriver: {%s, path: {%s}}\n", speed_kmh, driver, path);
    assert_int_equal(fclose(to), 0);
    struct offline_options set = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    assert_int_equal(offline_open(name, &set, &o), 0);
    (void)remove(name);
}

/* What a drive was like. */
struct drive {
    double most_m, rms_m;         /* beside the path */
    double speed_mps, rms_mps;    /* of what the path asks for */
    double hand_radps, pedal_1ps; /* movement, root mean square */
    double time_s;
};

/* Drives to end_m and looks from begin_m on. */
static struct drive drive_to(double begin_m, double end_m)
{
    struct drive d = {0};
    double hand_rad = 0.0, pedal = 0.0, along_m = 0.0, dt_s = o.scenario->step_s;
    uint64_t count = 0;
    while (along_m < end_m && o.tick < 100000) {
        double was[2] = {hand_rad, pedal}, from_m = along_m;
        offline_step(&o);
        along_m = driver_along_m(&o.driver, &o.course.driver);
        assert_int_equal(o.out.fault, 0);
        hand_rad = o.in.hand_wheel_rad;
        pedal = o.in.throttle - o.in.brake_pedal;
        if (from_m < begin_m)
            continue;
        count++;
        double error_m = fabs(o.course.now.path_error_m);
        double slow_mps = o.course.now.set_speed_mps - o.out.vel_mps[0];
        d.most_m = fmax(d.most_m, error_m);
        d.rms_m += error_m * error_m;
        d.speed_mps = fmax(d.speed_mps, fabs(slow_mps));
        d.rms_mps += slow_mps * slow_mps;
        d.hand_radps += pow((hand_rad - was[0]) / dt_s, 2.0);
        d.pedal_1ps += pow((pedal - was[1]) / dt_s, 2.0);
    }
    assert_true(along_m >= end_m);
    d.time_s = o.out.time_s;
    double *root[] = {&d.rms_m, &d.rms_mps, &d.hand_radps, &d.pedal_1ps};
    for (int i = 0; i < 4; i++)
        *root[i] = sqrt(*root[i] / (double)count);
    offline_close(&o);
    return d;
}

/* The position driver, both styles of the other; aggressive must be the better and faster one. */
static void drive_all(const char *name, const char *path, double speed_kmh, bool on_road,
                      double begin_m, double end_m)
{
    /* The position driver: the slalom's criterion. Aggressive: as much as one lets a test driver
     * have. Relaxed: a car of 1.76 m still is in its lane of 3.5 m. */
    static const double most_m[] = {0.3, 0.5, 0.87};
    struct drive d[3];
    for (int i = 0; i < 3; i++) {
        open_drive(who[i], path, speed_kmh, on_road);
        d[i] = drive_to(begin_m, end_m);
        printf("# %-11s %-33s beside %.2f m, rms %.3f; speed off by %.2f m/s, rms %.3f; hands %.2f "
               "rad/s, feet %.3f 1/s; %.1f s\n",
               name, who[i], d[i].most_m, d[i].rms_m, d[i].speed_mps, d[i].rms_mps, d[i].hand_radps,
               d[i].pedal_1ps, d[i].time_s);
        assert_below(d[i].most_m, most_m[i]);
    }
    assert_below(d[1].rms_m, d[2].rms_m);
    assert_below(d[1].rms_mps, d[2].rms_mps);
    assert_above(d[1].hand_radps, d[2].hand_radps);
    assert_above(d[1].pedal_1ps, d[2].pedal_1ps);
}

static void slalom_is_kept(void **unused)
{
    (void)unused;
    drive_all("slalom", slalom, 60.0, false, 0.0, 350.0);
}

static void lane_change_is_kept(void **unused)
{
    (void)unused;
    drive_all("lane change", lane_change, 80.0, false, 0.0, 200.0);
}

/* From the first turn on: the start is slower than the path asks for. */
static void circuit_is_kept(void **unused)
{
    (void)unused;
    drive_all("circuit", circuit, 50.0, true, 150.0, 1000.0);
}

/* A driver on the straight, and a car that stands somewhere and does something. */
static void open_straight(const char *speeds)
{
    char path[160];
    (void)snprintf(path, sizeof path, "lanes: [[-10, 500, 0]], speed_kmh: %s", speeds);
    open_drive(who[1], path, 72.0, false);
}

static double settled_distance_m(double offset_m, double yaw_radps)
{
    struct preview_state s;
    struct plant_out now = o.out;
    struct plant_in in = {0};
    preview_reset(&s);
    now.pos_m[0] = 50.0;
    now.pos_m[1] = offset_m;
    now.rate_radps[2] = yaw_radps;
    for (int n = 0; n < 5000; n++)
        preview_step(&o.driver.preview, &s, &now, 1e-3, &in);
    return s.distance_m;
}

/* The settings say by how much; the car at the start sags by a little, which tilts its speed. */
static void looks_farther_beside_the_path_and_nearer_when_turning(void **unused)
{
    (void)unused;
    open_straight("72");
    const struct preview_settings *g = &o.driver.preview.set;
    double straight_m = settled_distance_m(0.0, 0.0);
    assert_near(straight_m, 20.0 * g->middle_s, 1e-4);
    assert_near(settled_distance_m(2.0, 0.0), straight_m + 2.0 * g->per_offset, 1e-4);
    assert_near(settled_distance_m(0.0, 0.5), straight_m - 0.5 * g->per_yaw_rate_ms, 1e-4);
    offline_close(&o);
}

/* A car that is moved 10 m to the side at once: the point moves no faster than it may. */
static void point_moves_no_faster_than_allowed(void **unused)
{
    (void)unused;
    open_straight("72");
    struct preview_state s;
    struct plant_out now = o.out;
    struct plant_in in = {0};
    preview_reset(&s);
    preview_step(&o.driver.preview, &s, &now, 1e-3, &in);
    double was_m = s.distance_m;
    now.pos_m[1] = 10.0;
    preview_step(&o.driver.preview, &s, &now, 1e-3, &in);
    assert_near(s.distance_m - was_m, 1e-3 * o.driver.preview.set.distance_mps, 1e-12);
    offline_close(&o);
}

/* The speed falls from 72 to 36 km/h within 25 m behind s = 50 m: the throttle is closed and the
 * brake pressed before the near point is there, by the far one; without mode correction they are
 * not. */
static void far_point_brakes_before_the_near_one_knows(void **unused)
{
    (void)unused;
    for (int corrected = 0; corrected < 2; corrected++) {
        open_straight("[[0, 72], [60, 72], [85, 36], [500, 36]]");
        struct preview_model m = o.driver.preview;
        struct preview_state s;
        struct plant_out now = o.out;
        struct plant_in in = {0};
        if (!corrected)
            m.set.mode_mps2 = 1e9;
        preview_reset(&s);
        s.integral_mps2 = 1.0; /* what held the speed so far */
        now.pos_m[0] = 46.0;   /* arc length 56: the near point at 58, the far one at 68 m */
        for (int n = 0; n < 300; n++)
            preview_step(&m, &s, &now, 1e-3, &in);
        if (corrected) {
            assert_below(in.throttle, 0.01);
            assert_above(in.brake_pedal, 0.05);
        } else {
            assert_above(in.throttle, 0.2);
            assert_near(in.brake_pedal, 0.0, 1e-12);
        }
        offline_close(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slalom_is_kept),
        cmocka_unit_test(lane_change_is_kept),
        cmocka_unit_test(circuit_is_kept),
        cmocka_unit_test(looks_farther_beside_the_path_and_nearer_when_turning),
        cmocka_unit_test(point_moves_no_faster_than_allowed),
        cmocka_unit_test(far_point_brakes_before_the_near_one_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

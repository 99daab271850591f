/* Recorded drives: thinned out, and the last lap closed. */
#include "rt-tests/support/near.h"
#include "target/road/path_load.h"
#include "target/road/path_load_record.h"

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

static const double pi = 3.14159265358979323846;

/* A recording of 50 Hz along the x axis, faster and faster. */
static void points_are_apart_in_place_and_time(void **unused)
{
    (void)unused;
    struct record r = {0};
    double x_m = 0.0;
    for (int i = 0; i < 1000; i++) {
        double v = 0.5 * i / 20.0;
        x_m += v * 0.02;
        assert_int_equal(record_add(&r, 0.02 * i, x_m, 0.0, v), 0);
    }
    size_t keep = r.count / 2, all = r.count;
    double kept_m = r.xy_m[2 * keep], last_m = r.xy_m[2 * all - 2];
    record_thin(&r, 2.0, 0.2, &keep);
    assert_true(r.count < all / 2 && r.count > 20);
    assert_near(r.xy_m[2 * keep], kept_m, 0.0);
    assert_near(r.xy_m[2 * r.count - 2], last_m, 0.0);
    for (size_t i = 1; i < r.count; i++) {
        double gap_m = r.xy_m[2 * i] - r.xy_m[2 * i - 2];
        assert_true(gap_m >= 2.0 && r.time_s[i] - r.time_s[i - 1] >= 0.2 - 1e-9);
        /* At 20 m/s and more the time decides: at least 4 m. */
        if (r.speed_mps[i - 1] >= 20.0)
            assert_true(gap_m >= 0.2 * 20.0);
    }
    record_free(&r);
}

/* Off a straight onto a circle of 60 m to the left, then once and a bit round it; the second time
 * 3 m farther out. What is before the last lap leads in. */
static void write_drive(const char *file, double turns)
{
    FILE *to = fopen(file, "w");
    assert_non_null(to);
    fprintf(to, "time_s,x_m,y_m,vx_mps\n");
    for (int i = 0; i < 200; i++)
        fprintf(to, "%.3f,%.6f,0,%.4f\n", 0.05 * i, -100.0 + 0.5 * i, 10.0);
    int steps = (int)ceil(turns * 2.0 * pi * 120.0);
    for (int i = 0; i < steps; i++) {
        double a = i / 120.0, t = 10.0 + 0.05 * i;
        double out_m = 60.0 + 3.0 * a / (2.0 * pi);
        fprintf(to, "%.3f,%.6f,%.6f,%.4f\n", t, out_m * sin(a), 60.0 - out_m * cos(a),
                10.0 + a / pi);
    }
    assert_int_equal(fclose(to), 0);
}

static char *scratch_file(void)
{
    static char name[64];
    (void)snprintf(name, sizeof name, "/tmp/skidpad-record-XXXXXX");
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    (void)close(fd);
    return name;
}

static struct cfg_doc *load(const char *file, const char *rest, struct path *p)
{
    char text[300];
    struct cfg_doc *doc;
    (void)snprintf(text, sizeof text, "recorded: {file: %s%s}\n", file, rest);
    assert_int_equal(cfg_open_text("drive.yaml", text, strlen(text), &doc), 0);
    (void)path_load(cfg_root(doc), NULL, p);
    return doc;
}

static void last_lap_is_closed_and_loops(void **unused)
{
    (void)unused;
    char *file = scratch_file();
    struct path p;
    write_drive(file, 1.25);
    struct cfg_doc *doc = load(file, ", flying: true, apart_m: 3", &p);
    if (!cfg_ok(doc))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    const struct curve *c = &p.line;
    double lap_m = c->end_m - c->loop_m;
    assert_true(c->is_closed);
    /* The end was at a quarter turn; there the way in ends: 100 m and a quarter of the circle. */
    assert_near(c->loop_m, 100.0 + 60.0 * pi / 2.0, 5.0);
    /* Between the laps of 60 and of 63 m. */
    assert_near(lap_m, 2.0 * pi * 62.0, 6.0);
    /* Over the line nothing jumps: place, direction, curvature, speed; and laps repeat. */
    struct path_point at[3];
    int32_t piece = 0;
    for (int k = 0; k < 3; k++) {
        const double place_m[] = {c->end_m - 1e-4, c->end_m + 1e-4, c->end_m + 1e-4 + 3.0 * lap_m};
        path_at(&p, place_m[k], &piece, &at[k]);
    }
    for (int k = 1; k < 3; k++) {
        assert_near(at[k].at.x_m, at[0].at.x_m, 3e-4);
        assert_near(at[k].at.y_m, at[0].at.y_m, 3e-4);
        assert_near(at[k].at.tangent[0], at[0].at.tangent[0], 1e-4);
        assert_near(at[k].at.curvature_1pm, at[0].at.curvature_1pm, 1e-3);
        assert_near(at[k].speed_mps, at[0].speed_mps, 1e-3);
    }
    /* Everywhere on the lap it bends as a circle of about 60 m does: blending makes no kink. */
    for (int i = 0; c->loop_m + i < c->end_m; i++) {
        struct path_point q;
        path_at(&p, c->loop_m + i, &piece, &q);
        assert_near(q.at.curvature_1pm, 1.0 / 61.0, 0.5 / 61.0);
    }
    /* A car that drives on: the way in, then lap after lap. */
    double along_m = 0.0, last_m = 0.0, offset_m;
    int32_t car = 0;
    for (int i = 5; 2.0 * i < c->end_m + 2.0 * lap_m; i++) {
        struct path_point q;
        double s = 2.0 * i;
        path_at(&p, s, &piece, &q);
        along_m = path_unwrap(&p, path_nearest(&p, q.at.x_m, q.at.y_m, &car, &offset_m), last_m);
        assert_near(along_m, s, 0.02);
        assert_near(offset_m, 0.0, 0.01);
        last_m = along_m;
    }
    path_free(&p);
    (void)remove(file);
}

/* The speed is that of the drive, unless the path says otherwise. */
static void speed_is_the_recorded_one(void **unused)
{
    (void)unused;
    char *file = scratch_file();
    struct path p;
    write_drive(file, 0.5);
    cfg_close(load(file, "", &p));
    struct path_point at;
    int32_t piece = 0;
    path_at(&p, 50.0, &piece, &at);
    assert_near(at.speed_mps, 10.0, 1e-3);
    path_at(&p, 100.0 + 60.0 * pi / 4.0, &piece, &at);
    assert_near(at.speed_mps, 10.25, 0.03);
    path_free(&p);
    (void)remove(file);
}

static void expect_message(const char *file, const char *rest, const char *message)
{
    struct path p;
    struct cfg_doc *doc = load(file, rest, &p);
    assert_false(cfg_ok(doc));
    if (!strstr(cfg_message(doc, 0), message))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    path_free(&p);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    char *file = scratch_file();
    write_drive(file, 0.5);
    expect_message(file, ", flying: true", "does not end where it has been before");
    expect_message(file, ", flying: true, closed: true", "either closed");
    expect_message(file, ", apart_m: 99", "fewer than 4 points");
    expect_message("/tmp/skidpad-none.csv", "", "skidpad-none.csv");
    expect_message("/tmp/skidpad-none.mf4", "", "skidpad-none.mf4");
    FILE *to = fopen(file, "w");
    fprintf(to, "x_m,z_m\n1,2\n");
    assert_int_equal(fclose(to), 0);
    expect_message(file, "", "no columns x_m and y_m");
    to = fopen(file, "w");
    fprintf(to, "x_m,y_m\n0,0\n5,0\n10,0\n15,0\n20,0\n");
    assert_int_equal(fclose(to), 0);
    expect_message(file, ", apart_s: 0.1", "has no time_s");
    expect_message(file, "", "record vx_mps");
    (void)remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_apart_in_place_and_time),
        cmocka_unit_test(last_lap_is_closed_and_loops),
        cmocka_unit_test(speed_is_the_recorded_one),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

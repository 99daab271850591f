/* Paths: formulas, lanes, recorded drives, speeds. */
#include "rt-tests/support/near.h"
#include "target/road/path_load.h"

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

static struct cfg_doc *load(const char *text, const struct road *road, struct path *p)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("drive.yaml", text, strlen(text), &doc), 0);
    (void)path_load(cfg_root(doc), road, p);
    return doc;
}

static void load_clean(const char *text, const struct road *road, struct path *p)
{
    struct cfg_doc *doc = load(text, road, p);
    if (!cfg_ok(doc))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
}

static void sine_is_a_sine_between_its_peaks(void **unused)
{
    (void)unused;
    struct path p;
    load_clean(
        "sine: {amplitude_m: 1.9, wavelength_m: 46, first_peak_m: 69, peaks: 8, entry_m: 17}\n"
        "speed_kmh: 36\n",
        NULL, &p);
    int32_t piece = 0;
    double offset;
    for (int i0 = 0; 69.0 + 1.37 * i0 <= 230.0; i0++) {
        double x = 69.0 + 1.37 * i0;
        double y = 1.9 * cos(2.0 * pi * (x - 69.0) / 46.0);
        (void)path_nearest(&p, x, y, &piece, &offset);
        assert_near(offset, 0.0, 2e-5); /* pieces of half a metre */
    }
    struct path_point at;
    double s = path_nearest(&p, 69.0, 1.9, &piece, &offset);
    path_at(&p, s, &piece, &at);
    /* At a peak the curvature is A k^2. */
    assert_near(at.at.curvature_1pm, -1.9 * pow(2.0 * pi / 46.0, 2.0), 2e-4);
    assert_near(at.speed_mps, 10.0, 1e-9);
    (void)path_nearest(&p, 40.0, 0.0, &piece, &offset); /* straight before the entry */
    assert_near(offset, 0.0, 1e-9);
    path_free(&p);
}

static void lanes_are_straight_and_the_change_is_smooth(void **unused)
{
    (void)unused;
    struct path p;
    load_clean("lanes: [[0, 50, 0], [80, 100, 3.5]]\nspeed_kmh: 36\n", NULL, &p);
    int32_t piece = 0;
    double offset, before = 0.0;
    (void)path_nearest(&p, 30.0, 0.0, &piece, &offset);
    assert_near(offset, 0.0, 1e-9);
    (void)path_nearest(&p, 90.0, 3.5, &piece, &offset);
    assert_near(offset, 0.0, 1e-9);
    (void)path_nearest(&p, 65.0, 1.75, &piece, &offset);
    assert_near(offset, 0.0, 1e-5);
    for (int i1 = 0; 0.1 * i1 < 120.0; i1++) {
        double s = 0.1 * i1;
        struct path_point at;
        path_at(&p, s, &piece, &at);
        /* The largest change of curvature of this change is 60 * 3.5 / 30^3 a metre. */
        assert_near(at.at.curvature_1pm, before, 1.2 * 0.1 * 60.0 * 3.5 / 27000.0);
        before = at.at.curvature_1pm;
    }
    path_free(&p);
}

/* Speed over a straight, a bend and a straight: sqrt(a R) in the bend, and v^2 falls by 2 b s
 * before it. */
static void computed_speed_keeps_the_limits(void **unused)
{
    (void)unused;
    struct path p;
    load_clean("lanes: [[0, 200, 0], [230, 400, 3]]\n"
               "limits: {lateral_mps2: 4, drive_mps2: 2, brake_mps2: 5, top_kmh: 180}\n",
               NULL, &p);
    int32_t piece = 0;
    double slowest = 1e9;
    for (int i2 = 0; 1.0 + 0.25 * i2 < 400.0; i2++) {
        double s = 1.0 + 0.25 * i2;
        struct path_point at;
        path_at(&p, s, &piece, &at);
        double lateral = at.speed_mps * at.speed_mps * fabs(at.at.curvature_1pm);
        assert_below(lateral, 4.0 * 1.02); /* linear between nodes half a metre apart */
        assert_below(at.accel_mps2, 2.0 * 1.001);
        assert_above(at.accel_mps2, -5.0 * 1.001);
        double used = hypot(lateral / 4.0, at.accel_mps2 / (at.accel_mps2 > 0.0 ? 2.0 : 5.0));
        assert_below(used, 1.05);
        slowest = fmin(slowest, at.speed_mps);
    }
    /* The bend's largest curvature is 5.7735 * 3 / 30^2. */
    assert_ratio(slowest, sqrt(4.0 * 900.0 / (5.7735 * 3.0)), 0.01);
    path_free(&p);
}

static void recorded_circle_is_a_circle_again(void **unused)
{
    (void)unused;
    char path[] = "/tmp/skidpad-path-XXXXXX", text[128];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *to = fdopen(fd, "w");
    fputs("x_m,y_m\n", to);
    for (int i = 0; i < 628; i++) /* every 0.5 m; kept are those 2 m apart */
        fprintf(to, "%.9f,%.9f\n", 50.0 * cos(0.01 * i), 50.0 * sin(0.01 * i));
    assert_int_equal(fclose(to), 0);
    (void)snprintf(text, sizeof text,
                   "recorded: {file: %s, apart_m: 2, closed: true}\nspeed_kmh: 36\n", path);
    struct path p;
    load_clean(text, NULL, &p);
    (void)remove(path);
    int32_t piece = 0;
    /* The ends are 0.16 m and a piece nearer to each other than the rest: away from them exact. */
    for (int i3 = 0; 10.0 + 3.3 * i3 < 300.0; i3++) {
        double s = 10.0 + 3.3 * i3;
        struct path_point at;
        path_at(&p, s, &piece, &at);
        assert_near(hypot(at.at.x_m, at.at.y_m), 50.0, 1e-3);
        assert_near(at.at.curvature_1pm, 1.0 / 50.0, 1e-3);
    }
    assert_near(p.line.end_m, 2.0 * pi * 50.0, 0.1);
    path_free(&p);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"speed_kmh: 50\n", "drive.yaml:1:1: give one of sine, lanes, recorded and road"},
        {"road: {offset_m: 1}\nspeed_kmh: 50\n",
         "drive.yaml:1:1: road: the scenario's ground is a plane: there is no road to follow"},
        {"lanes: [[0, 50, 0]]\n",
         "drive.yaml:1:1: give either speed_kmh or limits (then the speed is computed)"},
        {"lanes: [[0, 50, 0]]\nspeed_kmh: [[0, 50], [40, -10]]\n",
         "drive.yaml:2:1: speed_kmh: row 2: speeds are 0 to 500 km/h, not -10"},
        {"lanes: [[0, 50, 0], [40, 60, 1]]\nspeed_kmh: 50\n",
         "drive.yaml:1:1: lanes: row 2: lanes are [from, to, offset], one behind the other with "
         "room to change between"},
        /* Gigabytes, and numbers that no integer holds. */
        {"lanes: [[-20, 1e7, 0]]\nspeed_kmh: 50\n",
         "drive.yaml:1:1: lanes: the path goes from -20 m to 1e+07 m; allowed is -100000 m to "
         "100000 m"},
        {"lanes: [[-20, 1e20, 0]]\nspeed_kmh: 50\n",
         "drive.yaml:1:1: lanes: the path goes from -20 m to 1e+20 m; allowed is -100000 m to "
         "100000 m"},
        {"lanes: [[-1e299, 1e299, 0]]\nspeed_kmh: 50\n",
         "drive.yaml:1:1: lanes: the path goes from -1e+299 m to 1e+299 m; allowed is -100000 m to "
         "100000 m"},
        {"lanes: [[0, 50, 1e300]]\nspeed_kmh: 50\n",
         "drive.yaml:1:1: lanes: row 1: the offset is 1e+300 m; allowed is -100000 m to 100000 m"},
        {"sine: {amplitude_m: 1, wavelength_m: 1e4, first_peak_m: 0, peaks: 1000}\nspeed_kmh: 50\n",
         "drive.yaml:1:1: sine: the path goes from -6520 m to 5.002e+06 m; allowed is -100000 m to "
         "100000 m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct path p;
        struct cfg_doc *doc = load(cases[i].text, NULL, &p);
        assert_true(cfg_message_count(doc) > 0);
        assert_string_equal(cfg_message(doc, 0), cases[i].message);
        cfg_close(doc);
        path_free(&p);
    }
}

static void a_recorded_place_too_far_away_is_told(void **unused)
{
    (void)unused;
    char file[] = "/tmp/test_path.XXXXXX", text[128];
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    static const char rows[] = "x_m,y_m\n0,0\n10,0\n1e20,0\n30,0\n40,0\n50,0\n";
    assert_int_equal(write(fd, rows, sizeof rows - 1), sizeof rows - 1);
    (void)close(fd);
    (void)snprintf(text, sizeof text, "recorded: {file: %s}\nspeed_kmh: 50\n", file);
    struct path p;
    struct cfg_doc *doc = load(text, NULL, &p);
    assert_true(cfg_message_count(doc) > 0);
    assert_non_null(strstr(cfg_message(doc, 0), "a place after point 2 is farther than 1e+06 m"));
    cfg_close(doc);
    path_free(&p);
    (void)unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_is_a_sine_between_its_peaks),
        cmocka_unit_test(lanes_are_straight_and_the_change_is_smooth),
        cmocka_unit_test(computed_speed_keeps_the_limits),
        cmocka_unit_test(recorded_circle_is_a_circle_again),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(a_recorded_place_too_far_away_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Paths along roads: the reference line of a measured surface, and offsets beside a line. */
#include "rt-tests/support/crg_write.h"
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

#include <cmocka.h>

static const double pi = 3.14159265358979323846;
enum { SIDES = 400 };

static double circle_number(int row, int column)
{
    if (column > 0)
        return 0.0;
    return row == 0 ? NAN : 2.0 * pi * (row - 0.5) / SIDES;
}

/* A polygon of 400 sides whose corners lie on a circle of 20 m about (0, 20). */
static struct road circle(int rows, const char *options)
{
    static const struct crg_wish none = {.mode_u = -1, .mode_v = -1};
    char text[256];
    (void)snprintf(text, sizeof text,
                   "REFERENCE_LINE_INCREMENT = %.15f\nLONG_SECTION_V_RIGHT = -4\n"
                   "LONG_SECTION_V_LEFT = 4\n",
                   2.0 * 20.0 * sin(pi / SIDES));
    const struct crg_sheet s = {.road = text,
                                .options = options,
                                .channels = "D:reference line phi,rad\nD:long section 1,m\n"
                                            "D:long section 2,m\n",
                                .form = WRITE_KDBI,
                                .rows = rows,
                                .columns = 3,
                                .number = circle_number};
    struct road r = {0};
    struct crg_file f;
    struct err e = {""};
    size_t length;
    char *bytes = crg_write(&s, &length);
    assert_non_null(bytes);
    if (crg_file_parse("made.crg", bytes, length, &f, &e) ||
        crg_build("made.crg", &f, &none, &r.crg, &e))
        fail_msg("%s", e.text);
    crg_file_free(&f);
    free(bytes);
    return r;
}

static void load(const char *text, const struct road *road, const char *message, struct path *p)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("drive.yaml", text, strlen(text), &doc), 0);
    (void)path_load(cfg_root(doc), road, p);
    const char *said = cfg_message_count(doc) ? cfg_message(doc, 0) : "";
    assert_string_equal(said, message);
    cfg_close(doc);
}

static void check_circle(const struct path *p, double radius_m, double from_m, double to_m)
{
    int32_t piece = 0;
    for (int i = 0; from_m + 0.37 * i <= to_m; i++) {
        struct path_point at;
        path_at(p, from_m + 0.37 * i, &piece, &at);
        /* A spline through points 2 m apart: h^4/384 times the fourth derivative 1/R^3. */
        assert_near(hypot(at.at.x_m, at.at.y_m - 20.0), radius_m, 5e-5);
        assert_near(at.at.curvature_1pm, 1.0 / radius_m, 1e-4);
    }
}

static void closed_reference_line_is_followed_round_and_round(void **unused)
{
    (void)unused;
    struct road r = circle(SIDES + 1, "REFLINE_CONTINUATION = 1\n");
    struct path p;
    load("road: {}\nspeed_kmh: 36\n", &r, "", &p);
    assert_true(p.line.is_closed);
    assert_near(p.line.end_m - p.line.begin_m, 2.0 * pi * 20.0, 1e-3);
    check_circle(&p, 20.0, 0.0, 500.0); /* four laps */
    path_free(&p);
    /* To the left of a left-hand circle it is shorter. */
    load("road: {offset_m: 3}\nspeed_kmh: 36\n", &r, "", &p);
    assert_near(p.line.end_m - p.line.begin_m, 2.0 * pi * 17.0, 1e-3);
    check_circle(&p, 17.0, 0.0, 200.0);
    path_free(&p);
    load("road: {offset_m: 19.5}\nspeed_kmh: 36\n", &r,
         "drive.yaml:1:8: road.offset_m: the road bends with a radius of 20 m to that side at "
         "x 0.0, y 0.0: stay nearer to its line",
         &p);
    path_free(&p);
    road_free(&r);
}

/* Away from the ends, where a cubic spline ends straight; the line goes from end to end. */
static void open_reference_line_is_followed_to_its_ends(void **unused)
{
    (void)unused;
    struct road r = circle(SIDES / 2 + 1, NULL);
    struct path p;
    struct path_point end;
    int32_t piece = 0;
    load("road: {}\nspeed_kmh: 36\n", &r, "", &p);
    assert_false(p.line.is_closed);
    assert_near(p.line.end_m, pi * 20.0, 0.01);
    check_circle(&p, 20.0, 12.0, p.line.end_m - 12.0);
    path_at(&p, 0.0, &piece, &end);
    assert_near(hypot(end.at.x_m, end.at.y_m), 0.0, 1e-9);
    path_at(&p, p.line.end_m, &piece, &end);
    assert_near(hypot(end.at.x_m, end.at.y_m - 40.0), 0.0, 1e-9);
    path_free(&p);
    road_free(&r);
}

/* Two rows are one side of 0.3 m; nothing shorter can be written. */
static void shortest_line_is_followed(void **unused)
{
    (void)unused;
    struct road r = circle(2, NULL);
    struct path p;
    load("road: {}\nspeed_kmh: 36\n", &r, "", &p);
    assert_near(p.line.end_m, 2.0 * 20.0 * sin(pi / SIDES), 1e-9);
    path_free(&p);
    road_free(&r);
}

static void plane_has_no_line(void **unused)
{
    (void)unused;
    const struct road none = {0};
    struct path p;
    load("road: {}\nspeed_kmh: 36\n", &none,
         "drive.yaml:1:1: road: the scenario's ground is a plane: there is no road to follow", &p);
    path_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_reference_line_is_followed_round_and_round),
        cmocka_unit_test(open_reference_line_is_followed_to_its_ends),
        cmocka_unit_test(shortest_line_is_followed),
        cmocka_unit_test(plane_has_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Measured surfaces: self-made files against formulas, and another construction of (u, v). */
#include "rt-tests/support/crg_write.h"
#include "rt-tests/support/near.h"
#include "target/road/crg_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static struct crg *surface(const struct crg_sheet *s)
{
    static const struct crg_wish none = {.mode_u = -1, .mode_v = -1};
    size_t length;
    char *bytes = crg_write(s, &length);
    struct crg_file f;
    struct crg *c = NULL;
    struct err e = {""};
    assert_non_null(bytes);
    if (crg_file_parse("made.crg", bytes, length, &f, &e) ||
        crg_build("made.crg", &f, &none, &c, &e))
        fail_msg("%s", e.text);
    crg_file_free(&f);
    free(bytes);
    return c;
}

static struct ground_point ask(const struct crg *c, double x_m, double y_m)
{
    struct ground g = crg_ground(c);
    struct ground_point p;
    g.query(g.road, x_m, y_m, &p);
    return p;
}

/* A hilly surface, heights good to six digits of text. */
static double hill(double u, double v)
{
    return rint(1e6 * (0.3 * sin(0.7 * u) * cos(0.9 * v) + 0.01 * u * v)) * 1e-6;
}

/* ---- a straight line along x; columns at -1.5 to 1.5 every 0.5 m, rows every 0.25 m */

static double hill_number(int row, int column)
{
    return hill(0.25 * row, -1.5 + 0.5 * column);
}

static double bilinear_hill(double u, double v)
{
    double i = floor(u / 0.25), k = floor((v + 1.5) / 0.5);
    double a = u / 0.25 - i, b = (v + 1.5) / 0.5 - k;
    double u0 = 0.25 * i, v0 = -1.5 + 0.5 * k;
    return (1.0 - a) * ((1.0 - b) * hill(u0, v0) + b * hill(u0, v0 + 0.5)) +
           a * ((1.0 - b) * hill(u0 + 0.25, v0) + b * hill(u0 + 0.25, v0 + 0.5));
}

static const char hill_road[] = "reference_line_start_u = 0\nREFERENCE_LINE_END_U = 10.0 ! m\n"
                                "* a comment\n  REFERENCE_LINE_INCREMENT=0.25\n"
                                "LONG_SECTION_V_RIGHT = -1.5\nLONG_SECTION_V_INCREMENT = 0.5\n";

static struct crg_sheet hill_sheet(void)
{
    return (struct crg_sheet){
        .road = hill_road, .form = WRITE_LRFI, .rows = 41, .columns = 7, .number = hill_number};
}

static void every_form_is_interpolated_bilinearly(void **unused)
{
    (void)unused;
    for (int form = WRITE_KRBI; form <= WRITE_LDFI; form++) {
        struct crg_sheet s = hill_sheet();
        s.form = (enum crg_write_form)form;
        struct crg *c = surface(&s);
        for (int i = 0; i < 400; i++) {
            double u = 10.0 * fmod(0.6180339887 * i, 1.0), v = -1.5 + 3.0 * fmod(0.754877 * i, 1.0);
            struct crg_place at;
            /* Heights below 0.5 m as floats: 3e-8 m. */
            assert_near(ask(c, u, v).z_m, bilinear_hill(u, v), 5e-8);
            crg_find(c, u, v, &at);
            assert_near(at.u_m, u, 1e-12);
            assert_near(at.v_m, v, 1e-12);
            assert_true(at.is_inside);
        }
        crg_free(c);
    }
}

/* ---- a curved line: headings by a formula, increments of 0.5 m, columns at uneven offsets */

enum { BENT_ROWS = 121 };
static const double uneven_m[] = {-3.0, -2.9, -1.0, 0.0, 0.05, 2.5};

static double bent_phi(int row)
{
    double s = 0.5 * (row - 0.5); /* in the middle of a side */
    return 0.4 + 0.03 * s + 0.3 * sin(0.1 * s);
}

static double bent_number(int row, int column)
{
    static const double step = 0.5;
    if (column == 0)
        return row == 0 ? NAN : bent_phi(row);
    if (column == 1)
        return 0.04 * sin(0.2 * row); /* banking */
    if (column == 2)
        return row == 0 ? NAN : 0.05 * cos(0.1 * row); /* slope */
    return hill(step * row, uneven_m[column - 3]);
}

static const struct crg_sheet bent = {
    .road = "REFERENCE_LINE_START_X = 100\nREFERENCE_LINE_START_Y = -50\n"
            "REFERENCE_LINE_START_Z = 7\nREFERENCE_LINE_INCREMENT = 0.5\n",
    .channels = "D:reference line phi,rad\nD:reference line banking,m/m\n"
                "D:reference line slope,m/m\nD:long section at v = -3.0,m\n"
                "D:long section at v = -2.9,m\nD:long section at v = -1.0,m\n"
                "D:long section at v = 0.000,m\nD:long section at v = 0.05,m\n"
                "D:long section at v = 2.5,m\n",
    .form = WRITE_KDBI,
    .rows = BENT_ROWS,
    .columns = 9,
    .number = bent_number};

struct polygon {
    double x[BENT_ROWS], y[BENT_ROWS], z[BENT_ROWS];
};

static void bent_polygon(struct polygon *p)
{
    p->x[0] = 100.0;
    p->y[0] = -50.0;
    p->z[0] = 7.0;
    for (int i = 1; i < BENT_ROWS; i++) {
        p->x[i] = p->x[i - 1] + 0.5 * cos(bent_phi(i));
        p->y[i] = p->y[i - 1] + 0.5 * sin(bent_phi(i));
        p->z[i] = p->z[i - 1] + 0.5 * bent_number(i, 2);
    }
}

/* From (u, v) to the plane, the other way round than the query goes: a line parallel to the side at
 * the offset v runs from the bisector at its begin to that at its end; u divides it evenly. */
static void to_plane(const struct polygon *p, double u, double v, double *x, double *y)
{
    int i = (int)(u / 0.5), last = BENT_ROWS - 2;
    i = i > last ? last : i;
    double w = u / 0.5 - i, phi = bent_phi(i + 1);
    double before = i > 0 ? bent_phi(i) : phi, behind = i < last ? bent_phi(i + 2) : phi;
    /* The bisector leans by half the turn from the normal: its end moves by v tan(turn / 2). */
    double begin = v * tan(0.5 * (phi - before)), end = 0.5 - v * tan(0.5 * (behind - phi));
    double along = begin + w * (end - begin);
    *x = p->x[i] + along * cos(phi) - v * sin(phi);
    *y = p->y[i] + along * sin(phi) + v * cos(phi);
}

static double uneven_hill(double u, double v)
{
    int i = (int)(u / 0.5), k = 0;
    while (k < 4 && v >= uneven_m[k + 1])
        k++;
    double a = u / 0.5 - i, b = (v - uneven_m[k]) / (uneven_m[k + 1] - uneven_m[k]);
    double right = (1.0 - a) * hill(0.5 * i, uneven_m[k]) + a * hill(0.5 * i + 0.5, uneven_m[k]);
    double left =
        (1.0 - a) * hill(0.5 * i, uneven_m[k + 1]) + a * hill(0.5 * i + 0.5, uneven_m[k + 1]);
    return (1.0 - b) * right + b * left;
}

static void curved_line_agrees_with_the_way_back(void **unused)
{
    (void)unused;
    static struct polygon p;
    struct crg *c = surface(&bent);
    bent_polygon(&p);
    for (int n = 0; n < 3000; n++) {
        double u = 60.0 * fmod(0.6180339887 * n, 1.0), v = -3.0 + 5.5 * fmod(0.754877 * n, 1.0);
        double x, y;
        struct crg_place at;
        to_plane(&p, u, v, &x, &y);
        crg_find(c, x, y, &at);
        assert_near(at.u_m, u, 1e-9);
        assert_near(at.v_m, v, 1e-9);
        int i = (int)(u / 0.5);
        double a = u / 0.5 - i, line_m = p.z[i] + a * (p.z[i + 1] - p.z[i]);
        double bank = bent_number(i, 1) + a * (bent_number(i + 1, 1) - bent_number(i, 1));
        assert_near(ask(c, x, y).z_m, line_m + bank * v + uneven_hill(u, v), 2e-7);
    }
    crg_free(c);
}

/* Inside a cell the surface is smooth: the normal must be its slope, or wheels would gain energy.
 */
static void normal_is_the_slope_of_the_surface(void **unused)
{
    (void)unused;
    static struct polygon p;
    struct crg *c = surface(&bent);
    bent_polygon(&p);
    int checked = 0;
    for (int n = 0; n < 1000; n++) {
        double u = 60.0 * fmod(0.6180339887 * n, 1.0), v = -3.0 + 5.5 * fmod(0.754877 * n, 1.0);
        double x, y, d = 1e-5, rest = fmod(u, 0.5);
        bool at_edge = rest < 1e-3 || rest > 0.499;
        for (int k = 0; k < 6; k++)
            at_edge |= fabs(v - uneven_m[k]) < 1e-3;
        if (at_edge)
            continue;
        to_plane(&p, u, v, &x, &y);
        struct ground_point g = ask(c, x, y);
        double by_x = (ask(c, x + d, y).z_m - ask(c, x - d, y).z_m) / (2.0 * d);
        double by_y = (ask(c, x, y + d).z_m - ask(c, x, y - d).z_m) / (2.0 * d);
        assert_near(-g.normal[0] / g.normal[2], by_x, 1e-8);
        assert_near(-g.normal[1] / g.normal[2], by_y, 1e-8);
        checked++;
    }
    assert_true(checked > 900);
    crg_free(c);
}

/* ---- a circle in polar coordinates */

static double circle_number(int row, int column)
{
    if (column == 0)
        return row == 0 ? NAN : 2.0 * pi * (row - 0.5) / 400.0;
    double s = 2.0 * pi * row / 400.0;
    return 0.1 * (1.0 + cos(3.0 * s)) * column;
}

/* A polygon of 400 sides: its corners lie on a circle of 20 m, the middles of sides 0.6 mm inside.
 */
static void closed_circle_has_no_end(void **unused)
{
    (void)unused;
    char road[256];
    double side_m = 2.0 * 20.0 * sin(pi / 400.0);
    (void)snprintf(road, sizeof road,
                   "REFERENCE_LINE_INCREMENT = %.15f\nLONG_SECTION_V_RIGHT = -4\n"
                   "LONG_SECTION_V_LEFT = 4\nREFERENCE_LINE_START_X = 0\n",
                   side_m);
    struct crg_sheet s = {.road = road,
                          .options = "REFLINE_CONTINUATION = 1\n",
                          .channels = "D:reference line phi,rad\nD:long section 1,m\n"
                                      "D:long section 2,m\nD:long section 3,m\n",
                          .form = WRITE_KDBI,
                          .rows = 401,
                          .columns = 4,
                          .number = circle_number};
    struct crg *c = surface(&s);
    assert_true(c->is_closed);
    for (int i = 0; i < 2000; i++) {
        double angle = 2.0 * pi * fmod(0.6180339887 * i, 1.0), v = -3.9 + 7.8 * (i % 97) / 97.0;
        double r = 20.0 - v, x = r * sin(angle), y = 20.0 - r * cos(angle);
        struct crg_place at;
        crg_find(c, x, y, &at);
        assert_true(at.is_inside);
        assert_near(at.v_m, v, 20.0 * (1.0 - cos(pi / 400.0)) + 1e-6);
        assert_near(remainder(at.u_m - 400.0 * side_m * angle / (2.0 * pi), 400.0 * side_m), 0.0,
                    2e-3);
        double want = 0.1 * (1.0 + cos(3.0 * angle)) * (2.0 + 0.25 * v);
        assert_near(ask(c, x, y).z_m, want, 5e-4);
    }
    crg_free(c);
}

/* ---- beyond the borders */

/* Where a place beyond 0 to span comes from; written with while loops, not with floor. */
static double folded(int mode, double x, double span)
{
    while (x < 0.0 || x > span) {
        if (mode == CRG_REFLECT)
            x = x < 0.0 ? -x : 2.0 * span - x;
        else if (mode == CRG_REPEAT)
            x += x < 0.0 ? span : -span;
        else
            x = x < 0.0 ? 0.0 : span;
    }
    return x;
}

static void every_border_mode_does_as_it_says(void **unused)
{
    (void)unused;
    for (int mode_u = CRG_NONE; mode_u <= CRG_REFLECT; mode_u++) {
        for (int mode_v = CRG_NONE; mode_v <= CRG_REFLECT; mode_v++) {
            char options[160];
            struct crg_sheet s = hill_sheet();
            (void)snprintf(options, sizeof options,
                           "BORDER_MODE_U = %d\nBORDER_MODE_V = %d\nBORDER_OFFSET_U = 0.5\n"
                           "BORDER_OFFSET_V = 0.25\n",
                           mode_u, mode_v);
            s.options = options;
            struct crg *c = surface(&s);
            for (int i = 0; i < 200; i++) {
                double u = -14.9 + 39.0 * fmod(0.6180339887 * i, 1.0);
                double v = -4.9 + 9.9 * fmod(0.754877 * i, 1.0);
                bool out_u = u < 0.0 || u > 10.0, out_v = fabs(v) > 1.5;
                bool held_u = out_u && mode_u < CRG_REPEAT, held_v = out_v && mode_v < CRG_REPEAT;
                double want = bilinear_hill(fmin(folded(mode_u, u, 10.0), 10.0 - 1e-12),
                                            fmin(folded(mode_v, v + 1.5, 3.0) - 1.5, 1.5 - 1e-12));
                if ((held_u && mode_u == CRG_ZERO) || (held_v && mode_v == CRG_ZERO))
                    want = 0.0;
                want += held_u ? 0.5 : held_v ? 0.25 : 0.0;
                assert_near(ask(c, u, v).z_m, want, 1e-7);
            }
            crg_free(c);
        }
    }
}

static void begin_and_end_fade(void **unused)
{
    (void)unused;
    struct crg_sheet s = hill_sheet();
    s.options = "BORDER_SMOOTH_UBEG = 2\nBORDER_SMOOTH_UEND = 4\n";
    struct crg *c = surface(&s);
    assert_near(ask(c, 1.0, 0.3).z_m, 0.5 * bilinear_hill(1.0, 0.3), 1e-7);
    assert_near(ask(c, 9.0, 0.3).z_m, 0.25 * bilinear_hill(9.0, 0.3), 1e-7);
    assert_near(ask(c, 5.0, 0.3).z_m, bilinear_hill(5.0, 0.3), 1e-7);
    assert_near(ask(c, -3.0, 0.3).z_m, 0.0, 1e-12);
    double d = 1e-5, slope = (ask(c, 0.6 + d, 0.3).z_m - ask(c, 0.6 - d, 0.3).z_m) / (2.0 * d);
    struct ground_point g = ask(c, 0.6, 0.3);
    assert_near(-g.normal[0] / g.normal[2], slope, 1e-8);
    crg_free(c);
}

/* ---- gaps */

static double gap_number(int row, int column)
{
    if (row == 5 && (column < 2 || column == 3 || column == 6))
        return NAN;
    return 1.0 + 0.1 * column;
}

static void gaps_are_filled_as_the_file_says(void **unused)
{
    (void)unused;
    struct crg_sheet s = hill_sheet();
    s.number = gap_number;
    struct crg *c = surface(&s); /* the last height is kept at the edges */
    assert_near(ask(c, 1.25, -1.5).z_m, 1.2, 1e-6);
    assert_near(ask(c, 1.25, 0.0).z_m, 1.3, 1e-6); /* inside: a straight line */
    assert_near(ask(c, 1.25, 1.5).z_m, 1.5, 1e-6);
    assert_near(ask(c, 2.25, 1.5).z_m, 1.6, 1e-6);
    crg_free(c);
    s.modifiers = "GRID_NAN_MODE = 1\nGRID_NAN_OFFSET = 0.25\n";
    c = surface(&s);
    assert_near(ask(c, 1.25, -1.5).z_m, 0.25, 1e-6);
    assert_near(ask(c, 1.25, 1.5).z_m, 0.25, 1e-6);
    crg_free(c);
}

/* ---- modifiers */

static void modifiers_scale_and_place(void **unused)
{
    (void)unused;
    struct crg_sheet s = hill_sheet();
    s.modifiers = "SCALE_Z_GRID = 2\nSCALE_LENGTH = 3\nSCALE_WIDTH = 0.5\n";
    struct crg *c = surface(&s);
    assert_near(ask(c, 12.3, 0.35).z_m, 2.0 * bilinear_hill(4.1, 0.7), 2e-7);
    crg_free(c);
    /* A turn of 90 degrees about (2, 1), then a shift. */
    s.modifiers = "REFLINE_ROTCENTER_X = 2\nREFLINE_ROTCENTER_Y = 1\n"
                  "REFLINE_OFFSET_PHI = 1.5707963267948966\nREFLINE_OFFSET_X = 10\n"
                  "REFLINE_OFFSET_Y = 20\nREFLINE_OFFSET_Z = 3\n";
    c = surface(&s);
    double u = 4.1, v = 0.7; /* the offset from the centre turns to the left */
    assert_near(ask(c, 12.0 - (v - 1.0), 21.0 + (u - 2.0)).z_m, 3.0 + bilinear_hill(u, v), 2e-7);
    crg_free(c);
    /* The middle of the surface to a place and a heading. */
    s.modifiers = "REFPOINT_U_FRACTION = 0.5\nREFPOINT_V_FRACTION = 0.5\nREFPOINT_X = -7\n"
                  "REFPOINT_Y = 8\nREFPOINT_PHI = 3.141592653589793\n";
    c = surface(&s);
    assert_near(ask(c, -7.0 - (u - 5.0), 8.0 - v).z_m, bilinear_hill(u, v), 2e-7);
    crg_free(c);
}

/* ---- what real time needs */

static void query_makes_no_page_fault(void **unused)
{
    (void)unused;
    struct crg *c = surface(&bent);
    struct rusage before, after;
    double sum_m = ask(c, 100.0, -50.0).z_m; /* the code itself is there now */
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    for (int i = 0; i < 20000; i++)
        sum_m +=
            ask(c, 80.0 + 60.0 * fmod(0.618034 * i, 1.0), -60.0 + 60.0 * fmod(0.7549 * i, 1.0)).z_m;
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(isfinite(sum_m));
    assert_int_equal(after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt, 0);
    crg_free(c);
}

static void far_away_and_nowhere_have_an_answer(void **unused)
{
    (void)unused;
    struct crg *c = surface(&bent);
    assert_true(isfinite(ask(c, 1e5, -1e5).z_m));
    assert_true(isfinite(ask(c, -1e12, 1e12).z_m));
    (void)ask(c, NAN, 0.0);
    (void)ask(c, INFINITY, -INFINITY);
    crg_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_interpolated_bilinearly),
        cmocka_unit_test(curved_line_agrees_with_the_way_back),
        cmocka_unit_test(normal_is_the_slope_of_the_surface),
        cmocka_unit_test(closed_circle_has_no_end),
        cmocka_unit_test(every_border_mode_does_as_it_says),
        cmocka_unit_test(begin_and_end_fade),
        cmocka_unit_test(gaps_are_filled_as_the_file_says),
        cmocka_unit_test(modifiers_scale_and_place),
        cmocka_unit_test(query_makes_no_page_fault),
        cmocka_unit_test(far_away_and_nowhere_have_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

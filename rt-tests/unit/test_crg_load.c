/* OpenCRG files: what mistakes are told, and roads and scenarios that name such a file. */
#include "rt-tests/support/crg_write.h"
#include "rt-tests/support/near.h"
#include "target/road/road_load.h"
#include "target/scenario/scenario_load.h"

#include <dirent.h>
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

/* Reads and builds; the message, "" if all is well. */
static const char *told(const char *text, size_t length)
{
    static struct err e;
    static const struct crg_wish none = {.mode_u = -1, .mode_v = -1};
    struct crg_file f;
    struct crg *c = NULL;
    e.text[0] = '\0';
    int bad = crg_file_parse("x.crg", text, length, &f, &e);
    if (!bad)
        bad = crg_build("x.crg", &f, &none, &c, &e);
    assert_true(bad ? e.text[0] && !c : !e.text[0] && c);
    crg_file_free(&f);
    crg_free(c);
    return e.text;
}

#define HEAD                                                                                       \
    "$CT\n$\n$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nREFERENCE_LINE_END_U = 2\n"                  \
    "LONG_SECTION_V_RIGHT = -1\nLONG_SECTION_V_LEFT = 1\n$\n$KD_Definition\n#:LRFI\n"
#define TWO  "D:long section 1,m\nD:long section 2,m\n$\n$$$$\n"
#define ROWS " 0.0000000 0.1000000\n 0.0000000 0.2000000\n"

static void mistakes_are_told_with_their_place(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {HEAD TWO ROWS " 0.0000000 0.3000000\n", ""},
        {"hello\n", "x.crg:1: \"hello\" is in no section; an OpenCRG file begins with $CT"},
        {"", "x.crg: no road data; they follow a line of dollars ($$$$...)"},
        {HEAD TWO ROWS, "x.crg:17: the file ends in row 3 of 3, number 1 of 2: it is truncated"},
        {HEAD TWO ROWS " 0.0000000\n",
         "x.crg:17:11: the line ends with number 1 of 2 in row 3; each takes 10 characters, 8 a "
         "line"},
        {HEAD TWO ROWS " 0.0000000 0.3x00000\n",
         "x.crg:17:12: \"0.3x00000\" is not a number; a gap is ********"},
        {HEAD TWO ROWS ROWS,
         "x.crg:18: more rows than the 3 that REFERENCE_LINE_END_U and INCREMENT make"},
        {HEAD TWO ROWS "**********\n",
         "x.crg:17:11: the line ends with number 1 of 2 in row 3; each takes 10 characters, 8 a "
         "line"},
        {HEAD TWO ROWS "********************\n",
         "x.crg: row 3 has no height at all; GRID_NAN_MODE = 1 would take 0"},
        {HEAD "D:long section 1,m\n$\n$$$$\n 0.0\n 0.0\n 0.0\n",
         "x.crg: 1 long sections, at least 2 are needed"},
        {HEAD "D:long section at v = 1,m\nD:long section at v = 0,m\n$\n$$$$\n" ROWS
              " 0.0000000 0.3000000\n",
         "x.crg: long sections go from right to left, at least 0.1 mm apart: channel 2 is at v = 0 "
         "behind 1"},
        {HEAD "D:long section x,m\n",
         "x.crg:11: \"long section x,m\" is neither \"long section at v = X\" nor \"long section "
         "N\""},
        {HEAD "D:long section 1,mm\n", "x.crg:11: the unit \"mm\" is not known, heights are m"},
        {HEAD "D:reference line phi,deg\n",
         "x.crg:11: the unit of \"reference line phi\" must be rad, is \"deg\""},
        {HEAD "#:LRBI\n", "x.crg:11: format \"LRBI\" is none of KRBI, KDBI, LRFI, LDFI"},
        {"$ROAD_CRG\nREFERENCE_LINE_INCREMNT = 1\n",
         "x.crg:2: REFERENCE_LINE_INCREMNT: unknown key, did you mean "
         "\"REFERENCE_LINE_INCREMENT\"?"},
        {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = one\n",
         "x.crg:2: REFERENCE_LINE_INCREMENT: must be a number, is \"one\""},
        {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT\n",
         "x.crg:2: \"REFERENCE_LINE_INCREMENT\" is not of the form KEY = number"},
        {"$KD_Definition\n#:LRFI\nD:long section 1,m\n$\n$$$$\n",
         "x.crg:5: REFERENCE_LINE_INCREMENT is needed before the data, at least 0.001"},
        {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$$$$\n",
         "x.crg:3: $KD_DEFINITION with D: channels is needed before the data"},
        {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nREFERENCE_LINE_END_U = 2.5\n$KD_Definition\n"
         "D:long section 1,m\n$$$$\n",
         "x.crg: from REFERENCE_LINE_START_U 0 to END_U 2.5 are 2.5 increments of 1, not a whole "
         "number"},
        {HEAD "$\n$ROAD_CRG_OPTS\nBORDER_MODE_U = 7\n$KD_Definition\n" TWO ROWS
              " 0.0000000 0.3000000\n",
         "x.crg: BORDER_MODE_U and _V are 0 to 4"},
        {HEAD "$\n$ROAD_CRG_OPTS\nREFLINE_CONTINUATION = 1\n$KD_Definition\n" TWO ROWS
              " 0.0000000 0.3000000\n",
         "x.crg: REFLINE_CONTINUATION = 1, but the line does not close: its ends are 2 m apart"},
        {HEAD "D:reference line phi,rad\n" TWO
              "**unused** 0.0000000 0.1000000\n 0.0000000 0.0000000 0.2000000\n"
              " 3.1415927 0.0000000 0.2000000\n",
         "x.crg: row 1: the reference line turns round"},
        {HEAD "D:reference line phi,rad\n" TWO
              "**unused** 0.0000000 0.1000000\n********** 0.0000000 0.2000000\n"
              " 0.1000000 0.0000000 0.2000000\n",
         "x.crg: row 2: reference line phi is missing or too large"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(told(cases[i][0], strlen(cases[i][0])), cases[i][1]);
}

static double wave(int row, int column)
{
    return 0.02 * sin(0.5 * row) + 0.01 * column;
}

static const struct crg_sheet sheet = {.road = "REFERENCE_LINE_INCREMENT = 0.5\n"
                                               "REFERENCE_LINE_END_U = 20\n"
                                               "LONG_SECTION_V_INCREMENT = 1\n",
                                       .form = WRITE_KRBI,
                                       .rows = 41,
                                       .columns = 5,
                                       .number = wave};

/* Cut anywhere, a file is a mistake, unless only the filling at its end is missing. */
static void truncated_files_are_told(void **unused)
{
    (void)unused;
    for (int form = WRITE_KRBI; form <= WRITE_LDFI; form++) {
        struct crg_sheet s = sheet;
        size_t length;
        s.form = (enum crg_write_form)form;
        char *bytes = crg_write(&s, &length);
        assert_non_null(bytes);
        assert_string_equal(told(bytes, length), "");
        for (size_t n = 0; n + 2 < length; n += 1 + n / 37) {
            const char *message = told(bytes, n);
            /* The last number of a text may lose digits and stay a number. */
            if (form >= WRITE_LRFI && length - n < 20)
                continue;
            assert_true(message[0] != '\0');
        }
        free(bytes);
    }
    size_t length;
    char *bytes = crg_write(&sheet, &length), want[160];
    (void)snprintf(want, sizeof want,
                   "x.crg: byte %zu: the file ends in row 41 of 41, it is truncated (a row is 20 "
                   "bytes)",
                   length - 1);
    assert_string_equal(told(bytes, length - 1), want);
    free(bytes);
}

static struct cfg_doc *open_text(const char *text)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("road.yaml", text, strlen(text), &doc), 0);
    return doc;
}

static double grip(int row, int column)
{
    (void)row;
    return column < 2 ? 0.3 : 0.9;
}

static void road_names_its_surface_and_its_friction(void **unused)
{
    (void)unused;
    char path[] = "/tmp/skidpad-crg-XXXXXX", other[] = "/tmp/skidpad-crg-XXXXXX", text[400];
    struct crg_sheet mu = sheet;
    mu.number = grip;
    assert_int_equal(crg_write_file(&sheet, path), 0);
    assert_int_equal(crg_write_file(&mu, other), 0);
    (void)snprintf(text, sizeof text,
                   "crg: %s\nfriction_crg: %s\nfriction: 0.5\nfriction_beside: 0.2\n"
                   "start: {x_m: 10, y_m: 5, heading_deg: 90}\nborder_v: zero\n",
                   path, other);
    struct cfg_doc *doc = open_text(text);
    struct road r;
    road_load_map(cfg_root(doc), doc, &r);
    if (!cfg_ok(doc))
        fail_msg("%s", cfg_message(doc, 0));
    struct ground g = road_ground(&r);
    struct ground_point p;
    /* u = y - 5, v = 10 - x */
    g.query(g.road, 8.0, 12.0, &p);
    assert_near(p.z_m, 0.02 * sin(7.0) + 0.04, 1e-7);
    assert_near(p.friction, 0.5 * 0.9, 1e-7);
    g.query(g.road, 11.5, 12.0, &p);
    assert_near(p.friction, 0.5 * 0.3, 1e-7);
    g.query(g.road, 10.5, 12.0, &p); /* half-way between two columns */
    assert_near(p.friction, 0.5 * 0.6, 1e-7);
    g.query(g.road, 13.0, 12.0, &p);
    assert_near(p.friction, 0.2, 1e-12);
    assert_near(p.z_m, 0.0, 1e-12);
    road_free(&r);
    cfg_close(doc);
    (void)remove(path);
    (void)remove(other);
}

static void mistakes_of_the_file_are_those_of_the_road(void **unused)
{
    (void)unused;
    struct cfg_doc *doc = open_text("crg: nowhere.crg\n");
    struct road r;
    road_load_map(cfg_root(doc), doc, &r);
    assert_string_equal(cfg_message(doc, 0),
                        "road.yaml:1:1: crg: nowhere.crg: cannot be read: No such file or "
                        "directory");
    assert_null(r.crg);
    cfg_close(doc);
    doc = open_text("crg: nowhere.crg\nsegments: []\n");
    road_load_map(cfg_root(doc), doc, &r);
    assert_string_equal(
        cfg_message(doc, 1),
        "road.yaml:2:1: segments: unknown key, allowed: crg, start, border_u, border_v, "
        "friction, friction_beside, weather, friction_crg");
    cfg_close(doc);
}

static void shipped_surface_is_read(void **unused)
{
    (void)unused;
    struct cfg_doc *doc;
    struct road r;
    if (road_load("config/roads/waves.yaml", &r, &doc))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    assert_int_equal(r.crg->parts, 40);
    struct ground g = road_ground(&r);
    struct ground_point p;
    /* Row 15, v = 3: 60 m radius, centre at (0, 60). */
    g.query(g.road, 57.0 * sin(0.25), 60.0 - 57.0 * cos(0.25), &p);
    assert_near(p.z_m, 0.04, 1e-4);
    assert_near(p.friction, 0.8, 0.0);
    road_free(&r);
}

/* Samples of the format's project in a folder of yours. Each must be read, and each must have a
 * height everywhere. */
static void public_samples_are_read(void **unused)
{
    (void)unused;
    const char *folder = getenv("SKIDPAD_CRG");
    DIR *d = opendir(folder);
    if (!d)
        fail_msg("%s cannot be read", folder);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".crg") != 0)
            continue;
        char path[2048];
        struct crg_file f;
        struct crg *c = NULL;
        struct err message = {""};
        static const struct crg_wish none = {.mode_u = -1, .mode_v = -1};
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (crg_file_read(path, &f, &message) || crg_build(path, &f, &none, &c, &message))
            fail_msg("%s", message.text);
        struct ground g = crg_ground(c);
        for (int i = 0; i < 1000; i++) {
            const struct crg_part *part = &c->part[i * (int64_t)c->parts / 1000];
            struct ground_point p;
            g.query(g.road, part->p[0], part->p[1], &p);
            assert_true(isfinite(p.z_m) && p.normal[2] > 0.0);
        }
        crg_file_free(&f);
        crg_free(c);
    }
    (void)closedir(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(truncated_files_are_told),
        cmocka_unit_test(road_names_its_surface_and_its_friction),
        cmocka_unit_test(mistakes_of_the_file_are_those_of_the_road),
        cmocka_unit_test(shipped_surface_is_read),
    };
    const struct CMUnitTest of_the_project[] = {cmocka_unit_test(public_samples_are_read)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (getenv("SKIDPAD_CRG"))
        failed += cmocka_run_group_tests(of_the_project, NULL, NULL);
    return failed;
}

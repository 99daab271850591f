/* The .tir reader: what it takes, and what bad files get. */
#include "rt-tests/support/tyre_case.h"
#include "target/model/tyre/tyre_file.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The least that makes a tyre. */
#define HEAD      "[MODEL]\nFITTYP = 6\n"
#define GEOMETRY  "[DIMENSION]\nUNLOADED_RADIUS = 0.3\n[VERTICAL]\nFNOMIN = 4000\n"
#define STIFFNESS "VERTICAL_STIFFNESS = 200000\n"
#define ALONG     "[LONGITUDINAL_COEFFICIENTS]\nPCX1 = 1.5\nPDX1 = 1.1\nPKX1 = 22\n"
#define ACROSS    "[LATERAL_COEFFICIENTS]\nPCY1 = 1.4\nPDY1 = 1.0\nPKY1 = -20\nPKY2 = 2\n"
#define LEAST     HEAD GEOMETRY STIFFNESS ALONG ACROSS

static struct tir_report report;

static int read_text(const char *text, struct tyre_model *m)
{
    memset(&report, 0, sizeof report);
    return tyre_model_read_text("x.tir", text, strlen(text), m, &report, NULL);
}

/* The text must be refused with exactly one error that begins as given. */
static void assert_refused(const char *text, const char *beginning)
{
    struct tyre_model m;
    assert_int_equal(read_text(text, &m), -EINVAL);
    for (size_t i = 0; i < report.count; i++)
        if (!report.message[i].warning &&
            strncmp(report.message[i].text, beginning, strlen(beginning)) == 0) {
            assert_int_equal(report.errors, 1);
            return;
        }
    fail_msg("no message begins with '%s'; the first is '%s'", beginning, report.message[0].text);
}

static void the_least_file_is_read(void **unused)
{
    (void)unused;
    struct tyre_model m;
    assert_int_equal(read_text(LEAST, &m), 0);
    assert_int_equal(m.version, TYRE_MF52);
    assert_false(m.right_side);
    assert_true(m.radius_m == 0.3 && m.pky1 == -20.0 && m.lmux == 1.0 && m.load_max_N == 10000.0);
}

static void comments_tables_quotes_and_line_ends_are_understood(void **unused)
{
    (void)unused;
    struct tyre_model m;
    assert_int_equal(
        read_text("$ a comment\r\n! another\r\n[SHAPE]\r\n{radial width}\r\n"
                  " 1.0 0.0\r\n 0.9 1.0\r\n"
                  "[MODEL]\r\nFITTYP=61$no blanks\r\nTYRESIDE = \"Right\" ! side\r\n" GEOMETRY
                  "\tVERTICAL_STIFFNESS\t=\t2.0E+05\r\n" ALONG ACROSS,
                  &m),
        0);
    assert_int_equal(m.version, TYRE_MF61);
    assert_true(m.right_side && m.vertical_stiffness_Npm == 2e5);
}

static void versions_are_told_by_fittyp_or_pac2002(void **unused)
{
    (void)unused;
    struct tyre_model m;
    assert_int_equal(read_text("[MODEL]\nFITTYP = 62\n" GEOMETRY STIFFNESS ALONG ACROSS, &m), 0);
    assert_int_equal(m.version, TYRE_MF62);
    assert_int_equal(
        read_text("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\n" GEOMETRY STIFFNESS ALONG ACROSS,
                  &m),
        0);
    assert_int_equal(m.version, TYRE_MF52);
    assert_refused("[MODEL]\nFITTYP = 7\n" GEOMETRY STIFFNESS ALONG ACROSS, "x.tir:2:10: FITTYP: ");
    assert_refused(GEOMETRY STIFFNESS ALONG ACROSS, "x.tir: FITTYP: missing");
}

static void units_are_converted_to_si(void **unused)
{
    (void)unused;
    struct tyre_model m;
    assert_int_equal(
        read_text("[UNITS]\nLENGTH = 'mm'\nFORCE = 'kN'\nANGLE = 'degrees'\n"
                  "TIME = 'second'\nMASS = 'kg'\nPRESSURE = 'bar'\n" HEAD
                  "LONGVL = 16000\nINFLPRES = 2.2\n[DIMENSION]\nUNLOADED_RADIUS = 300\n"
                  "[VERTICAL]\nFNOMIN = 4\nVERTICAL_STIFFNESS = 0.2\n"
                  "VERTICAL_DAMPING = 0.0001\nALPMAX = 45\nALPMIN = -45\n" ALONG ACROSS,
                  &m),
        0);
    /* conversion factors are not exact in binary */
    assert_true(fabs(m.radius_m - 0.3) < 1e-15 && m.nominal_load_N == 4000.0);
    assert_true(fabs(m.vertical_stiffness_Npm - 2e5) < 1e-9);
    assert_true(fabs(m.vertical_damping_Nspm - 100.0) < 1e-12);
    assert_true(fabs(m.reference_speed_mps - 16.0) < 1e-14);
    assert_true(fabs(m.alpha_max_rad - 0.7853981633974483) < 1e-15);
    assert_true(fabs(m.pressure_Pa - 2.2e5) < 1e-9);
    assert_refused("[UNITS]\nLENGTH = 'furlong'\n" LEAST, "x.tir:2:10: LENGTH: unknown unit");
}

static void mass_as_a_unit_and_as_a_quantity_do_not_collide(void **unused)
{
    (void)unused;
    struct tyre_model m;
    assert_int_equal(read_text("[UNITS]\nMASS = 'kg'\n[INERTIA]\nMASS = 9.5\n" LEAST, &m), 0);
    assert_true(m.mass_kg == 9.5);
}

static void a_missing_essential_coefficient_is_named(void **unused)
{
    (void)unused;
    assert_refused(HEAD GEOMETRY ALONG ACROSS, "x.tir: VERTICAL_STIFFNESS: missing");
    assert_refused(HEAD GEOMETRY STIFFNESS
                   "[LONGITUDINAL_COEFFICIENTS]\nPCX1 = 1.5\nPKX1 = 22\n" ACROSS,
                   "x.tir: PDX1: missing");
}

static void mistakes_are_shown_with_line_and_column(void **unused)
{
    (void)unused;
    assert_refused(LEAST "PDX2 = nan\n", "x.tir:17:8: PDX2: ");
    assert_refused(LEAST "PDX2 = 1.2.3\n", "x.tir:17:8: PDX2: '1.2.3' is not a number");
    assert_refused(LEAST "PDX2 = 1e999\n", "x.tir:17:8: PDX2: '1e999' is not a number");
    assert_refused(LEAST "PDX2 = 0x10\n", "x.tir:17:8: PDX2: ");
    assert_refused(LEAST "PDX2 = 1,5\n", "x.tir:17:8: PDX2: ");
    assert_refused(LEAST "PDX2 = \n", "x.tir:17:8: PDX2: no value");
    assert_refused(LEAST "PDX2 = 'text'\n", "x.tir:17:8: PDX2: 'text' is not a number");
    assert_refused(LEAST "PDX2 = 1 2\n", "x.tir:17:10: PDX2: unexpected text");
    assert_refused(LEAST "PDX2 0.1\n", "x.tir:17:6: expected KEY = value");
    assert_refused(LEAST "[UNCLOSED\n", "x.tir:17:1: section without");
    assert_refused(LEAST "NAME = 'open\n", "x.tir:17:8: NAME: string without");
    assert_refused(LEAST "PDX1 = 1.2\n", "x.tir:17:8: PDX1: given twice, first in line 10");
    assert_refused(LEAST "PDX2 = 1e7\n", "x.tir:17:8: PDX2: 1e+07 is too large");
}

static void impossible_values_are_refused(void **unused)
{
    (void)unused;
    assert_refused(LEAST "LFZO = 0\n", "x.tir:17:8: LFZO: 0 is not allowed");
    assert_refused(LEAST "LMUX = -1\n", "x.tir:17:8: LMUX: ");
    assert_refused(LEAST "FZMIN = 5000\nFZMAX = 4000\n", "x.tir:18:9: FZMAX: ");
    assert_refused(LEAST "KPUMAX = -1\n", "x.tir:17:10: KPUMAX: ");
    assert_refused(LEAST "RIM_RADIUS = 0.4\n", "x.tir:17:14: RIM_RADIUS: ");
    assert_refused(HEAD GEOMETRY STIFFNESS ALONG
                   "[LATERAL_COEFFICIENTS]\nPCY1 = 1.4\nPDY1 = 1.0\nPKY1 = 20\nPKY2 = 2\n",
                   "x.tir:15:8: PKY1: the cornering stiffness");
    assert_refused("[MODEL]\nFITTYP = 61\nQ_FZ2 = 1000\n" GEOMETRY STIFFNESS ALONG ACROSS,
                   "x.tir:3:9: Q_FZ2: ");
    assert_refused("[MODEL]\nFITTYP = 6\nTYRESIDE = 'TOP'\n" GEOMETRY STIFFNESS ALONG ACROSS,
                   "x.tir:3:12: TYRESIDE: ");
}

static void many_mistakes_are_all_counted(void **unused)
{
    (void)unused;
    char text[8192] = LEAST;
    struct tyre_model m;
    size_t length = strlen(text);
    for (int i = 0; i < 200; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "what is this?\n");
    assert_int_equal(read_text(text, &m), -EINVAL);
    assert_int_equal(report.errors, 200);
    assert_int_equal(report.count, TIR_MESSAGES);
}

static void binary_and_empty_files_are_refused(void **unused)
{
    (void)unused;
    struct tyre_model m;
    static const char binary[] = "[MODEL]\nFITTYP = 6\n\x7f"
                                 "ELF\0\0";
    memset(&report, 0, sizeof report);
    assert_int_equal(tyre_model_read_text("x.tir", binary, sizeof binary, &m, &report, NULL),
                     -EINVAL);
    assert_non_null(strstr(report.message[0].text, "not a text file"));
    assert_refused("", "x.tir: the file is empty");
    assert_refused("$ only a comment\n", "x.tir: the file is empty");
}

/* A shipped file cut at every byte, and with every byte damaged: a message or a tyre, no crash. */
static void a_cut_or_damaged_file_never_crashes(void **unused)
{
    (void)unused;
    FILE *f = fopen(tyre_shipped[1], "rb");
    static char text[20000], damaged[20000];
    size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_true(length > 4000 && length < sizeof text);
    struct tyre_model m;
    int usable = 0;
    for (size_t cut = 0; cut < length; cut += 7) {
        memset(&report, 0, sizeof report);
        usable += tyre_model_read_text("x.tir", text, cut, &m, &report, NULL) == 0;
        memcpy(damaged, text, length);
        damaged[cut] = (char)(damaged[cut] ^ (1 << cut % 7));
        memset(&report, 0, sizeof report);
        (void)tyre_model_read_text("x.tir", damaged, length, &m, &report, NULL);
    }
    assert_true(usable > 0 && usable < 400); /* only cuts in the part behind the essentials */
}

static void a_missing_file_is_a_message(void **unused)
{
    (void)unused;
    struct tyre_model m;
    struct err e;
    assert_int_equal(tyre_model_read("no/such.tir", &m, NULL, &e), -ENOENT);
    assert_string_equal(e.text, "no/such.tir: No such file or directory");
}

static void coefficients_without_effect_are_listed_as_a_warning(void **unused)
{
    (void)unused;
    struct tyre_model m;
    assert_int_equal(read_text(LEAST "PDX17 = 3\nPTX1 = 1\nPTY1 = 2\nPTY2 = 2\nRBX1 = 10\n"
                                     "RBY1 = 10\nRCX1 = 1\nRCY1 = 1\n",
                               &m),
                     0);
    assert_int_equal(report.warnings, 1);
    assert_non_null(strstr(report.message[0].text, "PDX17"));
}

static void files_of_other_makers_are_read(void **unused)
{
    (void)unused;
    static const char *const files[] = {"mf52.tir", "mf61.tir", "sedan_pac2002.tir",
                                        "hmmwv_pac2002.tir"};
    char path[512];
    struct tyre_model m;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        tyre_read(tyre_data(files[i], path, sizeof path), &m);
    assert_int_equal(m.version, TYRE_MF52);
    assert_true(m.nominal_pressure_Pa == 800e3 && fabs(m.lcz - 0.4419) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_file_is_read),
        cmocka_unit_test(comments_tables_quotes_and_line_ends_are_understood),
        cmocka_unit_test(versions_are_told_by_fittyp_or_pac2002),
        cmocka_unit_test(units_are_converted_to_si),
        cmocka_unit_test(mass_as_a_unit_and_as_a_quantity_do_not_collide),
        cmocka_unit_test(a_missing_essential_coefficient_is_named),
        cmocka_unit_test(mistakes_are_shown_with_line_and_column),
        cmocka_unit_test(impossible_values_are_refused),
        cmocka_unit_test(many_mistakes_are_all_counted),
        cmocka_unit_test(binary_and_empty_files_are_refused),
        cmocka_unit_test(a_cut_or_damaged_file_never_crashes),
        cmocka_unit_test(a_missing_file_is_a_message),
        cmocka_unit_test(coefficients_without_effect_are_listed_as_a_warning),
        cmocka_unit_test(files_of_other_makers_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

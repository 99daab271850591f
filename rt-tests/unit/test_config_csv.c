/* CSV tables: what is read, and the exact message for what is not. */
#include "shared/config/csv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_refused(const char *text, const char *message)
{
    struct csv csv;
    struct err e = {""};
    assert_int_equal(csv_parse("k.csv", text, strlen(text), &csv, &e), -EINVAL);
    assert_string_equal(e.text, message);
    assert_null(csv.names);
    assert_null(csv.values);
    assert_int_equal(csv.rows, 0);
}

static void table_has_names_and_rows(void **state)
{
    (void)state;
    static const char text[] = "# steering\n\n time_s, angle_rad \n0, 0\n  # later\n1.5,-.25\n";
    struct csv csv;
    struct err e = {""};
    assert_int_equal(csv_parse("k.csv", text, strlen(text), &csv, &e), 0);
    assert_int_equal(csv.columns, 2);
    assert_int_equal(csv.rows, 2);
    assert_string_equal(csv.names[1], "angle_rad");
    assert_true(csv.values[2] == 1.5 && csv.values[3] == -0.25);
    assert_int_equal(csv_column(&csv, "time_s"), 0);
    assert_int_equal(csv_column(&csv, "angle_rad"), 1);
    assert_int_equal(csv_column(&csv, "angle"), -1);
    csv_free(&csv);
    assert_int_equal(csv_column(&csv, "time_s"), -1);
    csv_free(&csv);
}

static void files_of_other_systems_are_read(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF"
                               "a,b\r\n1,2\r\n\r\n3,4";
    struct csv csv;
    assert_int_equal(csv_parse("k.csv", text, strlen(text), &csv, NULL), 0);
    assert_string_equal(csv.names[0], "a");
    assert_int_equal(csv.rows, 2);
    assert_true(csv.values[1] == 2.0 && csv.values[3] == 4.0);
    csv_free(&csv);
}

static void many_rows_are_kept(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    char *text = malloc(16 * ROWS + 16);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "i,square\n");
    for (int i = 0; i < ROWS; i++)
        used += (size_t)sprintf(text + used, "%d,%d\n", i, i * i);
    struct csv csv;
    assert_int_equal(csv_parse("k.csv", text, used, &csv, NULL), 0);
    free(text);
    assert_int_equal(csv.rows, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(csv.values[2 * i + 1] == (double)(i * i));
    csv_free(&csv);
}

static void text_needs_no_end_mark(void **state)
{
    (void)state;
    static const char text[] = "a\n12"; /* the 2 does not belong to the table */
    struct csv csv;
    assert_int_equal(csv_parse("k.csv", text, 3, &csv, NULL), 0);
    assert_true(csv.values[0] == 1.0);
    csv_free(&csv);
}

static void wrong_number_is_named_with_its_place(void **state)
{
    (void)state;
    assert_refused("a,b\n1,2\n3, x\n", "k.csv:3:4: b: must be a number, is \"x\"");
    assert_refused("a,b\n1,\n", "k.csv:2:3: b: must be a number, is \"\"");
    assert_refused("a,b\n1,nan\n", "k.csv:2:3: b: must be a number, is \"nan\"");
    assert_refused("a,b\n1,1e999\n", "k.csv:2:3: b: is too large, must fit a double");
    assert_refused("a\n0x12\n",
                   "k.csv:2:1: a: must be a number, is \"0x12\"; hexadecimal is not accepted");
    assert_refused("a\n\"3\"\n", "k.csv:2:1: a: must be a number, is \"\"3\"\"");
}

static void row_must_be_as_long_as_the_header(void **state)
{
    (void)state;
    assert_refused("a,b,c\n1,2\n", "k.csv:2:4: c: missing, the row has 2 of 3 numbers");
    assert_refused("a,b\n1,2,3,4\n",
                   "k.csv:2:5: the row has 4 numbers, must have 2 as the first line");
}

static void header_must_name_every_column_once(void **state)
{
    (void)state;
    assert_refused("a,,c\n", "k.csv:1:3: column 2 has no name, one is required");
    assert_refused("a,b,a\n1,2,3\n", "k.csv:1:5: a: names column 1 too, a name is allowed once");
    assert_refused("0,1\n2,3\n",
                   "k.csv:1:1: must be a column name, is 0, the first line names the columns");
    assert_refused("a;b\n1;2\n", "k.csv:1:2: ';' in a column name, columns are separated by ','");
    assert_refused("\"a\",b\n1,2\n",
                   "k.csv:1:1: quote or control character in a column name, not allowed");
    assert_refused("x234567890123456789012345678901234567890123456789012345678901234,b\n1,2\n",
                   "k.csv:1:1: column name is too long, at most 63 bytes are allowed");
}

static void too_many_columns_are_refused(void **state)
{
    (void)state;
    char text[600];
    memset(text, ',', 256);
    memcpy(text + 256, "\n", 2);
    assert_refused(text, "k.csv:1:1: has 257 columns, at most 256 are allowed");
}

static void table_without_rows_is_refused(void **state)
{
    (void)state;
    assert_refused("", "k.csv:1:1: is empty, the first line must name the columns");
    assert_refused("# nothing\n", "k.csv:1:1: is empty, the first line must name the columns");
    assert_refused("a,b\n# no more\n",
                   "k.csv:2:1: has no rows, at least one must follow the names");
}

static void file_is_read_or_named(void **state)
{
    (void)state;
    struct csv csv;
    struct err e = {""};
    assert_int_equal(csv_read("/nonexistent/k.csv", &csv, &e), -ENOENT);
    assert_string_equal(e.text, "/nonexistent/k.csv: cannot be read: No such file or directory");
    char path[] = "/tmp/skidpad-csv-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a\n5\n", 4), 4);
    assert_int_equal(close(fd), 0);
    assert_int_equal(csv_read(path, &csv, &e), 0);
    assert_int_equal(unlink(path), 0);
    assert_true(csv.values[0] == 5.0);
    csv_free(&csv);
}

static void large_text_is_refused_unread(void **state)
{
    (void)state;
    struct csv csv;
    struct err e = {""};
    assert_int_equal(csv_parse("k.csv", "", (size_t)CSV_MAX_BYTES + 1, &csv, &e), -EFBIG);
    assert_string_equal(e.text, "k.csv: is too large, at most 64 MiB are allowed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_names_and_rows),
        cmocka_unit_test(files_of_other_systems_are_read),
        cmocka_unit_test(many_rows_are_kept),
        cmocka_unit_test(text_needs_no_end_mark),
        cmocka_unit_test(wrong_number_is_named_with_its_place),
        cmocka_unit_test(row_must_be_as_long_as_the_header),
        cmocka_unit_test(header_must_name_every_column_once),
        cmocka_unit_test(too_many_columns_are_refused),
        cmocka_unit_test(table_without_rows_is_refused),
        cmocka_unit_test(file_is_read_or_named),
        cmocka_unit_test(large_text_is_refused_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

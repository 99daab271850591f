/* Texts in MDF files: whatever is given, the file holds UTF-8 that ends, and XML that says the
 * same.
 */
#include "shared/wire/mdf_read.h"
#include "shared/wire/mdf_write.h"

#include "rt-tests/support/mdf_bytes.h"
#include "rt-tests/support/mdf_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { HD_AT = 64, COMMENT_LINK = 5 };

struct row {
    double time_s;
    char text[8];
};

/* A log with one row of text; the path has room for 64 characters. */
static void write_log(char *path, const char text[8], const char *comment,
                      const struct mdf_property *properties, size_t count)
{
    const struct mdf_channel channels[] = {
        {.name = "t", .unit = "s", .type = MDF_F64, .master = true},
        {.name = "text\xff", /* no UTF-8 */
         .type = MDF_TEXT,
         .offset = offsetof(struct row, text),
         .bytes = sizeof((struct row *)0)->text}};
    const struct mdf_group group = {.name = "rows",
                                    .record_bytes = sizeof(struct row),
                                    .channels = channels,
                                    .channel_count = 2};
    mdf_sample_path(path);
    const struct mdf_file file = {.path = path,
                                  .comment = comment,
                                  .properties = properties,
                                  .property_count = count,
                                  .groups = &group,
                                  .group_count = 1};
    struct row row = {.time_s = 0.5};
    struct mdf_writer *w;
    struct err e;
    memcpy(row.text, text, sizeof row.text);
    assert_int_equal(mdf_open(&w, &file, &e), 0);
    assert_int_equal(mdf_write(w, 0, &row, 1), 0);
    assert_int_equal(mdf_close(w), 0);
}

/* What is stored for a text. */
static void expect_stored(const char text[8], const char stored[8])
{
    char path[64];
    struct mdf_walk walk;
    write_log(path, text, NULL, NULL, 0);
    struct mdf_bytes b = mdf_bytes_load(path);
    mdf_walk(&b, &walk);
    assert_int_equal(walk.group[0].complete, 1);
    assert_memory_equal(b.bytes + walk.data_at + offsetof(struct row, text), stored, 8);
    mdf_bytes_free(&b);
    assert_int_equal(unlink(path), 0);
}

static void text_of_a_record_ends_and_is_utf8(void **unused)
{
    (void)unused;
    expect_stored("fits\0xyz", "fits\0\0\0\0");
    expect_stored("too long", "too lon\0");
    expect_stored("123456\xc3\xa4", "123456\0\0");
    expect_stored("a\x80z\0\0\0\0", "a?z\0\0\0\0");
}

static void names_are_utf8(void **unused)
{
    (void)unused;
    char path[64];
    struct mdf_walk walk;
    write_log(path, "\0\0\0\0\0\0\0", NULL, NULL, 0);
    struct mdf_bytes b = mdf_bytes_load(path);
    mdf_walk(&b, &walk);
    const uint64_t second = mdf_link(&b, walk.group[0].first_channel, 0);
    assert_string_equal(mdf_text(&b, mdf_link(&b, second, 2)), "text?");
    mdf_bytes_free(&b);
    assert_int_equal(unlink(path), 0);
}

static void xml_holds_every_character_that_it_can(void **unused)
{
    (void)unused;
    const struct mdf_property p[] = {
        {"a\tb\nc\rd", "1\t2\n3\r4"}, {"bell", "x\ay"}, {"bytes", "\xc3\xa4\xff\xef\xbf\xbf!"}};
    char path[64];
    write_log(path, "\0\0\0\0\0\0\0", "two\nlines\rand \x80", p, 3);
    struct mdf_bytes b = mdf_bytes_load(path);
    const char *xml = mdf_text(&b, mdf_link(&b, HD_AT, COMMENT_LINK));
    assert_non_null(strstr(xml, "<TX>two&#10;lines&#13;and ?</TX>"));
    assert_non_null(strstr(xml, "<e name=\"a&#9;b&#10;c&#13;d\">1&#9;2&#10;3&#13;4</e>"));
    assert_non_null(strstr(xml, "<e name=\"bell\">x?y</e>")); /* XML has no such character */
    assert_non_null(strstr(xml, "<e name=\"bytes\">\xc3\xa4?"
                                "?!</e>"));
    mdf_bytes_free(&b);
    assert_int_equal(unlink(path), 0);
}

static void reader_gets_back_what_was_given(void **unused)
{
    (void)unused;
    const struct mdf_property p[] = {{"a\tb\nc\rd <&\">", "1\t2\n3\r4 <&\">"}};
    char path[64];
    struct mdf_reader *r;
    struct err e;
    write_log(path, "\0\0\0\0\0\0\0", "two\nlines\rand \"<&>\"", p, 1);
    assert_int_equal(mdf_read_open(path, &r, &e), 0);
    assert_string_equal(mdf_read_property(r, p[0].name), p[0].value);
    assert_string_equal(mdf_read_file(r)->comment, "two\nlines\rand \"<&>\"");
    mdf_read_close(r);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_a_record_ends_and_is_utf8),
        cmocka_unit_test(names_are_utf8),
        cmocka_unit_test(xml_holds_every_character_that_it_can),
        cmocka_unit_test(reader_gets_back_what_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

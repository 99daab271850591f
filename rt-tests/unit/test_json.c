#include "shared/base/json_read.h"
#include "shared/base/json_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct json_doc *good(const char *text)
{
    struct json_doc *doc = NULL;
    struct err e = {""};
    if (json_read("t", text, strlen(text), &doc, &e))
        fail_msg("%s: %s", text, e.text);
    assert_string_equal(e.text, "");
    return doc;
}

static void bad(const char *text, const char *message)
{
    struct json_doc *doc = NULL;
    struct err e = {""};
    assert_true(json_read("t", text, strlen(text), &doc, &e) < 0);
    assert_null(doc);
    assert_string_equal(e.text, message);
}

static void values_are_read(void **state)
{
    (void)state;
    struct json_doc *doc = good(" {\"a\": [1, -2.5e3, true, null], \"b\": {\"c\": \"x\"}} \n");
    const struct json *root = json_root(doc), *a = json_member(root, "a");
    assert_int_equal(root->kind, JSON_OBJECT);
    assert_int_equal(a->count, 4);
    const struct json *v = json_first(a);
    assert_true(v->kind == JSON_NUMBER && v->number == 1.0);
    v = json_next(v);
    assert_true(v->number == -2500.0); /* exact */
    v = json_next(v);
    assert_true(v->kind == JSON_BOOL && v->number == 1.0);
    v = json_next(v);
    assert_int_equal(v->kind, JSON_NULL);
    assert_null(json_next(v));
    assert_string_equal(json_member(json_member(root, "b"), "c")->text, "x");
    assert_null(json_member(root, "d"));
    assert_null(json_member(a, "d"));
    json_free(doc);
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    struct json_doc *doc =
        good("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude97\"]");
    assert_string_equal(json_first(json_root(doc))->text,
                        "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x97");
    json_free(doc);
}

static void mistakes_are_named_with_their_position(void **state)
{
    (void)state;
    bad("", "t:1:1: the file ends early");
    bad("[1,\n 2,]", "t:2:4: a value is expected here");
    bad("[1 2]", "t:1:4: a comma or the closing bracket is expected here");
    bad("{\"a\" 1}", "t:1:6: a colon is expected here");
    bad("{a: 1}", "t:1:2: a key in quotes is expected here");
    bad("{\"a\": 1, \"a\": 2}", "t:1:10: this key has been there before");
    bad("[1] 2", "t:1:5: nothing may follow the value");
    bad("[\"abc", "t:1:2: the text has no end");
    bad("[\"a\nb\"]", "t:1:4: a control character in a text must be written as an escape");
    bad("[\"\\x\"]", "t:1:3: unknown escape in a text");
    bad("[\"\\ud800\"]", "t:1:3: not a character that is allowed: \\u");
    bad("[\"\\u0000\"]", "t:1:3: not a character that is allowed: \\u");
    bad("[\"\xff\"]", "t:1:3: not valid UTF-8");
    bad("[\"\xc3", "t:1:3: not valid UTF-8");
    bad("[nul]", "t:1:2: a value is expected here");
    bad("[NaN]", "t:1:2: a value is expected here");
}

static void numbers_are_those_of_the_standard(void **state)
{
    (void)state;
    const char *const wrong[] = {"01", "1.", ".5", "+1", "1e", "-", "0x10", "1e999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct json_doc *doc;
        struct err e = {""};
        assert_true(json_read("t", wrong[i], strlen(wrong[i]), &doc, &e) < 0);
    }
    json_free(good("[0, -0, 10, 1.5, 1E+2, 1e-400]"));
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char deep[2 * JSON_DEPTH_MAX + 8] = "";
    struct json_doc *doc;
    struct err e;
    memset(deep, '[', JSON_DEPTH_MAX + 2);
    assert_true(json_read("t", deep, JSON_DEPTH_MAX + 2, &doc, &e) < 0);
    assert_non_null(strstr(e.text, "nested too deep"));
}

/* What the writer makes of a text comes back as it was. */
static void texts_survive_writing_and_reading(void **state)
{
    (void)state;
    const char *const texts[] = {"", "plain", "quote \" back \\ tab \t line \n bell \a del \x7f",
                                 "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\x97"};
    char *out = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&out, &bytes);
    assert_non_null(file);
    struct json_writer w = {.to = file};
    json_open(&w, NULL, '[');
    for (size_t i = 0; i < 4; i++)
        json_text(&w, NULL, texts[i]);
    json_text(&w, NULL, "bad \xff\xc3(");
    json_close(&w);
    assert_int_equal(json_finish(&w), 0);
    (void)fclose(file);
    struct json_doc *doc = good(out);
    const struct json *v = json_first(json_root(doc));
    for (size_t i = 0; i < 4; i++, v = json_next(v))
        assert_string_equal(v->text, texts[i]);
    assert_string_equal(v->text, "bad \xef\xbf\xbd\xef\xbf\xbd(");
    json_free(doc);
    free(out);
}

static void layout_and_numbers_of_the_writer(void **state)
{
    (void)state;
    char *out = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&out, &bytes);
    assert_non_null(file);
    struct json_writer w = {.to = file};
    json_open(&w, NULL, '{');
    json_int(&w, "i", INT64_MIN);
    json_double(&w, "d", 0.5);
    json_double(&w, "nan", 0.0 / 0.0);
    json_bool(&w, "b", true);
    json_open_flat(&w, "pairs");
    for (int i = 0; i < 2; i++) {
        json_open_flat(&w, NULL);
        json_int(&w, NULL, i);
        json_int(&w, NULL, 7);
        json_close(&w);
    }
    json_close(&w);
    json_open(&w, "empty", '[');
    json_close(&w);
    json_close(&w);
    assert_int_equal(json_finish(&w), 0);
    (void)fclose(file);
    assert_string_equal(out, "{\n  \"i\": -9223372036854775808,\n  \"d\": 0.5,\n  \"nan\": null,\n"
                             "  \"b\": true,\n  \"pairs\": [[0,7],[1,7]],\n  \"empty\": []\n}\n");
    json_free(good(out));
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(mistakes_are_named_with_their_position),
        cmocka_unit_test(numbers_are_those_of_the_standard),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(texts_survive_writing_and_reading),
        cmocka_unit_test(layout_and_numbers_of_the_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

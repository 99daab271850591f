/* Documents: what is refused as a whole, where messages point, limits. */
#include <errno.h>

#include "rt-tests/unit/test_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void missing_file_gives_path_and_reason(void **state)
{
    (void)state;
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open("/nonexistent/car.yaml", &doc), -ENOENT);
    CLOSE_EXPECTING(doc, "/nonexistent/car.yaml: cannot be read: No such file or directory");
}

static void folder_is_not_a_file(void **state)
{
    (void)state;
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open("/tmp", &doc), -EISDIR);
    CLOSE_EXPECTING(doc, "/tmp: cannot be read: it is a folder: give the name of a file in it");
}

/* A temporary file with the text repeated. */
static void write_file(char *path, const char *text, size_t times)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    for (size_t i = 0; i < times; i++)
        assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void file_gives_the_same_tree_as_its_text(void **state)
{
    (void)state;
    char path[] = "/tmp/skidpad-config-XXXXXX";
    write_file(path, "mass_kg: 1500\n", 1);
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open(path, &doc), 0);
    double mass_kg = 0.0;
    cfg_double(cfg_root(doc), "mass_kg", &mass_kg, CFG_POSITIVE);
    assert_true(mass_kg == 1500.0);
    close_clean(doc);
    assert_int_equal(unlink(path), 0);
}

static void file_larger_than_the_limit_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/skidpad-config-XXXXXX";
    write_file(path, "# 0123456789abcdef0123456789abc\n", (16 << 20) / 32 + 1);
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open(path, &doc), -EFBIG);
    char message[128];
    (void)snprintf(message, sizeof message, "%s: is too large, at most 16 MiB are allowed", path);
    CLOSE_EXPECTING(doc, message);
    assert_int_equal(unlink(path), 0);
}

static void text_larger_than_the_limit_is_refused_unread(void **state)
{
    (void)state;
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open_text("car.yaml", "", (16 << 20) + 1, &doc), -EFBIG);
    CLOSE_EXPECTING(doc, "car.yaml: is too large, at most 16 MiB are allowed");
}

static void empty_document_is_refused(void **state)
{
    (void)state;
    assert_refused("", "car.yaml:1:1: is empty, must be a mapping of keys");
    assert_refused("# only a comment\n", "car.yaml:1:1: is empty, must be a mapping of keys");
    assert_refused("---\n", "car.yaml:2:1: must be a mapping of keys, has no value");
}

static void top_must_be_a_mapping(void **state)
{
    (void)state;
    assert_refused("- 1\n", "car.yaml:1:1: must be a mapping of keys, is a list");
    assert_refused("hello\n", "car.yaml:1:1: must be a mapping of keys, is \"hello\"");
}

static void second_document_is_refused(void **state)
{
    (void)state;
    assert_refused("a: 1\n---\nb: 2\n",
                   "car.yaml:2:1: a second document starts here, one file holds one document");
}

static void syntax_error_gives_place_and_cause(void **state)
{
    (void)state;
    assert_refused("chassis:\n\tmass_kg: 1\n",
                   "car.yaml:2:1: not valid YAML: a tab indents this line, only spaces are allowed "
                   "(found character that cannot start any token while scanning for the next "
                   "token)");
    assert_refused("a:\n  b: 1\n c: 2\n",
                   "car.yaml:3:2: not valid YAML: the indentation does not fit the lines above "
                   "(did not find expected key while parsing a block mapping that starts in line "
                   "1)");
    assert_refused("a: 1\nb: \"x\n",
                   "car.yaml:3:1: not valid YAML: a quotation mark is not closed (found unexpected "
                   "end of stream while scanning a quoted scalar that starts in line 2)");
    assert_refused("a: b: c\n",
                   "car.yaml:1:5: not valid YAML: a key is not expected here, the indentation "
                   "differs or a text with \": \" needs quotes (mapping values are not allowed in "
                   "this context)");
    assert_refused("a: }\n", "car.yaml:1:4: not valid YAML: did not find expected node content "
                             "while parsing a block node");
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    assert_refused("a: 1\nb: \xff\n",
                   "car.yaml:2:4: not readable as text: invalid leading UTF-8 octet (0xFF), only "
                   "UTF-8 without control characters is allowed");
    assert_refused("a: \001\n",
                   "car.yaml:1:4: not readable as text: control characters are not allowed (0x01), "
                   "only UTF-8 without control characters is allowed");
    assert_refused("a:\n  b: \"x\\0y\"\n",
                   "car.yaml:2:6: a.b: contains a NUL character, which no text may have");
}

static void duplicate_key_is_a_mistake_and_the_first_counts(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("chassis:\n  mass_kg: 1\n  x: 0\n  mass_kg: 2\n", 0);
    const struct cfg_node *chassis = cfg_map(cfg_root(doc), "chassis");
    double mass_kg = 0.0;
    cfg_double(chassis, "mass_kg", &mass_kg, CFG_POSITIVE);
    assert_true(mass_kg == 1.0);
    assert_int_equal(cfg_key_count(chassis), 2);
    assert_string_equal(cfg_key(chassis, 1), "x");
    cfg_done(chassis);
    CLOSE_EXPECTING(doc, "car.yaml:4:3: chassis.mass_kg: duplicate key, first used in line 2, a "
                         "key is allowed once");
}

static void duplicate_key_inside_a_list_has_a_full_path(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a:\n- b: 1\n- c: 1\n  c: 2\n", 0);
    CLOSE_EXPECTING(
        doc, "car.yaml:4:3: a[1].c: duplicate key, first used in line 3, a key is allowed once");
}

static void strange_keys_are_refused(void **state)
{
    (void)state;
    assert_refused("x: {[a]: 1}\n",
                   "car.yaml:1:5: x: a key must be text, is a list, a mapping or an alias");
    assert_refused("\"\": 1\n", "car.yaml:1:1: a key must be text, is empty");
    assert_refused("&k a: 1\n",
                   "car.yaml:1:1: a key must be text alone, without anchor (&) or tag (!)");
    assert_refused("a: &a {x: 1}\nb:\n  <<: *a\n",
                   "car.yaml:3:3: b: merge keys (<<) are not supported, write the keys out");
    assert_refused("a: !!float 3\n",
                   "car.yaml:1:4: a: tags (!) are not supported, write the value alone");
}

static void alias_repeats_what_its_anchor_marked(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("front: &axle\n  rates: [1, 2]\n  wrong: -1\nrear: *axle\n", 0);
    const struct cfg_node *rear = cfg_map(cfg_root(doc), "rear");
    double rates[2] = {0.0, 0.0}, wrong = 5.0;
    cfg_doubles(rear, "rates", rates, 2, CFG_ANY);
    assert_true(rates[0] == 1.0 && rates[1] == 2.0);
    cfg_double(rear, "wrong", &wrong, CFG_POSITIVE);
    cfg_complain(rear, NULL, "too stiff");
    /* The value is wrong where it is written, under the name by which it was used. */
    CLOSE_EXPECTING(doc, "car.yaml:3:10: rear.wrong: must be > 0, is -1",
                    "car.yaml:4:1: rear: too stiff");
}

static void asking_in_an_alias_does_not_count_for_its_anchor(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: &x {k: 1}\nb: *x\n", 0);
    const struct cfg_node *a = cfg_map(cfg_root(doc), "a"), *b = cfg_map(cfg_root(doc), "b");
    assert_true(cfg_has(b, "k"));
    cfg_done(b);
    cfg_done(a);
    CLOSE_EXPECTING(doc, "car.yaml:1:8: a.k: unknown key, no key is allowed here");
}

static void wrong_aliases_are_refused(void **state)
{
    (void)state;
    assert_refused("a: [1, *x]\n", "car.yaml:1:8: a[1]: alias *x has no anchor &x before it");
    assert_refused("a: &x [*x]\n", "car.yaml:1:8: a[0]: alias *x stands inside its own anchor");
    assert_refused("a: &x 1\nb: &x 2\n",
                   "car.yaml:2:4: b: anchor &x exists already in line 1, names are used once");
}

static void nested_aliases_cannot_fill_the_memory(void **state)
{
    (void)state;
    char text[2048] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    size_t used = strlen(text);
    for (int i = 1; i < 12; i++) { /* would be 10^12 values */
        used += (size_t)snprintf(text + used, sizeof text - used, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            used += (size_t)snprintf(text + used, sizeof text - used, "*a%d,", i - 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "]\n");
    }
    struct cfg_doc *doc = open_text(text, -EINVAL);
    CLOSE_EXPECTING(doc, "car.yaml:6:38: too many values, at most 1000000 are allowed, aliases "
                         "written out");
}

static void anchors_are_bounded(void **state)
{
    (void)state;
    char text[4096] = "a:\n";
    size_t used = strlen(text);
    for (int i = 0; i < 201; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "- &n%d 1\n", i);
    assert_refused(text, "car.yaml:202:3: a[200]: too many anchors, at most 200 are allowed");
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    char text[128] = "a: ";
    memset(text + 3, '[', 65);
    assert_refused(text, "car.yaml:1:68: nested too deeply, at most 64 levels are allowed");
}

static void unreadable_document_has_an_empty_top_that_keeps_quiet(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: [", -EINVAL);
    const struct cfg_node *root = cfg_root(doc);
    assert_non_null(root);
    cfg_need(root, "mass_kg");
    cfg_done(cfg_need_map(root, "chassis"));
    cfg_done(root);
    assert_int_equal(cfg_message_count(doc), 1);
    cfg_close(doc);
}

static void messages_are_bounded(void **state)
{
    (void)state;
    char text[2048] = "";
    size_t used = 0;
    for (int i = 0; i < 80; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "key%d: 1\n", i);
    struct cfg_doc *doc = open_text(text, 0);
    cfg_done(cfg_root(doc));
    assert_int_equal(cfg_message_count(doc), 51);
    assert_string_equal(cfg_message(doc, 49),
                        "car.yaml:50:1: key49: unknown key, no key is allowed here");
    assert_string_equal(cfg_message(doc, 50),
                        "car.yaml: more messages left out, correct these first");
    assert_string_equal(cfg_message(doc, 51), "");
    cfg_close(doc);
}

static void same_message_is_said_once(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: x\n", 0);
    double value = 0.0;
    cfg_double(cfg_root(doc), "a", &value, CFG_ANY);
    cfg_double(cfg_root(doc), "a", &value, CFG_ANY);
    CLOSE_EXPECTING(doc, "car.yaml:1:4: a: must be a number, is \"x\"");
}

static void message_is_one_clean_line(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("\"k\\n\\e[31m\": \"\\u009b31m\"\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    cfg_complain(root, cfg_key(root, 0), "line one\nline two");
    double value = 0.0;
    cfg_double(root, cfg_key(root, 0), &value, CFG_ANY);
    CLOSE_EXPECTING(
        doc, "car.yaml:1:1: k??[31m: line one?line two",
        "car.yaml:1:14: k??[31m: must be a number, is \"?31m\"; a number has no quotes");
}

static void long_text_in_a_message_is_cut_between_characters(void **state)
{
    (void)state;
    /* 48 bytes are shown; the 48th would be the first half of the last character but one. */
    struct cfg_doc *doc = open_text(
        "a: x\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
        "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\n",
        0);
    double value = 0.0;
    cfg_double(cfg_root(doc), "a", &value, CFG_ANY);
    CLOSE_EXPECTING(doc, "car.yaml:1:4: a: must be a number, is \"x\u00e9\u00e9\u00e9\u00e9\u00e9"
                         "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
                         "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9...\"");
}

static void endless_message_is_cut(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: 1\n", 0);
    cfg_complain(cfg_root(doc), "a", "%01500d, %d", 7, 8);
    const char *message = cfg_message(doc, 0);
    assert_int_equal(strncmp(message, "car.yaml:1:1: a: 000", 20), 0);
    assert_int_equal(strlen(message), 1023);
    assert_string_equal(message + 1019, "0...");
    cfg_close(doc);
}

static void columns_count_characters(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("{g\u00fc: 1, h: -1}\n", 0);
    double value = 0.0;
    cfg_double(cfg_root(doc), "h", &value, CFG_POSITIVE);
    CLOSE_EXPECTING(doc, "car.yaml:1:12: h: must be > 0, is -1");
}

static void messages_are_printed_one_a_line(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: 1\nb: 2\n", 0);
    cfg_done(cfg_root(doc));
    char printed[256] = "";
    FILE *file = fmemopen(printed, sizeof printed, "w");
    assert_non_null(file);
    cfg_print_messages(doc, file);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(printed, "car.yaml:1:1: a: unknown key, no key is allowed here\n"
                                 "car.yaml:2:1: b: unknown key, no key is allowed here\n");
    cfg_close(doc);
}

static void closing_nothing_is_allowed(void **state)
{
    (void)state;
    cfg_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_file_gives_path_and_reason),
        cmocka_unit_test(folder_is_not_a_file),
        cmocka_unit_test(file_gives_the_same_tree_as_its_text),
        cmocka_unit_test(file_larger_than_the_limit_is_refused),
        cmocka_unit_test(text_larger_than_the_limit_is_refused_unread),
        cmocka_unit_test(empty_document_is_refused),
        cmocka_unit_test(top_must_be_a_mapping),
        cmocka_unit_test(second_document_is_refused),
        cmocka_unit_test(syntax_error_gives_place_and_cause),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(duplicate_key_is_a_mistake_and_the_first_counts),
        cmocka_unit_test(duplicate_key_inside_a_list_has_a_full_path),
        cmocka_unit_test(strange_keys_are_refused),
        cmocka_unit_test(alias_repeats_what_its_anchor_marked),
        cmocka_unit_test(asking_in_an_alias_does_not_count_for_its_anchor),
        cmocka_unit_test(wrong_aliases_are_refused),
        cmocka_unit_test(nested_aliases_cannot_fill_the_memory),
        cmocka_unit_test(anchors_are_bounded),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(unreadable_document_has_an_empty_top_that_keeps_quiet),
        cmocka_unit_test(messages_are_bounded),
        cmocka_unit_test(same_message_is_said_once),
        cmocka_unit_test(message_is_one_clean_line),
        cmocka_unit_test(long_text_in_a_message_is_cut_between_characters),
        cmocka_unit_test(endless_message_is_cut),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(messages_are_printed_one_a_line),
        cmocka_unit_test(closing_nothing_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

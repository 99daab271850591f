/* The getters: what each accepts, what it says about the rest, and that defaults survive. */
#include <errno.h>

#include "rt-tests/unit/test_config.h"

#include <locale.h>

static const struct cfg_range below_one = {-1e300, 1.0, false, true};

/* The value of key a in a document of this key alone, or the message without its place. */
static double number_of(const char *value, struct cfg_range range, char message[256])
{
    char text[512];
    (void)snprintf(text, sizeof text, "a: %s\n", value);
    struct cfg_doc *doc = open_text(text, 0);
    double number = -77.0;
    cfg_double(cfg_root(doc), "a", &number, range);
    const char *found = cfg_message(doc, 0);
    (void)snprintf(message, 256, "%s", *found ? found + strlen("car.yaml:1:4: a: ") : "");
    cfg_close(doc);
    return number;
}

static void assert_number(const char *value, double expected)
{
    char message[256];
    double number = number_of(value, CFG_ANY, message);
    assert_string_equal(message, "");
    assert_true(number == expected);
}

static void assert_wrong(const char *value, struct cfg_range range, const char *expected)
{
    char message[256];
    double number = number_of(value, range, message);
    assert_string_equal(message, expected);
    assert_true(number == -77.0); /* the default stays */
}

static void numbers_are_decimal(void **state)
{
    (void)state;
    assert_number("1500", 1500.0);
    assert_number("1e3", 1000.0);
    assert_number("-.5", -0.5);
    assert_number("+3.", 3.0);
    assert_number("1.25E-2", 0.0125);
    assert_number("007", 7.0);
    assert_number("1e-400", 0.0);
}

static void what_is_no_number_is_refused_with_a_hint(void **state)
{
    (void)state;
    assert_wrong("abc", CFG_ANY, "must be a number, is \"abc\"");
    assert_wrong("abc", CFG_POSITIVE, "must be a number > 0, is \"abc\"");
    assert_wrong(".nan", CFG_ANY, "must be a number, is \".nan\"");
    assert_wrong("nan", CFG_ANY, "must be a number, is \"nan\"");
    assert_wrong("-.inf", CFG_ANY, "must be a number, is \"-.inf\"");
    assert_wrong("inf", CFG_ANY, "must be a number, is \"inf\"");
    assert_wrong("+", CFG_ANY, "must be a number, is \"+\"");
    assert_wrong("1e", CFG_ANY,
                 "must be a number, is \"1e\"; write the number alone, the key names the unit");
    assert_wrong("0x1F", CFG_ANY, "must be a number, is \"0x1F\"; hexadecimal is not accepted");
    assert_wrong("1,5", CFG_ANY, "must be a number, is \"1,5\"; the decimal mark is a point");
    assert_wrong("1_000", CFG_ANY,
                 "must be a number, is \"1_000\"; write the digits without separators");
    assert_wrong("3 kg", CFG_ANY,
                 "must be a number, is \"3 kg\"; write the number alone, the key names the unit");
    assert_wrong("'3'", CFG_ANY, "must be a number, is \"3\"; a number has no quotes");
    assert_wrong("[3]", CFG_POSITIVE, "must be a number > 0, is a list");
    assert_wrong("{b: 3}", CFG_POSITIVE, "must be a number > 0, is a mapping");
}

static void zero_is_allowed_beside_a_range_but_nothing_that_is_nearly_zero(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        double value;
    } cases[] = {
        {"0", NULL, 0.0},
        {"0.0e5", NULL, 0.0},
        {"-0", NULL, 0.0},
        {"0.01", NULL, 0.01},
        {"3600", NULL, 3600.0},
        {"1e-300", "must be 0, or >= 0.01 and <= 3600, is 1e-300", -77.0},
        {"1e-400", "must be 0, or >= 0.01 and <= 3600, is 1e-400", -77.0},
        {"0.009", "must be 0, or >= 0.01 and <= 3600, is 0.009", -77.0},
        {"-1", "must be 0, or >= 0.01 and <= 3600, is -1", -77.0},
        {"1e300", "must be 0, or >= 0.01 and <= 3600, is 1e300", -77.0},
        {"off", "must be a number, is \"off\"", -77.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "a: %s\n", cases[i].text);
        struct cfg_doc *doc = open_text(text, 0);
        double number = -77.0;
        cfg_zero_or(cfg_root(doc), "a", &number, CFG_BETWEEN(0.01, 3600.0));
        assert_int_equal(cfg_message_count(doc), cases[i].message ? 1 : 0);
        if (cases[i].message)
            assert_string_equal(cfg_message(doc, 0) + strlen("car.yaml:1:4: a: "),
                                cases[i].message);
        assert_true(number == cases[i].value);
        cfg_close(doc);
    }
}

static void number_out_of_range_says_what_is_allowed(void **state)
{
    (void)state;
    assert_wrong("-3", CFG_POSITIVE, "must be > 0, is -3");
    assert_wrong("0", CFG_POSITIVE, "must be > 0, is 0");
    assert_wrong("-1e-3", CFG_NOT_NEGATIVE, "must be >= 0, is -1e-3");
    assert_wrong("1.5", CFG_BETWEEN(-0.25, 1.0), "must be >= -0.25 and <= 1, is 1.5");
    assert_wrong("1.0", below_one, "must be < 1, is 1.0");
    assert_wrong("1e301", CFG_POSITIVE, "is too large, numbers up to 1e300 are allowed");
    assert_wrong("-1e999", CFG_ANY, "is too large, numbers up to 1e300 are allowed");
    char message[256];
    assert_true(number_of("1", CFG_BETWEEN(0, 1), message) == 1.0);
    assert_true(number_of("0", CFG_NOT_NEGATIVE, message) == 0.0);
}

static void number_without_value_points_to_its_key(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("chassis:\n  mass_kg:\n  x: ~\n", 0);
    const struct cfg_node *chassis = cfg_map(cfg_root(doc), "chassis");
    double mass_kg = 1.0, x = 1.0;
    cfg_double(chassis, "mass_kg", &mass_kg, CFG_POSITIVE);
    cfg_double(chassis, "x", &x, CFG_POSITIVE);
    assert_true(mass_kg == 1.0 && x == 1.0);
    CLOSE_EXPECTING(doc, "car.yaml:2:3: chassis.mass_kg: must be a number > 0, has no value",
                    "car.yaml:3:3: chassis.x: must be a number > 0, has no value");
}

static void scaled_number_is_checked_as_written(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("speed_kmh: 36\nfast_kmh: 400\nhuge: 1e300\n", 0);
    double speed_mps = 0.0, fast_mps = 1.0, huge = 2.0;
    cfg_scaled(cfg_root(doc), "speed_kmh", &speed_mps, 1.0 / 3.6, CFG_BETWEEN(0, 300));
    cfg_scaled(cfg_root(doc), "fast_kmh", &fast_mps, 1.0 / 3.6, CFG_BETWEEN(0, 300));
    cfg_scaled(cfg_root(doc), "huge", &huge, 1e10, CFG_ANY);
    assert_true(speed_mps == 36 * (1.0 / 3.6));
    assert_true(fast_mps == 1.0 && huge == 2.0);
    CLOSE_EXPECTING(doc, "car.yaml:2:11: fast_kmh: must be >= 0 and <= 300, is 400",
                    "car.yaml:3:7: huge: is too large, numbers up to 1e300 are allowed");
}

static void whole_numbers_are_whole(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: 5\nb: 1e3\nc: -9223372036854775808\nd: 2.5\ne: 9\n"
                                    "f: 99999999999999999999\ng: x\nh: 0x10\ni: [1]\nj: 1e40\n",
                                    0);
    const struct cfg_node *root = cfg_root(doc);
    int64_t values[10] = {0};
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    for (size_t i = 0; i < 10; i++) {
        bool limited = i >= 3 && i <= 6;
        cfg_int(root, keys[i], &values[i], limited ? 1 : INT64_MIN, limited ? 8 : INT64_MAX);
    }
    assert_int_equal(values[0], 5);
    assert_int_equal(values[1], 1000);
    assert_true(values[2] == INT64_MIN);
    for (size_t i = 3; i < 10; i++)
        assert_int_equal(values[i], 0);
    CLOSE_EXPECTING(
        doc, "car.yaml:4:4: d: must be a whole number >= 1 and <= 8, is 2.5",
        "car.yaml:5:4: e: must be >= 1 and <= 8, is 9",
        "car.yaml:6:4: f: must be >= 1 and <= 8, is 99999999999999999999",
        "car.yaml:7:4: g: must be a whole number >= 1 and <= 8, is \"x\"",
        "car.yaml:8:4: h: must be a whole number, is \"0x10\"; hexadecimal is not accepted",
        "car.yaml:9:4: i: must be a whole number, is a list",
        "car.yaml:10:4: j: is too large, whole numbers of 63 bits are allowed");
}

static void booleans_have_six_words(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: true\nb: Yes\nc: ON\nd: false\ne: no\nf: off\n"
                                    "g: 1\nh: 'true'\ni: []\n",
                                    0);
    const struct cfg_node *root = cfg_root(doc);
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f"};
    for (size_t i = 0; i < 6; i++) {
        bool value = i >= 3;
        cfg_bool(root, keys[i], &value);
        assert_int_equal(value, i < 3);
    }
    bool value = true;
    cfg_bool(root, "g", &value);
    cfg_bool(root, "h", &value);
    cfg_bool(root, "i", &value);
    assert_true(value);
    CLOSE_EXPECTING(doc, "car.yaml:7:4: g: must be true or false (or yes, no, on, off), is \"1\"",
                    "car.yaml:8:4: h: must be true or false (or yes, no, on, off), is \"true\"; "
                    "quotes make it a text",
                    "car.yaml:9:4: i: must be true or false (or yes, no, on, off), is a list");
}

static void string_is_taken_whole_or_not_at_all(void **state)
{
    (void)state;
    struct cfg_doc *doc =
        open_text("a: hello\nb: \"\"\nc: 123456789\nd: [x]\ne:\nf: |\n  two\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    char a[9] = "", b[9] = "old", c[9] = "old", f[5] = "";
    cfg_string(root, "a", a, sizeof a);
    cfg_string(root, "b", b, sizeof b);
    cfg_string(root, "c", c, sizeof c);
    cfg_string(root, "d", c, sizeof c);
    cfg_string(root, "e", c, sizeof c);
    cfg_string(root, "f", f, sizeof f);
    cfg_string(root, "a", NULL, 0);
    assert_string_equal(a, "hello");
    assert_string_equal(b, "");
    assert_string_equal(c, "old");
    assert_string_equal(f, "two\n");
    CLOSE_EXPECTING(doc, "car.yaml:3:4: c: is too long with 9 bytes, at most 8 are allowed",
                    "car.yaml:4:4: d: must be text, is a list",
                    "car.yaml:5:1: e: must be text, has no value",
                    "car.yaml:1:4: a: is too long with 5 bytes, at most 0 are allowed");
}

static void choice_gives_the_index_and_names_all_words(void **state)
{
    (void)state;
    static const char *const words[] = {"slip", "catch-up", "off", NULL};
    struct cfg_doc *doc = open_text("a: catch-up\nb: off\nc: skip\nd: {}\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    int a = -1, b = -1, c = -1;
    cfg_choice(root, "a", &a, words);
    cfg_choice(root, "b", &b, words);
    cfg_choice(root, "c", &c, words);
    cfg_choice(root, "d", &c, words);
    cfg_choice(root, "absent", &c, words);
    assert_int_equal(a, 1);
    assert_int_equal(b, 2);
    assert_int_equal(c, -1);
    CLOSE_EXPECTING(doc, "car.yaml:3:4: c: must be slip, catch-up or off, is \"skip\"",
                    "car.yaml:4:4: d: must be slip, catch-up or off, is a mapping");
}

static void path_is_relative_to_the_document(void **state)
{
    (void)state;
    static const char text[] = "near: tyre.tir\nfar: /opt/tyre.tir\nempty: ''\n";
    char path[32] = "", tight[12] = "old";
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open_text("cars/a/b.yaml", text, strlen(text), &doc), 0);
    cfg_path(cfg_root(doc), "near", path, sizeof path);
    assert_string_equal(path, "cars/a/tyre.tir");
    cfg_path(cfg_root(doc), "far", path, sizeof path);
    assert_string_equal(path, "/opt/tyre.tir");
    cfg_path(cfg_root(doc), "near", tight, sizeof tight);
    cfg_path(cfg_root(doc), "empty", tight, sizeof tight);
    assert_string_equal(tight, "old");
    CLOSE_EXPECTING(doc,
                    "cars/a/b.yaml:1:7: near: is too long with its folder (15 bytes), at most 11 "
                    "are allowed",
                    "cars/a/b.yaml:3:8: empty: must be a file name, is \"\"");
    doc = open_text(text, 0);
    cfg_path(cfg_root(doc), "near", path, sizeof path);
    assert_string_equal(path, "tyre.tir");
    close_clean(doc);
}

static void absent_keys_leave_defaults_without_a_message(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a: 1\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    double number = 1.0, three[3] = {1.0, 2.0, 3.0};
    int64_t whole = 2;
    bool yes = true;
    char text[8] = "old";
    size_t rows = 9;
    cfg_double(root, "x", &number, CFG_POSITIVE);
    cfg_int(root, "x", &whole, 0, 1);
    cfg_bool(root, "x", &yes);
    cfg_string(root, "x", text, sizeof text);
    cfg_path(root, "x", text, sizeof text);
    cfg_doubles(root, "x", three, 3, CFG_ANY);
    assert_null(cfg_map(root, "x"));
    assert_null(cfg_list(root, "x"));
    assert_null(cfg_table(root, "x", 2, 1, &rows));
    assert_true(number == 1.0 && three[1] == 2.0 && yes);
    assert_int_equal(whole, 2);
    assert_int_equal(rows, 0);
    assert_string_equal(text, "old");
    close_clean(doc);
}

static void wrong_locale_does_not_change_numbers(void **state)
{
    (void)state;
    /* Only where the system has such a locale; the code takes the C locale in any case. */
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        skip();
    assert_number("1.5", 1.5);
    assert_wrong("1.5", CFG_BETWEEN(-0.25, 1.0), "must be >= -0.25 and <= 1, is 1.5");
    assert_non_null(setlocale(LC_ALL, "C"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(what_is_no_number_is_refused_with_a_hint),
        cmocka_unit_test(zero_is_allowed_beside_a_range_but_nothing_that_is_nearly_zero),
        cmocka_unit_test(number_out_of_range_says_what_is_allowed),
        cmocka_unit_test(number_without_value_points_to_its_key),
        cmocka_unit_test(scaled_number_is_checked_as_written),
        cmocka_unit_test(whole_numbers_are_whole),
        cmocka_unit_test(booleans_have_six_words),
        cmocka_unit_test(string_is_taken_whole_or_not_at_all),
        cmocka_unit_test(choice_gives_the_index_and_names_all_words),
        cmocka_unit_test(path_is_relative_to_the_document),
        cmocka_unit_test(absent_keys_leave_defaults_without_a_message),
        cmocka_unit_test(wrong_locale_does_not_change_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Mappings, lists and tables; unknown keys and what is suggested for them. */
#include <errno.h>

#include "rt-tests/unit/test_config.h"

#include <stdlib.h>

/* Asks for the keys, ended by NULL, of a document with one key and expects this message. */
static void assert_unknown(const char *key, const char *const *asked, const char *expected)
{
    char text[128], message[512];
    (void)snprintf(text, sizeof text, "%s: 1\n", key);
    (void)snprintf(message, sizeof message, "car.yaml:1:1: %s: %s", key, expected);
    struct cfg_doc *doc = open_text(text, 0);
    for (size_t i = 0; asked[i]; i++)
        (void)cfg_has(cfg_root(doc), asked[i]);
    cfg_done(cfg_root(doc));
    CLOSE_EXPECTING(doc, message);
}

static void misspelt_key_gets_the_nearest_one(void **state)
{
    (void)state;
    static const char *const asked[] = {"mass_kg", "wheelbase_m", "speed_kmh", NULL};
    assert_unknown("mas_kg", asked, "unknown key, did you mean \"mass_kg\"?");
    assert_unknown("msas_kg", asked, "unknown key, did you mean \"mass_kg\"?");
    assert_unknown("Mass_kg", asked, "unknown key, did you mean \"mass_kg\"?");
    assert_unknown("wheel_base_m", asked, "unknown key, did you mean \"wheelbase_m\"?");
}

static void other_unit_is_suggested_before_another_spelling(void **state)
{
    (void)state;
    static const char *const asked[] = {"pass_g",     "mass_kg",          "speed_kmh",
                                        "pedal_mps2", "stiffness_Nmprad", "damping_N_per_m",
                                        NULL};
    assert_unknown("mass_g", asked, "unknown key, did you mean \"mass_kg\"?");
    assert_unknown("speed_mps", asked, "unknown key, did you mean \"speed_kmh\"?");
    assert_unknown("speed", asked, "unknown key, did you mean \"speed_kmh\"?");
    assert_unknown("pedal_percent", asked, "unknown key, did you mean \"pedal_mps2\"?");
    assert_unknown("stiffness_Nm_per_deg", asked,
                   "unknown key, did you mean \"stiffness_Nmprad\"?");
    assert_unknown("damping_kNpmm", asked, "unknown key, did you mean \"damping_N_per_m\"?");
}

static void word_behind_an_underscore_is_not_a_unit(void **state)
{
    (void)state;
    static const char *const asked[] = {"wheel_radius", NULL};
    assert_unknown("wheel_direction", asked, "unknown key, allowed: wheel_radius");
}

static void far_key_gets_the_list_of_keys_in_order(void **state)
{
    (void)state;
    static const char *const few[] = {"mass_kg", "inertia", "mass_kg", "drag", NULL};
    assert_unknown("colour", few, "unknown key, allowed: mass_kg, inertia, drag");
    static const char *const none[] = {NULL};
    assert_unknown("colour", none, "unknown key, no key is allowed here");
}

static void long_list_of_keys_is_left_to_the_manual(void **state)
{
    (void)state;
    static const char *const many[] = {"k01xx", "k02xx", "k03xx", "k04xx", "k05xx",
                                       "k06xx", "k07xx", "k08xx", "k09xx", "k10xx",
                                       "k11xx", "k12xx", "k13xx", NULL};
    assert_unknown("colour", many, "unknown key, docs/config.md lists the allowed ones");
}

static void key_that_the_file_lacks_is_suggested_first(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("gear1: 1\ngear3: 3\n", 0);
    (void)cfg_has(cfg_root(doc), "gear1");
    (void)cfg_has(cfg_root(doc), "gear2");
    cfg_done(cfg_root(doc));
    CLOSE_EXPECTING(doc, "car.yaml:2:1: gear3: unknown key, did you mean \"gear2\"?");
}

static void asked_keys_may_be_temporary_texts(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("mass_kgg: 1\n", 0);
    char key[16] = "mass_kg";
    (void)cfg_has(cfg_root(doc), key);
    memset(key, 'x', sizeof key - 1);
    cfg_done(cfg_root(doc));
    CLOSE_EXPECTING(doc, "car.yaml:1:1: mass_kgg: unknown key, did you mean \"mass_kg\"?");
}

static void keys_chosen_by_the_user_can_be_listed(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("z: 1\na: 2\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    assert_int_equal(cfg_key_count(root), 2);
    assert_string_equal(cfg_key(root, 0), "z");
    assert_string_equal(cfg_key(root, 1), "a");
    assert_null(cfg_key(root, 2));
    cfg_done(root);
    close_clean(doc);
}

static void missing_mapping_is_replaced_by_an_empty_one(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("body:\n  x: 1\n", 0);
    const struct cfg_node *body = cfg_need_map(cfg_root(doc), "body");
    const struct cfg_node *inertia = cfg_need_map(body, "inertia");
    assert_true(cfg_is_map(inertia));
    double value = 4.0;
    cfg_double(inertia, "xx", &value, CFG_POSITIVE);
    assert_true(value == 4.0);
    assert_int_equal(cfg_key_count(inertia), 0);
    cfg_need(inertia, "yy");
    cfg_done(inertia);
    CLOSE_EXPECTING(doc, "car.yaml:1:1: body.inertia: missing, this mapping of keys is required",
                    "car.yaml:1:1: body.inertia.yy: missing, this key is required");
}

static void mapping_of_another_kind_is_replaced_too(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("body: 3\nlist: [1]\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    assert_true(cfg_is_map(cfg_need_map(root, "body")));
    assert_null(cfg_map(root, "list"));
    assert_null(cfg_list(root, "body"));
    CLOSE_EXPECTING(doc, "car.yaml:1:7: body: must be a mapping of keys, is \"3\"",
                    "car.yaml:2:7: list: must be a mapping of keys, is a list",
                    "car.yaml:1:7: body: must be a list, is \"3\"");
}

static void section_without_lines_is_empty(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("body:\n  # mass_kg: 3\nlist:\n", 0);
    const struct cfg_node *body = cfg_need_map(cfg_root(doc), "body");
    double mass_kg = 7.0;
    cfg_double(body, "mass_kg", &mass_kg, CFG_POSITIVE);
    assert_true(mass_kg == 7.0);
    cfg_done(body);
    assert_non_null(cfg_list(cfg_root(doc), "list"));
    assert_int_equal(cfg_count(cfg_list(cfg_root(doc), "list")), 0);
    cfg_done(cfg_root(doc));
    cfg_need(body, "length_m");
    CLOSE_EXPECTING(doc, "car.yaml:1:1: body.length_m: missing, this key is required");
}

static void list_item_that_is_no_mapping_is_noticed(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("segments:\n- length_m: 3\n- 5\n", 0);
    const struct cfg_node *list = cfg_list(cfg_root(doc), "segments");
    assert_int_equal(cfg_count(list), 2);
    for (size_t i = 0; i < 2; i++) {
        double length_m = 0.0;
        cfg_need(cfg_item(list, i), "length_m");
        cfg_double(cfg_item(list, i), "length_m", &length_m, CFG_POSITIVE);
        cfg_done(cfg_item(list, i));
    }
    assert_true(cfg_is_map(cfg_item(list, 0)));
    assert_false(cfg_is_map(cfg_item(list, 1)));
    assert_null(cfg_item(list, 2));
    CLOSE_EXPECTING(doc, "car.yaml:3:3: segments[1]: must be a mapping of keys, is \"5\"");
}

static void list_of_words_gives_their_text(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("signals: [speed, [x]]\n", 0);
    const struct cfg_node *list = cfg_list(cfg_root(doc), "signals");
    assert_string_equal(cfg_text(cfg_item(list, 0)), "speed");
    assert_null(cfg_text(cfg_item(list, 1)));
    close_clean(doc);
}

static void asking_whether_it_is_a_list_counts_as_asking(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("one: 1\nmany: [1, 2]\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    assert_false(cfg_is_list(root, "one"));
    assert_true(cfg_is_list(root, "many"));
    assert_false(cfg_is_list(root, "absent"));
    cfg_done(root);
    close_clean(doc);
}

static void nothing_instead_of_a_node_is_allowed(void **state)
{
    (void)state;
    double value = 1.0;
    size_t rows = 1;
    assert_false(cfg_has(NULL, "a"));
    assert_null(cfg_map(NULL, "a"));
    const struct cfg_node *empty = cfg_need_map(NULL, "a");
    assert_non_null(empty);
    assert_null(cfg_map(empty, "b"));
    assert_non_null(cfg_need_map(empty, "b"));
    cfg_double(empty, "b", &value, CFG_POSITIVE);
    cfg_complain(empty, "b", "x");
    cfg_complain(NULL, "b", "x");
    cfg_need(NULL, "a");
    cfg_done(NULL);
    cfg_done(empty);
    assert_int_equal(cfg_count(NULL), 0);
    assert_int_equal(cfg_key_count(NULL), 0);
    assert_null(cfg_item(NULL, 0));
    assert_null(cfg_text(NULL));
    assert_false(cfg_is_map(NULL));
    assert_null(cfg_table(NULL, "a", 2, 1, &rows));
    assert_int_equal(rows, 0);
    assert_true(value == 1.0);
}

static void check_across_keys_points_to_the_key(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("a:\n  low: 3\n  high: 2\n", 0);
    const struct cfg_node *a = cfg_map(cfg_root(doc), "a");
    cfg_complain(a, "high", "must be > low, is %g", 2.0);
    cfg_complain(a, "middle", "must be there");
    cfg_complain(a, NULL, "is inconsistent");
    cfg_complain(cfg_root(doc), NULL, "fits no car");
    CLOSE_EXPECTING(doc, "car.yaml:3:3: a.high: must be > low, is 2",
                    "car.yaml:1:1: a.middle: must be there", "car.yaml:1:1: a: is inconsistent",
                    "car.yaml:1:1: fits no car");
}

static void list_of_numbers_is_taken_whole_or_not_at_all(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("good: [1, 2, 3]\nshort: [1, 2]\nbad: [1, x, -3]\nno: 5\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    double good[3] = {0}, kept[3] = {7.0, 7.0, 7.0};
    cfg_doubles(root, "good", good, 3, CFG_POSITIVE);
    assert_true(good[0] == 1.0 && good[1] == 2.0 && good[2] == 3.0);
    cfg_doubles(root, "short", kept, 3, CFG_POSITIVE);
    cfg_doubles(root, "bad", kept, 3, CFG_POSITIVE);
    cfg_doubles(root, "no", kept, 3, CFG_POSITIVE);
    assert_true(kept[0] == 7.0 && kept[1] == 7.0 && kept[2] == 7.0);
    CLOSE_EXPECTING(doc, "car.yaml:2:8: short: must be a list of 3 numbers, has 2",
                    "car.yaml:3:10: bad[1]: must be a number > 0, is \"x\"",
                    "car.yaml:3:13: bad[2]: must be > 0, is -3",
                    "car.yaml:4:5: no: must be a list, is \"5\"");
}

static void list_of_some_numbers_gives_their_count(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("two: [1, 2]\nfive: [1, 2, 3, 4, 5]\nnone: []\n", 0);
    const struct cfg_node *root = cfg_root(doc);
    double values[4] = {0};
    assert_int_equal(cfg_doubles_upto(root, "two", values, 1, 4, CFG_ANY), 2);
    assert_true(values[1] == 2.0 && values[2] == 0.0);
    assert_int_equal(cfg_doubles_upto(root, "five", values, 1, 4, CFG_ANY), 0);
    assert_int_equal(cfg_doubles_upto(root, "none", values, 0, 4, CFG_ANY), 0);
    assert_int_equal(cfg_doubles_upto(root, "absent", values, 1, 4, CFG_ANY), 0);
    CLOSE_EXPECTING(doc, "car.yaml:2:7: five: must be a list of 1 to 4 numbers, has 5");
}

static void table_is_row_major(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("t:\n- [0, 10]\n- [1, 20]\n- [2.5, 15]\n", 0);
    size_t rows = 0;
    double *table = cfg_table(cfg_root(doc), "t", 2, 2, &rows);
    assert_non_null(table);
    assert_int_equal(rows, 3);
    assert_true(table[0] == 0.0 && table[1] == 10.0 && table[4] == 2.5 && table[5] == 15.0);
    free(table);
    close_clean(doc);
}

static void wrong_tables_say_which_row(void **state)
{
    (void)state;
    struct cfg_doc *doc = open_text("short: [[0, 1]]\nrows: [[0, 1], 5, [2]]\n"
                                    "order: [[0, 1], [0, 2]]\nbad: [[0, 1], [1, x]]\n",
                                    0);
    static const char *const keys[] = {"short", "rows", "order", "bad"};
    for (size_t i = 0; i < 4; i++) {
        size_t rows = 5;
        assert_null(cfg_table(cfg_root(doc), keys[i], 2, 2, &rows));
        assert_int_equal(rows, 0);
    }
    CLOSE_EXPECTING(doc, "car.yaml:1:8: short: must be a list of at least 2 rows, has 1",
                    "car.yaml:2:16: rows[1]: must be a list of 2 numbers, is \"5\"",
                    "car.yaml:2:19: rows[2]: must be a list of 2 numbers, has 1",
                    "car.yaml:3:18: order[1][0]: must be > 0 (the row before), is 0",
                    "car.yaml:4:19: bad[1][1]: must be a number, is \"x\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misspelt_key_gets_the_nearest_one),
        cmocka_unit_test(other_unit_is_suggested_before_another_spelling),
        cmocka_unit_test(word_behind_an_underscore_is_not_a_unit),
        cmocka_unit_test(far_key_gets_the_list_of_keys_in_order),
        cmocka_unit_test(long_list_of_keys_is_left_to_the_manual),
        cmocka_unit_test(key_that_the_file_lacks_is_suggested_first),
        cmocka_unit_test(asked_keys_may_be_temporary_texts),
        cmocka_unit_test(keys_chosen_by_the_user_can_be_listed),
        cmocka_unit_test(missing_mapping_is_replaced_by_an_empty_one),
        cmocka_unit_test(mapping_of_another_kind_is_replaced_too),
        cmocka_unit_test(section_without_lines_is_empty),
        cmocka_unit_test(list_item_that_is_no_mapping_is_noticed),
        cmocka_unit_test(list_of_words_gives_their_text),
        cmocka_unit_test(asking_whether_it_is_a_list_counts_as_asking),
        cmocka_unit_test(nothing_instead_of_a_node_is_allowed),
        cmocka_unit_test(check_across_keys_points_to_the_key),
        cmocka_unit_test(list_of_numbers_is_taken_whole_or_not_at_all),
        cmocka_unit_test(list_of_some_numbers_gives_their_count),
        cmocka_unit_test(table_is_row_major),
        cmocka_unit_test(wrong_tables_say_which_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

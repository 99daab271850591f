/* Values put in place of a file's. */
#include "rt-tests/support/near.h"
#include "shared/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "body:\n  mass_kg: 1000\n  cg_m: [1, 2]\nempty:\nname: car\n";

static struct cfg_doc *changed(const char *key, const char *value)
{
    struct cfg_doc *doc;
    const struct cfg_change change = {key, value};
    assert_int_equal(cfg_open_text("car.yaml", text, strlen(text), &doc), 0);
    assert_int_equal(cfg_apply(doc, &change, 1), 0);
    return doc;
}

/* Reads what a loader of this file would. */
static double read_all(struct cfg_doc *doc, const char *map, const char *key)
{
    double value = -1.0, cg[2] = {0.0, 0.0}, mass_kg = 0.0;
    const struct cfg_node *root = cfg_root(doc), *body = cfg_map(root, "body");
    const struct cfg_node *empty = cfg_map(root, "empty");
    char name[20] = "";
    cfg_double(cfg_map(root, map), key, &value, CFG_ANY);
    cfg_double(body, "mass_kg", &mass_kg, CFG_POSITIVE);
    cfg_doubles(body, "cg_m", cg, 2, CFG_ANY);
    cfg_string(root, "name", name, sizeof name);
    cfg_done(body);
    cfg_done(empty);
    cfg_done(root);
    return value;
}

static void value_takes_the_place_of_the_files(void **unused)
{
    (void)unused;
    struct cfg_doc *doc = changed("body.mass_kg", "1234.5");
    assert_near(read_all(doc, "body", "mass_kg"), 1234.5, 0.0);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
}

static void key_that_the_file_lacks_is_added(void **unused)
{
    (void)unused;
    struct cfg_doc *doc = changed("body.height_m", "2");
    assert_near(read_all(doc, "body", "height_m"), 2.0, 0.0);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
    doc = changed("empty.depth_m", "3"); /* a section without a value */
    assert_near(read_all(doc, "empty", "depth_m"), 3.0, 0.0);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
}

static void expect_message(const char *key, const char *value, const char *message)
{
    struct cfg_doc *doc = changed(key, value);
    (void)read_all(doc, "body", "mass_kg");
    assert_false(cfg_ok(doc));
    assert_string_equal(cfg_message(doc, 0), message);
    cfg_close(doc);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    expect_message("body.mas_kg", "1",
                   "car.yaml:2:3: body.mas_kg: unknown key, did you mean \"mass_kg\"?");
    expect_message("body.mass_kg", "-1", "car.yaml:2:12: body.mass_kg: must be > 0, is -1");
    expect_message("body", "1", "car.yaml:1:1: body cannot be set: it is a mapping of keys");
    expect_message("body.cg_m", "1", "car.yaml:3:3: body.cg_m cannot be set: it is a list");
    expect_message("name.first", "x", "car.yaml:5:7: name.first cannot be set: name has no keys");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_takes_the_place_of_the_files),
        cmocka_unit_test(key_that_the_file_lacks_is_added),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

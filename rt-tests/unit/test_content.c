/* cfg_content_hash(): what a document says counts, not how it is written. */
#include "shared/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t hash_of(const char *text)
{
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open_text("a.yaml", text, strlen(text), &doc), 0);
    uint64_t hash = cfg_content_hash(doc);
    cfg_close(doc);
    return hash;
}

static void layout_does_not_count(void **state)
{
    (void)state;
    uint64_t h = hash_of("a: 1\nb: {x: 2.5, y: [1, 2]}\nc: text\n");
    assert_true(h ==
                hash_of("# a comment\nc: text\nb:\n  y:\n    - 1\n    - 2\n  x: 25e-1\na: 1.0\n"));
}

static void content_counts(void **state)
{
    (void)state;
    static const char *const all[] = {"a: 1\n",
                                      "a: 2\n",
                                      "b: 1\n",
                                      "a: '1'\n",
                                      "a: [1]\n",
                                      "a: {b: 1}\n",
                                      "a:\n",
                                      "a: [1, 2]\n",
                                      "a: [2, 1]\n",
                                      "a: [[1], 2]\n",
                                      "a: [1, [2]]\n",
                                      "a: text\n",
                                      "a: {b: 1, c: 2}\n",
                                      "a: {b: 1}\nc: 2\n",
                                      "a: -0.0\n",
                                      "a: 0.0\n"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(hash_of(all[i]) != hash_of(all[k]));
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    (void)fputs(text, f);
    (void)fclose(f);
}

/* A file counts by its bytes once somebody has asked for it. */
static uint64_t hash_with_file(const char *name)
{
    struct cfg_doc *doc = NULL;
    char text[256], path[256] = "";
    (void)snprintf(text, sizeof text, "tyre: %s\n", name);
    assert_int_equal(cfg_open_text("a.yaml", text, strlen(text), &doc), 0);
    cfg_path(cfg_root(doc), "tyre", path, sizeof path);
    assert_string_equal(path, name);
    uint64_t hash = cfg_content_hash(doc);
    cfg_close(doc);
    return hash;
}

static void files_count_by_their_bytes(void **state)
{
    (void)state;
    char one[] = "/tmp/skidpad_content_XXXXXX", two[] = "/tmp/skidpad_content_XXXXXX";
    assert_true(close(mkstemp(one)) == 0 && close(mkstemp(two)) == 0);
    write_file(one, "MU = 1\n");
    write_file(two, "MU = 1\n");
    uint64_t h = hash_with_file(one);
    assert_true(h == hash_with_file(two));
    write_file(two, "MU = 0.9\n");
    assert_true(h != hash_with_file(two));
    (void)unlink(one);
    (void)unlink(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_does_not_count),
        cmocka_unit_test(content_counts),
        cmocka_unit_test(files_count_by_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

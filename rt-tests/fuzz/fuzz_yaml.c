/* Any text: parse it, walk the tree, call every getter on every key, close. Whatever is wrong must
 * end in a message, never in a crash, a leak or an endless loop. */
#include "shared/config/config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_VISITS = 2000 }; /* aliases can make a short text long */

static void walk(const struct cfg_node *node, int *visits);

/* A broken promise of a getter stops the fuzzer. */
static void expect(int promise)
{
    if (!promise)
        abort();
}

static void get_scalars(const struct cfg_node *map, const char *key)
{
    static const char *const words[] = {"slip", "catch-up", NULL};
    double number = 1.0;
    int64_t whole = 1;
    bool yes = false;
    int choice = -1;
    char text[16] = "", path[16] = "";
    cfg_double(map, key, &number, CFG_POSITIVE);
    expect(number > 0.0);
    cfg_scaled(map, key, &number, 1e9, CFG_ANY);
    expect(number - number == 0.0);
    cfg_int(map, key, &whole, 1, 100);
    expect(whole >= 1 && whole <= 100);
    cfg_int(map, key, &whole, INT64_MIN, INT64_MAX);
    cfg_bool(map, key, &yes);
    cfg_string(map, key, text, sizeof text);
    expect(memchr(text, '\0', sizeof text) != NULL);
    cfg_path(map, key, path, sizeof path);
    expect(memchr(path, '\0', sizeof path) != NULL);
    cfg_choice(map, key, &choice, words);
    expect(choice >= -1 && choice <= 1);
    cfg_need(map, key);
}

static void get_lists(const struct cfg_node *map, const char *key)
{
    double values[3] = {0};
    size_t rows = 0;
    cfg_doubles(map, key, values, 3, CFG_BETWEEN(-1e6, 1e6));
    expect(cfg_doubles_upto(map, key, values, 1, 3, CFG_NOT_NEGATIVE) <= 3);
    double *table = cfg_table(map, key, 2, 1, &rows);
    expect((table == NULL) == (rows == 0));
    for (size_t i = 1; i < rows; i++)
        expect(table[2 * i] > table[2 * i - 2]);
    free(table);
}

static void walk_map(const struct cfg_node *map, int *visits)
{
    static const char *const asked[] = {"mass_kg", "speed_kmh", "a", "chassis"};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        get_scalars(map, asked[i]);
    const struct cfg_node *empty = cfg_need_map(map, "missing");
    get_scalars(empty, "inside");
    cfg_done(empty);
    cfg_done(map); /* before the keys are listed, so that unknown ones get suggestions */
    for (size_t i = 0; i < cfg_key_count(map) && *visits < MOST_VISITS; i++) {
        const char *key = cfg_key(map, i);
        expect(cfg_has(map, key));
        expect(!cfg_is_list(map, key) || cfg_list(map, key) != NULL);
        get_scalars(map, key);
        get_lists(map, key);
        walk(cfg_map(map, key), visits);
        walk(cfg_list(map, key), visits);
        walk(cfg_need_map(map, key), visits);
        cfg_complain(map, key, "seen %s", key);
    }
}

/* Mappings and lists are nested to a bounded depth, so this recursion ends. */
static void walk(const struct cfg_node *node, int *visits)
{
    if (!node || ++*visits > MOST_VISITS)
        return;
    (void)cfg_text(node);
    if (cfg_is_map(node) && cfg_key_count(node) > 0)
        walk_map(node, visits);
    else
        get_scalars(node, "a");
    for (size_t i = 0; i < cfg_count(node) && *visits < MOST_VISITS; i++)
        walk(cfg_item(node, i), visits);
    cfg_done(node);
    cfg_complain(node, NULL, "seen");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cfg_doc *doc = NULL;
    int rc = cfg_open_text("d/f.yaml", (const char *)data, size, &doc);
    if (!doc)
        return 0;
    expect(rc == 0 || !cfg_ok(doc));
    int visits = 0;
    walk(cfg_root(doc), &visits);
    expect(cfg_ok(doc) == (cfg_message_count(doc) == 0));
    expect(cfg_message_count(doc) <= 51);
    for (size_t i = 0; i < cfg_message_count(doc); i++)
        expect(strncmp(cfg_message(doc, i), "d/f.yaml:", 9) == 0 &&
               strpbrk(cfg_message(doc, i), "\r\n\t\033") == NULL);
    cfg_close(doc);
    return 0;
}

/* YAML configuration with positions.
 *
 * A loader reads a mapping key by key into a struct that already holds the defaults, then calls
 * cfg_done() on the mapping. The getters never fail towards the caller: a missing key leaves the
 * default, a wrong value leaves the default and adds a message with file:line:column to the
 * document. cfg_done() adds a message for every key that nobody asked for and suggests the nearest
 * key that was asked for. At the end cfg_ok() says whether the file may be used, so that a user
 * sees all mistakes of a file at once.
 *
 * Not for the real-time thread: everything here allocates. Nothing here is thread-safe. */
#ifndef SKIDPAD_CONFIG_CONFIG_H
#define SKIDPAD_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cfg_doc;
struct cfg_node; /* a mapping, a sequence or a scalar of a document */

/* Parses one file. Returns 0, or a negative errno. *out is set in both cases unless memory ran out
 * (-ENOMEM, *out NULL): on failure it holds the messages. The caller closes it.
 *
 * Failure means that there is no tree: the root is empty, and getters then add no messages, since
 * the one there says it all. A mistake that leaves a tree, such as a duplicate key, is a message
 * only: the loader goes on, and cfg_ok() says no at the end. docs/config.md tells what is allowed
 * in a file. */
int cfg_open(const char *path, struct cfg_doc **out);
/* The same for text in memory; name stands for the path in messages and relative references. */
int cfg_open_text(const char *name, const char *text, size_t length, struct cfg_doc **out);
void cfg_close(struct cfg_doc *doc);

/* From now on numbers of the document may be written as `=text`, quoted or not: compute makes the
 * number of the text behind the sign, or returns a negative errno and says why. */
void cfg_compute(struct cfg_doc *doc,
                 int (*compute)(void *self, const char *text, double *value, char *why,
                                size_t size),
                 void *self);

/* A value in place of a file's, e.g. {"front.spring.rate_Npm", "25e3"}: a scalar that the file has
 * or could have. */
struct cfg_change {
    const char *key; /* dotted */
    const char *value;
};
/* Before anything is read. What cannot be set becomes a message; a key that nobody asks for is told
 * by cfg_done(). Returns 0 or -ENOMEM. */
int cfg_apply(struct cfg_doc *doc, const struct cfg_change *change, size_t count);

const struct cfg_node *cfg_root(const struct cfg_doc *doc); /* the top mapping; never NULL */
/* The document that a node is of; NULL for NULL and for the empty mapping of cfg_need_map(). */
const struct cfg_doc *cfg_doc_of(const struct cfg_node *node);
bool cfg_ok(const struct cfg_doc *doc); /* no message so far */
/* A hash of what the document says, whatever its layout, comments and order of keys: numbers count
 * by their value, files that were asked for with cfg_path() by their bytes and not by their name.
 * After the loader is through. */
uint64_t cfg_content_hash(const struct cfg_doc *doc);
size_t cfg_message_count(const struct cfg_doc *doc);
const char *cfg_message(const struct cfg_doc *doc, size_t index); /* "file:line:column: key: ..." */
void cfg_print_messages(const struct cfg_doc *doc, FILE *to);     /* one line each */

/* Every function below takes NULL for an absent mapping or list, and then does nothing. */

/* Adds a message at a node (a mapping's key, if key is not NULL): for checks across keys. The same
 * message is added once; after 50 messages one more says that others were left out. */
void cfg_complain(const struct cfg_node *node, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Line and column in the file, both from 1; line 0 is no place. */
struct cfg_mark {
    size_t line, column;
};
/* Where cfg_complain() would say it is, for checks that come when the document is closed. */
struct cfg_mark cfg_mark_of(const struct cfg_node *node, const char *key);

/* Which values are allowed. NaN and infinities never are. */
struct cfg_range {
    double low, high;
    bool low_open, high_open; /* the bound itself is not allowed */
};
#define CFG_ANY             ((struct cfg_range){-1e300, 1e300, false, false})
#define CFG_POSITIVE        ((struct cfg_range){0.0, 1e300, true, false})
#define CFG_NOT_NEGATIVE    ((struct cfg_range){0.0, 1e300, false, false})
#define CFG_BETWEEN(lo, hi) ((struct cfg_range){(lo), (hi), false, false})

bool cfg_has(const struct cfg_node *map, const char *key); /* counts as asking for the key */

/* Sub-mappings and sequences. cfg_map: NULL if absent. cfg_need_map complains if absent and then
 * returns an empty mapping, so that the caller goes on with defaults; never NULL. A key without a
 * value (all lines below it commented out) counts as an empty mapping or sequence. */
const struct cfg_node *cfg_map(const struct cfg_node *map, const char *key);
const struct cfg_node *cfg_need_map(const struct cfg_node *map, const char *key);
const struct cfg_node *cfg_list(const struct cfg_node *map, const char *key); /* NULL if absent */
size_t cfg_count(const struct cfg_node *list);
const struct cfg_node *cfg_item(const struct cfg_node *list, size_t index);
bool cfg_is_map(const struct cfg_node *node);
/* Whether the key is there with a list as its value; counts as asking for the key. */
bool cfg_is_list(const struct cfg_node *map, const char *key);
/* The value of a key, be it a scalar, a mapping or a list; NULL if absent. For values that may be
 * written in a short and a long form. */
const struct cfg_node *cfg_value(const struct cfg_node *map, const char *key);
/* The text of a scalar, e.g. of an item of a list of names; NULL if the node is not a scalar. */
const char *cfg_text(const struct cfg_node *node);
/* The keys of a mapping whose keys the user chooses; asking for a name counts as asking for it. */
size_t cfg_key_count(const struct cfg_node *map);
const char *cfg_key(const struct cfg_node *map, size_t index);

/* Scalars. Each leaves *value alone if the key is absent or wrong. */
void cfg_double(const struct cfg_node *map, const char *key, double *value, struct cfg_range range);
/* The number in the file times factor, e.g. cfg_scaled(n, "speed_kmh", &v_mps, 1.0 / 3.6, ...);
 * the range is of the number in the file. */
void cfg_scaled(const struct cfg_node *map, const char *key, double *value, double factor,
                struct cfg_range range);
/* A number that means something else when it is 0, such as off: 0, or one in the range, whose lower
 * bound is above 0. So nothing that is merely small is taken for 0. */
void cfg_zero_or(const struct cfg_node *map, const char *key, double *value,
                 struct cfg_range range);
void cfg_int(const struct cfg_node *map, const char *key, int64_t *value, int64_t low,
             int64_t high);
void cfg_bool(const struct cfg_node *map, const char *key, bool *value);
/* Complains about a text that does not fit into size bytes with its NUL. */
void cfg_string(const struct cfg_node *map, const char *key, char *value, size_t size);
/* One word of a list ended by NULL; *value becomes its index. The message names all words. */
void cfg_choice(const struct cfg_node *map, const char *key, int *value, const char *const *words);
/* A file name, made relative to the folder of the document. */
void cfg_path(const struct cfg_node *map, const char *key, char *value, size_t size);
/* Whether a file is of this kind; complains if not. The loader of another kind then says no more:
 * every key would be a mistake. */
bool cfg_kind(const struct cfg_node *root, const char *kind);
/* Complains unless the key is there. */
void cfg_need(const struct cfg_node *map, const char *key);

/* A sequence of exactly count numbers. */
void cfg_doubles(const struct cfg_node *map, const char *key, double *values, size_t count,
                 struct cfg_range range);
/* A sequence of min to max numbers; returns how many (0 if absent or wrong). */
size_t cfg_doubles_upto(const struct cfg_node *map, const char *key, double *values, size_t min,
                        size_t max, struct cfg_range range);

/* A table [[x, y1, ...], ...] with `columns` numbers a row, at least min_rows rows and the first
 * column strictly increasing. Row-major, malloc'ed (free it); NULL and *rows = 0 if absent or
 * wrong. */
double *cfg_table(const struct cfg_node *map, const char *key, size_t columns, size_t min_rows,
                  size_t *rows);
/* The same of at least one row, in any order. */
double *cfg_rows(const struct cfg_node *map, const char *key, size_t columns, size_t *rows);

/* Complains about every key of the mapping that was never asked for. */
void cfg_done(const struct cfg_node *map);

#endif

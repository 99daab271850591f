/* Reads JSON (RFC 8259) strictly: UTF-8 only, no comments, no trailing commas, nothing behind the
 * value, no key twice, numbers within double. Bounded in size, depth and number of values.
 *
 *     struct json_doc *doc;
 *     if (json_read_file(path, &doc, &e))
 *         ...                                            e.text: "file:line:column: what"
 *     const struct json *periods = json_member(json_root(doc), "periods");
 *     for (const struct json *p = json_first(periods); p; p = json_next(p))
 *         ...
 *     json_free(doc);
 *
 * Texts and values live as long as the document. Set-up code only. */
#ifndef SKIDPAD_BASE_JSON_READ_H
#define SKIDPAD_BASE_JSON_READ_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { JSON_BYTES_MAX = 32 << 20, JSON_DEPTH_MAX = 32, JSON_VALUES_MAX = 1 << 20 };
enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    const char *key;  /* in an object; else NULL */
    const char *text; /* JSON_TEXT; without zero bytes inside */
    double number;    /* JSON_NUMBER; 0 or 1 for JSON_BOOL */
    size_t count;     /* elements of an array or object */
    struct json *first, *next;
    size_t at; /* where in the text */
};

struct json_doc;

/* Both return 0 or a negative errno and a message; *doc is NULL then. */
int json_read_file(const char *path, struct json_doc **doc, struct err *e);
int json_read(const char *name, const char *text, size_t bytes, struct json_doc **doc,
              struct err *e);
void json_free(struct json_doc *doc);

const struct json *json_root(const struct json_doc *doc);
/* NULL if there is none, if it is no object, or for NULL. */
const struct json *json_member(const struct json *object, const char *key);
const struct json *json_first(const struct json *list);
const struct json *json_next(const struct json *element);

/* A message about a value: "file:line:column: ..."; returns -EINVAL. */
int json_complain(const struct json_doc *doc, const struct json *at, struct err *e,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif

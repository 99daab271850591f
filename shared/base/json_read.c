#include "shared/base/json_read.h"

#include "shared/base/file.h"
#include "shared/base/json_parse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int json_complain_at(const struct json_doc *d, size_t at, struct err *e, const char *what)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < d->bytes; i++) {
        column = d->source[i] == '\n' ? 1 : column + 1;
        line += d->source[i] == '\n';
    }
    return err_set(e, -EINVAL, "%s:%zu:%zu: %s", d->name, line, column, what);
}

int json_complain(const struct json_doc *doc, const struct json *at, struct err *e,
                  const char *format, ...)
{
    char what[256];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return json_complain_at(doc, at ? at->at : 0, e, what);
}

/* Takes the source, which is freed with the document. */
static int read_owned(const char *name, char *source, size_t bytes, struct json_doc **doc,
                      struct err *e)
{
    struct json_doc *d = calloc(1, sizeof *d);
    char *decoded = malloc(bytes + 1);
    *doc = NULL;
    if (!d || !decoded) {
        free(d);
        free(decoded);
        free(source);
        return err_set(e, -ENOMEM, "%s: out of memory", name);
    }
    (void)snprintf(d->name, sizeof d->name, "%s", name);
    d->source = source;
    d->decoded = decoded;
    d->bytes = bytes;
    d->e = e;
    int bad = json_parse(d);
    d->e = NULL;
    if (bad)
        json_free(d);
    else
        *doc = d;
    return bad;
}

int json_read(const char *name, const char *text, size_t bytes, struct json_doc **doc,
              struct err *e)
{
    *doc = NULL;
    if (bytes > JSON_BYTES_MAX)
        return err_set(e, -EFBIG, "%s: larger than %d bytes", name, JSON_BYTES_MAX);
    char *copy = malloc(bytes + 1);
    if (!copy)
        return err_set(e, -ENOMEM, "%s: out of memory", name);
    memcpy(copy, text, bytes);
    return read_owned(name, copy, bytes, doc, e);
}

int json_read_file(const char *path, struct json_doc **doc, struct err *e)
{
    char *text;
    size_t bytes;
    *doc = NULL;
    int bad = file_read_whole(path, JSON_BYTES_MAX, &text, &bytes);
    if (bad == -EFBIG)
        return err_set(e, bad, "%s: larger than %d bytes", path, JSON_BYTES_MAX);
    if (bad)
        return err_set(e, bad, "%s: %s", path, file_why(bad));
    return read_owned(path, text, bytes, doc, e);
}

void json_free(struct json_doc *doc)
{
    if (!doc)
        return;
    while (doc->blocks) {
        struct json_block *next = doc->blocks->next;
        free(doc->blocks);
        doc->blocks = next;
    }
    free(doc->source);
    free(doc->decoded);
    free(doc);
}

const struct json *json_root(const struct json_doc *doc)
{
    return doc->root;
}

const struct json *json_first(const struct json *list)
{
    return list ? list->first : NULL;
}

const struct json *json_next(const struct json *element)
{
    return element->next;
}

const struct json *json_member(const struct json *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json *v = object->first; v; v = v->next)
        if (strcmp(v->key, key) == 0)
            return v;
    return NULL;
}

#include "target/model/tyre/tir.h"

#include "shared/config/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ENTRIES_MAX = 4096 };

/* Where the parser stands. */
struct reader {
    struct tir *tir;
    struct tir_report *report;
    char section[TIR_NAME];
    bool in_table; /* the rest of this section is a table or free text */
    int line;
    const char *begin, *end; /* this line */
};

static void add_message(struct tir_report *report, bool warning, const char *where,
                        const char *format, va_list args)
{
    if (warning)
        report->warnings++;
    else
        report->errors++;
    if (report->count >= TIR_MESSAGES)
        return;
    struct tir_message *m = &report->message[report->count++];
    m->warning = warning;
    int n = snprintf(m->text, sizeof m->text, "%s", where);
    if (n > 0 && (size_t)n < sizeof m->text)
        (void)vsnprintf(m->text + n, sizeof m->text - (size_t)n, format, args);
}

static void place(char *where, size_t size, const char *name, int line, int column, const char *key)
{
    int n = line > 0 ? snprintf(where, size, "%.150s:%d:%d: ", name, line, column)
                     : snprintf(where, size, "%.150s: ", name);
    if (key && n > 0 && (size_t)n < size)
        (void)snprintf(where + n, size - (size_t)n, "%.*s: ", TIR_NAME, key);
}

void tir_complain(struct tir_report *report, const char *name, int line, int column,
                  const char *key, const char *format, ...)
{
    char where[240];
    va_list args;
    place(where, sizeof where, name, line, column, key);
    va_start(args, format);
    add_message(report, false, where, format, args);
    va_end(args);
}

void tir_warn(struct tir_report *report, const char *name, int line, int column, const char *key,
              const char *format, ...)
{
    char where[240];
    va_list args;
    place(where, sizeof where, name, line, column, key);
    va_start(args, format);
    add_message(report, true, where, format, args);
    va_end(args);
}

void tir_report_print(const struct tir_report *report, bool warnings, FILE *to)
{
    size_t shown = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct tir_message *m = &report->message[i];
        shown += !m->warning;
        if (!m->warning || warnings)
            fprintf(to, "%s%s\n", m->text, m->warning ? " (warning)" : "");
    }
    if (report->errors > shown)
        fprintf(to, "... and %zu more\n", report->errors - shown);
}

static int column_of(const struct reader *r, const char *at)
{
    return (int)(at - r->begin) + 1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blank(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static bool is_end(const char *at, const char *end)
{
    return at == end || *at == '$' || *at == '!';
}

static struct tir_entry *add_entry(struct reader *r)
{
    struct tir *t = r->tir;
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 256;
        struct tir_entry *grown = realloc(t->entry, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        t->entry = grown;
        t->capacity = capacity;
    }
    struct tir_entry *e = &t->entry[t->count++];
    memset(e, 0, sizeof *e);
    return e;
}

/* A word of the file for a message: printable ASCII, cut to fit. */
static void quote(char *to, size_t size, const char *text, size_t length)
{
    size_t n = length < size - 1 ? length : size - 1;
    for (size_t i = 0; i < n; i++)
        to[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
    to[n] = '\0';
}

/* '[NAME]' */
static void read_section(struct reader *r, const char *at)
{
    const char *name = at + 1, *stop = name;
    while (stop < r->end && *stop != ']' && *stop != '$')
        stop++;
    r->in_table = false;
    r->section[0] = '\0';
    if (stop == r->end || *stop != ']') {
        tir_complain(r->report, r->tir->name, r->line, column_of(r, at), NULL,
                     "section without closing ']'; write [NAME]");
        return;
    }
    quote(r->section, sizeof r->section, name, (size_t)(stop - name));
}

/* A number up to the next blank or comment. Returns its end, or NULL after a message. */
static const char *read_number(struct reader *r, struct tir_entry *e, const char *at)
{
    const char *stop = at;
    while (stop < r->end && !is_blank(*stop) && !is_end(stop, r->end))
        stop++;
    size_t n = (size_t)(stop - at);
    if (number_parse_double(at, n, &e->number) != 0) {
        char word[40];
        quote(word, sizeof word, at, n);
        tir_complain(r->report, r->tir->name, r->line, column_of(r, at), e->key,
                     "'%s' is not a number; allowed is a finite decimal number such as -1.5e-3%s",
                     word, number_hint(at, n));
        return NULL;
    }
    e->is_number = true;
    return stop;
}

static const char *read_string(struct reader *r, struct tir_entry *e, const char *at)
{
    const char *text = at, *stop, *after;
    if (*at == '\'' || *at == '"') {
        text = at + 1;
        stop = memchr(text, *at, (size_t)(r->end - text));
        if (!stop) {
            tir_complain(r->report, r->tir->name, r->line, column_of(r, at), e->key,
                         "string without closing %c", *at);
            return NULL;
        }
        after = stop + 1;
    } else {
        for (stop = at; stop < r->end && is_name(*stop);)
            stop++;
        after = stop;
    }
    quote(e->text, sizeof e->text, text, (size_t)(stop - text));
    return after;
}

static void check_duplicate(struct reader *r, const struct tir_entry *e)
{
    bool units = strcasecmp(e->section, "UNITS") == 0;
    for (size_t i = 0; i + 1 < r->tir->count; i++) {
        const struct tir_entry *o = &r->tir->entry[i];
        bool elsewhere = units != (strcasecmp(o->section, "UNITS") == 0);
        if (elsewhere || strcasecmp(o->key, e->key) != 0)
            continue;
        tir_complain(r->report, r->tir->name, e->line, e->column, e->key,
                     "given twice, first in line %d; keep one", o->line);
        return;
    }
}

/* 'KEY = value $comment' */
static int read_entry(struct reader *r, const char *at)
{
    const char *key = at;
    while (at < r->end && is_name(*at))
        at++;
    const char *key_end = at;
    at = skip_blank(at, r->end);
    if (key_end == key || at == r->end || *at != '=') {
        tir_complain(r->report, r->tir->name, r->line, column_of(r, at == r->end ? key : at), NULL,
                     "expected KEY = value, [SECTION], a {table} or a $comment");
        return 0;
    }
    struct tir_entry *e = add_entry(r);
    if (!e)
        return -ENOMEM;
    size_t n = (size_t)(key_end - key);
    memcpy(e->section, r->section, sizeof e->section);
    memcpy(e->key, key, n < TIR_NAME - 1 ? n : TIR_NAME - 1);
    at = skip_blank(at + 1, r->end);
    e->line = r->line;
    e->column = column_of(r, at);
    bool keep = false;
    if (is_end(at, r->end)) {
        tir_complain(r->report, r->tir->name, r->line, e->column, e->key, "no value after '='");
    } else {
        bool string = *at == '\'' || *at == '"' || isalpha((unsigned char)*at);
        at = string ? read_string(r, e, at) : read_number(r, e, at);
        keep = at != NULL;
    }
    if (keep && !is_end(skip_blank(at, r->end), r->end)) {
        at = skip_blank(at, r->end);
        tir_complain(r->report, r->tir->name, r->line, column_of(r, at), e->key,
                     "unexpected text after the value; comments begin with $");
    }
    if (keep)
        check_duplicate(r, e);
    else
        r->tir->count--;
    return 0;
}

static int read_line(struct reader *r)
{
    for (const char *c = r->begin; c < r->end; c++)
        if (iscntrl((unsigned char)*c) && !is_blank(*c)) {
            tir_complain(r->report, r->tir->name, r->line, column_of(r, c), NULL,
                         "control character 0x%02x: this is not a text file", (unsigned char)*c);
            return -EINVAL;
        }
    const char *at = skip_blank(r->begin, r->end);
    if (is_end(at, r->end))
        return 0;
    if (*at == '[') {
        read_section(r, at);
        return 0;
    }
    if (*at == '{' || *at == '(')
        r->in_table = true;
    return r->in_table ? 0 : read_entry(r, at);
}

int tir_parse(const char *name, const char *text, size_t length, struct tir *tir,
              struct tir_report *report)
{
    struct reader r = {.tir = tir, .report = report};
    const char *end = text + length;
    memset(tir, 0, sizeof *tir);
    tir->name = name;
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        r.line++;
        r.begin = at;
        r.end = newline ? newline : end;
        int failed = read_line(&r);
        if (failed)
            return failed;
        if (tir->count > ENTRIES_MAX) {
            tir_complain(report, name, r.line, 1, NULL, "more than %d keys", ENTRIES_MAX);
            return -EINVAL;
        }
        at = newline ? newline + 1 : end;
    }
    return report->errors ? -EINVAL : 0;
}

void tir_free(struct tir *tir)
{
    free(tir->entry);
    tir->entry = NULL;
    tir->count = tir->capacity = 0;
}

struct tir_entry *tir_find(const struct tir *tir, const char *section, const char *key)
{
    for (size_t i = 0; i < tir->count; i++) {
        struct tir_entry *e = &tir->entry[i];
        bool wanted =
            section ? strcasecmp(e->section, section) == 0 : strcasecmp(e->section, "UNITS") != 0;
        if (wanted && strcasecmp(e->key, key) == 0)
            return e;
    }
    return NULL;
}

#include "shared/base/utf8.h"
#include "shared/can/dbc_load_reader.h"
#include "shared/config/number.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages */

static void place(const struct dbc_reader *r, const char *at, char *text, size_t size)
{
    int line = 1, column = 1;
    for (const char *c = r->text; c < at; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else {
            column += ((unsigned char)*c & 0xc0u) != 0x80; /* characters, not bytes */
        }
    }
    (void)snprintf(text, size, "%.200s:%d:%d: ", r->dbc->name, line, column);
}

bool dbc_fail(struct dbc_reader *r, const char *at, const char *format, ...)
{
    char where[240], what[400];
    va_list args;
    if (r->code)
        return false;
    place(r, at, where, sizeof where);
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    r->code = err_set(&r->mistake, -EINVAL, "%s%s", where, what);
    return false;
}

static void add_warning(struct dbc_reader *r, const char *text)
{
    if (r->dbc->warning_count++ >= DBC_WARNINGS)
        return;
    const char *kept = arena_copy_text(&r->arena, text, strlen(text));
    r->dbc->warnings[r->dbc->warning_count - 1] = kept ? kept : "out of memory";
}

void dbc_warn(struct dbc_reader *r, const char *at, const char *format, ...)
{
    char text[640] = "";
    va_list args;
    if (r->dbc->warning_count < DBC_WARNINGS) /* finding the place takes long */
        place(r, at, text, sizeof text);
    size_t used = strlen(text);
    va_start(args, format);
    (void)vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    add_warning(r, text);
}

void dbc_add_warning(struct dbc_reader *r, const char *format, ...)
{
    char text[640];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_warning(r, text);
}

bool dbc_out_of_memory(struct dbc_reader *r)
{
    if (!r->code)
        r->code = err_set(&r->mistake, -ENOMEM, "%.200s: out of memory", r->dbc->name);
    return false;
}

int dbc_line(struct dbc_reader *r, const char *at)
{
    for (; r->counted < at; r->counted++)
        r->line += *r->counted == '\n';
    return r->line;
}

/* ---- characters */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Names should be those of C, but tools also write others. */
static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '-' || c == '.' || c == '$' || ((unsigned char)c & 0x80u);
}

/* Nothing that a terminal obeys, but for the ends of lines. */
static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\n' && c != '\t') || c == 0x7f;
}

static char here(const struct dbc_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

void scan_blank(struct dbc_reader *r)
{
    for (;;) {
        while (is_blank(here(r)) || here(r) == '\n')
            r->at++;
        if (r->end - r->at < 2 || r->at[0] != '/' || r->at[1] != '/')
            return;
        while (r->at < r->end && *r->at != '\n')
            r->at++;
    }
}

static struct span word_here(const struct dbc_reader *r)
{
    struct span s = {r->at, 0};
    while (s.at + s.length < r->end && !is_blank(s.at[s.length]) && s.at[s.length] != '\n')
        s.length++;
    return s;
}

int span_shown(struct span s)
{
    size_t length = s.length < SPAN_SHOWN ? s.length : SPAN_SHOWN;
    while (length > 0 && length < s.length && ((unsigned char)s.at[length] & 0xc0u) == 0x80)
        length--;
    return (int)length;
}

bool span_is(struct span s, const char *word)
{
    return strlen(word) == s.length && memcmp(s.at, word, s.length) == 0;
}

static bool expected(struct dbc_reader *r, const char *what)
{
    struct span found = word_here(r);
    if (found.length == 0)
        return dbc_fail(r, r->at, "expected %s, but the line or file ends here", what);
    return dbc_fail(r, r->at, "expected %s, found '%.*s'", what, span_shown(found), found.at);
}

/* ---- pieces */

bool next_is(struct dbc_reader *r, char c)
{
    scan_blank(r);
    return here(r) == c && r->at < r->end;
}

bool next_is_number(struct dbc_reader *r)
{
    scan_blank(r);
    return is_digit(here(r)) || here(r) == '-' || here(r) == '+' || here(r) == '.';
}

bool next_on_line(struct dbc_reader *r)
{
    while (is_blank(here(r)))
        r->at++;
    return is_name(here(r));
}

bool take_char(struct dbc_reader *r, char c)
{
    if (!next_is(r, c))
        return false;
    r->at++;
    return true;
}

bool take_word(struct dbc_reader *r, const char *word)
{
    scan_blank(r);
    struct span s = {r->at, 0};
    while (s.at + s.length < r->end && is_name(s.at[s.length]))
        s.length++;
    if (!span_is(s, word))
        return false;
    r->at += s.length;
    return true;
}

bool scan_char(struct dbc_reader *r, char c, const char *what)
{
    return take_char(r, c) || expected(r, what);
}

bool scan_name(struct dbc_reader *r, struct span *name, const char *what)
{
    scan_blank(r);
    *name = (struct span){r->at, 0};
    while (is_name(here(r)))
        r->at++;
    name->length = (size_t)(r->at - name->at);
    return name->length > 0 || expected(r, what);
}

bool scan_uint(struct dbc_reader *r, uint64_t *value, const char *what)
{
    scan_blank(r);
    const char *start = r->at;
    if (!is_digit(here(r)))
        return expected(r, what);
    for (*value = 0; is_digit(here(r)); r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return dbc_fail(r, start, "expected %s, but this number needs more than 64 bits", what);
        *value = *value * 10 + digit;
    }
    return true;
}

bool scan_number(struct dbc_reader *r, double *value, const char *what)
{
    scan_blank(r);
    const char *start = r->at;
    while (is_digit(here(r)) || (here(r) != '\0' && strchr("+-.eE", here(r))))
        r->at++;
    size_t length = (size_t)(r->at - start);
    int rc = length ? number_parse_double(start, length, value) : -EINVAL;
    if (rc == -ERANGE)
        return dbc_fail(r, start, "expected %s, but this number is too large for a double", what);
    if (rc == 0)
        return true;
    r->at = start;
    return expected(r, what);
}

bool scan_int(struct dbc_reader *r, int64_t *value, const char *what)
{
    scan_blank(r);
    const char *start = r->at;
    bool negative = here(r) == '-';
    if (negative || here(r) == '+')
        r->at++;
    uint64_t size = 0;
    if (is_digit(here(r))) {
        if (!scan_uint(r, &size, what))
            return false;
        if (here(r) != '.' && here(r) != 'e' && here(r) != 'E') {
            if (negative && size > (uint64_t)1 << 63)
                return dbc_fail(r, start, "expected %s, but this one is below -2^63", what);
            *value = (int64_t)(negative ? 0 - size : size);
            return true;
        }
    }
    /* 3.0, as some tools write */
    double number = 0.0;
    r->at = start;
    if (!scan_number(r, &number, what))
        return false;
    const double most = 9007199254740992.0; /* 2^53 */
    if (!(number > -most && number < most) || (double)(int64_t)number != number)
        return dbc_fail(r, start, "expected %s, found a number that is not whole", what);
    *value = (int64_t)number;
    return true;
}

/* A quote behind a backslash belongs to the text, unless the statement ends there: then it is the
 * end of a path. */
static bool is_escaped_quote(const struct dbc_reader *r)
{
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != '"')
        return false;
    const char *c = r->at + 2;
    while (c < r->end && is_blank(*c))
        c++;
    if (c == r->end || *c != ';')
        return c < r->end;
    for (c++; c < r->end && is_blank(*c);)
        c++;
    return c < r->end && *c != '\n';
}

bool scan_string(struct dbc_reader *r, const char **text, const char *what)
{
    if (!take_char(r, '"'))
        return expected(r, what);
    const char *start = r->at, *stop = start;
    while (stop < r->end && *stop != '"') {
        r->at = stop;
        stop += is_escaped_quote(r) ? 2 : 1;
    }
    if (stop >= r->end)
        return dbc_fail(r, start - 1, "this text has no closing quote");
    char *copy = arena_alloc(&r->arena, (size_t)(stop - start) + 1), *to = copy;
    if (!copy)
        return dbc_out_of_memory(r);
    for (r->at = start; r->at < stop; r->at++) {
        r->at += is_escaped_quote(r);
        if (*r->at != '\r')
            *to++ = is_control(*r->at) ? '?' : *r->at;
    }
    r->at = stop + 1;
    *text = copy;
    return true;
}

bool dbc_id_exists(uint32_t id)
{
    uint32_t most = id & CAN_ID_EXTENDED ? CAN_ID_MASK : 0x7ff;
    return (id & ~CAN_ID_EXTENDED) <= most;
}

bool scan_id(struct dbc_reader *r, uint32_t *id)
{
    uint64_t number = 0;
    scan_blank(r);
    const char *start = r->at;
    if (!scan_uint(r, &number, "the id of a message (a decimal number)"))
        return false;
    if (number > UINT32_MAX)
        return dbc_fail(r, start, "the id of a message has at most 32 bits");
    /* A 29-bit id should have bit 31; one that is too large for 11 bits can be nothing else. */
    if (number > 0x7ff && number <= CAN_ID_MASK)
        number |= CAN_ID_EXTENDED;
    *id = (uint32_t)number;
    return true;
}

bool scan_end(struct dbc_reader *r)
{
    const char *at = r->at;
    while (at > r->text && (is_blank(at[-1]) || at[-1] == '\n'))
        at--;
    if (take_char(r, ';'))
        return true;
    if (r->at < r->end && !memchr(at, '\n', (size_t)(r->at - at)))
        return expected(r, "';' at the end");
    dbc_warn(r, at, "';' is missing at the end of this statement");
    return true;
}

/* ---- building */

bool dbc_grow(struct dbc_reader *r, void *items, size_t *size, size_t count, size_t item_bytes)
{
    if (count < *size)
        return true;
    size_t wanted = *size ? 2 * *size : 64;
    void *old;
    memcpy(&old, items, sizeof old);
    void *grown = realloc(old, wanted * item_bytes);
    if (!grown)
        return dbc_out_of_memory(r);
    memcpy(items, &grown, sizeof grown);
    *size = wanted;
    return true; /* cppcheck-suppress memleak ; the caller has it */
}

const char *dbc_keep(struct dbc_reader *r, struct span s)
{
    const char *kept = arena_copy_text(&r->arena, s.at, s.length);
    if (!kept)
        (void)dbc_out_of_memory(r);
    return kept ? kept : "";
}

size_t built_message(struct dbc_reader *r, uint32_t id)
{
    if (r->last_found < r->message_count && r->messages[r->last_found].m.id == id)
        return r->last_found;
    for (size_t i = 0; i < r->message_count; i++)
        if (r->messages[i].m.id == id)
            return r->last_found = i;
    return BUILT_NONE;
}

size_t built_signal(const struct dbc_reader *r, size_t message, struct span name)
{
    if (message == BUILT_NONE)
        return BUILT_NONE;
    const struct built_message *m = &r->messages[message];
    for (size_t i = m->first_signal; i < m->first_signal + m->m.signal_count; i++)
        if (span_is(name, r->signals[i].s.name))
            return i;
    return BUILT_NONE;
}

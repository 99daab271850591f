#include "shared/base/json_parse.h"

#include "shared/base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first complaint stays. Returns NULL. */
static struct json *fail(struct json_doc *d, size_t at, const char *what)
{
    if (!d->bad)
        (void)json_complain_at(d, at, d->e, what);
    d->bad = true;
    return NULL;
}

static struct json *new_value(struct json_doc *d, enum json_kind kind, size_t at)
{
    if (d->values >= JSON_VALUES_MAX)
        return fail(d, at, "too many values");
    if (!d->blocks || d->blocks->used == JSON_BLOCK) {
        struct json_block *b = malloc(sizeof *b);
        if (!b)
            return fail(d, at, "out of memory");
        b->next = d->blocks;
        b->used = 0;
        d->blocks = b;
    }
    struct json *v = &d->blocks->values[d->blocks->used++];
    *v = (struct json){.kind = kind, .at = at};
    d->values++;
    return v;
}

/* The character here; 0 at the end (a zero byte is not allowed anywhere). */
static char here(const struct json_doc *d)
{
    return d->at < d->bytes ? d->source[d->at] : '\0';
}

static void skip_blanks(struct json_doc *d)
{
    while (here(d) && strchr(" \t\r\n", here(d)))
        d->at++;
}

static bool take(struct json_doc *d, char c)
{
    if (here(d) != c || c == '\0')
        return false;
    d->at++;
    return true;
}

/* ---- texts */

static void put(struct json_doc *d, unsigned int byte)
{
    d->decoded[d->decoded_at++] = (char)(unsigned char)byte;
}

/* Never longer than the escape it came from. */
static void put_code(struct json_doc *d, unsigned int code)
{
    if (code < 0x80) {
        put(d, code);
        return;
    }
    if (code < 0x800) {
        put(d, 0xc0 | code >> 6);
    } else if (code < 0x10000) {
        put(d, 0xe0 | code >> 12);
        put(d, 0x80 | (code >> 6 & 0x3f));
    } else {
        put(d, 0xf0 | code >> 18);
        put(d, 0x80 | (code >> 12 & 0x3f));
        put(d, 0x80 | (code >> 6 & 0x3f));
    }
    put(d, 0x80 | (code & 0x3f));
}

/* Four hexadecimal digits; UINT_MAX if they are not there. */
static unsigned int take_hex(struct json_doc *d)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    unsigned int code = 0;
    for (int i = 0; i < 4; i++) {
        char c = here(d);
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit)
            return (unsigned int)-1;
        code = code << 4 | (unsigned int)((digit - digits) % 16);
        d->at++;
    }
    return code;
}

static bool take_unicode(struct json_doc *d, size_t start)
{
    unsigned int code = take_hex(d);
    if (code >= 0xd800 && code < 0xdc00) {
        unsigned int low = take(d, '\\') && take(d, 'u') ? take_hex(d) : 0;
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                                             : (unsigned int)-1;
    } else if (code >= 0xdc00 && code < 0xe000) {
        code = (unsigned int)-1;
    }
    if (code == 0 || code > 0x10ffff) {
        (void)fail(d, start, "not a character that is allowed: \\u");
        return false;
    }
    put_code(d, code);
    return true;
}

static bool take_escape(struct json_doc *d)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    size_t start = d->at - 1;
    if (take(d, 'u'))
        return take_unicode(d, start);
    const char *known = here(d) ? strchr(from, here(d)) : NULL;
    if (!known) {
        (void)fail(d, start, "unknown escape in a text");
        return false;
    }
    d->at++;
    put(d, (unsigned char)to[known - from]);
    return true;
}

/* One character of several bytes, copied as it is. */
static bool take_utf8(struct json_doc *d)
{
    const char *t = d->source + d->at;
    const size_t length = utf8_character(t, d->bytes - d->at);
    if (length == 0) {
        (void)fail(d, d->at, "not valid UTF-8");
        return false;
    }
    for (size_t i = 0; i < length; i++)
        put(d, (unsigned char)t[i]);
    d->at += length;
    return true;
}

/* A text behind its opening quote. */
static const char *take_text(struct json_doc *d)
{
    const char *text = d->decoded + d->decoded_at;
    size_t start = d->at - 1;
    while (d->at < d->bytes) {
        unsigned char c = (unsigned char)d->source[d->at];
        bool good = true;
        if (take(d, '"')) {
            put(d, 0); /* in the place of a quote */
            return text;
        }
        if (take(d, '\\')) {
            good = take_escape(d);
        } else if (c < 0x20) {
            (void)fail(d, d->at, "a control character in a text must be written as an escape");
            good = false;
        } else if (c < 0x80) {
            put(d, c);
            d->at++;
        } else {
            good = take_utf8(d);
        }
        if (!good)
            return NULL;
    }
    (void)fail(d, start, "the text has no end");
    return NULL;
}

/* ---- values */

static size_t take_digits(struct json_doc *d)
{
    size_t start = d->at;
    while (here(d) >= '0' && here(d) <= '9')
        d->at++;
    return d->at - start;
}

static struct json *take_number(struct json_doc *d)
{
    size_t start = d->at;
    char digits[64];
    (void)take(d, '-');
    bool zero = here(d) == '0';
    size_t whole = take_digits(d);
    bool good = whole > 0 && !(zero && whole > 1);
    if (take(d, '.'))
        good = take_digits(d) > 0 && good;
    if (take(d, 'e') || take(d, 'E')) {
        if (!take(d, '+'))
            (void)take(d, '-');
        good = take_digits(d) > 0 && good;
    }
    size_t length = d->at - start;
    if (!good)
        return fail(d, start, "not a number that JSON allows");
    if (length >= sizeof digits)
        return fail(d, start, "too many digits");
    memcpy(digits, d->source + start, length);
    digits[length] = '\0';
    struct json *v = new_value(d, JSON_NUMBER, start);
    if (!v)
        return NULL;
    v->number = strtod(digits, NULL); /* the programs never set another locale */
    return isfinite(v->number) ? v : fail(d, start, "the number is too large");
}

static struct json *take_word(struct json_doc *d)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (d->bytes - d->at < length || memcmp(d->source + d->at, words[i], length) != 0)
            continue;
        struct json *v = new_value(d, i == 0 ? JSON_NULL : JSON_BOOL, d->at);
        d->at += length;
        if (v)
            v->number = i == 2 ? 1.0 : 0.0;
        return v;
    }
    return fail(d, d->at, d->at < d->bytes ? "a value is expected here" : "the file ends early");
}

static struct json *take_value(struct json_doc *d, int depth);

/* A key and its colon. */
static const char *take_key(struct json_doc *d, const struct json *object)
{
    if (!take(d, '"')) {
        (void)fail(d, d->at, "a key in quotes is expected here");
        return NULL;
    }
    size_t start = d->at - 1;
    const char *key = take_text(d);
    if (!key)
        return NULL;
    if (object->count >= JSON_KEYS_MAX) {
        (void)fail(d, start, "too many keys");
        return NULL;
    }
    if (json_member(object, key)) {
        (void)fail(d, start, "this key has been there before");
        return NULL;
    }
    skip_blanks(d);
    if (!take(d, ':')) {
        (void)fail(d, d->at, "a colon is expected here");
        return NULL;
    }
    return key;
}

/* An array or object behind its opening bracket. */
static struct json *take_list(struct json_doc *d, enum json_kind kind, int depth)
{
    const char end = kind == JSON_OBJECT ? '}' : ']';
    struct json *list = new_value(d, kind, d->at - 1);
    if (!list)
        return NULL;
    struct json **tail = &list->first;
    skip_blanks(d);
    if (take(d, end))
        return list;
    for (;;) {
        const char *key = NULL;
        skip_blanks(d);
        if (kind == JSON_OBJECT && !(key = take_key(d, list)))
            return NULL;
        struct json *v = take_value(d, depth + 1);
        if (!v)
            return NULL;
        v->key = key;
        *tail = v;
        tail = &v->next;
        list->count++;
        skip_blanks(d);
        if (take(d, end))
            return list;
        if (!take(d, ','))
            return fail(d, d->at, "a comma or the closing bracket is expected here");
    }
}

/* Calls itself for what is inside, at most JSON_DEPTH_MAX deep. */
static struct json *take_value(struct json_doc *d, int depth)
{
    skip_blanks(d);
    if (depth > JSON_DEPTH_MAX)
        return fail(d, d->at, "nested too deep");
    if (take(d, '{'))
        return take_list(d, JSON_OBJECT, depth);
    if (take(d, '['))
        return take_list(d, JSON_ARRAY, depth);
    if (take(d, '"')) {
        struct json *v = new_value(d, JSON_TEXT, d->at - 1);
        if (v)
            v->text = take_text(d);
        return v && v->text ? v : NULL;
    }
    if (here(d) == '-' || (here(d) >= '0' && here(d) <= '9'))
        return take_number(d);
    return take_word(d);
}

int json_parse(struct json_doc *d)
{
    d->root = take_value(d, 0);
    skip_blanks(d);
    if (d->root && d->at < d->bytes)
        (void)fail(d, d->at, "nothing may follow the value");
    return d->bad ? -EINVAL : 0;
}

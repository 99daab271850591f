#include "shared/base/json_write.h"

#include "shared/base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_string(FILE *to, const char *text)
{
    const unsigned char *t = (const unsigned char *)text;
    size_t left = strlen(text), length;
    fputc('"', to);
    for (; left > 0; left -= length, t += length) {
        length = utf8_character((const char *)t, left);
        if (length == 0)
            fputs("\\ufffd", to);
        else if (*t == '"' || *t == '\\')
            fprintf(to, "\\%c", *t);
        else if (*t == '\n')
            fputs("\\n", to);
        else if (*t < 0x20 || *t == 0x7f)
            fprintf(to, "\\u%04x", *t);
        else
            (void)fwrite(t, 1, length, to);
        length = length > 0 ? length : 1;
    }
    fputc('"', to);
}

static void new_line(const struct json_writer *w)
{
    fprintf(w->to, "\n%*s", 2 * w->depth, "");
}

/* What comes before any value: comma, line, key. */
static void before(struct json_writer *w, const char *key)
{
    if (w->depth > 0) {
        bool *used = &w->level[w->depth - 1].used;
        if (*used)
            fputc(',', w->to);
        if (!w->flat)
            new_line(w);
        *used = true;
    }
    if (key) {
        put_string(w->to, key);
        fputs(": ", w->to);
    }
}

void json_open(struct json_writer *w, const char *key, char bracket)
{
    before(w, key);
    fputc(bracket, w->to);
    assert(w->depth < JSON_WRITE_DEPTH);
    w->level[w->depth].end = bracket == '{' ? '}' : ']';
    w->level[w->depth].used = false;
    w->depth++;
}

void json_open_flat(struct json_writer *w, const char *key)
{
    json_open(w, key, '[');
    if (!w->flat)
        w->level[w->depth - 1].end = '|'; /* ends the line mode as well */
    w->flat = true;
}

void json_close(struct json_writer *w)
{
    assert(w->depth > 0);
    w->depth--;
    char end = w->level[w->depth].end;
    if (end == '|')
        end = ']';
    else if (!w->flat && w->level[w->depth].used)
        new_line(w);
    if (w->level[w->depth].end == '|')
        w->flat = false;
    fputc(end, w->to);
}

void json_text(struct json_writer *w, const char *key, const char *text)
{
    before(w, key);
    put_string(w->to, text);
}

void json_int(struct json_writer *w, const char *key, int64_t value)
{
    before(w, key);
    fprintf(w->to, "%" PRId64, value);
}

void json_double(struct json_writer *w, const char *key, double value)
{
    char digits[32] = "null";
    before(w, key);
    if (isfinite(value)) {
        (void)snprintf(digits, sizeof digits, "%.17g", value);
        /* A locale may have set another decimal point. */
        char *comma = strchr(digits, ',');
        if (comma)
            *comma = '.';
    }
    fputs(digits, w->to);
}

void json_bool(struct json_writer *w, const char *key, bool value)
{
    before(w, key);
    fputs(value ? "true" : "false", w->to);
}

int json_finish(struct json_writer *w)
{
    assert(w->depth == 0);
    fputc('\n', w->to);
    return fflush(w->to) || ferror(w->to) ? -EIO : 0;
}

#include "shared/config/line.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

size_t line_utf8_cut(const char *text, size_t length, size_t longest)
{
    if (length <= longest)
        return length;
    size_t end = longest;
    while (end > 0 && ((unsigned char)text[end] & 0xC0U) == 0x80U)
        end--;
    return end;
}

static void mark_cut(struct line *line)
{
    const size_t room = sizeof line->text - sizeof "...";
    size_t end = line_utf8_cut(line->text, line->used, room);
    memcpy(line->text + end, "...", sizeof "...");
    line->used = end + 3;
    line->cut = true;
}

void line_vadd(struct line *line, const char *format, va_list args)
{
    if (line->cut)
        return;
    size_t left = sizeof line->text - line->used;
    /* Only this thread changes its locale, and only for this call. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t user = c_locale != (locale_t)0 ? uselocale(c_locale) : (locale_t)0;
    int wanted = vsnprintf(line->text + line->used, left, format, args);
    if (c_locale != (locale_t)0) {
        (void)uselocale(user);
        freelocale(c_locale);
    }
    if (wanted < 0) {
        line->text[line->used] = '\0';
        return;
    }
    if ((size_t)wanted < left) {
        line->used += (size_t)wanted;
        return;
    }
    line->used = sizeof line->text - 1;
    mark_cut(line);
}

void line_add(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line_vadd(line, format, args);
    va_end(args);
}

/* Terminals obey the control characters U+0000 to U+001F and U+007F to U+009F. */
static bool is_control(const char *text, size_t length, size_t at, size_t *bytes)
{
    unsigned char c = (unsigned char)text[at];
    *bytes = 1;
    if (c < 0x20U || c == 0x7FU)
        return true;
    if (c != 0xC2U || at + 1 >= length || (unsigned char)text[at + 1] >= 0xA0U)
        return false;
    *bytes = 2;
    return true;
}

void line_add_text(struct line *line, const char *text, size_t length, size_t longest)
{
    size_t end = line_utf8_cut(text, length, longest);
    size_t plain = 0; /* where the characters begin that are good but not yet added */
    for (size_t at = 0; at < end;) {
        size_t bytes = 1;
        bool control = is_control(text, end, at, &bytes);
        if (control) {
            line_add(line, "%.*s?", (int)(at - plain), text + plain);
            plain = at + bytes;
        }
        at += bytes;
    }
    line_add(line, "%.*s%s", (int)(end - plain), text + plain, end < length ? "..." : "");
}

/* One line of text for the user, put together piece by piece; what does not fit is cut and marked
 * with "...". Numbers get a decimal point in every locale. */
#ifndef SKIDPAD_CONFIG_LINE_H
#define SKIDPAD_CONFIG_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct line {
    size_t used;
    bool cut;
    char text[1024];
};

/* All zero is an empty line. */
#define LINE_EMPTY ((struct line){0})

void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
void line_vadd(struct line *line, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Adds a text from a file, at most `longest` bytes of it; control characters become '?'. */
void line_add_text(struct line *line, const char *text, size_t length, size_t longest);

/* The length of the beginning of the text that has at most `longest` bytes and ends with a whole
 * UTF-8 character. */
size_t line_utf8_cut(const char *text, size_t length, size_t longest);

#endif

/* The frame of the HTML reports: one page, its style inside, nothing loaded from elsewhere. */
#ifndef SKIDPAD_TARGET_HTML_H
#define SKIDPAD_TARGET_HTML_H

#include <stdio.h>

void html_begin(FILE *to, const char *title);
void html_end(FILE *to);

/* Text with its special characters replaced, for HTML and XML; the same in a table's cell. */
void html_put(FILE *to, const char *text);
void html_cell(FILE *to, const char *text);

#endif

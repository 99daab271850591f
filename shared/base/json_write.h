/* Writes JSON (RFC 8259), one member a line, indented.
 *
 *     struct json_writer w = {.to = file};
 *     json_open(&w, NULL, '{');
 *     json_text(&w, "label", label);
 *     json_open(&w, "periods", '[');
 *     json_int(&w, NULL, 1000);
 *     json_close(&w);
 *     json_close(&w);
 *     if (json_finish(&w))
 *         ...
 *
 * Members of objects have a key, elements of arrays NULL. Any bytes are allowed in texts: what is
 * not valid UTF-8 becomes U+FFFD. Set-up code only: uses stdio. */
#ifndef SKIDPAD_BASE_JSON_WRITE_H
#define SKIDPAD_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_WRITE_DEPTH = 16 };

struct json_writer {
    FILE *to;
    int depth;
    bool flat; /* no new lines until the next json_close() */
    struct {
        char end;
        bool used; /* has an element */
    } level[JSON_WRITE_DEPTH];
};

/* bracket is '{' or '['. */
void json_open(struct json_writer *w, const char *key, char bracket);
/* An array that is written on one line, as are the arrays in it. */
void json_open_flat(struct json_writer *w, const char *key);
void json_close(struct json_writer *w);
void json_text(struct json_writer *w, const char *key, const char *text);
void json_int(struct json_writer *w, const char *key, int64_t value);
/* So many digits that reading gives the same value; null if it is not finite. */
void json_double(struct json_writer *w, const char *key, double value);
void json_bool(struct json_writer *w, const char *key, bool value);
/* Ends the last line. Returns 0 or -EIO. */
int json_finish(struct json_writer *w);

#endif

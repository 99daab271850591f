/* The head of an HTTP request, taken apart in place. */
#ifndef SKIDPAD_HOST_WEB_REQUEST_H
#define SKIDPAD_HOST_WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { WEB_HEAD_MAX = 8192, WEB_FIELDS = 64 };

struct web_field {
    const char *name, *value;
};

struct web_request {
    const char *method, *path, *query; /* path begins with a slash; no query: "" */
    struct web_field field[WEB_FIELDS];
    int fields;
};

/* Where the head ends: the bytes up to and with the empty line; 0: it has not come yet. */
size_t web_head_bytes(const char *text, size_t bytes);
/* Takes a whole head apart; the texts lie in it. False: it is no HTTP/1.1 request. */
bool web_request_parse(char *head, size_t bytes, struct web_request *r);
/* The value of a field by its name, whatever its case; NULL: it is not there, or twice. */
const char *web_field(const struct web_request *r, const char *name);
/* Whether a list of words with commas has this one; fold: whatever its case. */
bool web_list_has(const char *list, const char *word, bool fold);

#endif

/* What json_read.c and json_parse.c share. */
#ifndef SKIDPAD_BASE_JSON_PARSE_H
#define SKIDPAD_BASE_JSON_PARSE_H

#include "shared/base/json_read.h"

enum { JSON_BLOCK = 4096, JSON_KEYS_MAX = 256 };

/* Values are allocated in blocks, so that pointers to them stay. */
struct json_block {
    struct json_block *next;
    size_t used;
    struct json values[JSON_BLOCK];
};

struct json_doc {
    char name[256];
    char *source;  /* as it was, for positions */
    char *decoded; /* the same length: texts without quotes and escapes, each ended by a zero */
    size_t bytes, at, decoded_at;
    size_t values;
    struct json_block *blocks;
    struct json *root;
    struct err *e;
    bool bad;
};

/* Parses the source into root. Returns 0, or -EINVAL with the message in d->e. */
int json_parse(struct json_doc *d);
/* "name:line:column: what"; returns -EINVAL. */
int json_complain_at(const struct json_doc *d, size_t at, struct err *e, const char *what);

#endif

/* What a target tells of a run, checked: the layout of its records, and who it is. */
#ifndef SKIDPAD_HOST_DESCRIPTION_H
#define SKIDPAD_HOST_DESCRIPTION_H

#include "shared/base/err.h"
#include "shared/wire/record.h"

#include <stdatomic.h>
#include <stdint.h>

enum { DESCRIPTION_SIGNALS = 1024, DESCRIPTION_PROPERTIES = 40, DESCRIPTION_RECORD_MAX = 16384 };

/* Texts live in the description. */
struct description_signal {
    const char *name, *unit, *meaning;
    enum signal_type type;
    uint32_t offset; /* in the record, head included */
};

struct description_property {
    const char *name, *value;
};

struct description {
    uint64_t run, table;
    double period_s, publish_s;
    uint32_t record_bytes;
    int64_t start_ns; /* UTC */
    size_t signal_count, property_count;
    struct description_signal signal[DESCRIPTION_SIGNALS];
    struct description_property property[DESCRIPTION_PROPERTIES];
    char *text; /* the JSON as it came, without the brace it begins with; for pages */
    struct json_doc *doc;
    atomic_int holders; /* who has not freed it yet */
};

/* Reads the JSON text. Returns 0, or a negative errno with a message; *out is NULL then. */
int description_read(const char *text, size_t bytes, struct description **out, struct err *e);
/* Another holder, of any thread, who frees it as well: it never changes. */
struct description *description_share(struct description *d);
void description_free(struct description *d);

/* Index of a signal by name, or -1. Names that begin with tick_ are of the record's head:
 * DESCRIPTION_SIGNALS and up. */
int description_find(const struct description *d, const char *name);
/* The value of a signal in a record. */
double description_value(const struct description *d, int signal, const void *record);

/* The members of the head that pages may ask for. */
struct description_extra {
    const char *name, *unit, *meaning;
};
enum { DESCRIPTION_EXTRAS = 5 };
extern const struct description_extra description_extra[DESCRIPTION_EXTRAS];

#endif

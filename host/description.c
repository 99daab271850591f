#include "host/description.h"

#include "shared/base/json_read.h"
#include "shared/wire/telemetry.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = offsetof(struct loop_record, signals) };

const struct description_extra description_extra[DESCRIPTION_EXTRAS] = {
    {"tick_wake_us", "us", "wake-up after the release"},
    {"tick_response_us", "us", "end of the tick after the release"},
    {"tick_steps", "1", "steps of the plant in the tick"},
    {"tick_skipped", "1", "releases skipped before the tick"},
    {"tick_cause", "1", "cause of the safe state; 0 is none"},
};

static const char *text_of(const struct json *object, const char *key)
{
    const struct json *j = json_member(object, key);
    return j && j->kind == JSON_TEXT ? j->text : NULL;
}

static bool number_of(const struct json *object, const char *key, double low, double high,
                      double *out)
{
    const struct json *j = json_member(object, key);
    if (!j || j->kind != JSON_NUMBER || !(j->number >= low && j->number <= high))
        return false;
    *out = j->number;
    return true;
}

static bool hex_of(const struct json *object, const char *key, uint64_t *out)
{
    const char *text = text_of(object, key);
    char *end = NULL;
    if (!text || strlen(text) != 16)
        return false;
    *out = strtoull(text, &end, 16);
    return *end == '\0';
}

static int type_of(const char *text)
{
    static const char *const types[] = {"f64", "i64", "u32", "i32"};
    for (int i = 0; i < 4; i++)
        if (strcmp(types[i], text) == 0)
            return i;
    return -1;
}

static int read_signal(const struct description *d, const struct json *j,
                       struct description_signal *s)
{
    const char *type = text_of(j, "type");
    double offset = 0.0;
    s->name = text_of(j, "name");
    s->unit = text_of(j, "unit");
    s->meaning = text_of(j, "meaning");
    int kind = type ? type_of(type) : -1;
    size_t bytes = kind == SIGNAL_f64 || kind == SIGNAL_i64 ? 8 : 4;
    if (!s->name || !s->name[0] || !s->unit || !s->meaning || kind < 0 ||
        !number_of(j, "offset", 0.0, DESCRIPTION_RECORD_MAX, &offset) || offset != floor(offset) ||
        HEAD_BYTES + (size_t)offset + bytes > d->record_bytes)
        return -EBADMSG;
    s->type = (enum signal_type)kind;
    s->offset = HEAD_BYTES + (uint32_t)offset;
    return 0;
}

/* The list, and that its hash is the one the target puts into its packets. */
static int read_signals(struct description *d, const struct json *root, struct err *e)
{
    const struct json *list = json_member(root, "signals");
    uint64_t hash = telemetry_hash_begin;
    for (const struct json *j = json_first(list); j; j = json_next(j)) {
        struct description_signal *s = &d->signal[d->signal_count];
        if (d->signal_count >= DESCRIPTION_SIGNALS)
            return err_set(e, -EFBIG, "more than %d signals", DESCRIPTION_SIGNALS);
        if (read_signal(d, j, s))
            return json_complain(d->doc, j, e, "not the description of a signal");
        hash = telemetry_hash_signal(hash, s->name, s->unit, (uint32_t)s->type,
                                     s->offset - HEAD_BYTES);
        d->signal_count++;
    }
    if (d->signal_count == 0)
        return err_set(e, -EBADMSG, "no signals are described");
    return hash == d->table ? 0 : err_set(e, -EBADMSG, "the table's hash is not that of its text");
}

static void read_properties(struct description *d, const struct json *root)
{
    const struct json *info = json_member(root, "run_info");
    for (const struct json *j = json_first(info); j && d->property_count < DESCRIPTION_PROPERTIES;
         j = json_next(j))
        if (j->kind == JSON_TEXT && j->key)
            d->property[d->property_count++] = (struct description_property){j->key, j->text};
}

static int read_all(struct description *d, struct err *e)
{
    const struct json *root = json_root(d->doc);
    const char *start = text_of(root, "start_ns");
    double bytes = 0.0;
    if (!hex_of(root, "run", &d->run) || !hex_of(root, "table", &d->table) ||
        !number_of(root, "period_s", 1e-6, 1e3, &d->period_s) ||
        !number_of(root, "publish_s", 1e-6, 1e3, &d->publish_s) ||
        !number_of(root, "record_bytes", HEAD_BYTES, DESCRIPTION_RECORD_MAX, &bytes) || !start)
        return err_set(e, -EBADMSG, "the description lacks its head");
    d->record_bytes = (uint32_t)bytes;
    d->start_ns = strtoll(start, NULL, 10);
    read_properties(d, root);
    return read_signals(d, root, e);
}

/* Of bytes that need not end with a zero, unlike those of strndup() under a strict sanitizer. */
static char *copy(const char *bytes, size_t count)
{
    char *text = malloc(count + 1);
    if (text) {
        memcpy(text, bytes, count);
        text[count] = '\0';
    }
    return text;
}

int description_read(const char *text, size_t bytes, struct description **out, struct err *e)
{
    struct description *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d)
        return err_set(e, -ENOMEM, "out of memory");
    atomic_init(&d->holders, 1);
    int bad = json_read("description", text, bytes, &d->doc, e);
    if (!bad)
        bad = read_all(d, e);
    if (!bad) {
        const char *brace = memchr(text, '{', bytes); /* it is an object */
        d->text = brace ? copy(brace + 1, bytes - (size_t)(brace + 1 - text)) : NULL;
        if (!d->text)
            bad = err_set(e, -ENOMEM, "out of memory");
    }
    if (bad) {
        description_free(d);
        return bad;
    }
    *out = d;
    return 0;
}

struct description *description_share(struct description *d)
{
    atomic_fetch_add(&d->holders, 1);
    return d;
}

void description_free(struct description *d)
{
    if (!d || atomic_fetch_sub(&d->holders, 1) > 1)
        return;
    json_free(d->doc);
    free(d->text);
    free(d);
}

int description_find(const struct description *d, const char *name)
{
    for (size_t i = 0; i < d->signal_count; i++)
        if (strcmp(d->signal[i].name, name) == 0)
            return (int)i;
    for (int i = 0; i < DESCRIPTION_EXTRAS; i++)
        if (strcmp(description_extra[i].name, name) == 0)
            return DESCRIPTION_SIGNALS + i;
    return -1;
}

static double extra_value(int extra, const void *record)
{
    struct {
        int64_t tick, release_ns, wake_ns, end_ns;
        uint32_t steps, skipped, cause, dropped;
    } head;
    static_assert(sizeof head == HEAD_BYTES, "the head of a loop_record");
    memcpy(&head, record, sizeof head);
    switch (extra) {
    case 0:
        return 1e-3 * ((double)head.wake_ns - (double)head.release_ns);
    case 1:
        return 1e-3 * ((double)head.end_ns - (double)head.release_ns);
    case 2:
        return head.steps;
    case 3:
        return head.skipped;
    default:
        return head.cause;
    }
}

double description_value(const struct description *d, int signal, const void *record)
{
    if (signal >= DESCRIPTION_SIGNALS)
        return extra_value(signal - DESCRIPTION_SIGNALS, record);
    const struct description_signal *s = &d->signal[signal];
    return signal_read(record, s->offset, (int)s->type);
}

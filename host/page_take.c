/* What pages send: subscriptions, commands, driving, pings. */
#include "host/pages.h"
#include "shared/base/json_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void page_reply(struct page *g, int64_t id, bool ok, const char *text)
{
    (void)pthread_mutex_lock(&g->lock);
    if (g->replies < PAGE_REPLIES) {
        struct page_reply *r = &g->reply[g->replies++];
        r->id = id;
        r->ok = ok;
        (void)snprintf(r->text, sizeof r->text, "%s", text);
    }
    (void)pthread_mutex_unlock(&g->lock);
}

static const char *text_of(const struct json *object, const char *key)
{
    const struct json *j = json_member(object, key);
    return j && j->kind == JSON_TEXT ? j->text : "";
}

static double number_of(const struct json *object, const char *key, double otherwise)
{
    const struct json *j = json_member(object, key);
    return j && j->kind == JSON_NUMBER ? j->number : otherwise;
}

static bool true_of(const struct json *object, const char *key)
{
    const struct json *j = json_member(object, key);
    return j && j->kind == JSON_BOOL && j->number != 0.0;
}

static int64_t id_of(const struct json *object)
{
    double id = number_of(object, "id", 0.0);
    return fabs(id) < 9e15 ? (int64_t)id : 0;
}

/* A whole number from 0 up to below a limit, else -1. */
static int index_of(const struct json *object, const char *key, int limit)
{
    double n = number_of(object, key, -1.0);
    return n >= 0.0 && n < limit && n == floor(n) ? (int)n : -1;
}

static int target_of(const struct page *g, const struct json *message)
{
    int target = index_of(message, "target", HOST_TARGETS);
    return target >= 0 && atomic_load(&g->all->host->target[target].used) ? target : -1;
}

static void subscribe(struct page *g, const struct json *message)
{
    const struct json *list = json_member(message, "signals");
    int target = target_of(g, message), stream = index_of(message, "stream", PAGE_STREAMS);
    double rate_hz = number_of(message, "rate_hz", 60.0);
    size_t count = list && list->kind == JSON_ARRAY ? list->count : 0;
    if (stream < 0)
        return;
    count = count < PAGE_FIELDS ? count : PAGE_FIELDS;
    char(*name)[64] = target >= 0 && count > 0 ? calloc(count, sizeof *name) : NULL;
    int fields = 0;
    for (const struct json *j = name ? json_first(list) : NULL; j && (size_t)fields < count;
         j = json_next(j), fields++)
        if (j->kind == JSON_TEXT)
            (void)snprintf(name[fields], sizeof name[fields], "%s", j->text);
    (void)pthread_mutex_lock(&g->lock);
    free(g->stream[stream].name);
    g->stream[stream] =
        (struct page_stream){.target = name ? target : -1,
                             .fields = fields,
                             .name = name,
                             .rate_hz = rate_hz > 0.1 && rate_hz <= 1e5 ? rate_hz : 0.1,
                             .fresh = true};
    (void)pthread_mutex_unlock(&g->lock);
}

static bool is_word(const char *text)
{
    return text[0] != '\0' && strpbrk(text, " \t\r\n") == NULL;
}

/* The name of a fault that the page may call by its number. */
static bool fault_name(const struct page *g, int target, const struct json *message, char *name,
                       size_t size)
{
    const struct json *j = json_member(message, "fault");
    struct host_target *t = &g->all->host->target[target];
    bool found = false;
    if (!j)
        return false;
    if (j->kind == JSON_TEXT) {
        (void)snprintf(name, size, "%s", j->text);
        return is_word(j->text);
    }
    (void)pthread_mutex_lock(&t->lock);
    const struct json *root = t->description ? json_root(t->description->doc) : NULL;
    for (const struct json *f = json_first(json_member(root, "faults")); f && !found;
         f = json_next(f))
        if (number_of(f, "id", -1.0) == j->number) {
            (void)snprintf(name, size, "%s", text_of(f, "name"));
            found = name[0] != '\0';
        }
    (void)pthread_mutex_unlock(&t->lock);
    return found;
}

/* The line that a target understands; "" if there is none. */
static void line_of(const struct page *g, int target, const struct json *message, char *line,
                    size_t size)
{
    static const char *const plain[][2] = {{"stop", "safe"},       {"take", "take"},
                                           {"release", "release"}, {"start", "start"},
                                           {"end", "stop"},        {"codes", "dtc"}};
    const char *command = text_of(message, "command");
    char fault[64];
    line[0] = '\0';
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(command, plain[i][0]) == 0)
            (void)snprintf(line, size, "%s", plain[i][1]);
    if (strcmp(command, "reset") == 0 && number_of(message, "safe", -1.0) >= 0.0)
        (void)snprintf(line, size, "reset %.0f", fmin(number_of(message, "safe", 0.0), 9e15));
    if (strcmp(command, "fault") == 0 && fault_name(g, target, message, fault, sizeof fault))
        (void)snprintf(line, size, "fault %s %s", fault, true_of(message, "on") ? "on" : "off");
    if (strcmp(command, "scenario") == 0 && is_word(text_of(message, "scenario")))
        (void)snprintf(line, size, "scenario %s", text_of(message, "scenario"));
    if (strcmp(command, "setup") == 0 && is_word(text_of(message, "name")))
        (void)snprintf(line, size, "set %s %.17g", text_of(message, "name"),
                       number_of(message, "value", NAN));
}

/* Only failures are told: inputs come many times a second. */
static void drive(struct page *g, int target, const struct json *message)
{
    double gear = number_of(message, "gear", 100.0);
    const struct telemetry_drive d = {
        .hand_wheel_rad = number_of(message, "hand_wheel_rad", 0.0),
        .throttle = number_of(message, "throttle", 0.0),
        .brake_pedal = number_of(message, "brake_pedal", 0.0),
        .clutch_pedal = number_of(message, "clutch_pedal", 0.0),
        .gear = gear >= -1.0 && gear <= 100.0 ? (int32_t)gear : 100,
        .drives = !true_of(message, "release"),
    };
    const char *why = host_drive(g->all->host, target, g->number, &d);
    if (why || !d.drives)
        page_reply(g, id_of(message), why == NULL, why ? why : "the scenario drives again");
}

static void command(struct page *g, const struct json *message)
{
    int target = target_of(g, message);
    const char *what = text_of(message, "command");
    struct host_command c = {.page = g->number, .id = id_of(message), .target = target};
    if (target < 0) {
        page_reply(g, c.id, false, "there is no such target");
    } else if (strcmp(what, "drive") == 0) {
        drive(g, target, message);
    } else {
        line_of(g, target, message, c.line, sizeof c.line);
        if (c.line[0] == '\0')
            page_reply(g, c.id, false, "this command is not understood");
        else if (!host_command(g->all->host, &c))
            page_reply(g, c.id, false, "too many commands are on their way");
    }
}

bool page_take(struct page *g, const char *text, size_t bytes)
{
    struct json_doc *doc = NULL;
    struct err e;
    if (json_read("page", text, bytes, &doc, &e))
        return false;
    const struct json *message = json_root(doc);
    const char *type = text_of(message, "type");
    bool known = true;
    if (strcmp(type, "subscribe") == 0) {
        subscribe(g, message);
    } else if (strcmp(type, "command") == 0) {
        command(g, message);
    } else if (strcmp(type, "ping") == 0) {
        (void)pthread_mutex_lock(&g->lock);
        g->pong = (struct page_pong){id_of(message), number_of(message, "t", 0.0), true};
        (void)pthread_mutex_unlock(&g->lock);
    } else {
        known = false;
    }
    json_free(doc);
    return known;
}

/* What goes to a page, by a thread of its own. */
#include "host/pages.h"
#include "shared/base/json_write.h"
#include "shared/base/time.h"
#include "shared/base/version.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { LOCKED_RECORDS = 32, BYTES_MAX = 1 << 18, EVENTS_AT_ONCE = 64 };
static const int64_t round_ns = 4 * NS_PER_MS, status_ns = 200 * NS_PER_MS;

/* The head of a binary message; docs/host.md. */
struct stream_head {
    uint8_t version, target, stream, flags;
    uint32_t count, fields, dropped;
};

/* ---- texts */

struct text {
    char *bytes;
    size_t count;
    struct json_writer w;
};

static bool text_open(struct text *t)
{
    *t = (struct text){0};
    t->w.to = open_memstream(&t->bytes, &t->count);
    if (!t->w.to)
        return false;
    json_open(&t->w, NULL, '{');
    return true;
}

static bool text_send(struct text *t, struct page *g)
{
    json_close(&t->w);
    bool good = json_finish(&t->w) == 0;
    good = fclose(t->w.to) == 0 && good;
    good = good && page_send_bytes(g, WEBSOCKET_TEXT, t->bytes, t->count);
    free(t->bytes);
    return good;
}

/* With the target's lock. */
static const char *state_name(const struct host_target *t)
{
    if (t->lost)
        return "lost";
    return t->has_status ? telemetry_state_name(t->status.state) : "waiting";
}

/* Who is refused at present, and why. */
static void put_refused(struct json_writer *w, struct host *h)
{
    json_open(w, "refused", '[');
    (void)pthread_mutex_lock(&h->lock);
    for (int i = 0; i < HOST_REFUSALS; i++) {
        const struct host_refused *r = &h->refused[i];
        if (!r->shown)
            continue;
        json_open(w, NULL, '{');
        json_text(w, "who", r->who);
        json_text(w, "why", host_refusal_text((enum host_refusal)i));
        json_int(w, "packets", (int64_t)r->count);
        json_close(w);
    }
    (void)pthread_mutex_unlock(&h->lock);
    json_close(w);
}

static bool send_hello(struct page *g)
{
    struct host *h = g->all->host;
    struct text t;
    char run[24], who[TELEMETRY_WHO];
    if (!text_open(&t))
        return false;
    json_text(&t.w, "type", "hello");
    json_int(&t.w, "version", 1);
    json_text(&t.w, "host", version_revision());
    json_bool(&t.w, "may_command", h->has_key);
    host_name_page(h, g->number, who);
    json_text(&t.w, "who", who);
    json_open(&t.w, "targets", '[');
    for (int i = 0; i < HOST_TARGETS; i++) {
        struct host_target *target = &h->target[i];
        if (!atomic_load(&target->used))
            continue;
        (void)pthread_mutex_lock(&target->lock);
        if (target->lost && !target->description) { /* never said what it is */
            (void)pthread_mutex_unlock(&target->lock);
            continue;
        }
        (void)snprintf(run, sizeof run, "%016" PRIx64, target->run);
        const char *slash = strrchr(target->recording, '/');
        json_open(&t.w, NULL, '{');
        json_int(&t.w, "id", i);
        json_text(&t.w, "name", target->name);
        json_text(&t.w, "run", run);
        json_text(&t.w, "state", state_name(target));
        json_text(&t.w, "recording", slash ? slash + 1 : target->recording);
        json_text(&t.w, "problem", target->problem);
        json_close(&t.w);
        (void)pthread_mutex_unlock(&target->lock);
    }
    json_close(&t.w);
    put_refused(&t.w, h);
    return text_send(&t, g);
}

/* The target's own text, with who it is in front. */
static bool send_description(struct page *g, int id)
{
    struct host_target *target = &g->all->host->target[id];
    char *text = NULL;
    size_t count = 0;
    FILE *f = open_memstream(&text, &count);
    if (!f)
        return false;
    (void)pthread_mutex_lock(&target->lock);
    if (target->description) {
        g->described[id] = target->description_number;
        fprintf(f, "{\"type\":\"describe\",\"target\":%d,\"extra\":[", id);
        for (int i = 0; i < DESCRIPTION_EXTRAS; i++)
            fprintf(f, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"type\":\"f64\",\"meaning\":\"%s\"}",
                    i ? "," : "", description_extra[i].name, description_extra[i].unit,
                    description_extra[i].meaning);
        fprintf(f, "],%s", target->description->text);
    }
    (void)pthread_mutex_unlock(&target->lock);
    bool good = fclose(f) == 0;
    good = good && (count == 0 || page_send_bytes(g, WEBSOCKET_TEXT, text, count));
    free(text);
    return good;
}

static void put_counts(struct json_writer *w, const char *key, const uint64_t *count)
{
    json_open_flat(w, key);
    for (int i = 0; i < TELEMETRY_BINS; i++)
        json_int(w, NULL, (int64_t)count[i]);
    json_close(w);
}

static void put_deadlines(struct json_writer *w, const struct telemetry_status *s)
{
    json_open(w, "deadlines", '{');
    json_int(w, "ticks", (int64_t)s->ticks);
    json_int(w, "missed", (int64_t)s->missed);
    json_int(w, "skipped", (int64_t)s->skipped);
    json_int(w, "in_row", (int64_t)s->in_row);
    json_int(w, "max_response_ns", s->max_response_ns);
    json_int(w, "max_wake_ns", s->max_wake_ns);
    json_int(w, "switches", (int64_t)s->switches);
    json_int(w, "period_ns", s->period_ns);
    json_open_flat(w, "histogram_ns");
    for (size_t i = 0; i < TELEMETRY_BINS; i++)
        json_int(w, NULL, telemetry_bin_high_ns(i));
    json_close(w);
    put_counts(w, "wake", s->wake);
    put_counts(w, "response", s->response);
    json_close(w);
}

static void put_status(struct json_writer *w, const struct host_target *target, int64_t now_ns)
{
    static const char *const drivers[] = {"scenario", "person", "lost"};
    const struct telemetry_status *s = &target->status;
    json_text(w, "type", "status");
    json_int(w, "target", target->id);
    json_double(w, "time_s", 1e-9 * (double)s->tick * (double)s->period_ns);
    json_text(w, "state", state_name(target));
    json_text(w, "cause", loop_cause_name(s->cause));
    json_int(w, "safe", (int64_t)s->safe_number);
    json_text(w, "holder", s->holder);
    json_double(w, "age_s", 1e-9 * (double)(now_ns - target->heard_ns));
    json_int(w, "lost", (int64_t)target->packets_lost);
    json_int(w, "late", (int64_t)target->late);
    json_int(w, "duplicates", (int64_t)target->duplicates);
    json_int(w, "filled", (int64_t)target->filled);
    json_int(w, "missing", (int64_t)target->missing);
    json_double(w, "clock_offset_s",
                target->has_clock ? 1e-9 * (double)target->clock_offset_ns : NAN);
    json_double(w, "round_trip_s", target->has_clock ? 1e-9 * (double)target->round_trip_ns : NAN);
    /* The first release by the host's clock, for who measures the way from there to here. */
    bool began = s->first_ns != 0 && target->has_clock;
    json_double(w, "first_s", began ? 1e-9 * (double)(s->first_ns + target->clock_offset_ns) : NAN);
    json_text(w, "driver", drivers[s->driver < LOOP_DRIVERS ? s->driver : 0]);
    json_int(w, "faults_active", s->faults_active);
    put_deadlines(w, s);
}

static bool send_status(struct page *g, int id, int64_t now_ns)
{
    struct host_target *target = &g->all->host->target[id];
    struct text t;
    if (!text_open(&t))
        return false;
    (void)pthread_mutex_lock(&target->lock);
    put_status(&t.w, target, now_ns);
    (void)pthread_mutex_unlock(&target->lock);
    return text_send(&t, g);
}

static bool send_event(struct page *g, int id, const struct telemetry_event *e)
{
    struct text t;
    if (!text_open(&t))
        return false;
    json_text(&t.w, "type", "event");
    json_int(&t.w, "target", id);
    json_int(&t.w, "tick", e->event.tick);
    json_double(&t.w, "time_s", 1e-9 * (double)e->event.release_ns);
    json_text(&t.w, "kind", loop_event_word(e->event.kind));
    json_int(&t.w, "late_ns", e->event.late_ns);
    json_text(&t.w, "phase", loop_phase_name(e->event.phase));
    json_int(&t.w, "value", e->event.value);
    json_text(&t.w, "text", e->text);
    return text_send(&t, g);
}

static bool send_events(struct page *g, int id)
{
    struct host_target *target = &g->all->host->target[id];
    struct telemetry_event some[EVENTS_AT_ONCE];
    int n = 0;
    (void)pthread_mutex_lock(&target->lock);
    if (g->event_run[id] != target->run) {
        g->event_run[id] = target->run;
        g->events[id] = 0;
    }
    if (target->event_count > g->events[id] + HOST_EVENTS)
        g->events[id] = target->event_count - HOST_EVENTS;
    for (; n < EVENTS_AT_ONCE && g->events[id] < target->event_count; n++)
        some[n] = target->event[g->events[id]++ % HOST_EVENTS];
    (void)pthread_mutex_unlock(&target->lock);
    for (int i = 0; i < n; i++)
        if (!send_event(g, id, &some[i]))
            return false;
    return true;
}

/* "7 tick 1200: text" of a request that a tick carried out or refused: number and tick apart. */
static void put_answer(struct json_writer *w, const char *text)
{
    static const char between[] = " tick ";
    char *end;
    long long number = strtoll(text, &end, 10), tick;
    if (end != text && strncmp(end, between, sizeof between - 1) == 0) {
        tick = strtoll(end + sizeof between - 1, &end, 10);
        if (strncmp(end, ": ", 2) == 0) {
            json_int(w, "number", number);
            json_int(w, "tick", tick);
            text = end + 2;
        }
    }
    json_text(w, "text", text);
}

static bool send_replies(struct page *g)
{
    struct page_reply reply[PAGE_REPLIES];
    struct page_pong pong;
    struct text t;
    (void)pthread_mutex_lock(&g->lock);
    int count = g->replies;
    memcpy(reply, g->reply, (size_t)count * sizeof reply[0]);
    g->replies = 0;
    pong = g->pong;
    g->pong.wanted = false;
    (void)pthread_mutex_unlock(&g->lock);
    for (int i = 0; i < count; i++) {
        if (!text_open(&t))
            return false;
        json_text(&t.w, "type", "reply");
        json_int(&t.w, "id", reply[i].id);
        json_bool(&t.w, "ok", reply[i].ok);
        put_answer(&t.w, reply[i].text);
        if (!text_send(&t, g))
            return false;
    }
    if (!pong.wanted || !text_open(&t))
        return true;
    json_text(&t.w, "type", "pong");
    json_int(&t.w, "id", pong.id);
    json_double(&t.w, "t", pong.t);
    json_double(&t.w, "host_s", 1e-9 * (double)host_now_ns());
    return text_send(&t, g);
}

/* ---- streams */

static size_t record_bytes(int fields)
{
    return 2 * sizeof(double) + sizeof(float) * (size_t)(fields + fields % 2);
}

/* With both locks: the signals by the description that holds now. */
static void resolve(struct page_stream *s, const struct host_target *t)
{
    if (s->description_number == t->description_number && !s->fresh)
        return;
    s->description_number = t->description_number;
    s->fresh = false;
    s->next = t->live_count;
    s->due_ns = INT64_MIN;
    for (int i = 0; i < s->fields; i++)
        s->signal[i] = description_find(t->description, s->name[i]);
}

static void put_record(const struct page_stream *s, const struct host_target *t, const void *record,
                       int64_t release_ns, int64_t host_ns, unsigned char *to)
{
    const double times_s[2] = {1e-9 * (double)release_ns, 1e-9 * (double)host_ns};
    memcpy(to, times_s, sizeof times_s);
    to += sizeof times_s;
    for (int i = 0; i < s->fields; i++) {
        double value =
            s->signal[i] >= 0 ? description_value(t->description, s->signal[i], record) : NAN;
        float narrow = (float)value;
        memcpy(to + sizeof narrow * (size_t)i, &narrow, sizeof narrow);
    }
    if (s->fields % 2)
        memset(to + sizeof(float) * (size_t)s->fields, 0, sizeof(float));
}

/* A few records with the locks held; returns how many were put, *more: there are others. */
static uint32_t put_some(struct page_stream *s, const struct host_target *t, unsigned char *to,
                         uint32_t room, bool *more)
{
    int64_t spacing_ns = (int64_t)(0.999e9 / s->rate_hz);
    uint32_t put = 0;
    resolve(s, t);
    if (t->live_count > s->next + HOST_LIVE) {
        s->dropped += (uint32_t)(t->live_count - HOST_LIVE - s->next);
        s->next = t->live_count - HOST_LIVE;
    }
    for (int looked = 0; looked < LOCKED_RECORDS && s->next < t->live_count && put < room;
         looked++, s->next++) {
        size_t slot = s->next % HOST_LIVE;
        const unsigned char *record = t->live + slot * t->description->record_bytes;
        int64_t release_ns;
        memcpy(&release_ns, record + offsetof(struct loop_record, release_ns), sizeof release_ns);
        if (release_ns < s->due_ns || release_ns > INT64_MAX / 2)
            continue;
        s->due_ns = release_ns + spacing_ns;
        put_record(s, t, record, release_ns, t->live_ns[slot],
                   to + (size_t)put * record_bytes(s->fields));
        put++;
    }
    *more = s->next < t->live_count;
    return put;
}

static bool send_stream(struct page *g, int index)
{
    struct page_stream *s = &g->stream[index];
    struct stream_head head = {.version = 1, .stream = (uint8_t)index};
    unsigned char *records = g->memory + sizeof head;
    bool more = true;
    while (more) {
        more = false;
        (void)pthread_mutex_lock(&g->lock);
        struct host_target *t = s->target >= 0 ? &g->all->host->target[s->target] : NULL;
        size_t each = record_bytes(s->fields);
        uint32_t room = (uint32_t)((BYTES_MAX - sizeof head) / each) - head.count;
        if (t &&
            (head.count == 0 || (head.target == s->target && head.fields == (uint32_t)s->fields))) {
            (void)pthread_mutex_lock(&t->lock);
            if (t->description && t->live)
                head.count += put_some(s, t, records + head.count * each, room, &more);
            (void)pthread_mutex_unlock(&t->lock);
            head.target = (uint8_t)s->target;
            head.fields = (uint32_t)s->fields;
            head.dropped = s->dropped;
            more = more && head.count < room;
        }
        (void)pthread_mutex_unlock(&g->lock);
    }
    if (head.count == 0)
        return true;
    (void)pthread_mutex_lock(&g->lock);
    s->dropped = 0;
    (void)pthread_mutex_unlock(&g->lock);
    memcpy(g->memory, &head, sizeof head);
    return page_send_bytes(g, WEBSOCKET_BINARY, g->memory,
                           sizeof head + head.count * record_bytes((int)head.fields));
}

/* ---- the thread */

static bool round_once(struct page *g)
{
    struct host *h = g->all->host;
    int64_t now_ns = host_now_ns();
    unsigned generation = atomic_load(&h->generation);
    bool status_due = now_ns >= g->status_due_ns, good = page_send_control(g);
    if (good && (!g->greeted || g->generation != generation)) {
        g->greeted = true;
        g->generation = generation;
        good = send_hello(g);
    }
    if (status_due)
        g->status_due_ns = now_ns + status_ns;
    for (int i = 0; i < HOST_TARGETS && good; i++) {
        struct host_target *t = &h->target[i];
        if (!atomic_load(&t->used))
            continue;
        (void)pthread_mutex_lock(&t->lock);
        bool describe = t->description && g->described[i] != t->description_number;
        bool has_status = t->has_status;
        (void)pthread_mutex_unlock(&t->lock);
        if (describe)
            good = send_description(g, i);
        if (good && status_due && has_status)
            good = send_status(g, i, now_ns);
        good = good && send_events(g, i);
    }
    good = good && send_replies(g);
    for (int i = 0; i < PAGE_STREAMS && good; i++)
        good = send_stream(g, i);
    return good;
}

void *page_send_thread(void *argument)
{
    struct page *g = argument;
    const struct timespec pause = {.tv_nsec = round_ns};
    g->memory = malloc(BYTES_MAX);
    while (g->memory && !atomic_load(&g->finish) && round_once(g))
        (void)nanosleep(&pause, NULL);
    if (!atomic_load(&g->finish))
        (void)shutdown(g->connection->fd, SHUT_RDWR); /* given up: its reader ends, too */
    return NULL;
}

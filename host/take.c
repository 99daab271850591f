/* What arrives from targets. Nothing in a packet is believed before telemetry_open() has checked
 * its form; what it says about itself only counts for the target it comes from. */
#include "host/host.h"
#include "shared/base/console.h"
#include "shared/base/time.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t far_records = UINT64_C(1) << 36;

/* ---- records */

/* Nothing may be taken that could not be recorded. */
static bool is_yet_to_record(const struct host *h, const struct host_target *t)
{
    return h->setup.record && !t->recorder && !t->recorder_failed;
}

static void show_live(struct host_target *t, const void *record, int64_t now_ns)
{
    size_t slot = t->live_count % HOST_LIVE;
    memcpy(t->live + slot * t->description->record_bytes, record, t->description->record_bytes);
    t->live_ns[slot] = now_ns;
    t->live_count++;
}

static void take_records(struct host *h, struct host_target *t,
                         const struct telemetry_header *header, const void *packet)
{
    const char *record = (const char *)packet + sizeof *header;
    int64_t now_ns = host_now_ns();
    if (header->first > t->number_end + far_records)
        return; /* no run gets there in a moment */
    if (!t->description || header->table != t->description->table ||
        header->each_bytes != t->description->record_bytes) {
        atomic_fetch_add(&h->broken, t->description != NULL);
        return; /* asked for again, once it is known how they read */
    }
    (void)pthread_mutex_lock(&t->lock);
    for (uint32_t i = 0; i < header->count; i++, record += header->each_bytes) {
        uint64_t number = header->first + i;
        enum window_verdict verdict = WINDOW_KEPT;
        if (t->has_window)
            verdict = window_put(&t->window, number, record);
        t->duplicates += verdict == WINDOW_DUPLICATE;
        t->filled += verdict == WINDOW_KEPT && (header->flags & TELEMETRY_AGAIN);
        t->late +=
            verdict == WINDOW_KEPT && number < t->number_end && !(header->flags & TELEMETRY_AGAIN);
        if (number >= t->number_end) {
            if (!t->has_window && t->number_end > 0)
                t->missing += number - t->number_end;
            t->number_end = number + 1;
            if (!(header->flags & TELEMETRY_AGAIN))
                show_live(t, record, now_ns);
        }
    }
    (void)pthread_mutex_unlock(&t->lock);
    host_record(h, t);
}

static void put_event(struct host_target *t, const struct telemetry_event *e)
{
    (void)pthread_mutex_lock(&t->lock);
    t->event[t->event_count++ % HOST_EVENTS] = *e;
    (void)pthread_mutex_unlock(&t->lock);
}

/* Something is missing for good: an event of the recording. */
static void tell_gap(struct host_target *t, uint64_t missing, const char *what)
{
    const struct telemetry_status *s = &t->status;
    double now_ns = (double)s->tick * (double)s->period_ns; /* when it is noticed */
    struct telemetry_event e = {.event = {.tick = s->tick,
                                          .release_ns = fabs(now_ns) < 1e18 ? (int64_t)now_ns : 0,
                                          .kind = EVENT_DROPPED,
                                          .value = (int64_t)missing,
                                          .phase = LOOP_PHASES}};
    (void)snprintf(e.text, sizeof e.text,
                   "%" PRIu64 " %s did not reach the host and the target has them no more", missing,
                   what);
    if (t->recorder)
        (void)recorder_put_event(t->recorder, &e);
    put_event(t, &e);
    (void)pthread_mutex_lock(&t->lock);
    t->missing += missing;
    (void)pthread_mutex_unlock(&t->lock);
}

static void take_gone(struct host *h, struct host_target *t, const struct telemetry_header *header)
{
    if (is_yet_to_record(h, t))
        return; /* asked for again */
    if (header->flags & TELEMETRY_OF_EVENTS) {
        if (header->first <= t->event_next || header->first > t->status.events)
            return;
        tell_gap(t, header->first - t->event_next, "events");
        t->event_next = header->first;
        t->event_due_ns = 0;
    } else if (t->has_window) {
        host_record(h, t);
        uint64_t missing = window_skip(&t->window, header->first);
        if (missing > 0)
            tell_gap(t, missing, "records");
        t->ask_due_ns = 0;
    }
}

/* Numbers that no run gets to would overflow where they are added. */
static int64_t sane(int64_t value)
{
    const int64_t most = INT64_C(1) << 60;
    return value > most || value < -most ? 0 : value;
}

static void clean_event(struct telemetry_event *e)
{
    struct loop_event *n = &e->event;
    n->tick = sane(n->tick);
    n->release_ns = sane(n->release_ns);
    n->wake_ns = sane(n->wake_ns);
    n->end_ns = sane(n->end_ns);
    n->late_ns = sane(n->late_ns);
    n->value = sane(n->value);
    e->text[TELEMETRY_TEXT - 1] = '\0';
    console_clean(e->text);
}

/* In order: one that comes early is asked for again when its turn comes. */
static void take_events(const struct host *h, struct host_target *t,
                        const struct telemetry_header *header, const void *packet)
{
    const char *at = (const char *)packet + sizeof *header;
    if (is_yet_to_record(h, t))
        return; /* asked for again */
    for (uint32_t i = 0; i < header->count; i++, at += header->each_bytes) {
        struct telemetry_event e;
        if (header->first + i != t->event_next)
            continue;
        memcpy(&e, at, sizeof e);
        clean_event(&e);
        if (t->recorder && !recorder_put_event(t->recorder, &e))
            return; /* later */
        put_event(t, &e);
        t->event_next++;
    }
}

/* ---- the rest */

static void take_status(struct host *h, struct host_target *t, const void *packet)
{
    struct telemetry_status s;
    memcpy(&s, (const char *)packet + sizeof(struct telemetry_header), sizeof s);
    if (s.state >= TELEMETRY_STATES)
        return;
    s.tick = sane(s.tick);
    s.first_ns = sane(s.first_ns);
    s.period_ns = sane(s.period_ns);
    s.holder[sizeof s.holder - 1] = '\0';
    console_clean(s.holder);
    bool changed = !t->has_status || t->status.state != s.state;
    (void)pthread_mutex_lock(&t->lock);
    t->status = s;
    t->has_status = true;
    (void)pthread_mutex_unlock(&t->lock);
    if (t->has_window && s.records > t->window.end && s.records < t->window.end + (1u << 30))
        t->window.end = s.records;
    if (changed)
        host_changed(h);
}

static void take_description(struct host *h, struct host_target *t)
{
    const struct host_blob *b = &t->blob[BLOB_DESCRIPTION];
    struct description *d = NULL;
    struct err e = {""};
    int bad = description_read(b->text, b->bytes, &d, &e);
    if (d && (d->run != t->run || d->table != t->table)) {
        bad = err_set(&e, -1, "it is of another run or another table of signals");
        description_free(d);
        d = NULL;
    }
    if (d && t->has_window && d->record_bytes != t->window.record_bytes) {
        bad = err_set(&e, -1, "its records have another size than before");
        description_free(d);
        d = NULL;
    }
    unsigned char *live = d ? malloc((size_t)HOST_LIVE * d->record_bytes) : NULL;
    if (d && !live)
        bad = err_set(&e, -1, "out of memory");
    (void)pthread_mutex_lock(&t->lock);
    if (!live) {
        (void)snprintf(t->problem, sizeof t->problem, "description not understood: %.120s", e.text);
        description_free(d);
    } else {
        description_free(t->description);
        free(t->live);
        t->description = d;
        t->live = live;
        t->live_count = 0;
        t->description_number++;
        t->problem[0] = '\0';
    }
    (void)pthread_mutex_unlock(&t->lock);
    if (bad && h->setup.verbose)
        console_say("skidpad host: target %d \"%s\": %s\n", t->id, t->name, t->problem);
    if (!bad && is_yet_to_record(h, t) && !t->has_window)
        t->has_window = window_init(&t->window, t->description->record_bytes) == 0;
    host_changed(h);
}

static void take_blob(struct host *h, struct host_target *t, const void *packet)
{
    struct telemetry_blob part;
    const char *chunk = (const char *)packet + sizeof(struct telemetry_header) + sizeof part;
    memcpy(&part, (const char *)packet + sizeof(struct telemetry_header), sizeof part);
    struct host_blob *b = &t->blob[part.id];
    if ((b->text || b->complete) && (b->generation != part.generation || b->bytes != part.bytes))
        host_blob_free(b); /* a newer one */
    uint32_t chunks = (part.bytes + TELEMETRY_CHUNK - 1) / TELEMETRY_CHUNK;
    if (b->complete)
        return;
    if (!b->text) {
        b->text = malloc(part.bytes);
        b->have = calloc(chunks, sizeof *b->have);
        if (!b->text || !b->have) {
            host_blob_free(b);
            return;
        }
        b->bytes = part.bytes;
        b->generation = part.generation;
        b->chunks = chunks;
    }
    uint32_t index = part.offset / TELEMETRY_CHUNK;
    if (b->have[index])
        return;
    size_t left = part.bytes - part.offset;
    memcpy(b->text + part.offset, chunk, left < TELEMETRY_CHUNK ? left : TELEMETRY_CHUNK);
    b->have[index] = true;
    b->complete = --b->chunks == 0;
    if (!b->complete)
        return;
    if (part.id == BLOB_DESCRIPTION)
        take_description(h, t);
    if (part.id == BLOB_DESCRIPTION || !is_yet_to_record(h, t))
        host_blob_drop(b); /* has been read, or nobody will */
    host_record(h, t);
}

/* Of the last answers the one that was on its way for the shortest time says best what the clocks
 * differ by: the answer was made somewhere between question and return. */
static void take_clock(struct host_target *t, const void *packet, int64_t now_ns)
{
    struct telemetry_clock c;
    memcpy(&c, (const char *)packet + sizeof(struct telemetry_header), sizeof c);
    if (c.asked_ns > now_ns || c.asked_ns < now_ns - 5 * NS_PER_S ||
        c.asked_ns <= t->clock_asked_ns || c.taken_ns < 0 || c.taken_ns != sane(c.taken_ns) ||
        c.answered_ns < c.taken_ns || c.answered_ns - c.taken_ns > now_ns - c.asked_ns)
        return;
    t->clock_asked_ns = c.asked_ns; /* once */
    int64_t held_ns = c.answered_ns - c.taken_ns;
    int64_t trip_ns = now_ns - c.asked_ns - held_ns;
    int slot = t->clocks++ % HOST_CLOCKS, best = 0;
    t->clock_trip_ns[slot] = trip_ns;
    t->clock_off_ns[slot] = c.asked_ns + trip_ns / 2 - c.taken_ns;
    int count = t->clocks < HOST_CLOCKS ? t->clocks : HOST_CLOCKS;
    for (int i = 1; i < count; i++)
        if (t->clock_trip_ns[i] < t->clock_trip_ns[best])
            best = i;
    (void)pthread_mutex_lock(&t->lock);
    t->clock_offset_ns = t->clock_off_ns[best];
    t->round_trip_ns = t->clock_trip_ns[best];
    t->has_clock = true;
    (void)pthread_mutex_unlock(&t->lock);
}

/* Packets are numbered; those that never came are lost, a late one is found again. */
static void count_packet(struct host *h, struct host_target *t, uint64_t packet, bool newest,
                         int64_t now_ns)
{
    bool was_lost = t->lost;
    (void)pthread_mutex_lock(&t->lock);
    if (newest) { /* one that is sent again, by whomever, is no sign of life */
        t->heard_ns = now_ns;
        t->lost = false;
    }
    t->packets++;
    if (packet > t->packet_end && packet - t->packet_end < (1u << 30))
        t->packet_end = packet;
    uint64_t sent = t->packet_end - t->packet_first + 1;
    t->packets_lost = sent > t->packets ? sent - t->packets : 0;
    (void)pthread_mutex_unlock(&t->lock);
    if (was_lost && newest)
        host_changed(h);
}

static void tell_version(struct host *h, const struct telemetry_header *header,
                         const struct sockaddr_in *from)
{
    char address[INET_ADDRSTRLEN] = "";
    int64_t now_ns = host_now_ns();
    atomic_fetch_add(&h->other_version, 1);
    if (h->told_version_ns && now_ns - h->told_version_ns < 10 * NS_PER_S)
        return;
    h->told_version_ns = now_ns;
    (void)inet_ntop(AF_INET, &from->sin_addr, address, sizeof address);
    console_say(
        "skidpad host: %s:%d speaks version %u of the protocol, this host version %d: use the "
        "same release on both\n",
        address, ntohs(from->sin_port), header->version, TELEMETRY_VERSION);
}

void host_take(struct host *h, const struct sockaddr_in *from, const void *packet, size_t bytes)
{
    struct telemetry_header header;
    enum telemetry_verdict verdict = telemetry_open(packet, bytes, &header);
    if (verdict == TELEMETRY_OTHER_VERSION)
        tell_version(h, &header, from);
    atomic_fetch_add(&h->strange, verdict == TELEMETRY_STRANGE);
    atomic_fetch_add(&h->broken, verdict == TELEMETRY_BROKEN);
    if (verdict != TELEMETRY_GOOD || header.kind >= TELEMETRY_ASK_CLOCK)
        return;
    struct host_target *t = host_admit(h, &header, from, packet, bytes);
    if (!t)
        return;
    /* No two packets of a run have the same time: what is not the newest is late, or sent again. */
    bool newest = header.sent_ns > t->sent_newest_ns;
    int64_t now_ns = host_now_ns();
    if (newest)
        t->sent_newest_ns = header.sent_ns;
    count_packet(h, t, header.packet, newest, now_ns);
    switch (header.kind) {
    case TELEMETRY_RECORDS:
        take_records(h, t, &header, packet);
        break;
    case TELEMETRY_EVENTS:
        take_events(h, t, &header, packet);
        break;
    case TELEMETRY_STATUS:
        if (newest)
            take_status(h, t, packet);
        break;
    case TELEMETRY_BLOB:
        take_blob(h, t, packet);
        break;
    case TELEMETRY_CLOCK:
        take_clock(t, packet, now_ns);
        break;
    case TELEMETRY_GONE:
        take_gone(h, t, &header);
        break;
    default:
        host_take_sealed(h, t, &header, packet);
        break;
    }
}

/* What the host does of its own accord: asks for what it misses, for the clock and the description,
 * hands records to the recorder, and notices when a target falls silent. */
#include "host/host.h"
#include "shared/base/console.h"
#include "shared/base/time.h"

#include <stdio.h>
#include <string.h>

static const int64_t clock_ns = 500 * NS_PER_MS, blob_ns = 300 * NS_PER_MS;
static const int64_t ask_ns = 20 * NS_PER_MS, event_ns = 100 * NS_PER_MS;
static const int64_t lost_ns = NS_PER_S;

static void ask(struct host *h, struct host_target *t, uint8_t kind, uint64_t first, uint32_t count)
{
    struct telemetry_header header = {.kind = kind, .first = first, .count = count};
    host_send(h, t, &header, NULL, 0);
}

static void ask_clock(struct host *h, struct host_target *t, int64_t now_ns)
{
    struct telemetry_header header = {.kind = TELEMETRY_ASK_CLOCK};
    struct telemetry_clock c = {.asked_ns = host_now_ns()};
    if (now_ns < t->clock_due_ns)
        return;
    t->clock_due_ns = now_ns + clock_ns;
    host_send(h, t, &header, &c, sizeof c);
}

static void ask_blobs(struct host *h, struct host_target *t, int64_t now_ns)
{
    if (now_ns < t->blob_due_ns)
        return;
    t->blob_due_ns = now_ns + blob_ns;
    for (uint32_t i = 0; i < TELEMETRY_BLOBS; i++) {
        bool newer = t->has_status && t->blob[i].generation != t->status.blob_generation;
        if (!t->blob[i].complete || newer)
            ask(h, t, TELEMETRY_ASK_BLOB, i, 0);
    }
}

/* A gap in the numbers may only be a packet that comes late: it is asked for when it has been there
 * for a while, then as fast as the answers come. */
static void ask_records(struct host *h, struct host_target *t, int64_t now_ns)
{
    uint64_t first = 0;
    if (!t->has_window || now_ns < t->ask_due_ns)
        return;
    t->ask_due_ns = now_ns + ask_ns;
    uint32_t count = window_missing(&t->window, TELEMETRY_ASK_MAX, &first);
    if (count > 0)
        ask(h, t, TELEMETRY_ASK_RECORDS, first, count);
}

static void ask_events(struct host *h, struct host_target *t, int64_t now_ns)
{
    if (now_ns < t->event_due_ns || !t->has_status || t->status.events <= t->event_next)
        return;
    t->event_due_ns = now_ns + event_ns;
    uint64_t left = t->status.events - t->event_next;
    ask(h, t, TELEMETRY_ASK_EVENTS, t->event_next,
        left < TELEMETRY_ASK_MAX ? (uint32_t)left : TELEMETRY_ASK_MAX);
}

/* ---- recording */

/* From now on nothing is recorded, or put in order for it. */
static void give_up_recording(struct host *h, struct host_target *t, const char *why)
{
    t->recorder_failed = true;
    if (t->has_window)
        window_free(&t->window);
    t->has_window = false;
    (void)pthread_mutex_lock(&t->lock);
    (void)snprintf(t->problem, sizeof t->problem, "%s", why);
    (void)pthread_mutex_unlock(&t->lock);
    console_say("skidpad host: target %d: %s\n", t->id, t->problem);
    host_changed(h);
}

/* Its thread writes the files, their heads as well. */
static void open_recorder(struct host *h, struct host_target *t)
{
    struct err e = {""};
    struct host_blob *files = &t->blob[BLOB_FILES];
    const struct recorder_setup setup = {.folder = h->setup.record,
                                         .target = t->name,
                                         .description = t->description,
                                         .files = files->text,
                                         .files_bytes = files->bytes};
    files->text = NULL;
    int bad = recorder_open(&t->recorder, &setup, &e);
    host_blob_drop(files);
    if (bad) {
        char why[sizeof t->problem];
        (void)snprintf(why, sizeof why, "not recorded: %.140s", e.text);
        give_up_recording(h, t, why);
    }
}

void host_record(struct host *h, struct host_target *t)
{
    const void *record;
    if (!t->has_window)
        return;
    if (!t->recorder && !t->complete && t->description && t->blob[BLOB_FILES].complete)
        open_recorder(h, t);
    if (!t->recorder)
        return;
    uint64_t before = t->window.next;
    while ((record = window_peek(&t->window)) && recorder_put(t->recorder, record))
        window_pop(&t->window);
    if (t->window.next != before && window_peek(&t->window) == NULL &&
        t->window.end > t->window.next + TELEMETRY_ASK_MAX / 2)
        t->ask_due_ns = 0; /* an answer came and more is missing: at once */
}

/* The files are there; or the disk failed: what was written up to there stays, the rest of the run
 * is not recorded. */
static void watch_recorder(struct host *h, struct host_target *t)
{
    struct err e = {""};
    if (!t->recorder || t->recorder_failed)
        return;
    if (recorder_error(t->recorder, &e))
        give_up_recording(h, t, e.text);
    else if (host_name_recording(t)) {
        if (h->setup.verbose)
            console_say("skidpad host: target %d is recorded in %s\n", t->id, t->recording);
        host_changed(h);
    }
}

/* The run is over and all of it is here: the file is finished, the target need not wait. */
static void finish_recording(struct host *h, struct host_target *t)
{
    if (!t->has_status || t->status.state != TELEMETRY_ENDED || t->complete)
        return;
    /* A host that records has all of it only once it knows how to read it. */
    bool all =
        !h->setup.record || t->recorder_failed ||
        (t->recorder && t->window.next >= t->status.records && t->event_next >= t->status.events);
    if (!all)
        return;
    if (!t->finishing)
        ask(h, t, TELEMETRY_DONE, 0, 0);
    host_finish_recording(h, t);
}

static void notice_silence(struct host *h, struct host_target *t, int64_t now_ns)
{
    bool over = t->has_status && t->status.state == TELEMETRY_ENDED;
    if (t->lost || over || now_ns - t->heard_ns < lost_ns)
        return;
    (void)pthread_mutex_lock(&t->lock);
    t->lost = true;
    (void)pthread_mutex_unlock(&t->lock);
    host_changed(h);
}

void host_tend(struct host *h, int64_t now_ns)
{
    host_reap(h, false);
    host_tend_refusals(h, now_ns);
    for (int i = 0; i < HOST_TARGETS; i++) {
        struct host_target *t = &h->target[i];
        if (!atomic_load(&t->used))
            continue;
        notice_silence(h, t, now_ns);
        host_record(h, t);
        watch_recorder(h, t);
        finish_recording(h, t);
        host_tend_commands(h, t, now_ns);
        host_shrink(t, now_ns);
        if (t->complete)
            continue;
        ask_clock(h, t, now_ns);
        ask_blobs(h, t, now_ns);
        ask_records(h, t, now_ns);
        ask_events(h, t, now_ns);
    }
}

/* The end of a run at the host: what is kept of it, and whether its recording is complete. Every
 * loss is said, and counted for the status of the program. */
#include "host/host.h"
#include "shared/base/console.h"
#include "shared/base/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 1000 }; /* records; more are a disk that does not keep up */
static const int64_t live_ns = 10 * NS_PER_S;

void host_changed(struct host *h)
{
    atomic_fetch_add(&h->generation, 1);
}

/* Its text is no longer needed. */
void host_blob_drop(struct host_blob *b)
{
    free(b->text);
    free(b->have);
    b->text = NULL;
    b->have = NULL;
}

void host_blob_free(struct host_blob *b)
{
    host_blob_drop(b);
    *b = (struct host_blob){0};
}

/* ---- is it complete? */

static uint64_t behind(const struct host_target *t)
{
    uint64_t known = t->has_status ? t->status.records : 0;
    if (t->has_window && t->window.end > known)
        known = t->window.end;
    return t->has_window && known > t->window.next ? known - t->window.next : 0;
}

/* What is wrong with the recording of a run that is over for the host; false: nothing is. One that
 * goes on when the host is ended is recorded up to there. */
static bool find_loss(const struct host_target *t, bool host_ends, char *why, size_t size)
{
    bool ended = t->has_status && t->status.state == TELEMETRY_ENDED;
    bool up_to_here = t->recorder && !ended && !t->lost && host_ends && behind(t) <= BEHIND;
    if (!t->recorder_failed && t->missing == 0 && (t->complete || t->finishing || up_to_here))
        return false;
    if (t->recorder_failed)
        (void)snprintf(why, size, "%s", t->problem);
    else if (t->missing > 0)
        (void)snprintf(why, size, "%" PRIu64 " records or events did not get here", t->missing);
    else if (!t->recorder)
        (void)snprintf(why, size, "nothing was recorded: it had not said what it is");
    else if (ended)
        (void)snprintf(why, size, "%" PRIu64 " records of its end did not get here", behind(t));
    else if (t->lost)
        (void)snprintf(why, size, "it fell silent before its end");
    else if (!host_ends)
        (void)snprintf(why, size, "it made room for another target");
    else
        (void)snprintf(why, size, "it is %" PRIu64 " records behind", behind(t));
    return true;
}

static void note_loss(struct host *h, const char *name, uint64_t run, const char *why)
{
    h->incomplete++;
    (void)snprintf(h->loss, sizeof h->loss, "\"%s\", run %016" PRIx64 ": %s", name, run, why);
    console_say("skidpad host: NOT COMPLETE: %s\n", h->loss);
}

/* Once for each run. Returns whether its recording is as it should be. */
static bool judge(struct host *h, struct host_target *t, bool host_ends)
{
    char why[sizeof t->problem];
    if (!atomic_load(&t->used) || !h->setup.record || t->judged)
        return true;
    t->judged = true;
    if (!t->description && !t->sealed)
        return true; /* nobody knows that it was a target at all */
    h->recordings++;
    if (!find_loss(t, host_ends, why, sizeof why))
        return true;
    t->incomplete = true;
    note_loss(h, t->name, t->run, why);
    return false;
}

/* ---- the end */

bool host_name_recording(struct host_target *t)
{
    const char *path = recorder_path(t->recorder);
    if (t->recording[0] != '\0' || path[0] == '\0')
        return false;
    (void)pthread_mutex_lock(&t->lock);
    (void)snprintf(t->recording, sizeof t->recording, "%s", path);
    (void)pthread_mutex_unlock(&t->lock);
    return true;
}

/* What a disk did to the last records is known only now. */
static int close_recorder(struct host_target *t)
{
    struct err e = {""};
    if (!t->recorder)
        return 0;
    recorder_wait(t->recorder);
    (void)host_name_recording(t);
    int error = recorder_error(t->recorder, &e);
    recorder_free(t->recorder);
    t->recorder = NULL;
    if (error && !t->recorder_failed) {
        t->recorder_failed = true;
        (void)pthread_mutex_lock(&t->lock);
        (void)snprintf(t->problem, sizeof t->problem, "%s", e.text);
        (void)pthread_mutex_unlock(&t->lock);
    }
    return error;
}

/* All of the run is here. The file is finished by the recorder's thread: no disk holds up the
 * network. */
void host_finish_recording(struct host *h, struct host_target *t)
{
    if (t->recorder && !t->finishing) {
        recorder_finish(t->recorder);
        t->finishing = true;
    }
    if (t->recorder && !recorder_is_done(t->recorder))
        return;
    (void)close_recorder(t);
    t->finishing = false;
    t->complete = true;
    if (judge(h, t, false) && h->setup.verbose && t->recording[0])
        console_say("skidpad host: target %d: the run has ended, %s is complete\n", t->id,
                    t->recording);
    host_changed(h);
}

static struct host_retired *free_side(struct host *h)
{
    for (int i = 0; i < HOST_RETIRED; i++)
        if (!h->retired[i].recorder)
            return &h->retired[i];
    return NULL;
}

bool host_may_retire(struct host *h)
{
    host_reap(h, false);
    return free_side(h) != NULL;
}

/* Another run takes the place of one whose files are not finished: they are, on the side. */
static void retire(struct host *h, struct host_target *t, bool counted)
{
    if (!t->recorder)
        return;
    recorder_finish(t->recorder);
    struct host_retired *r = free_side(h);
    if (!r) { /* not while the network goes on: see host_may_retire() */
        host_reap(h, true);
        r = &h->retired[0];
    }
    *r = (struct host_retired){.recorder = t->recorder, .run = t->run, .counted = counted};
    memcpy(r->name, t->name, sizeof r->name);
    t->recorder = NULL;
}

void host_reap(struct host *h, bool wait)
{
    for (int i = 0; i < HOST_RETIRED; i++) {
        struct host_retired *r = &h->retired[i];
        if (!r->recorder || (!wait && !recorder_is_done(r->recorder)))
            continue;
        struct err e = {""};
        recorder_wait(r->recorder);
        int error = recorder_error(r->recorder, &e);
        recorder_free(r->recorder);
        r->recorder = NULL;
        if (error && !r->counted)
            note_loss(h, r->name, r->run, e.text);
    }
}

void host_close_recordings(struct host *h)
{
    for (int i = 0; i < HOST_TARGETS; i++) {
        struct host_target *t = &h->target[i];
        bool recorded = t->recorder != NULL;
        bool good = judge(h, t, true);
        int error = close_recorder(t);
        if (recorded && good && error) {
            t->incomplete = true;
            note_loss(h, t->name, t->run, t->problem);
        }
    }
    host_reap(h, true);
}

void host_end_run(struct host *h, struct host_target *t)
{
    bool good = judge(h, t, false);
    retire(h, t, !good);
    t->recorder_failed = t->complete = t->judged = t->finishing = t->incomplete = false;
    if (t->has_window)
        window_free(&t->window);
    t->has_window = false;
    for (int i = 0; i < TELEMETRY_BLOBS; i++)
        host_blob_free(&t->blob[i]);
    (void)pthread_mutex_lock(&t->lock);
    description_free(t->description);
    t->description = NULL;
    free(t->live);
    t->live = NULL;
    t->live_count = t->event_count = 0;
    t->recording[0] = t->problem[0] = '\0';
    t->has_status = t->lost = t->has_clock = false;
    t->packets = t->packets_lost = t->late = t->duplicates = t->missing = t->filled = 0;
    t->drive = (struct host_drive){0};
    (void)pthread_mutex_unlock(&t->lock);
    t->session = (struct host_session){0};
    t->held_for = 0;
    t->clocks = 0;
    t->clock_asked_ns = 0;
}

/* Of a run that is over only what pages show stays: the description, the last status and events. */
void host_shrink(struct host_target *t, int64_t now_ns)
{
    if (!t->complete)
        return;
    if (t->has_window)
        window_free(&t->window);
    t->has_window = false;
    for (int i = 0; i < TELEMETRY_BLOBS; i++)
        host_blob_drop(&t->blob[i]);
    if (!t->live || now_ns - t->heard_ns < live_ns)
        return;
    (void)pthread_mutex_lock(&t->lock);
    free(t->live);
    t->live = NULL;
    (void)pthread_mutex_unlock(&t->lock);
}

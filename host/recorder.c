#include "host/recorder.h"

#include "shared/base/console.h"
#include "shared/base/folders.h"
#include "shared/base/json_read.h"
#include "shared/base/out_file.h"
#include "shared/base/ring.h"
#include "shared/base/time.h"
#include "shared/base/version.h"
#include "shared/wire/log_channels.h"
#include "shared/wire/log_texts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    GROUP_TICKS,
    GROUP_EVENTS,
    GROUPS,
    RECORDS = 4096,
    EVENTS = 4096,
    FILES_MAX = 8,
    PATH_SIZE = 1100,
    FLUSH_POLLS = 10,
};
static const int64_t poll_ns = 5 * NS_PER_MS;

struct recorder {
    struct mdf_writer *mdf;
    struct log_texts texts;
    char path[PATH_SIZE];
    struct ring records, events;
    pthread_t thread;
    bool started;
    atomic_bool open, finish, done;
    struct err why;   /* for people; valid once there is an error */
    atomic_int error; /* what ended the recording, negative errno; 0 */
    /* what the head is made of, until it is written */
    const char *folder;
    char target[TELEMETRY_NAME];
    struct description *description;
    char *files;
    size_t files_bytes;
};

/* ---- the head of the log */

static size_t all_channels(const struct description *d, struct mdf_channel *out)
{
    size_t n = LOG_TICK_CHANNELS;
    memcpy(out, log_tick_channels, sizeof log_tick_channels);
    for (size_t i = 0; i < d->signal_count; i++, n++)
        out[n] = (struct mdf_channel){.name = d->signal[i].name,
                                      .unit = d->signal[i].unit,
                                      .comment = d->signal[i].meaning,
                                      .type = log_channel_type(d->signal[i].type),
                                      .offset = d->signal[i].offset};
    return n;
}

static size_t properties(const struct recorder *r, char run[24], struct mdf_property *out)
{
    const struct description *d = r->description;
    size_t n = 0;
    for (; n < d->property_count; n++)
        out[n] = (struct mdf_property){d->property[n].name, d->property[n].value};
    (void)snprintf(run, 24, "%016" PRIx64, d->run);
    out[n++] = (struct mdf_property){"target", r->target};
    out[n++] = (struct mdf_property){"run", run};
    out[n++] = (struct mdf_property){"host_revision", version_revision()};
    return n;
}

/* The configuration files as they were on the target; texts of the document. */
static size_t attachments(const struct json_doc *doc, struct mdf_attachment *out)
{
    size_t n = 0;
    const struct json *list = doc ? json_member(json_root(doc), "files") : NULL;
    for (const struct json *j = json_first(list); j && n < FILES_MAX; j = json_next(j)) {
        const struct json *name = json_member(j, "name"), *text = json_member(j, "text");
        if (name && text && name->kind == JSON_TEXT && text->kind == JSON_TEXT)
            out[n++] = (struct mdf_attachment){.name = name->text,
                                               .mime = "text/yaml",
                                               .data = text->text,
                                               .bytes = strlen(text->text)};
    }
    return n;
}

static int open_mdf(struct recorder *r, struct err *e)
{
    const struct description *d = r->description;
    struct mdf_channel *ticks = calloc(LOG_TICK_CHANNELS + d->signal_count, sizeof *ticks);
    struct mdf_property property[DESCRIPTION_PROPERTIES + 3];
    struct mdf_attachment attachment[FILES_MAX];
    struct json_doc *doc = NULL;
    struct err ignored;
    char run[24];
    if (!ticks)
        return err_set(e, -ENOMEM, "out of memory");
    const struct mdf_group groups[GROUPS] = {
        {.name = "ticks",
         .record_bytes = d->record_bytes,
         .channels = ticks,
         .channel_count = all_channels(d, ticks)},
        {.name = "events",
         .record_bytes = sizeof(struct telemetry_event),
         .channels = log_event_channels,
         .channel_count = LOG_EVENT_CHANNELS},
    };
    if (r->files_bytes > 0 && json_read("files", r->files, r->files_bytes, &doc, &ignored))
        doc = NULL;
    /* Under another name until its head is complete: a file by its name can always be read. */
    char unnamed[PATH_SIZE + 8];
    (void)snprintf(unnamed, sizeof unnamed, "%s.new", r->path);
    const struct mdf_file file = {.path = unnamed,
                                  .comment = r->target,
                                  .start_ns = d->start_ns,
                                  .properties = property,
                                  .property_count = properties(r, run, property),
                                  .attachments = attachment,
                                  .attachment_count = attachments(doc, attachment),
                                  .groups = groups,
                                  .group_count = GROUPS};
    int bad = mdf_open(&r->mdf, &file, e);
    if (!bad && (bad = mdf_rename(r->mdf, r->path, e)))
        (void)unlink(unnamed);
    json_free(doc);
    free(ticks);
    return bad;
}

/* FOLDER/TARGET-20261116-104800-1a2b3c4d.mf4; a name that is taken gets a number. */
static void choose_path(struct recorder *r)
{
    const struct description *d = r->description;
    char name[TELEMETRY_NAME], when[32] = "";
    time_t seconds = (time_t)(d->start_ns / NS_PER_S);
    struct tm date;
    (void)snprintf(name, sizeof name, "%s", r->target);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) || *c == '-' || *c == '_' ? *c : '_';
    if (gmtime_r(&seconds, &date))
        (void)strftime(when, sizeof when, "%Y%m%d-%H%M%S", &date);
    for (int n = 1; n < 10000; n++) {
        char number[16] = "";
        if (n > 1)
            (void)snprintf(number, sizeof number, "-%d", n);
        (void)snprintf(r->path, sizeof r->path, "%.900s/%s-%s-%08" PRIx32 "%s.mf4", r->folder,
                       name[0] ? name : "target", when, (uint32_t)(d->run >> 32), number);
        if (access(r->path, F_OK) != 0)
            return;
    }
}

/* ---- the thread */

/* Once: after the first error nothing more is said about the disk. */
static bool fail(struct recorder *r, int error, const char *what, const char *why)
{
    if (atomic_load(&r->error))
        return false;
    (void)err_set(&r->why, error, "%s: %.140s", what, why);
    atomic_store(&r->error, error);
    return true;
}

static void tell(struct recorder *r, const char *path, int error)
{
    if (error && fail(r, error, "the recording is not complete", out_file_why(error)))
        console_say("skidpad host: %s: %s; the recording ends here\n", path, out_file_why(error));
}

static void open_files(struct recorder *r)
{
    /* One at a time: no two choose the same name. */
    static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;
    struct err e = {""};
    (void)pthread_mutex_lock(&naming);
    choose_path(r);
    folders_make(r->path);
    int bad = open_mdf(r, &e);
    (void)pthread_mutex_unlock(&naming);
    if (!bad)
        bad = log_texts_open(&r->texts, r->path, &e);
    if (bad)
        (void)fail(r, bad, "not recorded", e.text);
    else
        atomic_store(&r->open, true);
}

static void drop_head(struct recorder *r)
{
    description_free(r->description);
    free(r->files);
    r->description = NULL;
    r->files = NULL;
}

static void write_part(struct recorder *r, uint32_t group, const void *span, size_t n)
{
    if (r->mdf)
        tell(r, r->path, mdf_write(r->mdf, group, span, n));
}

static void drain(struct recorder *r)
{
    const void *span;
    size_t n;
    while ((n = ring_peek(&r->events, &span)) > 0) {
        const struct telemetry_event *e = span;
        for (size_t i = 0; i < n; i++)
            log_texts_put(&r->texts, &e[i].event, e[i].text);
        write_part(r, GROUP_EVENTS, span, n);
        ring_release(&r->events, n);
    }
    while ((n = ring_peek(&r->records, &span)) > 0) {
        write_part(r, GROUP_TICKS, span, n);
        ring_release(&r->records, n);
    }
}

/* Hands what has come to the kernel: a crash loses no more than came since. */
static void flush(struct recorder *r)
{
    const char *path;
    if (r->mdf)
        tell(r, r->path, mdf_flush(r->mdf));
    int bad = log_texts_flush(&r->texts, &path);
    tell(r, path, bad);
}

static void finish_files(struct recorder *r)
{
    const char *path;
    if (r->mdf)
        tell(r, r->path, mdf_close(r->mdf));
    r->mdf = NULL;
    int bad = log_texts_close(&r->texts, &path);
    tell(r, path, bad);
}

static void *work(void *argument)
{
    struct recorder *r = argument;
    const struct timespec pause = {.tv_nsec = poll_ns};
    open_files(r);
    drop_head(r);
    for (unsigned n = 1; !atomic_load(&r->finish); n++) {
        drain(r);
        if (n % FLUSH_POLLS == 0)
            flush(r);
        (void)nanosleep(&pause, NULL);
    }
    drain(r);
    finish_files(r);
    atomic_store(&r->done, true);
    return NULL;
}

/* ---- for the caller */

int recorder_open(struct recorder **out, const struct recorder_setup *setup, struct err *e)
{
    struct recorder *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r) {
        free(setup->files);
        return err_set(e, -ENOMEM, "out of memory");
    }
    r->folder = setup->folder;
    (void)snprintf(r->target, sizeof r->target, "%s", setup->target);
    r->description = description_share(setup->description);
    r->files = setup->files;
    r->files_bytes = setup->files_bytes;
    int bad = ring_init(&r->records, setup->description->record_bytes, RECORDS, NULL);
    if (!bad)
        bad = ring_init(&r->events, sizeof(struct telemetry_event), EVENTS, NULL);
    if (bad)
        (void)err_set(e, bad, "out of memory");
    if (!bad) {
        int error = pthread_create(&r->thread, NULL, work, r);
        r->started = error == 0;
        bad = error ? err_set(e, -error, "the recorder's thread: %s", strerror(error)) : 0;
    }
    if (bad)
        recorder_free(r);
    else
        *out = r;
    return bad;
}

bool recorder_put(struct recorder *r, const void *record)
{
    if (ring_fill(&r->records) >= RECORDS)
        return false;
    return ring_push(&r->records, record);
}

bool recorder_put_event(struct recorder *r, const struct telemetry_event *event)
{
    if (ring_fill(&r->events) >= EVENTS)
        return false;
    return ring_push(&r->events, event);
}

void recorder_finish(struct recorder *r)
{
    atomic_store(&r->finish, true);
}

bool recorder_is_done(const struct recorder *r)
{
    return atomic_load(&r->done);
}

void recorder_wait(struct recorder *r)
{
    if (!r->started)
        return;
    recorder_finish(r);
    (void)pthread_join(r->thread, NULL);
    r->started = false;
}

void recorder_free(struct recorder *r)
{
    recorder_wait(r);
    drop_head(r);
    ring_free(&r->records);
    ring_free(&r->events);
    free(r);
}

int recorder_error(const struct recorder *r, struct err *e)
{
    int error = atomic_load(&r->error);
    if (error)
        *e = r->why;
    return error;
}

const char *recorder_path(const struct recorder *r)
{
    return atomic_load(&r->open) ? r->path : "";
}

#include "target/run_log.h"

#include "shared/base/console.h"
#include "shared/base/folders.h"
#include "shared/base/out_file.h"
#include "shared/base/time.h"
#include "shared/wire/log_channels.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { GROUP_TICKS, GROUP_EVENTS, GROUPS, CHANNELS_MAX = 640 };
static const int64_t poll_ns = 5 * NS_PER_MS;
/* By the clock, not by polls: a poll takes longer on a busy machine. Half of the bound is left for
 * the thread's own delays. */
static const int64_t flush_ns = 50 * NS_PER_MS;
const int64_t run_log_bound_ns = 100 * NS_PER_MS;
enum { PART_RECORDS = 256, EVENT_TEXT = 200 };
static const int log_nice = -10;

/* The tick's own channels, then every signal. Returns how many. */
static size_t all_channels(struct mdf_channel out[CHANNELS_MAX])
{
    size_t n = LOG_TICK_CHANNELS;
    static_assert(LOG_TICK_CHANNELS + sizeof(struct signals) / sizeof(signal_u32) <= CHANNELS_MAX,
                  "there is room for every signal, the smallest of which has four bytes");
    memcpy(out, log_tick_channels, sizeof log_tick_channels);
    for (size_t i = 0; i < signal_count; i++, n++)
        out[n] = (struct mdf_channel){
            .name = signal_table[i].name,
            .unit = signal_table[i].unit,
            .comment = signal_table[i].meaning,
            .type = log_channel_type(signal_table[i].type),
            .offset = (uint32_t)(offsetof(struct loop_record, signals) + signal_table[i].offset)};
    return n;
}

static int open_mdf(struct run_log *log, const struct run_log_about *about, struct err *e)
{
    struct mdf_channel channels[CHANNELS_MAX];
    struct run_info info;
    struct timespec now;
    struct mdf_attachment attachment[RUN_INFO_FILES];
    size_t attachments = run_info_files(&about->info, attachment);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    run_info_fill(&info, log->loop, &about->info);
    const struct mdf_group groups[GROUPS] = {
        {.name = "ticks",
         .record_bytes = sizeof(struct loop_record),
         .channels = channels,
         .channel_count = all_channels(channels)},
        {.name = "events",
         .record_bytes = sizeof(struct telemetry_event),
         .channels = log_event_channels,
         .channel_count = LOG_EVENT_CHANNELS},
    };
    const struct mdf_file file = {.path = log->path,
                                  .hold = true,
                                  /* Not by bytes: another thread does it; but at the end. */
                                  .sync_bytes = log->sync.every_ns > 0 ? SIZE_MAX : 0,
                                  .comment = log->loop->car->scenario->name,
                                  .start_ns = (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec,
                                  .properties = info.property,
                                  .property_count = info.count,
                                  .attachments = attachment,
                                  .attachment_count = attachments,
                                  .groups = groups,
                                  .group_count = GROUPS};
    int bad = mdf_open(&log->mdf, &file, e);
    run_info_files_free(attachment, attachments);
    return bad;
}

/* Once: after the first error nothing more is said about the disk. */
static void tell(struct run_log *log, const char *path, int error)
{
    int none = 0;
    if (error && atomic_compare_exchange_strong(&log->error, &none, error))
        console_say("skidpad run: %s: %s; the log ends here, the run goes on\n", path,
                    out_file_why(error));
}

/* What there is to say about an event besides its numbers. */
static void describe_event(struct loop *l, const struct loop_event *e, char *text, size_t size)
{
    text[0] = '\0';
    switch (e->kind) {
    case EVENT_MISSED:
    case EVENT_SKIPPED:
        return; /* the numbers say it */
    case EVENT_SWITCH:
        (void)snprintf(text, size, "%s", l->rt->ops->reason_name((int)e->value));
        return;
    case EVENT_SAFE:
        (void)snprintf(text, size, "%s", loop_cause_name((uint32_t)e->value));
        return;
    case EVENT_FAULT:
        (void)snprintf(text, size, "%s", model_fault_text((uint32_t)e->value));
        return;
    case EVENT_FAULT_ON:
    case EVENT_FAULT_OFF:
        (void)snprintf(text, size, "%s", l->faults->fault[e->value].name);
        return;
    case EVENT_DRIVER:
        (void)snprintf(text, size, "%s", loop_driver_name(e->value));
        return;
    case EVENT_POWER:
        (void)snprintf(text, size, "%s, %g V",
                       sequence_terminal_name(l->sequence->step[e->value].terminal),
                       l->sequence->step[e->value].supply_V);
        return;
    case EVENT_REQUEST:
        request_event_text(&l->requests, e->value, text, size);
        return;
    case EVENT_LINK:
        if (l->link && l->link->describe)
            l->link->describe(l->peer, e->value, text, size);
        return;
    default:
        (void)snprintf(text, size, "%" PRId64, e->value);
        return;
    }
}

static void put_event(struct run_log *log, const struct loop_event *e, const char *text)
{
    struct telemetry_event whole = {.event = *e};
    if (!log->mdf)
        return;
    (void)snprintf(whole.text, sizeof whole.text, "%s", text);
    tell(log, log->path, mdf_write(log->mdf, GROUP_EVENTS, &whole, 1));
}

/* Who stopped the bench: the first after it entered that safe state. */
static void note_stop(struct run_log *log, const struct loop_event *e)
{
    if (e->kind == EVENT_SAFE)
        log->stopped_by[0] = '\0';
    if (e->kind != EVENT_REQUEST || log->stopped_by[0] != '\0')
        return;
    const struct request_done d = request_of_event(e->value);
    struct request_words words;
    if (d.kind != REQUEST_SAFE)
        return;
    requests_words(&log->loop->requests, d.number, &words);
    memcpy(log->stopped_by, words.who, sizeof log->stopped_by);
}

static void drain_events(struct run_log *log)
{
    const void *span;
    size_t n;
    while ((n = ring_peek(&log->loop->events, &span)) > 0) {
        for (size_t i = 0; i < n; i++) {
            const struct loop_event *e = (const struct loop_event *)span + i;
            char text[EVENT_TEXT];
            describe_event(log->loop, e, text, sizeof text);
            log_texts_put(&log->texts, e, text);
            put_event(log, e, text);
            note_stop(log, e);
            if (log->tap)
                log->tap->event(log->tap->self, e, text);
        }
        ring_release(&log->loop->events, n);
        log->events += n;
    }
}

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Hands what has come to the kernel: everything of before begin_ns is drained. */
static void flush(struct run_log *log, int64_t begin_ns)
{
    const char *path;
    if (log->mdf)
        tell(log, log->path, mdf_flush(log->mdf));
    int bad = log_texts_flush(&log->texts, &path);
    tell(log, path, bad);
    log->flushed_ns = now_ns();
    int64_t gap_ns = log->flushed_ns - atomic_load(&log->covered_ns);
    if (gap_ns > log->gap_ns)
        log->gap_ns = gap_ns;
    atomic_store(&log->covered_ns, begin_ns);
}

/* In small parts: after a stall of the disk the loop has room again at once, not when all of what
 * came meanwhile is written; nor do the events wait that long. Returns when it found nothing more;
 * *begin_ns: what came before that time was there to be found. */
static void drain(struct run_log *log, int64_t *begin_ns)
{
    const void *span;
    size_t n;
    do {
        *begin_ns = now_ns();
        drain_events(log);
        n = ring_peek(&log->loop->records, &span);
        n = n < PART_RECORDS ? n : PART_RECORDS;
        if (n > 0 && log->mdf)
            tell(log, log->path, mdf_write(log->mdf, GROUP_TICKS, span, n));
        if (n > 0 && log->tap)
            log->tap->records(log->tap->self, span, n);
        ring_release(&log->loop->records, n);
        log->records += n;
        if (log->also.drain)
            log->also.drain(log->also.self);
    } while (n > 0 && now_ns() - log->flushed_ns < flush_ns);
}

static void *work(void *argument)
{
    struct run_log *log = argument;
    const struct timespec pause = {.tv_nsec = poll_ns};
    int64_t begin_ns;
    bool last;
    /* Before other ordinary threads, where that is allowed: it needs little, but that in time. */
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), log_nice);
    log->flushed_ns = now_ns();
    atomic_store(&log->covered_ns, log->flushed_ns);
    do {
        last = atomic_load(&log->finish);
        drain(log, &begin_ns);
        if (now_ns() - log->flushed_ns >= flush_ns)
            flush(log, begin_ns);
        else if (!last)
            (void)nanosleep(&pause, NULL);
    } while (!last || ring_fill(&log->loop->records) > 0 || ring_fill(&log->loop->events) > 0);
    flush(log, now_ns());
    return NULL;
}

/* ---- the disk's own memory */

static int store(struct run_log *log)
{
    int bad = mdf_sync(log->mdf);
    if (!bad)
        bad = log_texts_sync(&log->texts);
    return bad || !log->also.sync ? bad : log->also.sync(log->also.self);
}

/* In a thread of its own: the disk may take seconds, meanwhile the log goes on. */
static void *sync_work(void *argument)
{
    struct run_log *log = argument;
    struct run_log_sync *s = &log->sync;
    const struct timespec pause = {.tv_nsec = poll_ns};
    int64_t due_ns = now_ns() + s->every_ns, stored_ns = now_ns();
    while (!atomic_load(&log->finish)) {
        if (now_ns() < due_ns) {
            (void)nanosleep(&pause, NULL);
            continue;
        }
        int64_t begin_ns = now_ns();
        tell(log, log->path, store(log));
        int64_t end_ns = now_ns(), took_ns = end_ns - begin_ns;
        s->count++;
        s->sum_ns += took_ns;
        s->longest_ns = took_ns > s->longest_ns ? took_ns : s->longest_ns;
        s->exposed_ns = end_ns - stored_ns > s->exposed_ns ? end_ns - stored_ns : s->exposed_ns;
        stored_ns = begin_ns;
        due_ns = begin_ns + s->every_ns > end_ns ? begin_ns + s->every_ns : end_ns;
    }
    return NULL;
}

/* ---- begin and end */

int run_log_open(struct run_log *log, struct loop *loop, const char *path,
                 const struct run_log_about *about, struct err *e)
{
    memset(log, 0, sizeof *log);
    log->loop = loop;
    log->tap = about->tap;
    log->also = about->also;
    log->sync.every_ns = path[0] != '\0' ? about->sync_ns : 0;
    if (path[0] == '\0')
        return 0;
    (void)snprintf(log->path, sizeof log->path, "%s", path);
    /* The texts first: where they have no place, nothing is written into the log. */
    int bad = log_texts_check(path, e);
    if (bad)
        return bad;
    folders_make(path);
    bad = log_texts_prepare(&log->texts, path, e);
    return bad ? bad : open_mdf(log, about, e);
}

static int start_thread(pthread_t *thread, void *(*function)(void *), struct run_log *log,
                        bool *started, struct err *e)
{
    int error = pthread_create(thread, NULL, function, log);
    *started = error == 0;
    return error ? err_set(e, -error, "the log thread did not start: %s", strerror(error)) : 0;
}

int run_log_start(struct run_log *log, struct err *e)
{
    int bad = 0;
    if (log->mdf)
        bad = mdf_keep(log->mdf, e);
    if (!bad && log->mdf)
        bad = log_texts_keep(&log->texts, e);
    if (bad)
        return bad;
    log->kept = true;
    bad = start_thread(&log->thread, work, log, &log->started, e);
    if (!bad && log->sync.every_ns > 0)
        bad = start_thread(&log->sync.thread, sync_work, log, &log->sync.started, e);
    return bad;
}

static void drop(struct run_log *log)
{
    if (log->mdf)
        mdf_drop(log->mdf);
    log->mdf = NULL;
    log_texts_drop(&log->texts);
}

void run_log_finish(struct run_log *log)
{
    atomic_store(&log->finish, true);
    if (log->started)
        (void)pthread_join(log->thread, NULL);
    if (log->sync.started)
        (void)pthread_join(log->sync.thread, NULL);
    log->started = log->sync.started = false;
    if (!log->kept) {
        drop(log);
        return;
    }
    if (log->mdf) {
        log->lost = mdf_lost(log->mdf); /* all is flushed */
        tell(log, log->path, mdf_close(log->mdf));
    }
    log->mdf = NULL;
    const char *path;
    int bad = log_texts_close(&log->texts, &path);
    tell(log, path, bad);
}

#include "target/run_log.h"

#include "shared/base/folders.h"
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

enum { GROUP_TICKS, GROUP_EVENTS, GROUPS, CHANNELS_MAX = 512 };
static const int64_t poll_ns = 5 * NS_PER_MS;
/* Every 100 ms what has come is handed to the kernel, so that a crash loses no more. */
enum { flush_polls = 20, PART_RECORDS = 256, EVENT_TEXT = 200 };
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
         .record_bytes = sizeof(struct loop_event),
         .channels = log_event_channels,
         .channel_count = LOG_EVENT_CHANNELS},
    };
    const struct mdf_file file = {.path = log->path,
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
    if (!error || log->told)
        return;
    log->told = true;
    fprintf(stderr, "skidpad run: %s: %s; the log ends here, the run goes on\n", path,
            strerror(-error));
}

/* What there is to say about an event besides its numbers. */
static void describe_event(const struct loop *l, const struct loop_event *e, char *text,
                           size_t size)
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
    case EVENT_LINK:
        if (l->link && l->link->describe)
            l->link->describe(l->peer, e->value, text, size);
        return;
    default:
        (void)snprintf(text, size, "%" PRId64, e->value);
        return;
    }
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
            if (log->tap)
                log->tap->event(log->tap->self, e, text);
        }
        if (log->mdf)
            tell(log, log->path, mdf_write(log->mdf, GROUP_EVENTS, span, n));
        ring_release(&log->loop->events, n);
        log->events += n;
    }
}

/* In small parts: after a stall of the disk the loop has room again at once, not when all of what
 * came meanwhile is written; nor do the events wait that long. */
static void drain(struct run_log *log)
{
    const void *span;
    size_t n;
    do {
        drain_events(log);
        n = ring_peek(&log->loop->records, &span);
        n = n < PART_RECORDS ? n : PART_RECORDS;
        if (n > 0 && log->mdf)
            tell(log, log->path, mdf_write(log->mdf, GROUP_TICKS, span, n));
        if (n > 0 && log->tap)
            log->tap->records(log->tap->self, span, n);
        ring_release(&log->loop->records, n);
        log->records += n;
    } while (n > 0);
}

/* Hands what has come to the kernel. */
static void flush(struct run_log *log)
{
    const char *path;
    if (log->mdf)
        tell(log, log->path, mdf_flush(log->mdf));
    int bad = log_texts_flush(&log->texts, &path);
    tell(log, path, bad);
}

static void *work(void *argument)
{
    struct run_log *log = argument;
    const struct timespec pause = {.tv_nsec = poll_ns};
    /* Before other ordinary threads, where that is allowed: it needs little, but that in time. */
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), log_nice);
    for (unsigned n = 1; !atomic_load(&log->finish); n++) {
        drain(log);
        if (n % flush_polls == 0)
            flush(log);
        (void)nanosleep(&pause, NULL);
    }
    drain(log);
    flush(log);
    return NULL;
}

static int open_files(struct run_log *log, const char *path, const struct run_log_about *about,
                      struct err *e)
{
    (void)snprintf(log->path, sizeof log->path, "%s", path);
    folders_make(path);
    int bad = open_mdf(log, about, e);
    return bad ? bad : log_texts_open(&log->texts, path, e);
}

int run_log_start(struct run_log *log, struct loop *loop, const char *path,
                  const struct run_log_about *about, struct err *e)
{
    memset(log, 0, sizeof *log);
    log->loop = loop;
    log->tap = about->tap;
    int bad = path[0] != '\0' ? open_files(log, path, about, e) : 0;
    if (!bad) {
        int error = pthread_create(&log->thread, NULL, work, log);
        log->started = error == 0;
        bad = error ? err_set(e, -error, "the log thread did not start: %s", strerror(error)) : 0;
    }
    return bad;
}

void run_log_finish(struct run_log *log)
{
    if (log->started) {
        atomic_store(&log->finish, true);
        (void)pthread_join(log->thread, NULL);
        log->started = false;
    }
    if (log->mdf) {
        log->lost = mdf_lost(log->mdf);
        tell(log, log->path, mdf_close(log->mdf));
    }
    log->mdf = NULL;
    const char *path;
    int bad = log_texts_close(&log->texts, &path);
    tell(log, path, bad);
}

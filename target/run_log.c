#include "target/run_log.h"

#include "shared/base/folders.h"
#include "shared/base/time.h"
#include "shared/base/version.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { GROUP_TICKS, GROUP_EVENTS, GROUPS, TICK_CHANNELS = 8, CHANNELS_MAX = 512 };
static const int64_t poll_ns = 5 * NS_PER_MS;
/* Every 100 ms what has come is handed to the kernel, so that a crash loses no more. */
enum { flush_polls = 20, PART_RECORDS = 256 };
/* Of one gap; a longer one (the machine slept) gets a line for the rest. */
static const int64_t skipped_lines = 200000;
static const int log_nice = -10;

#define TICK(n, u, t, field, text)                                                                 \
    {                                                                                              \
        .name = n, .unit = u, .type = t, .offset = offsetof(struct loop_record, field),            \
        .comment = text                                                                            \
    }
#define EVENT(n, u, t, field, text)                                                                \
    {                                                                                              \
        .name = n, .unit = u, .type = t, .offset = offsetof(struct loop_event, field),             \
        .comment = text                                                                            \
    }

static const struct mdf_channel tick_channels[TICK_CHANNELS] = {
    {.name = "release",
     .unit = "s",
     .type = MDF_I64,
     .offset = offsetof(struct loop_record, release_ns),
     .comment = "release of the tick since the first one",
     .master = true,
     .factor = 1e-9},
    TICK("tick", "1", MDF_I64, tick, "number of the release"),
    TICK("wake_ns", "ns", MDF_I64, wake_ns, "wake-up since the first release"),
    TICK("end_ns", "ns", MDF_I64, end_ns, "end of the tick since the first release"),
    TICK("steps", "1", MDF_U32, steps, "steps of the plant in this tick"),
    TICK("skipped", "1", MDF_U32, skipped, "releases skipped before this tick"),
    TICK("cause", "1", MDF_U32, cause, "cause of the safe state; 0 is none"),
    TICK("dropped", "1", MDF_U32, dropped, "records lost before this one"),
};

static const struct mdf_channel event_channels[] = {
    {.name = "release",
     .unit = "s",
     .type = MDF_I64,
     .offset = offsetof(struct loop_event, release_ns),
     .comment = "release of the tick since the first one",
     .master = true,
     .factor = 1e-9},
    EVENT("tick", "1", MDF_I64, tick, "number of the release"),
    EVENT("kind", "1", MDF_I32, kind,
          "0 missed, 1 skipped, 2 fault, 3 safe state, 4 reset, 5 log full, 6 provoked, "
          "7 fault begins, 8 fault ends, 9 bus, 10 real time left, 11 set-up changed"),
    EVENT("value", "1", MDF_I64, value, "what the kind counts"),
    EVENT("late_ns", "ns", MDF_I64, late_ns, "end after the deadline"),
    EVENT("wake_ns", "ns", MDF_I64, wake_ns, "wake-up since the first release"),
    EVENT("end_ns", "ns", MDF_I64, end_ns, "end of the tick since the first release"),
    EVENT("phase", "1", MDF_I32, phase,
          "longest part: 0 receive, 1 command, 2 step, 3 sense, 4 send, 5 none"),
};

/* The tick's own channels, then every signal. Returns how many. */
static size_t all_channels(struct mdf_channel out[CHANNELS_MAX])
{
    static const enum mdf_type types[] = {[SIGNAL_f64] = MDF_F64,
                                          [SIGNAL_i64] = MDF_I64,
                                          [SIGNAL_u32] = MDF_U32,
                                          [SIGNAL_i32] = MDF_I32};
    size_t n = TICK_CHANNELS;
    static_assert(TICK_CHANNELS + sizeof(struct signals) / sizeof(signal_u32) <= CHANNELS_MAX,
                  "there is room for every signal, the smallest of which has four bytes");
    memcpy(out, tick_channels, sizeof tick_channels);
    for (size_t i = 0; i < signal_count; i++, n++)
        out[n] = (struct mdf_channel){
            .name = signal_table[i].name,
            .unit = signal_table[i].unit,
            .comment = signal_table[i].meaning,
            .type = types[signal_table[i].type],
            .offset = (uint32_t)(offsetof(struct loop_record, signals) + signal_table[i].offset)};
    return n;
}

/* A whole file, for the attachments; NULL if it cannot be read (then it is left out). */
static void *slurp(const char *path, size_t *bytes)
{
    FILE *f = path ? fopen(path, "re") : NULL;
    char *text = f ? malloc(1 << 20) : NULL;
    *bytes = text ? fread(text, 1, 1 << 20, f) : 0;
    if (f)
        (void)fclose(f);
    return text;
}

/* The properties of the run. Texts live in the caller's buffers. */
struct texts {
    char step_ns[32], substeps[16], kernel[512], hash[32], deadline_ns[32];
};

static size_t properties(const struct loop *l, const struct run_log_about *about, struct texts *t,
                         struct mdf_property out[16])
{
    const struct lumped15_model *car = &l->car->vehicle->car;
    struct utsname u;
    (void)uname(&u);
    (void)snprintf(t->step_ns, sizeof t->step_ns, "%" PRId64, l->setup.period_ns);
    (void)snprintf(t->deadline_ns, sizeof t->deadline_ns, "%" PRId64, l->setup.deadline_ns);
    (void)snprintf(t->substeps, sizeof t->substeps, "%d", car->substeps);
    (void)snprintf(t->kernel, sizeof t->kernel, "%s %s %s %s", u.sysname, u.release, u.version,
                   u.machine);
    (void)snprintf(t->hash, sizeof t->hash, "%016" PRIx64, offline_model_hash(l->car));
    size_t n = 0;
    out[n++] = (struct mdf_property){"car", l->car->vehicle->name};
    out[n++] = (struct mdf_property){"model", "lumped15"};
    out[n++] = (struct mdf_property){
        "integrator", car->integrator == LUMPED15_FORWARD ? "forward" : "semi-implicit"};
    out[n++] = (struct mdf_property){"substeps", t->substeps};
    out[n++] = (struct mdf_property){"period_ns", t->step_ns};
    out[n++] = (struct mdf_property){"deadline_ns", t->deadline_ns};
    out[n++] = (struct mdf_property){"core", about->core};
    if (about->core_about[0])
        out[n++] = (struct mdf_property){"core_version", about->core_about};
    out[n++] = (struct mdf_property){"kernel", t->kernel};
    out[n++] = (struct mdf_property){"revision", version_revision()};
    out[n++] = (struct mdf_property){"scenario", about->scenario};
    out[n++] = (struct mdf_property){"vehicle", about->vehicle};
    out[n++] = (struct mdf_property){"model_hash", t->hash};
    return n;
}

static int open_mdf(struct run_log *log, const struct run_log_about *about, struct err *e)
{
    struct mdf_channel channels[CHANNELS_MAX];
    struct mdf_property property[16];
    struct texts texts;
    struct timespec now;
    const char *paths[3] = {about->bench, about->scenario, about->vehicle};
    const char *names[3] = {"bench.yaml", "scenario.yaml", "vehicle.yaml"};
    struct mdf_attachment attachment[3];
    size_t attachments = 0;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i < 3; i++) {
        size_t bytes;
        void *text = slurp(paths[i], &bytes);
        if (text)
            attachment[attachments++] = (struct mdf_attachment){
                .name = names[i], .mime = "text/yaml", .data = text, .bytes = bytes};
    }
    const struct mdf_group groups[GROUPS] = {
        {.name = "ticks",
         .record_bytes = sizeof(struct loop_record),
         .channels = channels,
         .channel_count = all_channels(channels)},
        {.name = "events",
         .record_bytes = sizeof(struct loop_event),
         .channels = event_channels,
         .channel_count = sizeof event_channels / sizeof event_channels[0]},
    };
    const struct mdf_file file = {.path = log->path,
                                  .comment = log->loop->car->scenario->name,
                                  .start_ns = (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec,
                                  .properties = property,
                                  .property_count = properties(log->loop, about, &texts, property),
                                  .attachments = attachment,
                                  .attachment_count = attachments,
                                  .groups = groups,
                                  .group_count = GROUPS};
    int bad = mdf_open(&log->mdf, &file, e);
    for (size_t i = 0; i < attachments; i++)
        free((void *)attachment[i].data);
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

/* One line a miss: a late tick, or each release that was skipped. */
static void write_misses(struct run_log *log, const struct loop_event *e)
{
    if (e->kind == EVENT_MISSED)
        fprintf(log->misses,
                "tick %" PRId64 " late   release %.6f s  wake-up +%.1f us  end +%.1f us  late by "
                "%.1f us  longest %s\n",
                e->tick, 1e-9 * (double)e->release_ns, 1e-3 * (double)(e->wake_ns - e->release_ns),
                1e-3 * (double)(e->end_ns - e->release_ns), 1e-3 * (double)e->late_ns,
                loop_phase_name(e->phase));
    if (e->kind == EVENT_SWITCH)
        fprintf(log->misses, "tick %" PRId64 " left real time: %s (reason %" PRId64 ")\n", e->tick,
                log->loop->rt->ops->reason_name((int)e->value), e->value);
    int64_t skipped = e->kind == EVENT_SKIPPED ? e->value : 0;
    for (int64_t i = 0; i < skipped && i < skipped_lines; i++)
        fprintf(log->misses, "tick %" PRId64 " skipped\n", e->tick + i);
    if (skipped > skipped_lines)
        fprintf(log->misses, "ticks %" PRId64 " to %" PRId64 " skipped\n", e->tick + skipped_lines,
                e->tick + skipped - 1);
}

/* One line for what is not a deadline: faults, buses, the safe state. */
static void write_event(struct run_log *log, const struct loop_event *e)
{
    const struct loop *l = log->loop;
    char text[200] = "";
    switch (e->kind) {
    case EVENT_MISSED:
    case EVENT_SKIPPED:
    case EVENT_SWITCH:
        return; /* have a file of their own */
    case EVENT_SAFE:
        (void)snprintf(text, sizeof text, "%s", loop_cause_name((uint32_t)e->value));
        break;
    case EVENT_FAULT_ON:
    case EVENT_FAULT_OFF:
        (void)snprintf(text, sizeof text, "%s", l->faults->fault[e->value].name);
        break;
    case EVENT_LINK:
        if (l->link && l->link->describe)
            l->link->describe(l->peer, e->value, text, sizeof text);
        break;
    default:
        (void)snprintf(text, sizeof text, "%" PRId64, e->value);
        break;
    }
    fprintf(log->story, "%.6f s  tick %" PRId64 "  %s: %s\n", 1e-9 * (double)e->release_ns, e->tick,
            loop_event_name(e->kind), text);
}

static void drain_events(struct run_log *log)
{
    const void *span;
    size_t n;
    while ((n = ring_peek(&log->loop->events, &span)) > 0) {
        for (size_t i = 0; i < n && log->misses; i++) {
            write_misses(log, (const struct loop_event *)span + i);
            write_event(log, (const struct loop_event *)span + i);
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
        ring_release(&log->loop->records, n);
        log->records += n;
    } while (n > 0);
}

/* Hands what has come to the kernel. */
static void flush(struct run_log *log)
{
    if (log->mdf)
        tell(log, log->path, mdf_flush(log->mdf));
    if (log->misses && (fflush(log->misses) == EOF || ferror(log->misses)))
        tell(log, log->misses_path, errno ? -errno : -EIO);
    if (log->story && (fflush(log->story) == EOF || ferror(log->story)))
        tell(log, log->story_path, errno ? -errno : -EIO);
}

static void *work(void *argument)
{
    struct run_log *log = argument;
    const struct timespec pause = {.tv_nsec = poll_ns};
    /* Before other ordinary threads, where that is allowed: it needs little, but that in time. */
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), log_nice);
    for (int n = 1; !atomic_load(&log->finish); n++) {
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
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int stem = dot && dot > name ? (int)(dot - path) : (int)strlen(path);
    (void)snprintf(log->path, sizeof log->path, "%s", path);
    (void)snprintf(log->misses_path, sizeof log->misses_path, "%.*s.deadlines.txt", stem, path);
    folders_make(path);
    int bad = open_mdf(log, about, e);
    if (bad)
        return bad;
    (void)snprintf(log->story_path, sizeof log->story_path, "%.*s.events.txt", stem, path);
    log->misses = fopen(log->misses_path, "we");
    log->story = log->misses ? fopen(log->story_path, "we") : NULL;
    if (!log->story) {
        int error = errno;
        return err_set(e, -error, "%s: %s", log->misses ? log->story_path : log->misses_path,
                       strerror(error));
    }
    return 0;
}

int run_log_start(struct run_log *log, struct loop *loop, const char *path,
                  const struct run_log_about *about, struct err *e)
{
    memset(log, 0, sizeof *log);
    log->loop = loop;
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
    if (log->misses && fclose(log->misses) == EOF)
        tell(log, log->misses_path, -errno);
    if (log->story && fclose(log->story) == EOF)
        tell(log, log->story_path, -errno);
    log->mdf = NULL;
    log->misses = NULL;
    log->story = NULL;
}

#include "shared/wire/log_texts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one gap; a longer one (the machine slept) gets a line for the rest. */
static const int64_t skipped_lines = 200000;

int log_texts_check(const char *log, struct err *e)
{
    struct stat st;
    const bool device = strncmp(log, "/dev/", 5) == 0 && strncmp(log, "/dev/shm/", 9) != 0;
    if (!device && (stat(log, &st) || !S_ISCHR(st.st_mode)))
        return 0;
    return err_set(e, -EINVAL,
                   "%s: is a device: a log has other files beside it and needs a folder; leave "
                   "`log:` out to drive without one",
                   log);
}

int log_texts_prepare(struct log_texts *t, const char *log, struct err *e)
{
    const char *slash = strrchr(log, '/'), *name = slash ? slash + 1 : log;
    const char *dot = strrchr(name, '.');
    int stem = dot && dot > name ? (int)(dot - log) : (int)strlen(log);
    memset(t, 0, sizeof *t);
    int bad = log_texts_check(log, e);
    if (bad)
        return bad;
    (void)snprintf(t->misses_path, sizeof t->misses_path, "%.*s.deadlines.txt", stem, log);
    (void)snprintf(t->story_path, sizeof t->story_path, "%.*s.events.txt", stem, log);
    bad = out_file_open(&t->misses_file, t->misses_path, e);
    if (!bad)
        bad = out_file_open(&t->story_file, t->story_path, e);
    if (bad)
        return bad;
    t->misses = out_file_stream(&t->misses_file);
    t->story = out_file_stream(&t->story_file);
    if (t->misses && t->story)
        return 0;
    t->misses = t->story = NULL; /* not one without the other */
    return err_set(e, -ENOMEM, "%s: out of memory", t->story_path);
}

int log_texts_keep(struct log_texts *t, struct err *e)
{
    int bad = out_file_keep(&t->misses_file, e);
    return bad ? bad : out_file_keep(&t->story_file, e);
}

int log_texts_open(struct log_texts *t, const char *log, struct err *e)
{
    int bad = log_texts_prepare(t, log, e);
    return bad ? bad : log_texts_keep(t, e);
}

/* One line a miss: a late tick, or each release that was skipped. */
static void put_misses(FILE *to, const struct loop_event *e, const char *text)
{
    if (e->kind == EVENT_MISSED)
        fprintf(to,
                "tick %" PRId64 " late   release %.6f s  wake-up +%.1f us  end +%.1f us  late by "
                "%.1f us  longest %s\n",
                e->tick, 1e-9 * (double)e->release_ns, 1e-3 * (double)(e->wake_ns - e->release_ns),
                1e-3 * (double)(e->end_ns - e->release_ns), 1e-3 * (double)e->late_ns,
                loop_phase_name(e->phase));
    if (e->kind == EVENT_SWITCH)
        fprintf(to, "tick %" PRId64 " left real time: %s (reason %" PRId64 ")\n", e->tick, text,
                e->value);
    int64_t skipped = e->kind == EVENT_SKIPPED ? e->value : 0;
    for (int64_t i = 0; i < skipped && i < skipped_lines; i++)
        fprintf(to, "tick %" PRId64 " skipped\n", e->tick + i);
    if (skipped > skipped_lines)
        fprintf(to, "ticks %" PRId64 " to %" PRId64 " skipped\n", e->tick + skipped_lines,
                e->tick + skipped - 1);
}

void log_texts_put(struct log_texts *t, const struct loop_event *e, const char *text)
{
    if (!t->story)
        return;
    if (e->kind == EVENT_MISSED || e->kind == EVENT_SKIPPED || e->kind == EVENT_SWITCH)
        put_misses(t->misses, e, text);
    else
        fprintf(t->story, "%.6f s  tick %" PRId64 "  %s: %s\n", 1e-9 * (double)e->release_ns,
                e->tick, loop_event_name(e->kind), text);
}

int log_texts_flush(struct log_texts *t, const char **path)
{
    int bad = out_file_flush(&t->misses_file);
    *path = bad ? t->misses_path : t->story_path;
    return bad ? bad : out_file_flush(&t->story_file);
}

int log_texts_sync(const struct log_texts *t)
{
    const int fds[] = {t->misses_file.fd, t->story_file.fd};
    for (int i = 0; i < 2; i++)
        if (fdatasync(fds[i]) && errno != EINVAL)
            return -errno;
    return 0;
}

int log_texts_close(struct log_texts *t, const char **path)
{
    int bad = log_texts_flush(t, path);
    int misses = out_file_close(&t->misses_file, NULL),
        story = out_file_close(&t->story_file, NULL);
    if (!bad && (misses || story)) {
        bad = misses ? misses : story;
        *path = misses ? t->misses_path : t->story_path;
    }
    t->misses = t->story = NULL;
    return bad;
}

void log_texts_drop(struct log_texts *t)
{
    out_file_drop(&t->misses_file);
    out_file_drop(&t->story_file);
    t->misses = t->story = NULL;
}

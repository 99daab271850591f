#include "target/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number at the start of a text, in *out; false if there is none. */
static bool number_at(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return end != text && errno == 0;
}

/* The text behind `fields` blanks. */
static const char *skip_fields(const char *text, int fields)
{
    for (; text && fields > 0; fields--) {
        text = strchr(text, ' ');
        text = text ? text + 1 : NULL;
    }
    return text;
}

/* Fields 10 and 12 of stat: minor and major faults. The name in parentheses may hold anything. */
static int read_faults(pid_t tid, struct monitor_counts *out)
{
    char path[64], line[1024];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    const char *got = fgets(line, sizeof line, f);
    (void)fclose(f);
    const char *after = got ? strrchr(line, ')') : NULL; /* ends field 2 */
    const char *minor = skip_fields(after, 8), *major = skip_fields(after, 10);
    if (!minor || !major || !number_at(minor, &out->minor_faults) ||
        !number_at(major, &out->major_faults))
        return -EPROTO;
    return 0;
}

static int read_switches(pid_t tid, struct monitor_counts *out)
{
    char path[64], line[256];
    int found = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    while (fgets(line, sizeof line, f)) {
        const char *value = strchr(line, ':');
        if (value && strncmp(line, "voluntary_ctxt_switches", 23) == 0)
            found += number_at(value + 1, &out->voluntary);
        if (value && strncmp(line, "nonvoluntary_ctxt_switches", 26) == 0)
            found += number_at(value + 1, &out->involuntary);
    }
    (void)fclose(f);
    return found == 2 ? 0 : -EPROTO;
}

int monitor_read(pid_t tid, struct monitor_counts *out)
{
    int bad = read_faults(tid, out);
    return bad ? bad : read_switches(tid, out);
}

int monitor_update(struct monitor *m)
{
    int bad = monitor_read(m->tid, &m->last);
    if (!bad && !m->based) {
        m->base = m->last;
        m->based = true;
    }
    return bad;
}

struct monitor_counts monitor_since(const struct monitor *m)
{
    struct monitor_counts d = {0, 0, 0, 0};
    if (!m->based)
        return d;
    d.minor_faults = m->last.minor_faults - m->base.minor_faults;
    d.major_faults = m->last.major_faults - m->base.major_faults;
    d.voluntary = m->last.voluntary - m->base.voluntary;
    d.involuntary = m->last.involuntary - m->base.involuntary;
    return d;
}

#include "target/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    const char *after = got ? strrchr(line, ')') : NULL;
    if (!after || sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
                         &out->minor_faults, &out->major_faults) != 2)
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
        found += sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &out->voluntary) == 1;
        found += sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &out->involuntary) == 1;
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

#include "target/bench_report.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a file. */
static void read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, (int)size, file))
        (void)snprintf(text, size, "unknown");
    if (file)
        (void)fclose(file);
    text[strcspn(text, "\n")] = '\0';
}

static void read_cpu(char *text, size_t size)
{
    /* "model name : ..." on x86; other machines name their kind of CPU elsewhere or not at all */
    static const char *const keys[] = {"model name", "Model", "cpu model", "Hardware"};
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    (void)snprintf(text, size, "unknown");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; colon && !found && i < sizeof keys / sizeof keys[0]; i++)
            found = strncmp(line, keys[i], strlen(keys[i])) == 0;
        if (found && colon)
            (void)snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " "));
    }
    if (file)
        (void)fclose(file);
}

void bench_machine_read(struct bench_machine *m)
{
    struct utsname u;
    char realtime[8];
    memset(m, 0, sizeof *m);
    if (uname(&u) == 0) {
        (void)snprintf(m->system, sizeof m->system, "%s", u.sysname);
        (void)snprintf(m->release, sizeof m->release, "%s", u.release);
        (void)snprintf(m->version, sizeof m->version, "%s", u.version);
        (void)snprintf(m->hardware, sizeof m->hardware, "%s", u.machine);
    }
    read_line("/proc/version", m->proc_version, sizeof m->proc_version);
    read_line("/proc/cmdline", m->boot, sizeof m->boot);
    read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", m->clock_source,
              sizeof m->clock_source);
    read_line("/sys/kernel/realtime", realtime, sizeof realtime);
    m->realtime_kernel = strcmp(realtime, "1") == 0 || strstr(m->version, "PREEMPT_RT") != NULL;
    m->cpus = sysconf(_SC_NPROCESSORS_ONLN);
    read_cpu(m->cpu, sizeof m->cpu);
}

#include "target/core_choose.h"

#include "target/program_path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const core_names[] = {"auto", "posix", "virtual", "cobalt", "evl", NULL};

static bool there(const char *root, const char *path)
{
    char full[PATH_MAX];
    int length = snprintf(full, sizeof full, "%s%s", root, path);
    return length > 0 && (size_t)length < sizeof full && access(full, F_OK) == 0;
}

int core_offered(const char *root)
{
    if (there(root, "/proc/xenomai/version"))
        return BENCH_COBALT;
    return there(root, "/dev/evl/control") ? BENCH_EVL : BENCH_POSIX;
}

static const struct rt_ops *linked(const char *name)
{
    for (int i = 0; rt_cores[i]; i++)
        if (strcmp(rt_cores[i]->name, name) == 0)
            return rt_cores[i];
    return NULL;
}

/* Goes on as the program that has the core. Comes back only if there is none: a negative errno. */
static int take_over(const char *name, const char *command, char **argv)
{
    char path[PATH_MAX], program[64];
    bool plain = strcmp(name, "posix") == 0;
    (void)snprintf(program, sizeof program, "%s%s%s", command, plain ? "" : "-", plain ? "" : name);
    int bad = program_path(program, path, sizeof path);
    if (bad)
        return bad;
    (void)fflush(NULL);
    (void)execv(path, argv);
    return -errno;
}

static int explain(const char *name, const char *command, int bad, struct err *e)
{
    return err_set(e, bad,
                   "the program skidpad-%s-%s cannot be run (%s): build it with make "
                   "RT=\"posix %s\" (docs/real-time.md), or use --rt posix",
                   command, name, strerror(-bad), name);
}

int core_hand_over(int core, const char *command, char **argv, struct err *e)
{
    return explain(core_names[core], command, take_over(core_names[core], command, argv), e);
}

int core_choose(int core, const char *command, char **argv, const struct rt_ops **ops,
                struct err *e)
{
    bool ordinary = linked("posix") != NULL;
    if (core == BENCH_AUTO && ordinary) {
        int offered = core_offered("");
        if (offered != BENCH_POSIX) {
            (void)take_over(core_names[offered], command, argv);
            fprintf(stderr,
                    "skidpad %s: this kernel has the core %s, but there is no program "
                    "skidpad-%s-%s (docs/real-time.md): going on with posix\n",
                    command, core_names[offered], command, core_names[offered]);
        }
        core = BENCH_POSIX;
    }
    *ops = core == BENCH_AUTO ? rt_cores[0] : linked(core_names[core]);
    if (*ops)
        return 0;
    return core_hand_over(core, command, argv, e);
}

#include "target/stand_in.h"

#include "target/io/can_open.h"
#include "target/program_path.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int stand_in_transport(const char *bench_end, char *text, size_t size, struct err *e)
{
    struct can_spec spec;
    if (bench_end[0] == '\0' || strcmp(bench_end, "auto") == 0) {
        can_open_default(true, text, size);
        return 0;
    }
    int bad = can_spec_parse(bench_end, &spec, e);
    if (bad)
        return bad;
    switch (spec.kind) {
    case CAN_SOCKETCAN:
        (void)snprintf(text, size, "%s", bench_end);
        return 0;
    case CAN_RTDM: /* the virtual controllers are neighbours on one bus, in pairs */
        (void)snprintf(text, size, "rtdm:rtcan%ld", strtol(spec.name + 5, NULL, 10) ^ 1);
        return 0;
    case CAN_UDP:
        (void)snprintf(text, size, "udp:%d:%d", spec.peer_port, spec.local_port);
        return 0;
    default:
        return err_set(e, -EINVAL,
                       "a stand-in unit in a process of its own cannot be reached over \"%s\"; "
                       "give socketcan, rtdm or udp, or run on the simulated clock (--rt virtual)",
                       bench_end);
    }
}

static void become(const char *path, const struct stand_in_setup *setup)
{
    char priority[16];
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)snprintf(priority, sizeof priority, "%d", setup->priority);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)execl(path, "skidpad-ecu", "--params", setup->params, "--bus", setup->bus, "--can",
                setup->can, "--priority", priority, "--quiet", (char *)NULL);
    fprintf(stderr, "skidpad run: %s: %s\n", path, strerror(errno));
    _exit(127);
}

int stand_in_start(struct stand_in *s, const struct stand_in_setup *setup, struct err *e)
{
    char path[1024];
    /* RT-Socket-CAN belongs to threads of Cobalt. */
    bool rtdm = strncmp(setup->can, "rtdm:", 5) == 0;
    int bad = program_path(rtdm ? "ecu-cobalt" : "ecu", path, sizeof path);
    if (bad)
        return err_set(e, bad, "the stand-in unit %s cannot be run: %s", path, strerror(-bad));
    pid_t pid = fork();
    if (pid < 0)
        return err_set(e, -errno, "the stand-in unit cannot be started: %s", strerror(errno));
    if (pid == 0)
        become(path, setup);
    s->pid = pid;
    /* A wrong parameter ends it at once; its own message has said why. */
    (void)usleep(50000);
    if (!stand_in_alive(s))
        return err_set(e, -ECHILD, "the stand-in unit ended at once");
    return 0;
}

int stand_in_alive(struct stand_in *s)
{
    if (s->pid > 0 && waitpid(s->pid, NULL, WNOHANG) == s->pid)
        s->pid = 0;
    return s->pid > 0;
}

void stand_in_stop(struct stand_in *s)
{
    if (!stand_in_alive(s))
        return;
    (void)kill(s->pid, SIGTERM);
    (void)waitpid(s->pid, NULL, 0);
    s->pid = 0;
}

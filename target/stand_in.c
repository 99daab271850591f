#include "target/stand_in.h"

#include "shared/base/io.h"
#include "shared/base/time.h"
#include "target/io/can_open.h"
#include "target/program_path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int stand_in_transport(const char *bench_end, bool fd, char *text, size_t size, struct err *e)
{
    struct can_spec spec;
    if (bench_end[0] == '\0' || strcmp(bench_end, "auto") == 0) {
        can_open_default(true, fd, text, size);
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

/* A wrong parameter ends it at once; its own message has said why. */
static void settle(void)
{
    struct timespec pause = {.tv_nsec = 50 * NS_PER_MS}, left = pause;
    while (nanosleep(&pause, &left) && errno == EINTR)
        pause = left;
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

/* In the new process, which copied everything before memory was locked. */
static void wait_for_byte(const int ends[2])
{
    char byte;
    (void)close(ends[1]);
    if (io_read(ends[0], &byte, 1) != 1)
        _exit(0); /* the run ended before */
}

int stand_in_start(struct stand_in *s, const struct stand_in_setup *setup, struct err *e)
{
    char path[1024];
    /* RT-Socket-CAN belongs to threads of Cobalt. */
    bool rtdm = strncmp(setup->can, "rtdm:", 5) == 0;
    int bad = program_path(rtdm ? "ecu-cobalt" : "ecu", path, sizeof path);
    if (bad)
        return err_set(e, bad, "the stand-in unit %s cannot be run: %s", path, strerror(-bad));
    int ends[2] = {0, 0};
    pid_t pid =
        setup->held && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? -1 : fork();
    if (pid < 0)
        return err_set(e, -errno, "the stand-in unit cannot be started: %s", strerror(errno));
    if (pid == 0) {
        if (setup->held)
            wait_for_byte(ends);
        become(path, setup);
    }
    s->pid = pid;
    s->held = ends[1];
    if (setup->held)
        (void)close(ends[0]);
    else
        settle();
    if (!stand_in_alive(s))
        return err_set(e, -ECHILD, "the stand-in unit ended at once");
    return 0;
}

int stand_in_alive(struct stand_in *s)
{
    if (s->pid > 0 && waitpid(s->pid, &s->status, WNOHANG) == s->pid) {
        s->pid = 0;
        s->ended = true;
    }
    return s->pid > 0;
}

void stand_in_end_text(const struct stand_in *s, char *text, size_t size)
{
    if (WIFSIGNALED(s->status))
        (void)snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(s->status),
                       strsignal(WTERMSIG(s->status)));
    else
        (void)snprintf(text, size, "ended with status %d", WEXITSTATUS(s->status));
}

void stand_in_release(struct stand_in *s)
{
    if (s->held <= 0)
        return;
    /* A unit that has died meanwhile does not take the run with it: it will be missed on the bus.
     */
    ssize_t n;
    do
        n = send(s->held, "", 1, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    (void)close(s->held);
    s->held = 0;
    settle();
}

void stand_in_stop(struct stand_in *s)
{
    if (s->held > 0)
        (void)close(s->held); /* it ends by itself */
    s->held = 0;
    if (!stand_in_alive(s))
        return;
    (void)kill(s->pid, SIGTERM);
    (void)waitpid(s->pid, NULL, 0);
    s->pid = 0;
}

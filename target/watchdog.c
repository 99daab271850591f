#include "target/watchdog.h"

#include "shared/base/time.h"
#include "target/io/can_udp.h"
#include "target/program_path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* It says why by itself if it cannot. */
static const int start_most_ms = 5000, end_most_ms = 2000;
/* It looks several times within its time-out; a machine that is held up may keep it from that. */
static const int64_t hangs_ns = 2 * NS_PER_S;

int watchdog_prepare(struct watchdog *w, const struct watchdog_plan *plan, struct err *e)
{
    *w = (struct watchdog){.descriptor = memfd_create("skidpad-watchdog", MFD_CLOEXEC)};
    if (w->descriptor < 0 || ftruncate(w->descriptor, sizeof *w->page))
        return err_set(e, -errno, "watchdog: no shared memory: %s", strerror(errno));
    void *at = mmap(NULL, sizeof *w->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    w->descriptor, 0);
    if (at == MAP_FAILED)
        return err_set(e, -errno, "watchdog: no shared memory: %s", strerror(errno));
    w->page = at;
    w->page->bytes = sizeof *w->page;
    w->page->plan = *plan;
    w->page->plan.run = getpid();
    return 0;
}

/* In the new process. Its own session: neither Ctrl-C nor the end of the terminal is meant for it,
 * and it shall live when the run is killed. */
static void become(const char *path, int page, int socket)
{
    char page_text[16], socket_text[16];
    sigset_t none;
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid();
    (void)dup2(nowhere, STDIN_FILENO);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)fcntl(page, F_SETFD, 0);
    if (socket >= 0)
        (void)fcntl(socket, F_SETFD, 0);
    (void)snprintf(page_text, sizeof page_text, "%d", page);
    (void)snprintf(socket_text, sizeof socket_text, "%d", socket);
    if (socket >= 0)
        (void)execl(path, "skidpad-watchdog", "--page", page_text, "--socket", socket_text,
                    (char *)NULL);
    else
        (void)execl(path, "skidpad-watchdog", "--page", page_text, (char *)NULL);
    _exit(127);
}

static int wait_until_ready(struct watchdog *w, struct err *e)
{
    for (int i = 0; i < start_most_ms; i++) {
        int status = 0;
        if (atomic_load(&w->page->ready))
            return 0;
        if (waitpid(w->pid, &status, WNOHANG) == w->pid) {
            w->pid = 0;
            return err_set(e, -ECHILD, "the watchdog ended at once (status %d)",
                           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        }
        (void)usleep(1000);
    }
    return err_set(e, -ETIMEDOUT, "the watchdog was not ready after %d s", start_most_ms / 1000);
}

int watchdog_start(struct watchdog *w, struct can_link *link, struct err *e)
{
    const struct watchdog_plan *p = &w->page->plan;
    struct can_port *transport = can_gateway_transport(link->bus[p->bus].port);
    const bool shares = p->transport[0] == '\0';
    char path[WATCHDOG_PATH];
    if (shares && strcmp(transport->ops->name, "udp") != 0)
        return err_set(e, -EINVAL, "watchdog: bus %s is on %s, where it cannot send", p->bus_name,
                       transport->ops->name);
    int bad = program_path("watchdog", path, sizeof path);
    if (bad)
        return err_set(e, bad, "the watchdog %s cannot be run: %s", path, strerror(-bad));
    if (shares)
        can_udp_share_sequence(transport, &w->page->sequence);
    w->pid = fork();
    if (w->pid < 0) {
        w->pid = 0;
        return err_set(e, -errno, "the watchdog cannot be started: %s", strerror(errno));
    }
    if (w->pid == 0)
        become(path, w->descriptor, shares ? transport->descriptor : -1);
    bad = wait_until_ready(w, e);
    if (!bad)
        link->watchdog = w->page;
    return bad;
}

void watchdog_arm(struct watchdog *w)
{
    if (w->page)
        atomic_store(&w->page->run, WATCHDOG_TICKS);
}

/* Whether it has not looked for long: stopped, or held up. */
static bool hangs(struct watchdog *w)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    const int64_t now_ns = (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
    const uint64_t looks = atomic_load(&w->page->looks);
    if (looks != w->looks || w->looked_ns == 0) {
        w->looks = looks;
        w->looked_ns = now_ns;
    }
    const int64_t most_ns = hangs_ns + w->page->plan.timeout_ns;
    return atomic_load(&w->page->run) == WATCHDOG_TICKS && !atomic_load(&w->page->acted) &&
           now_ns - w->looked_ns > most_ns;
}

bool watchdog_tend(struct watchdog *w)
{
    if (w->pid <= 0)
        return true;
    if (waitpid(w->pid, NULL, WNOHANG) != w->pid) {
        if (w->lost || !hangs(w))
            return true;
        w->lost = true; /* and stays so, whatever it does later */
        return false;
    }
    w->pid = 0;
    w->lost |= !atomic_load(&w->page->acted) && atomic_load(&w->page->run) != WATCHDOG_ENDED;
    return !w->lost;
}

void watchdog_release(struct watchdog *w, bool failed)
{
    if (w->page && !failed)
        atomic_store(&w->page->run, WATCHDOG_ENDED);
}

void watchdog_finish(struct watchdog *w)
{
    if (w->page && atomic_load(&w->page->run) == WATCHDOG_WAITS)
        atomic_store(&w->page->run, WATCHDOG_ENDED); /* it never ticked */
    if (w->pid <= 0 || atomic_load(&w->page->run) != WATCHDOG_ENDED)
        return;
    for (int i = 0; waitpid(w->pid, NULL, WNOHANG) == 0; i++) {
        if (i == end_most_ms) { /* it would not have acted either */
            (void)kill(w->pid, SIGKILL);
            w->lost = true;
        }
        (void)usleep(1000);
    }
    w->pid = 0;
}

void watchdog_close(struct watchdog *w)
{
    watchdog_finish(w);
    w->pid = 0;
    w->page = NULL; /* the mapping stays: ports look there until they are closed */
    if (w->descriptor > 0)
        (void)close(w->descriptor);
    w->descriptor = 0;
}

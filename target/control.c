#include "target/control.h"

#include "shared/base/nearest.h"
#include "target/tune.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- answers */

static int fault_find(const struct fault_set *set, const char *name)
{
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->fault[i].name, name) == 0)
            return i;
    return -1;
}

static void answer_fault(struct loop *l, const char *name, const char *what, char *answer,
                         size_t size)
{
    int i = l->faults ? fault_find(l->faults, name) : -1;
    bool on = strcmp(what, "on") == 0;
    if (i < 0) {
        (void)snprintf(answer, size, "error the bench file has no fault \"%s\"", name);
    } else if (!on && strcmp(what, "off") != 0) {
        (void)snprintf(answer, size, "error \"%s\": a fault is switched on or off", what);
    } else {
        atomic_fetch_or(on ? &l->faults_on : &l->faults_off, 1u << (unsigned)i);
        (void)snprintf(answer, size, "ok fault %s %s", name, what);
    }
}

static void answer_set(struct loop *l, const char *name, const char *text, char *answer,
                       size_t size)
{
    struct err e = {""};
    char *end;
    double value = strtod(text, &end);
    if (!l->tune)
        (void)snprintf(answer, size, "error this run's set-up cannot be changed");
    else if (end == text || *end != '\0')
        (void)snprintf(answer, size, "error \"%s\" is no number", text);
    else if (tune_set_one(l->tune, name, value, &e))
        (void)snprintf(answer, size, "error %.400s", e.text);
    else
        (void)snprintf(answer, size, "ok %s is %g", name, value);
}

static void answer_status(struct loop *l, char *answer, size_t size)
{
    const struct loop_live *now = loop_live(l);
    (void)snprintf(answer, size, "ok tick %" PRId64 " missed %" PRIu64 " %.1f km/h %s%s", now->tick,
                   now->deadlines.misses, 3.6 * now->speed_mps,
                   now->cause ? "SAFE STATE: " : "running",
                   now->cause ? loop_cause_name(now->cause) : "");
}

void control_answer(struct loop *l, const char *line, char *answer, size_t size)
{
    char word[64] = "", name[64] = "", what[32] = "", rest[2] = "";
    int words = sscanf(line, "%63s %63s %31s %1s", word, name, what, rest);
    if (words == 3 && strcmp(word, "fault") == 0) {
        answer_fault(l, name, what, answer, size);
    } else if (words == 3 && strcmp(word, "set") == 0) {
        answer_set(l, name, what, answer, size);
    } else if (words != 1) {
        (void)snprintf(answer, size, "error not understood: %.60s", line);
    } else if (strcmp(word, "stop") == 0) {
        atomic_store(&l->stop, true);
        (void)snprintf(answer, size, "ok the run ends");
    } else if (strcmp(word, "safe") == 0) {
        atomic_store(&l->operator_stop, true);
        (void)snprintf(answer, size, "ok the safe state is entered");
    } else if (strcmp(word, "reset") == 0) {
        atomic_store(&l->reset, true);
        (void)snprintf(answer, size, "ok the safe state is left if its cause allows");
    } else if (strcmp(word, "status") == 0) {
        answer_status(l, answer, size);
    } else {
        static const char *const known[] = {"stop", "safe", "reset", "status", "fault", "set"};
        const char *near = nearest_word(word, known, 6);
        (void)snprintf(answer, size, "error unknown request \"%s\"%s%s%s", word,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
}

/* ---- the socket */

static int address(const char *path, struct sockaddr_un *to, struct err *e)
{
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof to->sun_path)
        return err_set(e, -ENAMETOOLONG, "%s: a socket's path has at most %zu characters", path,
                       sizeof to->sun_path - 1);
    memcpy(to->sun_path, path, strlen(path));
    return 0;
}

static int set_timeout(int fd, int ms)
{
    const struct timeval t = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) ? -errno : 0;
}

void control_poll(struct control *c)
{
    char line[CONTROL_LINE], answer[CONTROL_LINE];
    struct sockaddr_un from;
    socklen_t length = sizeof from;
    ssize_t n;
    while (c->socket >= 0 && (n = recvfrom(c->socket, line, sizeof line - 1, MSG_DONTWAIT,
                                           (struct sockaddr *)&from, &length)) >= 0) {
        line[n] = '\0';
        control_answer(c->loop, line, answer, sizeof answer);
        if (length > sizeof(sa_family_t))
            (void)sendto(c->socket, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL,
                         (struct sockaddr *)&from, length);
        length = sizeof from;
    }
}

/* Whether somebody listens at the socket file. */
static bool in_use(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool used = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0;
    if (fd >= 0)
        (void)close(fd);
    return used;
}

int control_open(struct control *c, struct loop *loop, const char *path, struct err *e)
{
    struct sockaddr_un at;
    struct stat file;
    c->socket = -1;
    c->loop = loop;
    int bad = address(path, &at, e);
    if (bad)
        return bad;
    if (in_use(&at))
        return err_set(e, -EADDRINUSE,
                       "%s: another run listens there; stop it or give another `control:`", path);
    if (lstat(path, &file) == 0 && S_ISSOCK(file.st_mode))
        (void)unlink(path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at)) {
        int error = errno;
        if (fd >= 0)
            (void)close(fd);
        return err_set(e, -error, "%s: cannot listen for requests: %s", path, strerror(error));
    }
    c->socket = fd;
    (void)snprintf(c->path, sizeof c->path, "%s", path);
    return 0;
}

void control_close(struct control *c)
{
    if (c->socket < 0)
        return;
    (void)close(c->socket);
    (void)unlink(c->path);
    c->socket = -1;
}

int control_ask(const char *path, const char *line, char *answer, size_t size, struct err *e)
{
    struct sockaddr_un to, own = {.sun_family = AF_UNIX};
    int bad = address(path, &to, e);
    if (bad)
        return bad;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ssize_t n = -1;
    /* A name of its own in the abstract space, for the answer. */
    if (fd >= 0 && bind(fd, (struct sockaddr *)&own, sizeof(sa_family_t)) == 0 &&
        connect(fd, (struct sockaddr *)&to, sizeof to) == 0 && set_timeout(fd, 2000) == 0 &&
        send(fd, line, strlen(line), MSG_NOSIGNAL) >= 0)
        n = recv(fd, answer, size - 1, 0);
    int error = errno;
    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return err_set(e, -error, "%s: no run answers there: %s", path,
                       error == EAGAIN ? "time-out" : strerror(error));
    answer[n] = '\0';
    return 0;
}

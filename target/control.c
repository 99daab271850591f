#include "target/control.h"

#include "shared/base/folders.h"
#include "shared/base/nearest.h"
#include "target/serve.h"
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

static const char *nearest_fault(const struct fault_set *set, const char *name)
{
    const char *names[FAULTS];
    int count = set ? set->count : 0;
    for (int i = 0; i < count; i++)
        names[i] = set->fault[i].name;
    return nearest_word(name, names, (size_t)count);
}

static void answer_fault(const struct control_desk *d, char *const *word, char *answer, size_t size)
{
    struct loop *l = d->loop;
    const char *name = word[1], *what = word[2];
    int i = l->faults ? fault_find(l->faults, name) : -1;
    bool on = strcmp(what, "on") == 0;
    if (i < 0) {
        const char *near = nearest_fault(l->faults, name);
        (void)snprintf(answer, size, "error the bench file has no fault \"%.64s\"%s%s%s", name,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    } else if (!on && strcmp(what, "off") != 0) {
        (void)snprintf(answer, size, "error \"%.64s\": a fault is switched on or off", what);
    } else {
        atomic_fetch_or(on ? &l->faults_on : &l->faults_off, 1u << (unsigned)i);
        (void)snprintf(answer, size, "ok fault %s %s", name, what);
    }
}

static void answer_set(const struct control_desk *d, char *const *word, char *answer, size_t size)
{
    const struct loop *l = d->loop;
    struct err e = {""};
    char *end;
    double value = strtod(word[2], &end);
    if (!l->tune)
        (void)snprintf(answer, size, "error this run's set-up cannot be changed");
    else if (end == word[2] || *end != '\0')
        (void)snprintf(answer, size, "error \"%.64s\" is no number", word[2]);
    else if (tune_set_one(l->tune, word[1], value, &e))
        (void)snprintf(answer, size, "error %.300s", e.text);
    else
        (void)snprintf(answer, size, "ok %s is %g", word[1], value);
}

static void answer_scenario(const struct control_desk *d, char *const *word, char *answer,
                            size_t size)
{
    struct err e = {""};
    if (!d->loop->serve)
        (void)snprintf(answer, size,
                       "error this run ends with its scenario: skidpad run --serve "
                       "stays for others");
    else if (serve_choose(d->loop->serve, word[1], &e))
        (void)snprintf(answer, size, "error %.300s", e.text);
    else
        (void)snprintf(answer, size, "ok scenario %s waits for a start", word[1]);
}

static void answer_stop(const struct control_desk *d, char *const *word, char *answer, size_t size)
{
    (void)word;
    atomic_store(&d->loop->stop, true);
    (void)snprintf(answer, size, "ok the run ends");
}

static void answer_safe(const struct control_desk *d, char *const *word, char *answer, size_t size)
{
    (void)word;
    atomic_store(&d->loop->operator_stop, true);
    (void)snprintf(answer, size, "ok the safe state is entered");
}

static void answer_reset(const struct control_desk *d, char *const *word, char *answer, size_t size)
{
    (void)word;
    atomic_store(&d->loop->reset, true);
    (void)snprintf(answer, size, "ok the safe state is left if its cause allows");
}

static void answer_start(const struct control_desk *d, char *const *word, char *answer, size_t size)
{
    (void)word;
    if (!atomic_load(&d->loop->waiting)) {
        (void)snprintf(answer, size, "error the run has begun already");
        return;
    }
    atomic_store(&d->loop->start, true);
    (void)snprintf(answer, size, "ok the run begins");
}

static void answer_status(const struct control_desk *d, char *const *word, char *answer,
                          size_t size)
{
    const struct loop_live *now = d->now;
    (void)word;
    (void)snprintf(answer, size, "ok tick %" PRId64 " missed %" PRIu64 " %.1f km/h %s%s", now->tick,
                   now->deadlines.misses, 3.6 * now->speed_mps,
                   now->cause                       ? "SAFE STATE: "
                   : atomic_load(&d->loop->waiting) ? "waiting for a start"
                                                    : "running",
                   now->cause ? loop_cause_name(now->cause) : "");
}

/* Every request there is; the first word finds it. */
static const struct {
    const char *word;
    int words;        /* with the first one */
    const char *rest; /* what the others are */
    void (*answer)(const struct control_desk *d, char *const *word, char *answer, size_t size);
} requests[] = {
    {"start", 1, "", answer_start},        {"stop", 1, "", answer_stop},
    {"safe", 1, "", answer_safe},          {"reset", 1, "", answer_reset},
    {"status", 1, "", answer_status},      {"fault", 3, " NAME on|off", answer_fault},
    {"set", 3, " NAME VALUE", answer_set}, {"scenario", 2, " NAME", answer_scenario},
};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

static void answer_unknown(const char *word, char *answer, size_t size)
{
    const char *known[REQUESTS + 2] = {[REQUESTS] = "uds", "dtc"};
    for (size_t i = 0; i < REQUESTS; i++)
        known[i] = requests[i].word;
    const char *near = nearest_word(word, known, REQUESTS + 2);
    (void)snprintf(answer, size, "error unknown request \"%.64s\"%s%s%s", word,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

void control_answer(const struct control_desk *d, const char *line, char *answer, size_t size)
{
    char text[CONTROL_LINE], *word[CONTROL_WORDS], *rest = NULL;
    int words = 0;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *w = strtok_r(text, " \t\n", &rest); w && words < CONTROL_WORDS;
         w = strtok_r(NULL, " \t\n", &rest))
        word[words++] = w;
    for (size_t i = 0; words > 0 && i < REQUESTS; i++) {
        if (strcmp(requests[i].word, word[0]) != 0)
            continue;
        if (words == requests[i].words)
            requests[i].answer(d, word, answer, size);
        else
            (void)snprintf(answer, size, "error write: %s%s", word[0], requests[i].rest);
        return;
    }
    if (words > 0)
        answer_unknown(word[0], answer, size);
    else
        (void)snprintf(answer, size, "error the request is empty; see skidpad control --help");
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

static void reply(const struct control *c, const char *answer, const struct sockaddr_un *to,
                  socklen_t length)
{
    if (length > sizeof(sa_family_t))
        (void)sendto(c->socket, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL,
                     (const struct sockaddr *)to, length);
}

void control_poll(struct control *c)
{
    char line[CONTROL_LINE], answer[CONTROL_LINE];
    struct sockaddr_un from;
    socklen_t length = sizeof from;
    ssize_t n;
    if (control_uds_answer(&c->uds, c->diagnosis, answer, sizeof answer))
        reply(c, answer, &c->uds_from, c->uds_from_length);
    while (c->socket >= 0 && (n = recvfrom(c->socket, line, sizeof line - 1, MSG_DONTWAIT,
                                           (struct sockaddr *)&from, &length)) >= 0) {
        line[n] = '\0';
        const struct control_desk desk = {c->loop, loop_live(c->loop)};
        bool later = false;
        if (!control_uds_is(line))
            control_answer(&desk, line, answer, sizeof answer);
        else
            later = control_uds_begin(&c->uds, c->diagnosis, line, answer, sizeof answer);
        if (later) {
            c->uds_from = from;
            c->uds_from_length = length;
        } else {
            reply(c, answer, &from, length);
        }
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
    folders_make(path);
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
        connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
        set_timeout(fd, control_uds_is(line) ? 7000 : 2000) == 0 &&
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

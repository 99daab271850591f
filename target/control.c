#include "target/control.h"

#include "shared/base/folders.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

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

/* Answers that nobody reads stay in the memory of this socket. Half of it is kept for answers to
 * `safe`: who does not read can take no more than the other half from everybody else. */
static bool is_crowded(const struct control *c)
{
    int waiting = 0;
    return ioctl(c->socket, SIOCOUTQ, &waiting) == 0 && waiting > CONTROL_SEND_BYTES / 2;
}

static void reply(const struct control *c, const char *answer, const struct control_peer *to)
{
    bool is_stop = strstr(answer, ": safe state ") != NULL;
    if (to->length > sizeof(sa_family_t) && (is_stop || !is_crowded(c)))
        (void)sendto(c->socket, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL,
                     (const struct sockaddr *)&to->at, to->length);
}

bool control_is_waiting(const struct control *c)
{
    return c->uds.pending || c->pending_count > 0;
}

/* Answers a request if its tick has come; the others keep their places. */
static bool answer_one(struct control *c, int i)
{
    struct control_pending *p = &c->pending[i];
    char answer[CONTROL_LINE];
    if (!commands_end(c->commands, &p->ticket, answer, sizeof answer))
        return false;
    reply(c, answer, &p->from);
    c->pending_count--;
    memmove(p, p + 1, (size_t)(c->pending_count - i) * sizeof *p);
    return true;
}

/* The one that the tick takes next: answers go out in the order of the numbers. */
static int first_numbered(const struct control *c)
{
    int first = -1;
    for (int i = 0; i < c->pending_count; i++)
        if (!c->pending[i].ticket.preparing &&
            (first < 0 || c->pending[i].ticket.number < c->pending[first].ticket.number))
            first = i;
    return first;
}

/* Answers that were not there yet when their line was taken. */
static void answer_pending(struct control *c)
{
    char answer[CONTROL_LINE];
    if (control_uds_answer(&c->uds, c->diagnosis, answer, sizeof answer))
        reply(c, answer, &c->uds_from);
    for (int i = 0; i < c->pending_count;)
        if (!c->pending[i].ticket.preparing || !answer_one(c, i))
            i++;
    for (int i = first_numbered(c); i >= 0 && answer_one(c, i);)
        i = first_numbered(c);
}

/* "@NAME REQUEST": who asks. Returns the request; NULL: the name is none. */
static char *name_of(char *line, const char **who)
{
    *who = "socket";
    if (line[0] != '@')
        return line;
    char *end = line + strcspn(line, " ");
    char *rest = end + strspn(end, " ");
    *end = '\0';
    if (lease_name_is_good(line + 1))
        *who = line + 1;
    else if (!command_is_safe(rest)) /* which is nobody's, and never refused */
        return NULL;
    return rest;
}

/* Whether an answer is there at once. */
static bool answer_now(struct control *c, char *line, const struct control_peer *from, char *answer,
                       size_t size)
{
    const char *who;
    struct control_pending p = {.from = *from};
    char *request = name_of(line, &who);
    if (!request) {
        (void)snprintf(answer, size, "error a name has 1 to %d letters, digits or ._@-",
                       LEASE_NAME - 1);
    } else if (control_uds_is(request)) {
        if (control_uds_begin(&c->uds, c->diagnosis, request, answer, size)) {
            c->uds_from = *from;
            return false;
        }
    } else if (c->pending_count >= CONTROL_PENDING && !command_is_safe(request)) {
        (void)snprintf(answer, size, "error too many requests are on their way; try again");
    } else {
        const struct command_from who_asks = {who, loop_live(c->commands->loop)};
        if (commands_begin(c->commands, &who_asks, request, &p.ticket, answer, size)) {
            c->pending[c->pending_count++] = p;
            return false;
        }
    }
    return true;
}

void control_poll(struct control *c)
{
    char line[CONTROL_LINE], answer[CONTROL_LINE];
    struct control_peer from = {.length = sizeof from.at};
    ssize_t n;
    answer_pending(c);
    while (c->socket >= 0 && (n = recvfrom(c->socket, line, sizeof line - 1, MSG_DONTWAIT,
                                           (struct sockaddr *)&from.at, &from.length)) >= 0) {
        line[n] = '\0';
        if (answer_now(c, line, &from, answer, sizeof answer))
            reply(c, answer, &from);
        from.length = sizeof from.at;
    }
    answer_pending(c);
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

int control_open(struct control *c, struct commands *commands, const char *path, struct err *e)
{
    struct sockaddr_un at;
    struct stat file;
    c->socket = -1;
    c->commands = commands;
    c->pending_count = 0;
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
    /* For its owner only, whatever the umask: bind() takes the mode over. */
    if (fd < 0 || fchmod(fd, 0600) || bind(fd, (struct sockaddr *)&at, sizeof at)) {
        int error = errno;
        if (fd >= 0)
            (void)close(fd);
        return err_set(e, -error, "%s: cannot listen for requests: %s", path, strerror(error));
    }
    const int bytes = CONTROL_SEND_BYTES;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes))
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
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
    const char *request = line[0] == '@' ? line + strcspn(line, " ") : line;
    request += strspn(request, " ");
    /* A name of its own in the abstract space, for the answer. */
    if (fd >= 0 && bind(fd, (struct sockaddr *)&own, sizeof(sa_family_t)) == 0 &&
        connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
        set_timeout(fd, control_uds_is(request) ? 7000 : 2000) == 0 &&
        send(fd, line, strlen(line), MSG_NOSIGNAL) >= 0)
        n = recv(fd, answer, size - 1, 0);
    int error = errno;
    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return error == EAGAIN
                   ? err_set(
                         e, -error,
                         "%s: no answer in time: it is not known whether \"%.100s\" was carried "
                         "out; ask for the status, or look into the log",
                         path, request)
                   : err_set(e, -error, "%s: no run answers there: %s", path, strerror(error));
    answer[n] = '\0';
    return 0;
}

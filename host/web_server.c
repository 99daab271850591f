#include "host/web_server.h"

#include "shared/base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* SEND_BYTES: of the kernel's memory for a connection. What a slow reader has not taken is there,
 * and no more; docs/host.md, "Pages". */
enum { BACKLOG = 64, LINE_MAX_BYTES = 2048, SEND_BYTES = 1 << 17, DRAIN_BYTES = 1 << 16 };
static const int64_t head_ns = 5 * NS_PER_S, write_ns = 5 * NS_PER_S, drain_ns = 200 * NS_PER_MS;
static const int room_ms = 200; /* for a connection that is closed for another */

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* False: not within this time. */
static bool wait_for(const struct web_connection *c, short what, int64_t until_ns)
{
    struct pollfd at = {.fd = c->fd, .events = what};
    int64_t left_ns = until_ns - now_ns();
    return left_ns > 0 && poll(&at, 1, (int)(left_ns / NS_PER_MS) + 1) > 0;
}

/* ---- for those who serve */

bool web_write(struct web_connection *c, const void *bytes, size_t count)
{
    const char *at = bytes;
    int64_t until_ns = now_ns() + write_ns;
    while (count > 0) {
        ssize_t n = send(c->fd, at, count, MSG_NOSIGNAL);
        if (n > 0) {
            at += n;
            count -= (size_t)n;
            until_ns = now_ns() + write_ns;
        } else if ((n < 0 && errno != EAGAIN && errno != EINTR) ||
                   !wait_for(c, POLLOUT, until_ns)) {
            return false;
        }
    }
    return true;
}

bool web_printf(struct web_connection *c, const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return n >= 0 && (size_t)n < sizeof text && web_write(c, text, (size_t)n);
}

/* ---- a connection */

static bool read_head(struct web_connection *c)
{
    const int64_t until_ns = now_ns() + head_ns;
    while ((c->head_bytes = web_head_bytes(c->head, c->have)) == 0) {
        if (c->have == sizeof c->head || !wait_for(c, POLLIN, until_ns))
            return false;
        ssize_t n = recv(c->fd, c->head + c->have, sizeof c->head - c->have, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        c->have += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Takes what still comes for a moment: a connection closed with unread bytes would be reset, and
 * the answer lost. */
static void drain(struct web_connection *c)
{
    char some[4096];
    const int64_t until_ns = now_ns() + drain_ns;
    (void)shutdown(c->fd, SHUT_WR);
    for (size_t taken = 0; taken < DRAIN_BYTES && wait_for(c, POLLIN, until_ns);) {
        ssize_t n = recv(c->fd, some, sizeof some, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return;
        taken += n > 0 ? (size_t)n : 0;
    }
}

static void *work(void *argument)
{
    static const char bad[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n"
                              "Connection: close\r\n\r\n";
    struct web_connection *c = argument;
    const uint64_t one = 1;
    if (read_head(c) && !web_request_parse(c->head, c->head_bytes, &c->request))
        (void)web_write(c, bad, sizeof bad - 1);
    else if (c->head_bytes > 0)
        c->server->serve(c->server->self, c);
    drain(c);
    atomic_store(&c->over, true);
    (void)!write(c->server->wake, &one, sizeof one);
    return NULL;
}

/* ---- the listening thread */

static void reap(struct web_server *s)
{
    for (int i = 0; i < WEB_CONNECTIONS; i++) {
        struct web_connection *c = &s->connection[i];
        if (!c->used || !atomic_load(&c->over))
            continue;
        (void)pthread_join(c->thread, NULL);
        (void)close(c->fd);
        c->used = false;
    }
}

static struct web_connection *find_free(struct web_server *s)
{
    reap(s);
    for (int i = 0; i < WEB_CONNECTIONS; i++)
        if (!s->connection[i].used)
            return &s->connection[i];
    return NULL;
}

/* Closes the oldest that is no WebSocket, if need be. */
static struct web_connection *make_room(struct web_server *s)
{
    struct web_connection *free = find_free(s), *oldest = NULL;
    for (int i = 0; i < WEB_CONNECTIONS && !free; i++) {
        struct web_connection *c = &s->connection[i];
        if (!atomic_load(&c->kept) && (!oldest || c->number < oldest->number))
            oldest = c;
    }
    if (free || !oldest)
        return free;
    (void)shutdown(oldest->fd, SHUT_RDWR);
    for (int i = 0; i < room_ms && !free; i++) {
        (void)poll(NULL, 0, 1);
        free = find_free(s);
    }
    return free;
}

static void let_in(struct web_server *s, int fd)
{
    const int one = 1, send_bytes = SEND_BYTES;
    struct web_connection *c = make_room(s);
    if (!c) {
        (void)close(fd);
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes);
    c->server = s;
    c->fd = fd;
    c->number = ++s->numbers;
    c->head_bytes = c->have = 0;
    atomic_store(&c->kept, false);
    atomic_store(&c->over, false);
    c->used = pthread_create(&c->thread, NULL, work, c) == 0;
    if (!c->used)
        (void)close(fd);
}

/* A wake that fails holds up the end by so much, no longer. */
static const int look_ms = 500;

static void *listen_work(void *argument)
{
    struct web_server *s = argument;
    struct pollfd wait[2] = {{.fd = s->listen, .events = POLLIN},
                             {.fd = s->wake, .events = POLLIN}};
    while (!atomic_load(&s->finish)) {
        uint64_t count;
        (void)poll(wait, 2, look_ms);
        (void)!read(s->wake, &count, sizeof count);
        reap(s);
        int fd = accept4(s->listen, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            let_in(s, fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            (void)poll(NULL, 0, 100); /* until something is freed */
    }
    return NULL;
}

/* ---- start and end */

static int open_socket(struct web_server *s, const char *address, int port)
{
    const int one = 1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->listen = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->wake < 0 || s->listen < 0)
        return -errno;
    if (inet_pton(AF_INET, address, &at.sin_addr) != 1)
        return -EINVAL;
    (void)setsockopt(s->listen, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s->listen, (const struct sockaddr *)&at, sizeof at) || listen(s->listen, BACKLOG))
        return -errno;
    return 0;
}

int web_server_start(struct web_server *s, const char *address, int port)
{
    int bad = open_socket(s, address, port);
    if (!bad) {
        bad = -pthread_create(&s->thread, NULL, listen_work, s);
        s->started = bad == 0;
    }
    if (bad)
        web_server_stop(s);
    return bad;
}

void web_server_stop(struct web_server *s)
{
    const uint64_t one = 1;
    if (s->started) {
        atomic_store(&s->finish, true);
        (void)!write(s->wake, &one, sizeof one);
        (void)pthread_join(s->thread, NULL);
        for (int i = 0; i < WEB_CONNECTIONS; i++) {
            struct web_connection *c = &s->connection[i];
            if (!c->used)
                continue;
            (void)shutdown(c->fd, SHUT_RDWR);
            (void)pthread_join(c->thread, NULL);
            (void)close(c->fd);
            c->used = false;
        }
    }
    if (s->listen >= 0)
        (void)close(s->listen);
    if (s->wake >= 0)
        (void)close(s->wake);
    s->started = false;
    s->listen = s->wake = -1;
}

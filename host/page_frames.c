/* Frames to a page, by the thread that sends to it. */
#include "host/pages.h"
#include "shared/base/time.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum { PART = 1 << 16 };
static const int64_t ping_ns = 2 * NS_PER_S;
static const int wait_ms = 100;

/* It has answered a ping not long ago. */
static bool is_alive(struct page *g)
{
    (void)pthread_mutex_lock(&g->lock);
    int64_t alive_ns = g->alive_ns;
    (void)pthread_mutex_unlock(&g->lock);
    return !atomic_load(&g->finish) && host_now_ns() - alive_ns < PAGE_PATIENCE_S * NS_PER_S;
}

static bool write_all(struct page *g, const void *bytes, size_t count)
{
    const char *at = bytes;
    struct pollfd socket = {.fd = g->connection->fd, .events = POLLOUT};
    while (count > 0) {
        ssize_t n = send(socket.fd, at, count, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            count -= (size_t)n;
        } else if (poll(&socket, 1, wait_ms) <= 0 && !is_alive(g)) {
            return false;
        }
    }
    return true;
}

static bool send_frame(struct page *g, enum websocket_opcode opcode, bool last, const void *bytes,
                       size_t count)
{
    unsigned char head[WEBSOCKET_HEAD];
    const size_t head_bytes = websocket_head(opcode, last, count, head);
    return write_all(g, head, head_bytes) && write_all(g, bytes, count);
}

bool page_send_control(struct page *g)
{
    char echo[WEBSOCKET_CONTROL];
    unsigned char ping[PAGE_PING];
    int64_t now_ns = host_now_ns();
    bool due = now_ns >= g->ping_due_ns;
    (void)pthread_mutex_lock(&g->lock);
    bool answer = g->echo_wanted;
    size_t bytes = g->echo_bytes;
    memcpy(echo, g->echo, bytes);
    g->echo_wanted = false;
    if (due) {
        seal_random(ping, sizeof ping);
        memcpy(g->ping[g->pings++ % PAGE_PINGS], ping, sizeof ping);
        g->ping_due_ns = now_ns + ping_ns;
    }
    (void)pthread_mutex_unlock(&g->lock);
    return is_alive(g) && (!answer || send_frame(g, WEBSOCKET_PONG, true, echo, bytes)) &&
           (!due || send_frame(g, WEBSOCKET_PING, true, ping, sizeof ping));
}

bool page_send_bytes(struct page *g, enum websocket_opcode opcode, const void *bytes, size_t count)
{
    const char *at = bytes;
    atomic_fetch_add(&g->all->bytes_sent, count);
    while (count > PART) {
        if (!send_frame(g, opcode, false, at, PART) || !page_send_control(g))
            return false;
        opcode = WEBSOCKET_MORE;
        at += PART;
        count -= PART;
    }
    return send_frame(g, opcode, true, at, count);
}

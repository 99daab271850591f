#include "target/io/can_batch.h"

#include "shared/base/time.h"

#include <errno.h>
#include <string.h>

/* How far a stamp may lie outside the time in which the datagram must have come: the kernel stamps
 * before it queues, and a busy one takes its time in between; now_ns may be the release of a tick
 * that began late. A clock that was set by less shows until can_batch_take_clock() is called. */
static const int64_t slack_ns = 100 * NS_PER_MS;

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

void can_batch_take_clock(struct can_batch *b)
{
    int64_t best_ns = INT64_MAX, offset_ns = 0;
    /* The narrowest of a few tries: an interruption between the readings would spoil it. */
    for (int i = 0; i < 5; i++) {
        const int64_t before_ns = clock_ns(CLOCK_MONOTONIC);
        const int64_t real_ns = clock_ns(CLOCK_REALTIME);
        const int64_t took_ns = clock_ns(CLOCK_MONOTONIC) - before_ns;
        if (took_ns < best_ns) {
            best_ns = took_ns;
            offset_ns = real_ns - before_ns - took_ns / 2;
        }
    }
    atomic_store_explicit(&b->offset_ns, offset_ns, memory_order_relaxed);
}

void can_batch_init(struct can_batch *b, int size, void *buffers, size_t bytes_each)
{
    memset(b, 0, sizeof *b);
    b->size = size;
    b->drained_ns = b->emptied_ns = INT64_MIN;
    for (int i = 0; i < size; i++) {
        b->parts[i] = (struct iovec){(char *)buffers + (size_t)i * bytes_each, bytes_each};
        b->heads[i].msg_hdr =
            (struct msghdr){.msg_iov = &b->parts[i], .msg_iovlen = 1, .msg_name = &b->from[i]};
    }
    can_batch_take_clock(b);
}

int can_batch_ask(int descriptor, int buffer_bytes)
{
    const int on = 1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) ||
        setsockopt(descriptor, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on))
        return -errno;
    /* More than the system's limit only for root; less is no error: losses are counted. */
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes))
        (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
    return 0;
}

void can_batch_restart(struct can_batch *b)
{
    b->thrown_away = 0;
}

int can_batch_receive(struct can_batch *b, int descriptor, int max, int64_t now_ns)
{
    if (max > b->size)
        max = b->size;
    for (int i = 0; i < max; i++) {
        struct msghdr *h = &b->heads[i].msg_hdr;
        h->msg_control = b->control[i].bytes;
        h->msg_controllen = sizeof b->control[i].bytes;
        h->msg_namelen = sizeof b->from[i];
        h->msg_flags = 0;
    }
    if (b->emptied_ns != INT64_MIN)
        b->drained_ns = b->emptied_ns;
    int n = recvmmsg(descriptor, b->heads, (unsigned)max, MSG_DONTWAIT, NULL);
    if (n < 0)
        n = errno == EAGAIN || errno == EINTR ? 0 : -errno;
    b->emptied_ns = n < max ? now_ns : INT64_MIN;
    return n;
}

/* The value of that kind which came with datagram i. */
static bool control_value(const struct can_batch *b, int i, int kind, void *value, size_t bytes)
{
    const struct msghdr *h = &b->heads[i].msg_hdr;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR((struct msghdr *)h, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == kind && c->cmsg_len >= CMSG_LEN(bytes)) {
            memcpy(value, CMSG_DATA(c), bytes);
            return true;
        }
    }
    return false;
}

bool can_batch_stamp(struct can_batch *b, int i, int64_t now_ns, int64_t *stamp_ns)
{
    struct timespec t;
    *stamp_ns = now_ns;
    if (!control_value(b, i, SCM_TIMESTAMPNS, &t, sizeof t))
        return false;
    const int64_t ns = (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec -
                       atomic_load_explicit(&b->offset_ns, memory_order_relaxed);
    if (ns > now_ns + slack_ns || (b->drained_ns != INT64_MIN && ns < b->drained_ns - slack_ns))
        return false;
    *stamp_ns = ns;
    return true;
}

uint32_t can_batch_thrown_away(struct can_batch *b, int i)
{
    uint32_t total;
    if (!control_value(b, i, SO_RXQ_OVFL, &total, sizeof total))
        return 0;
    const uint32_t more = total - b->thrown_away;
    b->thrown_away = total;
    return more;
}

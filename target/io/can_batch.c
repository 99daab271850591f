#include "target/io/can_batch.h"

#include "shared/base/time.h"

#include <errno.h>
#include <string.h>

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int64_t day_ahead_ns(void)
{
    return can_stamp_ahead_ns(clock_ns);
}

void can_batch_init(struct can_batch *b, int size, void *buffers, size_t bytes_each)
{
    memset(b, 0, sizeof *b);
    b->size = size;
    for (int i = 0; i < size; i++) {
        b->parts[i] = (struct iovec){(char *)buffers + (size_t)i * bytes_each, bytes_each};
        b->heads[i].msg_hdr =
            (struct msghdr){.msg_iov = &b->parts[i], .msg_iovlen = 1, .msg_name = &b->from[i]};
    }
    can_stamp_begin(&b->stamp, clock_ns(CLOCK_MONOTONIC), day_ahead_ns());
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
    can_stamp_look(&b->stamp, now_ns, day_ahead_ns());
    int n = recvmmsg(descriptor, b->heads, (unsigned)max, MSG_DONTWAIT, NULL);
    const int error = n < 0 ? errno : 0;
    can_stamp_looked(&b->stamp, n > 0 ? day_ahead_ns() : b->stamp.look_ahead_ns,
                     error == EAGAIN || (error == 0 && n < max));
    if (error == EAGAIN || error == EINTR)
        return 0;
    return error ? -error : n;
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

bool can_batch_stamp(struct can_batch *b, int i, int64_t *stamp_ns)
{
    struct timespec t;
    *stamp_ns = b->stamp.looked_ns;
    return control_value(b, i, SCM_TIMESTAMPNS, &t, sizeof t) &&
           can_stamp_of(&b->stamp, (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec, stamp_ns);
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

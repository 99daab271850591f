#include "target/io/can_socket.h"

#include "shared/base/time.h"
#include "shared/can/frame.h"
#include "target/io/can_batch.h"
#include "target/io/can_interface.h"
#include "target/io/can_queue.h"
#include "target/io/can_state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { RECEIVE_BUFFER = 1 << 20 /* bytes; about a thousand frames */ };

struct socket_port {
    struct can_port port;
    char interface[IFNAMSIZ];
    struct can_filter filters[CAN_SOCKET_IDS]; /* the kernel's struct */
    int filter_count;                          /* -1: all frames */
    atomic_bool gone;     /* the interface has disappeared: service looks for it */
    atomic_bool replaced; /* service has put in a new socket */
    struct can_batch batch;
    struct can_queue queue; /* what the interface's own queue did not take yet */
    struct canfd_frame in[CAN_BATCH];
    struct canfd_frame out[CAN_BATCH];
    struct mmsghdr heads[CAN_BATCH];
    struct iovec parts[CAN_BATCH];
};

/* ---- sending */

/* Whether the interface is down, or not there at all. */
static void look_for_loss(struct socket_port *s, int error)
{
    if (error == ENETDOWN || error == ENODEV || error == ENXIO)
        can_state_enter(&s->port, CAN_DOWN);
    if (error == ENODEV || error == ENXIO)
        atomic_store_explicit(&s->gone, true, memory_order_relaxed);
}

static void to_kernel(struct socket_port *s, const struct can_msg *msgs, int n)
{
    for (int i = 0; i < n; i++) {
        const struct can_msg *m = &msgs[i];
        struct canfd_frame *f = &s->out[i];
        const bool fd = (m->flags & CAN_MSG_FD) != 0;
        memset(f, 0, sizeof *f);
        f->can_id = m->id | (m->flags & CAN_MSG_REMOTE ? CAN_RTR_FLAG : 0);
        f->len = m->len;
        if (m->flags & CAN_MSG_BRS)
            f->flags |= CANFD_BRS;
        if (m->flags & CAN_MSG_ESI)
            f->flags |= CANFD_ESI;
        memcpy(f->data, m->data, m->len);
        s->parts[i].iov_len = fd ? CANFD_MTU : CAN_MTU;
    }
}

static int64_t monotonic_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t); /* through the vDSO */
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Hands on the first of those that wait, and no more than a batch. Returns whether it took all of
 * them: the next may follow. */
static bool flush_some(struct socket_port *s)
{
    const struct can_msg *msgs;
    int n = can_queue_peek(&s->queue, &msgs);
    if (n > CAN_BATCH)
        n = CAN_BATCH;
    if (n == 0)
        return false;
    if (can_port_is_mute(&s->port)) {
        can_queue_fail(&s->queue, can_queue_count(&s->queue), &s->port);
        return false;
    }
    to_kernel(s, msgs, n);
    const int done = sendmmsg(s->port.descriptor, s->heads, (unsigned)n, MSG_DONTWAIT);
    if (done > 0) {
        can_queue_sent(&s->queue, done, monotonic_ns(), &s->port);
        /* The interface is up again. A controller that is off the bus takes frames as well. */
        if (s->port.state == CAN_DOWN)
            can_state_enter(&s->port, CAN_ACTIVE);
    } else if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR) {
        /* Not a full queue: values that are old when the interface is back are of no use. */
        look_for_loss(s, errno);
        can_queue_fail(&s->queue, can_queue_count(&s->queue), &s->port);
    }
    /* Of a batch that was taken in part the kernel gives no reason: the next call does. */
    return done == n;
}

static void flush(struct socket_port *s)
{
    for (int i = 0; i <= CAN_QUEUE_FRAMES / CAN_BATCH && flush_some(s); i++)
        ;
}

static int socket_send(struct can_port *port, const struct can_msg *msgs, int n)
{
    struct socket_port *s = (struct socket_port *)port;
    int taken = 0, invalid = 0;
    const uint64_t failed = port->counts.failed;
    for (int i = 0; i < n; i++) {
        if (!can_frame_valid(&msgs[i], port->fd)) {
            invalid++;
            continue;
        }
        if (can_queue_count(&s->queue) == CAN_QUEUE_FRAMES)
            flush(s);
        taken += can_queue_put(&s->queue, &msgs[i], port);
    }
    flush(s);
    /* An interface that is down takes none of them, nor those that waited. */
    const uint64_t lost = port->counts.failed - failed;
    port->counts.failed += (uint64_t)invalid;
    return lost < (uint64_t)taken ? taken - (int)lost : 0;
}

/* ---- receiving */

static void from_kernel(struct can_msg *m, const struct canfd_frame *f, bool fd)
{
    memset(m, 0, sizeof *m);
    m->id = f->can_id & (CAN_ID_EXTENDED | CAN_ID_MASK);
    m->len = f->len <= CAN_MSG_DATA ? f->len : CAN_MSG_DATA;
    if (fd) {
        m->flags = CAN_MSG_FD;
        m->flags |= f->flags & CANFD_BRS ? CAN_MSG_BRS : 0;
        m->flags |= f->flags & CANFD_ESI ? CAN_MSG_ESI : 0;
    } else if (m->len > CAN_CLASSIC_DATA) {
        m->len = CAN_CLASSIC_DATA;
    }
    if (f->can_id & CAN_ERR_FLAG)
        m->flags |= CAN_MSG_ERROR;
    if (f->can_id & CAN_RTR_FLAG)
        m->flags |= CAN_MSG_REMOTE;
    else
        memcpy(m->data, f->data, m->len);
}

static void take(struct socket_port *s, int i, struct can_msg *m)
{
    struct can_port *port = &s->port;
    const struct mmsghdr *h = &s->batch.heads[i];
    from_kernel(m, &s->in[i], h->msg_len == CANFD_MTU);
    m->bus = port->bus;
    port->counts.overflow += can_batch_thrown_away(&s->batch, i);
    if (!can_batch_stamp(&s->batch, i, &m->time_ns))
        port->counts.unstamped++;
    if (m->flags & CAN_MSG_ERROR) {
        port->counts.error_frames++;
        can_state_enter(port, can_state_after_error(m, port->state));
        return;
    }
    can_state_alive(port);
    if (h->msg_hdr.msg_flags & MSG_CONFIRM) {
        m->flags |= CAN_MSG_OWN;
        port->counts.confirmed++;
    } else {
        port->counts.received++;
    }
}

static int socket_receive(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max)
{
    struct socket_port *s = (struct socket_port *)port;
    if (atomic_load_explicit(&s->replaced, memory_order_relaxed)) {
        atomic_store_explicit(&s->replaced, false, memory_order_relaxed);
        can_batch_restart(&s->batch);
    }
    flush(s);
    const int n = can_batch_receive(&s->batch, port->descriptor, max, now_ns);
    if (n < 0) {
        look_for_loss(s, -n);
        return 0;
    }
    for (int i = 0; i < n; i++)
        take(s, i, &msgs[i]);
    return n;
}

/* ---- the socket */

static int set_options(const struct socket_port *s, int descriptor, bool fd)
{
    const can_err_mask_t all_errors = CAN_ERR_MASK;
    const int on = 1, own = s->port.confirms;
    if (setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &all_errors, sizeof all_errors) ||
        setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_RECV_OWN_MSGS, &own, sizeof own))
        return -errno;
    if (s->filter_count >= 0 &&
        setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_FILTER, s->filters,
                   (socklen_t)((size_t)s->filter_count * sizeof s->filters[0])))
        return -errno;
    if (fd && setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &on, sizeof on))
        return -errno;
    return can_batch_ask(descriptor, RECEIVE_BUFFER);
}

/* Asks about the interface. Returns 0 or a negative errno. */
static int ask(int descriptor, const char *interface, unsigned long what, struct ifreq *answer)
{
    memset(answer, 0, sizeof *answer);
    memcpy(answer->ifr_name, interface, strnlen(interface, IFNAMSIZ - 1));
    return ioctl(descriptor, what, answer) ? -errno : 0;
}

/* A bound socket, or a negative errno: -ENODEV, -ENETDOWN and others. fd: whether the interface
 * carries FD frames. */
static int bound_socket(const struct socket_port *s, bool *fd)
{
    struct ifreq flags, mtu, index;
    const int descriptor = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CAN_RAW);
    if (descriptor < 0)
        return -errno;
    int bad = ask(descriptor, s->interface, SIOCGIFINDEX, &index);
    if (!bad)
        bad = ask(descriptor, s->interface, SIOCGIFFLAGS, &flags);
    if (!bad)
        bad = ask(descriptor, s->interface, SIOCGIFMTU, &mtu);
    if (!bad && !(flags.ifr_flags & IFF_UP))
        bad = -ENETDOWN;
    if (!bad) {
        const struct sockaddr_can at = {.can_family = AF_CAN, .can_ifindex = index.ifr_ifindex};
        *fd = mtu.ifr_mtu >= (int)CANFD_MTU;
        bad = set_options(s, descriptor, *fd);
        if (!bad && bind(descriptor, (const struct sockaddr *)&at, sizeof at))
            bad = -errno;
    }
    if (bad)
        (void)close(descriptor);
    return bad ? bad : descriptor;
}

static void socket_service(struct can_port *port)
{
    struct socket_port *s = (struct socket_port *)port;
    if (!atomic_load_explicit(&s->gone, memory_order_relaxed))
        return;
    bool fd; /* stays as it was: the other thread reads port->fd */
    const int descriptor = bound_socket(s, &fd);
    if (descriptor < 0)
        return;
    /* The number stays the same, so the other thread never meets a closed one. */
    if (dup3(descriptor, port->descriptor, O_CLOEXEC) >= 0) {
        atomic_store_explicit(&s->replaced, true, memory_order_relaxed);
        atomic_store_explicit(&s->gone, false, memory_order_relaxed);
    }
    (void)close(descriptor);
}

static void socket_finish(struct can_port *port)
{
    struct socket_port *s = (struct socket_port *)port;
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    for (int i = 0; i < 200 && can_queue_count(&s->queue) > 0; i++) {
        (void)nanosleep(&pause, NULL);
        flush(s);
    }
    can_queue_fail(&s->queue, can_queue_count(&s->queue), port);
}

static void socket_close(struct can_port *port)
{
    if (port->descriptor >= 0)
        (void)close(port->descriptor);
    free(port);
}

static const struct can_ops socket_ops = {.name = "socketcan",
                                          .send = socket_send,
                                          .receive = socket_receive,
                                          .service = socket_service,
                                          .finish = socket_finish,
                                          .close = socket_close};

/* ---- set-up */

static void set_filters(struct socket_port *s, const struct can_socket_setup *setup)
{
    s->filter_count = setup->ids ? setup->id_count : -1;
    for (int i = 0; i < s->filter_count; i++) {
        const bool extended = (setup->ids[i] & CAN_ID_EXTENDED) != 0;
        s->filters[i] = (struct can_filter){.can_id = setup->ids[i],
                                            .can_mask = CAN_EFF_FLAG | CAN_RTR_FLAG |
                                                        (extended ? CAN_EFF_MASK : CAN_SFF_MASK)};
    }
}

static int explain(const char *interface, int bad, struct err *e)
{
    char names[128];
    switch (-bad) {
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
        return err_set(e, bad,
                       "socketcan:%s: this kernel has no CAN (as root: modprobe can-raw); without "
                       "it use udp:LOCAL_PORT:HOST:PORT",
                       interface);
    case ENODEV:
        return err_set(e, bad, "socketcan:%s: there is no such interface; CAN interfaces here: %s",
                       interface, can_interface_list(names, sizeof names, false) ? names : "none");
    case ENETDOWN:
        return err_set(e, bad,
                       "socketcan:%s: the interface is down; as root: ip link set %s up type can "
                       "bitrate 500000 restart-ms 100 && ip link set %s txqueuelen 1000",
                       interface, interface, interface);
    default:
        return err_set(e, bad, "socketcan:%s: %s", interface, strerror(-bad));
    }
}

int can_socket_open(struct can_port **port, const struct can_socket_setup *setup, struct err *e)
{
    *port = NULL;
    if (strlen(setup->interface) >= IFNAMSIZ)
        return explain(setup->interface, -ENODEV, e);
    if (setup->ids && (setup->id_count < 0 || setup->id_count > CAN_SOCKET_IDS))
        return err_set(e, -EINVAL, "socketcan:%s: %d identifiers; the kernel filters at most %d",
                       setup->interface, setup->id_count, CAN_SOCKET_IDS);
    struct socket_port *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(e, -ENOMEM, "socketcan: no memory");
    s->port = (struct can_port){.ops = &socket_ops, .descriptor = -1, .confirms = setup->confirm};
    memcpy(s->interface, setup->interface, strlen(setup->interface));
    set_filters(s, setup);
    can_batch_init(&s->batch, CAN_BATCH, s->in, sizeof s->in[0]);
    if (can_queue_init(&s->queue, &setup->sender)) {
        socket_close(&s->port);
        return err_set(e, -EINVAL, "socketcan:%s: at most %d identifiers to be sent",
                       setup->interface, CAN_QUEUE_IDS);
    }
    const int descriptor = bound_socket(s, &s->port.fd);
    if (descriptor < 0) {
        socket_close(&s->port);
        return explain(setup->interface, descriptor, e);
    }
    s->port.descriptor = descriptor;
    for (int i = 0; i < CAN_BATCH; i++) {
        s->parts[i].iov_base = &s->out[i];
        s->heads[i].msg_hdr = (struct msghdr){.msg_iov = &s->parts[i], .msg_iovlen = 1};
    }
    *port = &s->port;
    return 0;
}

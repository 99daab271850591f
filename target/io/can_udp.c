#include "target/io/can_udp.h"

#include "shared/can/frame.h"
#include "target/io/can_batch.h"
#include "target/io/can_state.h"
#include "target/io/cannelloni.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DATAGRAMS = 16,           /* read at a time */
    DATAGRAM_BYTES = 2048,    /* longer ones count as malformed */
    READS = 4,                /* system calls in one receive, at most */
    RECEIVE_BUFFER = 1 << 20, /* bytes */
    /* a call's frames fill that many datagrams at most, each with room for at least 20 */
    OUT = CAN_BATCH / ((CANNELLONI_PAYLOAD - CANNELLONI_HEAD) / CANNELLONI_FRAME_MAX) + 1
};

struct udp_port {
    struct can_port port;
    struct sockaddr_in peer;
    _Atomic uint8_t own_sequence, *sequence; /* of the next datagram we send */
    uint8_t expected;                        /* of the next one we receive */
    bool heard;                              /* expected holds */
    /* what was read and not yet handed on */
    int datagrams, next;
    int64_t stamp_ns;
    struct cannelloni_reader reader;
    struct can_batch batch;
    uint8_t in[DATAGRAMS][DATAGRAM_BYTES];
    /* what is being sent */
    uint8_t out[OUT][CANNELLONI_PAYLOAD];
    int out_frames[OUT];
    struct mmsghdr heads[OUT];
    struct iovec parts[OUT];
};

/* ---- receiving */

static void follow_sequence(struct udp_port *u, uint8_t sequence)
{
    const uint8_t ahead = (uint8_t)(sequence - u->expected);
    if (u->heard && ahead >= 128) {
        u->port.counts.late++; /* or the peer has begun again: then until it catches up */
        return;
    }
    if (u->heard)
        u->port.counts.lost += ahead;
    u->heard = true;
    u->expected = (uint8_t)(sequence + 1);
}

/* Begins with the next datagram that was read. */
static void open_datagram(struct udp_port *u)
{
    const int i = u->next++;
    const struct mmsghdr *h = &u->batch.heads[i];
    const struct sockaddr_in *from = &u->batch.from[i];
    uint8_t sequence;
    u->port.counts.overflow += can_batch_thrown_away(&u->batch, i);
    if (from->sin_addr.s_addr != u->peer.sin_addr.s_addr || from->sin_port != u->peer.sin_port ||
        (h->msg_hdr.msg_flags & MSG_TRUNC) != 0 ||
        cannelloni_open(&u->reader, u->in[i], h->msg_len, &sequence) < 0) {
        u->port.counts.malformed++;
        u->reader.left = 0;
        return;
    }
    follow_sequence(u, sequence);
    if (!can_batch_stamp(&u->batch, i, &u->stamp_ns))
        u->port.counts.unstamped += (uint64_t)u->reader.left;
}

/* One system call's worth. That the peer was not there for an earlier datagram is told in place of
 * what there is to read: then once again. */
static int read_some(struct udp_port *u, int64_t now_ns)
{
    int n = can_batch_receive(&u->batch, u->port.descriptor, DATAGRAMS, now_ns);
    if (n == -ECONNREFUSED)
        n = can_batch_receive(&u->batch, u->port.descriptor, DATAGRAMS, now_ns);
    return n;
}

static int udp_receive(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max)
{
    struct udp_port *u = (struct udp_port *)port;
    int n = 0, reads = 0;
    if (max > CAN_BATCH)
        max = CAN_BATCH;
    while (n < max) {
        if (cannelloni_next(&u->reader, &msgs[n])) {
            struct can_msg *m = &msgs[n++];
            m->time_ns = u->stamp_ns;
            m->bus = port->bus;
            if (m->flags & CAN_MSG_ERROR) {
                port->counts.error_frames++;
                can_state_enter(port, can_state_after_error(m, port->state));
            } else {
                port->counts.received++;
                can_state_alive(port);
            }
        } else if (u->next < u->datagrams) {
            open_datagram(u);
        } else {
            if (reads++ == READS)
                break;
            u->next = 0;
            u->datagrams = read_some(u, now_ns);
            if (u->datagrams <= 0) {
                u->datagrams = 0;
                break;
            }
        }
    }
    return n;
}

/* ---- sending */

static uint8_t next_sequence(struct udp_port *u)
{
    const uint8_t sequence = atomic_load_explicit(u->sequence, memory_order_relaxed);
    atomic_store_explicit(u->sequence, (uint8_t)(sequence + 1), memory_order_relaxed);
    return sequence;
}

/* Packs up to CAN_BATCH frames; returns the number of datagrams. */
static int pack(struct udp_port *u, const struct can_msg *msgs, int n)
{
    struct cannelloni_writer w = {0};
    int datagrams = 0;
    for (int i = 0; i < n; i++) {
        if (!can_frame_valid(&msgs[i], u->port.fd)) {
            u->port.counts.failed++;
            continue;
        }
        if (datagrams == 0 || !cannelloni_add(&w, &msgs[i])) {
            cannelloni_begin(&w, u->out[datagrams], CANNELLONI_PAYLOAD, next_sequence(u));
            (void)cannelloni_add(&w, &msgs[i]);
            datagrams++;
        }
        u->out_frames[datagrams - 1] = w.count;
        u->parts[datagrams - 1].iov_len = w.size;
    }
    return datagrams;
}

/* Returns how many left; errno says why no more. That the peer was not there for an earlier one is
 * told in place of sending: then once again. */
static int send_datagrams(struct udp_port *u, int datagrams)
{
    int done = 0;
    for (int calls = 0; done < datagrams && calls < 2 * OUT; calls++) {
        const int n = sendmmsg(u->port.descriptor, u->heads + done, (unsigned)(datagrams - done),
                               MSG_DONTWAIT);
        if (n > 0)
            done += n;
        else if (errno != ECONNREFUSED)
            break;
    }
    return done;
}

/* The frames of up to CAN_BATCH. */
static int send_some(struct udp_port *u, const struct can_msg *msgs, int n)
{
    struct can_counts *counts = &u->port.counts;
    const int datagrams = pack(u, msgs, n);
    int taken = 0;
    if (datagrams == 0)
        return 0;
    const int done = send_datagrams(u, datagrams);
    const bool full = errno == EAGAIN || errno == ENOBUFS;
    for (int i = 0; i < datagrams; i++) {
        const int frames = u->out_frames[i];
        if (i < done) {
            taken += frames;
        } else if (full) {
            counts->full += (uint64_t)frames;
        } else {
            counts->failed += (uint64_t)frames;
        }
    }
    counts->sent += (uint64_t)taken;
    return taken;
}

static int udp_send(struct can_port *port, const struct can_msg *msgs, int n)
{
    struct udp_port *u = (struct udp_port *)port;
    int taken = 0;
    for (int i = 0; i < n; i += CAN_BATCH)
        taken += send_some(u, msgs + i, n - i < CAN_BATCH ? n - i : CAN_BATCH);
    return taken;
}

/* ---- set-up */

static void udp_close(struct can_port *port)
{
    if (port->descriptor >= 0)
        (void)close(port->descriptor);
    free(port);
}

static const struct can_ops udp_ops = {
    .name = "udp", .send = udp_send, .receive = udp_receive, .close = udp_close};

/* From now on the kernel lets in the peer's datagrams only: strangers take neither room in the
 * queue nor time of the tick. What came before that is thrown away. */
static int connect_peer(struct udp_port *u)
{
    enum { queue_most = 1 << 20 }; /* far more datagrams than a queue holds */
    char byte;
    if (connect(u->port.descriptor, (const struct sockaddr *)&u->peer, sizeof u->peer))
        return -errno;
    for (int i = 0; i < queue_most && recv(u->port.descriptor, &byte, 1, MSG_DONTWAIT) >= 0; i++)
        ;
    return 0;
}

static int bind_socket(struct udp_port *u, const struct can_udp_setup *setup, struct err *e)
{
    const bool here = (ntohl(u->peer.sin_addr.s_addr) >> 24) == 127;
    const struct sockaddr_in local = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)setup->local_port),
                                      .sin_addr.s_addr =
                                          here ? htonl(INADDR_LOOPBACK) : htonl(INADDR_ANY)};
    u->port.descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (u->port.descriptor < 0 ||
        bind(u->port.descriptor, (const struct sockaddr *)&local, sizeof local)) {
        const int error = errno;
        return err_set(e, -error, "udp: local port %d: %s%s", setup->local_port, strerror(error),
                       error == EADDRINUSE
                           ? "; another run has it, or the watchdog of one that was killed and "
                             "still sends its safe frames: end that one, or wait"
                           : "");
    }
    int bad = can_batch_ask(u->port.descriptor, RECEIVE_BUFFER);
    if (bad)
        return err_set(e, bad, "udp: no receive stamps: %s", strerror(-bad));
    bad = setup->peer_port ? connect_peer(u) : 0;
    return bad ? err_set(e, bad, "udp: no way to the peer %s:%d: %s; see ip route",
                         setup->host ? setup->host : "127.0.0.1", setup->peer_port, strerror(-bad))
               : 0;
}

static struct udp_port *make_port(void)
{
    struct udp_port *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->port = (struct can_port){.ops = &udp_ops, .descriptor = -1, .fd = true};
    u->sequence = &u->own_sequence;
    for (int i = 0; i < OUT; i++) {
        u->parts[i].iov_base = u->out[i];
        u->heads[i].msg_hdr = (struct msghdr){.msg_iov = &u->parts[i], .msg_iovlen = 1};
    }
    can_batch_init(&u->batch, DATAGRAMS, u->in, DATAGRAM_BYTES);
    return u;
}

int can_udp_open(struct can_port **port, const struct can_udp_setup *setup, struct err *e)
{
    const char *host = setup->host ? setup->host : "127.0.0.1";
    *port = NULL;
    if (setup->local_port < 0 || setup->local_port > 65535 || setup->peer_port < 0 ||
        setup->peer_port > 65535)
        return err_set(e, -EINVAL, "udp: ports are 1 to 65535");
    struct udp_port *u = make_port();
    if (!u)
        return err_set(e, -ENOMEM, "udp: no memory");
    u->peer.sin_family = AF_INET;
    u->peer.sin_port = htons((uint16_t)setup->peer_port);
    int bad = 0;
    if (inet_pton(AF_INET, host, &u->peer.sin_addr) != 1)
        bad = err_set(e, -EINVAL, "udp: \"%s\" is no IPv4 address such as 192.168.1.20", host);
    if (!bad)
        bad = bind_socket(u, setup, e);
    if (bad) {
        udp_close(&u->port);
        return bad;
    }
    *port = &u->port;
    return 0;
}

int can_udp_adopt(struct can_port **port, int descriptor, struct err *e)
{
    *port = NULL;
    struct udp_port *u = make_port();
    socklen_t size = sizeof u->peer;
    if (!u)
        return err_set(e, -ENOMEM, "udp: no memory");
    if (getpeername(descriptor, (struct sockaddr *)&u->peer, &size)) {
        const int bad = err_set(e, -errno, "udp: descriptor %d is no connected socket: %s",
                                descriptor, strerror(errno));
        free(u);
        return bad;
    }
    u->port.descriptor = descriptor;
    *port = &u->port;
    return 0;
}

void can_udp_share_sequence(struct can_port *port, _Atomic uint8_t *sequence)
{
    ((struct udp_port *)port)->sequence = sequence;
}

int can_udp_local_port(const struct can_port *port)
{
    struct sockaddr_in local = {0};
    socklen_t size = sizeof local;
    if (getsockname(port->descriptor, (struct sockaddr *)&local, &size))
        return -errno;
    return ntohs(local.sin_port);
}

int can_udp_set_peer_port(struct can_port *port, int peer_port)
{
    struct udp_port *u = (struct udp_port *)port;
    u->peer.sin_port = htons((uint16_t)peer_port);
    return connect_peer(u);
}

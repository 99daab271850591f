#include "target/io/can_udp.h"

#include "shared/can/frame.h"
#include "target/io/can_batch.h"
#include "target/io/can_state.h"
#include "target/io/cannelloni.h"

#include <arpa/inet.h>
#include <errno.h>
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
    uint8_t sequence; /* of the next datagram we send */
    uint8_t expected; /* of the next one we receive */
    bool heard;       /* expected holds */
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
static void open_datagram(struct udp_port *u, int64_t now_ns)
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
    if (!can_batch_stamp(&u->batch, i, now_ns, &u->stamp_ns))
        u->port.counts.unstamped += (uint64_t)u->reader.left;
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
            open_datagram(u, now_ns);
        } else {
            if (reads++ == READS)
                break;
            u->next = 0;
            u->datagrams = can_batch_receive(&u->batch, port->descriptor, DATAGRAMS, now_ns);
            if (u->datagrams <= 0) {
                u->datagrams = 0;
                break;
            }
        }
    }
    return n;
}

/* ---- sending */

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
            cannelloni_begin(&w, u->out[datagrams], CANNELLONI_PAYLOAD, u->sequence++);
            (void)cannelloni_add(&w, &msgs[i]);
            datagrams++;
        }
        u->out_frames[datagrams - 1] = w.count;
        u->parts[datagrams - 1].iov_len = w.size;
    }
    return datagrams;
}

/* One system call's worth. */
static int send_some(struct udp_port *u, const struct can_msg *msgs, int n)
{
    struct can_counts *counts = &u->port.counts;
    const int datagrams = pack(u, msgs, n);
    int taken = 0;
    if (datagrams == 0)
        return 0;
    int done = sendmmsg(u->port.descriptor, u->heads, (unsigned)datagrams, MSG_DONTWAIT);
    const bool full = done >= 0 || errno == EAGAIN || errno == ENOBUFS;
    if (done < 0)
        done = 0;
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

static void udp_service(struct can_port *port)
{
    can_batch_take_clock(&((struct udp_port *)port)->batch);
}

static void udp_close(struct can_port *port)
{
    if (port->descriptor >= 0)
        (void)close(port->descriptor);
    free(port);
}

static const struct can_ops udp_ops = {.name = "udp",
                                       .send = udp_send,
                                       .receive = udp_receive,
                                       .service = udp_service,
                                       .close = udp_close};

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
                       error == EADDRINUSE ? "; another program has it, choose another one" : "");
    }
    const int bad = can_batch_ask(u->port.descriptor, RECEIVE_BUFFER);
    return bad ? err_set(e, bad, "udp: no receive stamps: %s", strerror(-bad)) : 0;
}

int can_udp_open(struct can_port **port, const struct can_udp_setup *setup, struct err *e)
{
    const char *host = setup->host ? setup->host : "127.0.0.1";
    *port = NULL;
    if (setup->local_port < 0 || setup->local_port > 65535 || setup->peer_port < 0 ||
        setup->peer_port > 65535)
        return err_set(e, -EINVAL, "udp: ports are 1 to 65535");
    struct udp_port *u = calloc(1, sizeof *u);
    if (!u)
        return err_set(e, -ENOMEM, "udp: no memory");
    u->port = (struct can_port){.ops = &udp_ops, .descriptor = -1, .fd = true};
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
    can_batch_init(&u->batch, DATAGRAMS, u->in, DATAGRAM_BYTES);
    for (int i = 0; i < OUT; i++) {
        u->parts[i].iov_base = u->out[i];
        u->heads[i].msg_hdr = (struct msghdr){.msg_name = &u->peer,
                                              .msg_namelen = sizeof u->peer,
                                              .msg_iov = &u->parts[i],
                                              .msg_iovlen = 1};
    }
    *port = &u->port;
    return 0;
}

int can_udp_local_port(const struct can_port *port)
{
    struct sockaddr_in local = {0};
    socklen_t size = sizeof local;
    if (getsockname(port->descriptor, (struct sockaddr *)&local, &size))
        return -errno;
    return ntohs(local.sin_port);
}

void can_udp_set_peer_port(struct can_port *port, int peer_port)
{
    ((struct udp_port *)port)->peer.sin_port = htons((uint16_t)peer_port);
}

#include "host/host.h"

#include "shared/base/console.h"
#include "shared/base/time.h"
#include "shared/wire/telemetry_seal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* HELLOS_UNHEARD: so many, one a second, then it is said. */
enum { BATCH = 32, SOCKET_BYTES = 8 << 20, HELLOS_UNHEARD = 3 };
static const int poll_ms = 5;
static const int64_t hello_ns = NS_PER_S;

int64_t host_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void send_parts(const struct host *h, const struct sockaddr_in *to, struct iovec *parts,
                       size_t count)
{
    const struct msghdr message = {
        .msg_name = (void *)to, .msg_namelen = sizeof *to, .msg_iov = parts, .msg_iovlen = count};
    (void)sendmsg(h->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void host_send_to(struct host *h, const struct sockaddr_in *to,
                  const struct telemetry_header *header, const void *body, size_t bytes)
{
    struct iovec parts[2] = {{(void *)header, sizeof *header}, {(void *)body, bytes}};
    send_parts(h, to, parts, 2);
}

void host_send(struct host *h, struct host_target *t, struct telemetry_header *header,
               const void *body, size_t bytes)
{
    uint8_t tag[TELEMETRY_TAG];
    header->magic = TELEMETRY_MAGIC;
    header->version = TELEMETRY_VERSION;
    header->run = t->run;
    header->table = t->table;
    header->packet = ++t->own_packets;
    header->sent_ns = host_now_ns();
    memcpy(header->name, t->name, sizeof header->name);
    struct iovec parts[3] = {{header, sizeof *header}, {(void *)body, bytes}, {tag, sizeof tag}};
    bool tagged = t->sealed && telemetry_sealed_bytes(header) == 0;
    if (tagged) {
        header->flags |= TELEMETRY_SEALED;
        telemetry_tag(&t->run_key, header, body, bytes, tag);
    }
    send_parts(h, &t->at, parts, tagged ? 3 : 2);
}

static void tell_unheard(const struct sockaddr_in *at)
{
    char address[INET_ADDRSTRLEN] = "";
    (void)inet_ntop(AF_INET, &at->sin_addr, address, sizeof address);
    console_say(
        "skidpad host: nothing is heard of the target at %s:%d: does it run, with `telemetry: "
        "{listen: ...}`, and has it the same key?\n",
        address, ntohs(at->sin_port));
}

/* Targets that were named: until one of them has been heard of, it is greeted. */
static void greet(struct host *h, int64_t now_ns)
{
    for (int i = 0; i < h->setup.targets && h->has_key; i++) {
        bool heard = false;
        for (int k = 0; k < HOST_TARGETS; k++)
            heard |= atomic_load(&h->target[k].used) && !h->target[k].lost &&
                     !h->target[k].complete &&
                     h->target[k].at.sin_port == h->setup.target[i].sin_port &&
                     h->target[k].at.sin_addr.s_addr == h->setup.target[i].sin_addr.s_addr;
        if (heard)
            h->hellos[i] = HELLOS_UNHEARD + 1; /* it is there, or was */
        if (heard || now_ns < h->hello_due_ns[i])
            continue;
        if (h->hellos[i] <= HELLOS_UNHEARD && h->hellos[i]++ == HELLOS_UNHEARD)
            tell_unheard(&h->setup.target[i]);
        struct telemetry_header header = {
            .magic = TELEMETRY_MAGIC, .version = TELEMETRY_VERSION, .kind = TELEMETRY_HELLO};
        struct telemetry_hello hello = {0};
        h->hello_due_ns[i] = now_ns + hello_ns;
        seal_random(h->hello_nonce[i], SEAL_NONCE);
        memcpy(hello.host, h->hello_nonce[i], SEAL_NONCE);
        telemetry_seal(&h->key, &header, &hello);
        host_send_to(h, &h->setup.target[i], &header, &hello, sizeof hello);
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): recvmmsg() writes there */
static void receive(struct host *h, unsigned char *memory)
{
    struct mmsghdr message[BATCH];
    struct iovec part[BATCH];
    struct sockaddr_in from[BATCH];
    memset(message, 0, sizeof message);
    for (int i = 0; i < BATCH; i++) {
        part[i] = (struct iovec){memory + (size_t)i * TELEMETRY_PACKET_MAX, TELEMETRY_PACKET_MAX};
        message[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
                                             .msg_namelen = sizeof from[i],
                                             .msg_iov = &part[i],
                                             .msg_iovlen = 1};
    }
    int n = recvmmsg(h->socket, message, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < n; i++)
        if (!(message[i].msg_hdr.msg_flags & MSG_TRUNC) && from[i].sin_family == AF_INET)
            host_take(h, &from[i], part[i].iov_base, message[i].msg_len);
}

void host_round(struct host *h)
{
    receive(h, h->memory);
    int64_t now_ns = host_now_ns();
    host_tend(h, now_ns);
    greet(h, now_ns);
}

static void *work(void *argument)
{
    struct host *h = argument;
    struct pollfd wait[2] = {{.fd = h->socket, .events = POLLIN},
                             {.fd = h->wake, .events = POLLIN}};
    while (!atomic_load(&h->finish)) {
        uint64_t count;
        (void)poll(wait, 2, poll_ms);
        (void)!read(h->wake, &count, sizeof count);
        host_round(h);
    }
    return NULL;
}

static int open_socket(struct host *h, struct err *e)
{
    const int bytes = SOCKET_BYTES;
    h->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (h->socket < 0)
        return err_set(e, -errno, "no socket: %s", strerror(errno));
    /* More than the usual limit only with the right to; without, gaps are filled more often. */
    if (setsockopt(h->socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes))
        (void)setsockopt(h->socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (bind(h->socket, (const struct sockaddr *)&h->setup.listen, sizeof h->setup.listen))
        return err_set(e, -errno, "cannot listen for telemetry at port %d: %s",
                       ntohs(h->setup.listen.sin_port), strerror(errno));
    h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return h->wake < 0 ? err_set(e, -errno, "eventfd: %s", strerror(errno)) : 0;
}

/* The machine's name, as far as it can stand in the name of a page. */
static void name_host(struct host *h)
{
    char name[256] = "";
    (void)gethostname(name, sizeof name - 1);
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    (void)snprintf(h->own_name, sizeof h->own_name, "%.*s", n > 0 ? (int)n : 4,
                   n > 0 ? name : "host");
}

int host_open(struct host *h, const struct host_setup *setup, struct err *e)
{
    h->setup = *setup;
    h->socket = h->wake = -1;
    (void)pthread_mutex_init(&h->lock, NULL);
    name_host(h);
    for (int i = 0; i < HOST_TARGETS; i++) {
        h->target[i].id = i;
        (void)pthread_mutex_init(&h->target[i].lock, NULL);
    }
    if (setup->key_path[0] != '\0') {
        int bad = seal_key_load(setup->key_path, &h->key, e);
        if (bad)
            return bad;
        h->has_key = true;
    }
    seal_random(&h->secret, sizeof h->secret);
    h->memory = malloc((size_t)BATCH * TELEMETRY_PACKET_MAX);
    return h->memory ? open_socket(h, e) : err_set(e, -ENOMEM, "out of memory");
}

int host_start(struct host *h, const struct host_setup *setup, struct err *e)
{
    int bad = host_open(h, setup, e);
    if (bad)
        return bad;
    int error = pthread_create(&h->thread, NULL, work, h);
    h->started = error == 0;
    return error ? err_set(e, -error, "the network thread: %s", strerror(error)) : 0;
}

void host_stop(struct host *h)
{
    if (!h->started)
        return;
    atomic_store(&h->finish, true);
    (void)pthread_join(h->thread, NULL);
    h->started = false;
    host_close_recordings(h);
}

void host_finish(struct host *h)
{
    host_stop(h);
    for (int i = 0; i < HOST_TARGETS; i++)
        host_end_run(h, &h->target[i]);
    host_reap(h, true);
    free(h->memory);
    h->memory = NULL;
    if (h->socket >= 0)
        (void)close(h->socket);
    if (h->wake >= 0)
        (void)close(h->wake);
    h->socket = h->wake = -1;
}

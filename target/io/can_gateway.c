#include "target/io/can_gateway.h"

#include "shared/base/latest.h"
#include "shared/base/ring.h"
#include "shared/base/time.h"
#include "target/io/can_queue.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static const int64_t service_ns = NS_PER_S;
/* A shorter sleep costs more than it saves. */
static const int64_t shortest_ns = 20 * NS_PER_US;

struct status {
    struct can_counts counts;
    struct can_flow flow;
    int64_t state;
};

struct gateway {
    struct can_port port; /* the real-time side */
    uint64_t full;        /* frames that found the ring to the bus full */
    unsigned char gap[RING_LINE_BYTES];
    _Atomic int64_t release_ns; /* of the last tick; written by the real-time side */
    struct ring to_bus, to_loop;
    struct latest status; /* of the transport */
    atomic_bool finish;
    /* the gateway's thread */
    struct can_port *transport;
    struct can_flow flow; /* as far as it is measured here */
    int64_t period_ns;
    pthread_t thread;
    bool joined;
};

/* ---- the real-time side */

static int gateway_send(struct can_port *port, const struct can_msg *msgs, int n)
{
    struct gateway *g = (struct gateway *)port;
    int taken = 0;
    while (taken < n && ring_push(&g->to_bus, &msgs[taken]))
        taken++;
    g->full += (uint64_t)(n - taken);
    port->counts.full += (uint64_t)(n - taken);
    return taken;
}

static void take_status(struct gateway *g)
{
    struct latest_info info;
    const struct status *s = latest_read(&g->status, &info);
    g->port.counts = s->counts;
    g->port.flow = s->flow;
    g->port.counts.full += g->full;
    g->port.counts.overflow += ring_dropped(&g->to_loop);
    g->port.state = (int)s->state;
}

static int gateway_receive(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max)
{
    struct gateway *g = (struct gateway *)port;
    atomic_store_explicit(&g->release_ns, now_ns, memory_order_relaxed);
    if (max > CAN_BATCH)
        max = CAN_BATCH;
    const int n = max > 0 ? (int)ring_pop(&g->to_loop, msgs, (size_t)max) : 0;
    for (int i = 0; i < n; i++)
        msgs[i].bus = port->bus;
    take_status(g); /* after the frames, see take_in() */
    return n;
}

/* ---- the gateway's thread */

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t can_gateway_next_look_ns(int64_t now_ns, int64_t release_ns, int64_t period_ns)
{
    const int64_t every_ns = period_ns / 2 > shortest_ns ? period_ns / 2 : shortest_ns;
    const int64_t first_ns = release_ns + period_ns / 4;
    /* Without ticks, or with a clock that is not this one: by its own time. */
    if (release_ns == 0 || first_ns > now_ns + period_ns || first_ns < now_ns - NS_PER_S)
        return now_ns + every_ns;
    if (first_ns > now_ns)
        return first_ns;
    return first_ns + ((now_ns - first_ns) / every_ns + 1) * every_ns;
}

/* Sleeps until frames arrive or it is time to look for frames to send. */
static void wait_for_work(struct gateway *g)
{
    const int64_t now_ns = now();
    const int64_t release_ns = atomic_load_explicit(&g->release_ns, memory_order_relaxed);
    const int64_t for_ns = can_gateway_next_look_ns(now_ns, release_ns, g->period_ns) - now_ns;
    const struct timespec timeout = {.tv_sec = for_ns / NS_PER_S, .tv_nsec = for_ns % NS_PER_S};
    struct pollfd readable = {.fd = g->transport->descriptor, .events = POLLIN};
    (void)ppoll(&readable, readable.fd >= 0 ? 1 : 0, &timeout, NULL);
}

static void account_out(struct gateway *g, const struct can_msg *msgs, size_t n)
{
    const int64_t now_ns = now();
    for (size_t i = 0; i < n; i++)
        can_wait_add(&g->flow.out, msgs[i].time_ns, now_ns, g->period_ns);
}

/* At most a ring of frames in a turn each way: neither direction can hold up the other. */
static void send_out(struct gateway *g)
{
    const void *span;
    size_t left = CAN_GATEWAY_RING, n;
    while (left > 0 && (n = ring_peek(&g->to_bus, &span)) > 0) {
        if (n > CAN_BATCH)
            n = CAN_BATCH;
        if (!can_port_is_mute(&g->port)) {
            (void)g->transport->ops->send(g->transport, span, (int)n);
            account_out(g, span, n);
        }
        ring_release(&g->to_bus, n);
        left -= n < left ? n : left;
    }
}

static void tell_status(struct gateway *g, struct status *told)
{
    struct status s = {
        .counts = g->transport->counts, .flow = g->transport->flow, .state = g->transport->state};
    s.flow.in = g->flow.in;
    if (s.flow.out.frames == 0)
        s.flow.out = g->flow.out; /* a transport without a queue of its own */
    if (memcmp(&s, told, sizeof s) == 0)
        return;
    *told = s;
    latest_write(&g->status, &s, 0);
}

static void take_in(struct gateway *g, struct status *told)
{
    struct can_msg msgs[CAN_BATCH];
    int n = CAN_BATCH;
    for (int turn = 0; turn < CAN_GATEWAY_RING / CAN_BATCH && n == CAN_BATCH; turn++) {
        n = g->transport->ops->receive(g->transport, now(), msgs, CAN_BATCH);
        tell_status(g,
                    told); /* before the frames: whoever sees a frame knows the state it came in */
        const int64_t now_ns = now();
        for (int i = 0; i < n; i++) {
            (void)ring_push(&g->to_loop, &msgs[i]); /* the ring counts what does not fit */
            can_wait_add(&g->flow.in, msgs[i].time_ns, now_ns, g->period_ns);
        }
    }
}

static void *work(void *argument)
{
    struct gateway *g = argument;
    struct status told = {0};
    int64_t serviced_ns = now();
    (void)prctl(PR_SET_NAME, "can-gateway");
    (void)prctl(PR_SET_TIMERSLACK, 1); /* an ordinary thread's sleep: 50 us more otherwise */
    while (!atomic_load_explicit(&g->finish, memory_order_acquire)) {
        wait_for_work(g);
        send_out(g);
        take_in(g, &told);
        if (g->transport->ops->service && now() - serviced_ns >= service_ns) {
            serviced_ns = now();
            g->transport->ops->service(g->transport);
        }
    }
    send_out(g); /* what the last tick left */
    if (g->transport->ops->finish)
        g->transport->ops->finish(g->transport);
    tell_status(g, &told);
    return NULL;
}

/* ---- set-up */

static void free_memory(struct gateway *g)
{
    ring_free(&g->to_bus);
    ring_free(&g->to_loop);
    latest_free(&g->status);
    free(g);
}

static void gateway_finish(struct can_port *port)
{
    struct gateway *g = (struct gateway *)port;
    if (g->joined)
        return;
    atomic_store_explicit(&g->finish, true, memory_order_release);
    (void)pthread_join(g->thread, NULL);
    g->joined = true;
    take_status(g);
}

static void gateway_close(struct can_port *port)
{
    struct gateway *g = (struct gateway *)port;
    gateway_finish(port);
    g->transport->ops->close(g->transport);
    free_memory(g);
}

static const struct can_ops gateway_ops = {.name = "gateway",
                                           .send = gateway_send,
                                           .receive = gateway_receive,
                                           .finish = gateway_finish,
                                           .close = gateway_close};

/* The CPUs that this process may use without that one. Returns false if none would be left, or if
 * it is not among them. */
static bool other_cpus(int without, cpu_set_t *cpus)
{
    if (without < 0 || without >= CPU_SETSIZE || sched_getaffinity(0, sizeof *cpus, cpus) ||
        !CPU_ISSET((size_t)without, cpus))
        return false;
    CPU_CLR((size_t)without, cpus);
    return CPU_COUNT(cpus) > 0;
}

struct can_port *can_gateway_transport(struct can_port *port)
{
    return port->ops == &gateway_ops ? ((struct gateway *)port)->transport : port;
}

uint32_t can_gateway_waiting(const struct can_port *port)
{
    const uint32_t queue = (uint32_t)port->flow.depth;
    return port->ops == &gateway_ops
               ? queue + (uint32_t)ring_fill(&((const struct gateway *)port)->to_bus)
               : queue;
}

static int start_thread(struct gateway *g, const struct can_gateway_setup *setup, bool realtime)
{
    const struct sched_param priority = {.sched_priority = setup->priority};
    pthread_attr_t attributes;
    cpu_set_t cpus;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    if (realtime) {
        error = pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
        if (!error)
            error = pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
        if (!error)
            error = pthread_attr_setschedparam(&attributes, &priority);
    }
    if (!error && other_cpus(setup->not_cpu, &cpus))
        error = pthread_attr_setaffinity_np(&attributes, sizeof cpus, &cpus);
    if (!error)
        error = pthread_create(&g->thread, &attributes, work, g);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

int can_gateway_open(struct can_port **port, struct can_port *transport,
                     const struct can_gateway_setup *setup, struct err *e)
{
    *port = NULL;
    if (setup->period_ns <= 0)
        return err_set(e, -EINVAL, "CAN gateway: the period must be above 0");
    struct gateway *g = calloc(1, sizeof *g);
    if (!g)
        return err_set(e, -ENOMEM, "CAN gateway: no memory");
    g->port = (struct can_port){.ops = &gateway_ops,
                                .descriptor = -1,
                                .state = transport->state,
                                .bus = transport->bus,
                                .fd = transport->fd,
                                .confirms = transport->confirms,
                                .mute = transport->mute};
    g->transport = transport;
    g->period_ns = setup->period_ns;
    if (ring_init(&g->to_bus, sizeof(struct can_msg), CAN_GATEWAY_RING, NULL) ||
        ring_init(&g->to_loop, sizeof(struct can_msg), CAN_GATEWAY_RING, NULL) ||
        latest_init(&g->status, sizeof(struct status), NULL, NULL)) {
        free_memory(g);
        return err_set(e, -ENOMEM, "CAN gateway: no memory for its rings");
    }
    int error = start_thread(g, setup, setup->priority > 0);
    if (error == EPERM && setup->allow_nonrt)
        error = start_thread(g, setup, false);
    if (error) {
        free_memory(g);
        return err_set(e, -error, "CAN gateway: no thread with SCHED_FIFO priority %d: %s",
                       setup->priority, strerror(error));
    }
    *port = &g->port;
    return 0;
}

#include "target/io/can_memory.h"

#include "shared/base/ring.h"
#include "shared/can/frame.h"
#include "target/io/can_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = CAN_MEMORY_PORTS * CAN_MEMORY_QUEUE };

struct memory_port {
    struct can_port port;
    struct can_memory *bus;
    struct ring inbox;
    int waiting; /* frames of this port in the bus's queue */
    bool attached;
};

/* A frame that waits: its arbitration rank, then the order of sending. */
struct waiting {
    uint32_t rank;
    uint32_t slot;
    uint64_t order;
};

struct can_memory {
    struct can_memory_setup setup;
    struct memory_port ports[CAN_MEMORY_PORTS];
    int64_t now_ns;  /* last tick */
    int64_t free_ns; /* the bus is taken until then */
    int64_t busy_ns;
    uint64_t order;
    bool started;   /* now_ns holds */
    bool in_flight; /* flying is on the bus until free_ns */
    int flying_from;
    struct can_msg flying;
    /* what waits; the one that goes next is the last */
    int count;
    struct waiting queue[SLOTS];
    struct can_msg frames[SLOTS];
    uint8_t from[SLOTS];
    uint32_t unused[SLOTS]; /* slots, of which the first SLOTS - count are not in use */
};

static bool goes_after(const struct waiting *a, const struct waiting *b)
{
    return a->rank != b->rank ? a->rank > b->rank : a->order > b->order;
}

static void enqueue(struct can_memory *bus, int from, const struct can_msg *msg)
{
    const uint32_t slot = bus->unused[SLOTS - 1 - bus->count];
    const struct waiting w = {.rank = can_frame_rank(msg), .slot = slot, .order = bus->order++};
    int low = 0, high = bus->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (goes_after(&bus->queue[middle], &w))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&bus->queue[low + 1], &bus->queue[low],
            (size_t)(bus->count - low) * sizeof bus->queue[0]);
    bus->queue[low] = w;
    bus->count++;
    bus->frames[slot] = *msg;
    bus->from[slot] = (uint8_t)from;
    bus->ports[from].waiting++;
}

/* Takes the frame that wins the arbitration off the queue. */
static void take_next(struct can_memory *bus)
{
    const uint32_t slot = bus->queue[--bus->count].slot;
    bus->unused[SLOTS - 1 - bus->count] = slot;
    bus->flying = bus->frames[slot];
    bus->flying_from = bus->from[slot];
    bus->ports[bus->flying_from].waiting--;
    bus->in_flight = true;
}

/* The frame on the bus has ended: everyone has it. */
static void land(struct can_memory *bus, int64_t at_ns)
{
    bus->in_flight = false;
    bus->flying.time_ns = at_ns;
    for (int i = 0; i < CAN_MEMORY_PORTS; i++) {
        struct memory_port *p = &bus->ports[i];
        const bool own = i == bus->flying_from;
        if (!p->attached || p->port.state == CAN_BUS_OFF || p->port.state == CAN_DOWN)
            continue;
        if (own && !p->port.confirms)
            continue;
        struct can_msg *m = ring_reserve(&p->inbox);
        if (!m) {
            p->port.counts.overflow++;
            continue;
        }
        *m = bus->flying;
        m->bus = p->port.bus;
        if (own)
            m->flags |= CAN_MSG_OWN;
        ring_commit(&p->inbox);
    }
}

/* Everything that happens on the bus before now_ns. */
static void advance(struct can_memory *bus, int64_t now_ns)
{
    const int64_t queued_ns = bus->now_ns; /* whatever waits was sent by then */
    if (bus->started && now_ns <= bus->now_ns)
        return;
    bus->now_ns = now_ns;
    if (!bus->started) {
        bus->started = true;
        bus->free_ns = now_ns;
        return;
    }
    /* At most one round per frame that waits, and one for the frame in flight. */
    for (;;) {
        if (bus->in_flight) {
            if (bus->free_ns > now_ns)
                break;
            land(bus, bus->free_ns);
        }
        if (bus->free_ns < queued_ns)
            bus->free_ns = queued_ns;
        if (bus->count == 0 || bus->free_ns >= now_ns)
            break;
        take_next(bus);
        if (bus->setup.bit_rate > 0) {
            const int64_t takes_ns =
                can_frame_ns(&bus->flying, bus->setup.bit_rate, bus->setup.data_rate);
            bus->free_ns += takes_ns;
            bus->busy_ns += takes_ns;
        } else {
            land(bus, now_ns);
        }
    }
}

static int memory_send(struct can_port *port, const struct can_msg *msgs, int n)
{
    struct memory_port *p = (struct memory_port *)port;
    int taken = 0;
    for (int i = 0; i < n; i++) {
        if (!can_frame_valid(&msgs[i], port->fd) || port->state == CAN_BUS_OFF ||
            port->state == CAN_DOWN) {
            port->counts.failed++;
        } else if (p->waiting == CAN_MEMORY_QUEUE) {
            port->counts.full++;
        } else {
            enqueue(p->bus, (int)(p - p->bus->ports), &msgs[i]);
            taken++;
        }
    }
    port->counts.sent += (uint64_t)taken;
    return taken;
}

static int memory_receive(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max)
{
    struct memory_port *p = (struct memory_port *)port;
    advance(p->bus, now_ns);
    if (max > CAN_BATCH)
        max = CAN_BATCH;
    const int n = max > 0 ? (int)ring_pop(&p->inbox, msgs, (size_t)max) : 0;
    for (int i = 0; i < n; i++) {
        if (msgs[i].flags & CAN_MSG_OWN)
            port->counts.confirmed++;
        else
            port->counts.received++;
    }
    return n;
}

/* Drops what a port still wants to send. */
static void forget(struct memory_port *p)
{
    struct can_memory *bus = p->bus;
    const int from = (int)(p - bus->ports);
    int kept = 0;
    bool used[SLOTS] = {false};
    for (int i = 0; i < bus->count; i++) {
        if (bus->from[bus->queue[i].slot] == from)
            continue;
        used[bus->queue[i].slot] = true;
        bus->queue[kept++] = bus->queue[i];
    }
    bus->count = kept;
    for (uint32_t slot = 0, n = 0; slot < SLOTS; slot++)
        if (!used[slot])
            bus->unused[n++] = slot;
    p->waiting = 0;
}

static void memory_close(struct can_port *port)
{
    struct memory_port *p = (struct memory_port *)port;
    forget(p);
    p->attached = false;
    ring_free(&p->inbox);
}

static const struct can_ops memory_ops = {
    .name = "memory", .send = memory_send, .receive = memory_receive, .close = memory_close};

int can_memory_open(struct can_memory **bus, const struct can_memory_setup *setup, struct err *e)
{
    *bus = NULL;
    if (setup->bit_rate < 0 || setup->data_rate < 0)
        return err_set(e, -EINVAL, "memory: a bit rate is 0 (no bus load) or more");
    struct can_memory *b = calloc(1, sizeof *b);
    if (!b)
        return err_set(e, -ENOMEM, "memory: no memory for a bus");
    b->setup = *setup;
    if (b->setup.data_rate == 0)
        b->setup.data_rate = b->setup.bit_rate;
    for (uint32_t i = 0; i < SLOTS; i++)
        b->unused[i] = i;
    *bus = b;
    return 0;
}

struct can_port *can_memory_attach(struct can_memory *bus, bool confirm)
{
    for (int i = 0; i < CAN_MEMORY_PORTS; i++) {
        struct memory_port *p = &bus->ports[i];
        if (p->attached)
            continue;
        memset(p, 0, sizeof *p);
        if (ring_init(&p->inbox, sizeof(struct can_msg), CAN_MEMORY_INBOX, NULL))
            return NULL;
        p->bus = bus;
        p->attached = true;
        p->port = (struct can_port){
            .ops = &memory_ops, .descriptor = -1, .fd = bus->setup.fd, .confirms = confirm};
        return &p->port;
    }
    return NULL;
}

void can_memory_close(struct can_memory *bus)
{
    if (!bus)
        return;
    for (int i = 0; i < CAN_MEMORY_PORTS; i++)
        ring_free(&bus->ports[i].inbox);
    free(bus);
}

void can_memory_disturb(struct can_port *port, int state)
{
    struct memory_port *p = (struct memory_port *)port;
    if (state == CAN_BUS_OFF || state == CAN_DOWN)
        forget(p);
    can_state_enter(port, state);
}

int64_t can_memory_busy_ns(const struct can_memory *bus)
{
    return bus->busy_ns;
}

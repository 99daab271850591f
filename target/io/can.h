/* A CAN bus as the loop sees it: one const table of operations per transport.
 *
 * A transport's open function and can_open() belong to the thread that sets up. send and receive
 * are called by one thread, the real-time one or a gateway's, and never wait. What a busy
 * controller does not take at once waits in a bounded queue (can_queue.h), in its order; what finds
 * that full is counted and lost. service is called by an ordinary thread while the other one goes
 * on sending and receiving. */
#ifndef SKIDPAD_IO_CAN_H
#define SKIDPAD_IO_CAN_H

#include "shared/can/msg.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* State of the controller, as far as the transport can tell. */
enum can_state { CAN_ACTIVE, CAN_PASSIVE, CAN_BUS_OFF, CAN_DOWN };

/* What happened on a bus since it was opened: X(name, 1 if it is an event, meaning). */
#define CAN_COUNTS(X)                                                                              \
    X(sent, 0, "frames the transport took")                                                        \
    X(received, 0, "frames received")                                                              \
    X(confirmed, 0, "own frames seen on the bus")                                                  \
    X(full, 1, "frames not sent: the queue was full")                                              \
    X(failed, 1, "frames not sent for another reason")                                             \
    X(overflow, 1, "received frames lost before they were read")                                   \
    X(error_frames, 1, "error frames of the controller")                                           \
    X(passive, 1, "times the controller became error passive")                                     \
    X(bus_off, 1, "times the controller left the bus")                                             \
    X(down, 1, "times the interface went down")                                                    \
    X(recovered, 1, "returns to the active state")                                                 \
    X(lost, 1, "datagrams missing by their sequence numbers (udp)")                                \
    X(late, 1, "datagrams older than one before them (udp)")                                       \
    X(malformed, 1, "datagrams that are no frames (udp)")                                          \
    X(unstamped, 1, "received frames without a believable stamp")                                  \
    X(replaced, 1, "frames not sent: a newer one of their identifier took their place")

/* Written by the thread that sends and receives. */
struct can_counts {
#define CAN_COUNT_FIELD(name, event, meaning) uint64_t name;
    CAN_COUNTS(CAN_COUNT_FIELD)
#undef CAN_COUNT_FIELD
};

/* How long frames waited, from one point to another. */
struct can_wait {
    uint64_t frames;
    uint64_t over; /* of them longer than a period of the real-time thread */
    int64_t sum_ns, max_ns;
};

/* The way of frames through a transport. Written by the thread that sends and receives. */
struct can_flow {
    struct can_wait out; /* from the tick that made a frame until the driver took it */
    struct can_wait
        in;         /* through a gateway: from the stamp until the real-time thread can have it */
    uint64_t depth; /* frames that wait in the queue */
    uint64_t depth_max; /* most frames that waited at once */
    uint64_t left;      /* times the core's sender left real time; 0 where there is none */
};

/* Most frames of one receive call of any transport. */
enum { CAN_BATCH = 64 };

struct can_port;

struct can_ops {
    const char *name;
    /* Sends n frames in their order, as far as they are taken. Returns how many were. A frame that
     * the bus cannot carry (see can_frame_valid()) counts as failed and does not hold up others. */
    int (*send)(struct can_port *port, const struct can_msg *msgs, int n);
    /* Takes up to max frames, and at most CAN_BATCH, that have arrived by now. now_ns is the time
     * of this tick on the core's clock: it drives the transports that have no clock of their own
     * (memory, replay) and is the stamp of frames that have none. Returns how many. Frames marked
     * CAN_MSG_OWN and CAN_MSG_ERROR come too, where the transport has them. */
    int (*receive)(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max);
    /* Outside the tick, about once a second: what would take too long inside. NULL: nothing. */
    void (*service)(struct can_port *port);
    /* After the last tick, any one thread: waits until what is queued has left, for a moment only,
     * and brings counts and flow up to date. NULL: they are. */
    void (*finish)(struct can_port *port);
    /* Ends it and frees it. No other thread may use it any more. */
    void (*close)(struct can_port *port);
};

/* A transport embeds this as its first member. */
struct can_port {
    const struct can_ops *ops;
    struct can_counts counts;
    struct can_flow flow;
    int state;      /* enum can_state */
    int descriptor; /* poll() says readable when frames have arrived; -1: there is none */
    uint8_t bus;    /* put into every received frame */
    bool fd;        /* FD frames may be sent */
    bool confirms;  /* own frames come back when they were on the bus, marked CAN_MSG_OWN */
    const atomic_bool *mute; /* set by somebody else: nothing is sent any more; NULL: nobody */
};

static inline bool can_port_is_mute(const struct can_port *port)
{
    return port->mute && atomic_load_explicit(port->mute, memory_order_acquire);
}

#endif

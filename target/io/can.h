/* A CAN bus as the loop sees it: one const table of operations per transport.
 *
 * A transport's open function and can_open() belong to the thread that sets up. send and receive
 * are called by one thread, the real-time one or a gateway's, and never wait. Nothing is retried
 * inside a tick: what could not be sent is counted and lost, as on a real bus with a full mailbox.
 * service is called by an ordinary thread while the other one goes on sending and receiving. */
#ifndef SKIDPAD_IO_CAN_H
#define SKIDPAD_IO_CAN_H

#include "shared/can/msg.h"

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
    X(malformed, 1, "datagrams that are no frames, or from a stranger (udp)")                      \
    X(unstamped, 1, "received frames without a believable stamp")

/* Written by the thread that sends and receives. */
struct can_counts {
#define CAN_COUNT_FIELD(name, event, meaning) uint64_t name;
    CAN_COUNTS(CAN_COUNT_FIELD)
#undef CAN_COUNT_FIELD
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
    /* Ends it and frees it. No other thread may use it any more. */
    void (*close)(struct can_port *port);
};

/* A transport embeds this as its first member. */
struct can_port {
    const struct can_ops *ops;
    struct can_counts counts;
    int state;      /* enum can_state */
    int descriptor; /* poll() says readable when frames have arrived; -1: there is none */
    uint8_t bus;    /* put into every received frame */
    bool fd;        /* FD frames may be sent */
    bool confirms;  /* own frames come back when they were on the bus, marked CAN_MSG_OWN */
};

#endif

/* A CAN bus as the loop sees it: one const table of operations per transport.
 *
 * open and close belong to the thread that sets up; send and receive are called by one thread, the
 * real-time one or a gateway's, and never wait. Nothing is retried inside a tick: what could not be
 * sent is counted and lost, as on a real bus with a full mailbox. */
#ifndef SKIDPAD_IO_CAN_H
#define SKIDPAD_IO_CAN_H

#include "shared/base/err.h"
#include "shared/can/msg.h"

#include <stdbool.h>
#include <stdint.h>

/* State of the controller, as far as the transport can tell. */
enum can_state { CAN_ACTIVE, CAN_PASSIVE, CAN_BUS_OFF, CAN_DOWN };

/* What happened on a bus since it was opened; written by the thread that sends and receives. */
struct can_counts {
    uint64_t sent, received;
    uint64_t confirmed; /* own frames seen on the bus, where the transport tells */
    uint64_t full;      /* not sent: the queue was full */
    uint64_t failed;    /* not sent: any other reason */
    uint64_t overflow;  /* received frames lost before they could be read */
    uint64_t error_frames;
    uint64_t passive, bus_off, recovered; /* changes of state */
    uint64_t lost;                        /* gaps in the transport's own sequence numbers (udp) */
    uint64_t malformed;                   /* datagrams or records that are no frames */
};

struct can_port;

struct can_ops {
    const char *name;
    /* Sends up to n frames in their order. Returns how many were taken. */
    int (*send)(struct can_port *port, const struct can_msg *msgs, int n);
    /* Takes up to max frames that have arrived. Returns how many. */
    int (*receive)(struct can_port *port, struct can_msg *msgs, int max);
    void (*close)(struct can_port *port);
};

/* A transport embeds this as its first member. */
struct can_port {
    const struct can_ops *ops;
    struct can_counts counts;
    int state;   /* enum can_state */
    uint8_t bus; /* put into every received frame */
    bool fd;     /* FD frames may be sent */
};

#endif

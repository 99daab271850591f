/* A thread between the real-time thread and any transport.
 *
 * For periods below 0.5 ms, for cores that may not call Linux, and for transports that may wait:
 * the real-time side only copies frames to and from rings, makes no system call and wakes nobody.
 * The gateway's thread sleeps in ppoll() on the transport, so received frames are fetched at once.
 * Frames to be sent it finds by looking twice a period, in step with the ticks: a quarter and three
 * quarters of a period after each release, the time that receive is given. A frame so waits half a
 * period at most for its system call, and a tick that sends within its first quarter always waits
 * for the same moment.
 *
 * It runs with the priority below the real-time thread's, and on another CPU where there is one: a
 * core beside Linux takes its CPU away without Linux knowing, which would keep a thread there. */
#ifndef SKIDPAD_IO_CAN_GATEWAY_H
#define SKIDPAD_IO_CAN_GATEWAY_H

#include "shared/base/err.h"
#include "target/io/can.h"

enum { CAN_GATEWAY_RING = 4096 /* frames each way; a power of two. 0.2 s of 20,000/s */ };

struct can_gateway_setup {
    int64_t period_ns; /* of the real-time thread */
    int priority;      /* SCHED_FIFO, below the real-time thread's; 0: an ordinary thread */
    int not_cpu;       /* of the real-time thread, if there are others to run on; < 0: any */
    bool allow_nonrt;  /* without the right to SCHED_FIFO go on as an ordinary thread */
};

/* Takes over the transport, which is closed with the gateway, and starts the thread. Returns 0 or a
 * negative errno with a message; then the transport is still the caller's. The counts are those of
 * the transport as the thread last saw them, with the frames that found a ring full. */
int can_gateway_open(struct can_port **port, struct can_port *transport,
                     const struct can_gateway_setup *setup, struct err *e);

/* The transport behind a gateway; of any other port the port itself. Set-up only. */
struct can_port *can_gateway_transport(struct can_port *port);

/* Frames that wait for the bus, in a gateway and in the transport's queue. The real-time thread. */
uint32_t can_gateway_waiting(const struct can_port *port);

/* When a gateway looks for frames to send: the first such time after now_ns, given the last release
 * (0: none yet) and the period. For tests. */
int64_t can_gateway_next_look_ns(int64_t now_ns, int64_t release_ns, int64_t period_ns);

#endif

/* A CAN bus in memory: several ports in one thread, in lock-step with a simulated clock.
 *
 *     can_memory_open(&bus, &setup, &e);
 *     struct can_port *bench = can_memory_attach(bus, false), *unit = can_memory_attach(bus,
 * false); each tick: both receive with the time of the tick, then both send.
 *
 * What is sent in one tick arrives at the earliest in the next. Frames that wait go by arbitration,
 * the lowest identifier first, as from controllers with sorted mailboxes; frames of one identifier
 * keep their order. With a bit rate each frame takes its time on the bus (worst case of stuff bits,
 * shared/can/frame.h), one after the other: frames queue, wait and are stamped as on a real bus.
 * The same calls give the same frames, to the nanosecond. */
#ifndef SKIDPAD_IO_CAN_MEMORY_H
#define SKIDPAD_IO_CAN_MEMORY_H

#include "shared/base/err.h"
#include "target/io/can.h"

enum {
    CAN_MEMORY_PORTS = 8,
    CAN_MEMORY_QUEUE = 256, /* frames that wait to be sent, per port */
    CAN_MEMORY_INBOX = 1024 /* frames that wait to be read, per port */
};

struct can_memory_setup {
    int64_t bit_rate;  /* bit/s; 0: frames take no time */
    int64_t data_rate; /* bit/s of the data of FD frames with CAN_MSG_BRS; 0: as bit_rate */
    bool fd;
};

struct can_memory;

/* Returns 0 or a negative errno with a message. */
int can_memory_open(struct can_memory **bus, const struct can_memory_setup *setup, struct err *e);
/* One more port; confirm: its own frames come back, marked. NULL if there are too many. Closing a
 * port takes it off the bus; the bus itself outlives its ports. */
struct can_port *can_memory_attach(struct can_memory *bus, bool confirm);
void can_memory_close(struct can_memory *bus);

/* As if the controller of that port had gone into this state: CAN_BUS_OFF and CAN_DOWN neither send
 * nor receive, and what waited to be sent is gone. */
void can_memory_disturb(struct can_port *port, int state);

/* Time the bus was taken, since it was opened. The load is its share of the time that passed. */
int64_t can_memory_busy_ns(const struct can_memory *bus);

#endif

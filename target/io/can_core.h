/* CAN of the real-time core: interfaces that only the core's own program can open.
 *
 * Each program has its own can_core_open(): that of Cobalt's (can_rtdm.c) takes the interfaces of
 * RT-Socket-CAN, all others (can_core.c) explain why there are none. */
#ifndef SKIDPAD_IO_CAN_CORE_H
#define SKIDPAD_IO_CAN_CORE_H

#include "shared/base/err.h"
#include "target/io/can_queue.h"

#include <stddef.h>

/* Whether the name is one of RT-Socket-CAN's: "rtcan" and a number. */
bool can_core_interface(const char *interface);

/* The words for one end of a bus on the core's own CAN, if two of its interfaces are started: the
 * first for the bench, the second for the unit. */
bool can_core_default(bool unit, char *text, size_t size);

struct can_core_setup {
    const char *interface;
    bool fd;             /* the bench has FD frames on this bus */
    const uint32_t *ids; /* frames to take; NULL: all */
    int id_count;
    struct can_sender_setup sender; /* of a thread of the core's own */
};

/* The real-time thread itself may send and receive then, without a gateway. After the core was
 * opened (rt.h). Returns 0 or a negative errno with a message. */
int can_core_open(struct can_port **port, const struct can_core_setup *setup, struct err *e);

#endif

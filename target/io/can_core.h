/* CAN of the real-time core: interfaces that only the core's own program can open.
 *
 * Each program has its own can_core_open(): that of Cobalt's (can_rtdm.c) takes the interfaces of
 * RT-Socket-CAN, all others (can_core.c) explain why there are none. */
#ifndef SKIDPAD_IO_CAN_CORE_H
#define SKIDPAD_IO_CAN_CORE_H

#include "shared/base/err.h"
#include "target/io/can.h"

/* Whether the name is one of RT-Socket-CAN's: "rtcan" and a number. */
bool can_core_interface(const char *interface);

/* fd: the bench has FD frames on this bus. The real-time thread itself may send and receive then,
 * without a gateway. After the core was opened (rt.h). Returns 0 or a negative errno with a
 * message. */
int can_core_open(struct can_port **port, const char *interface, bool fd, struct err *e);

#endif

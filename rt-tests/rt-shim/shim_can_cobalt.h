/* RT-Socket-CAN's part of the stand-in: the virtual controllers rtcan0 and rtcan1 on one bus, for
 * sockets of this process. Each has one frame in flight, as real drivers have, and the bus carries
 * one at a time: a frame arrives when its time on the wire is over. */
#ifndef SKIDPAD_SHIM_CAN_COBALT_H
#define SKIDPAD_SHIM_CAN_COBALT_H

#include <rtdm/can.h>

enum { SHIM_CAN_INTERFACES = 2, SHIM_CAN_RING = 256 };

/* The controller's state (CAN_STATE_*), as ioctl() tells it. */
void shim_can_state(int interface, int state);
/* As if it had come over the bus, or from the controller if it is an error frame. */
void shim_can_deliver(int interface, const struct can_frame *frame);
/* Time of a frame on the wire; 0: none. Also by SHIM_CAN_WIRE_US in the environment. */
void shim_can_wire_ns(int64_t wire_ns);
/* What the real driver would have punished: receives without room for the stamp, ioctl() in real
 * time. */
int shim_can_violations(void);

#endif

/* The state of a controller: what its error frames say, and the counts of its changes. Pure. */
#ifndef SKIDPAD_IO_CAN_STATE_H
#define SKIDPAD_IO_CAN_STATE_H

#include "target/io/can.h"

/* The state after an error frame (CAN_MSG_ERROR, classes and data as SocketCAN has them), given the
 * state before. Only a restart ends bus-off. Frames that tell of single errors change nothing. */
int can_state_after_error(const struct can_msg *error, int state);

/* Puts the port into that state and counts the change, if it is one. */
void can_state_enter(struct can_port *port, int state);

/* A frame went over the bus: whoever was off or down is back. */
void can_state_alive(struct can_port *port);

#endif

/* A thread of the Cobalt core's own that sends frames and may wait for the controller, below the
 * real-time thread's priority. Frames reach it in a ring, with a semaphore of the core, and wait in
 * its queue (can_queue.h). */
#ifndef SKIDPAD_IO_CAN_SENDER_H
#define SKIDPAD_IO_CAN_SENDER_H

#include "shared/base/err.h"
#include "target/io/can_queue.h"

struct can_sender;

/* For a socket that is bound and has a time-out of sending. Returns 0 or a negative errno with a
 * message. */
int can_sender_open(struct can_sender **sender, int socket, const char *interface,
                    const struct can_sender_setup *setup, struct err *e);

/* ---- the real-time thread */

/* Hands over n frames. Never waits. Returns how many were taken; the others are counted. */
int can_sender_put(struct can_sender *s, const struct can_msg *msgs, int n);
/* Puts into the port what the sender counted and measured. Returns whether it found the controller
 * stopped or off the bus since the last call. */
bool can_sender_told(struct can_sender *s, struct can_port *port);

/* ---- any other thread, after the last frame */

/* Waits until everything has left, or until the controller takes nothing more for a time-out, and
 * ends the thread. NULL is allowed in both. */
void can_sender_finish(struct can_sender *s);
void can_sender_close(struct can_sender *s);

#endif

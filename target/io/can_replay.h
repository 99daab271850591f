/* A candump log as a bus: its frames arrive again, in the time between them.
 *
 * The whole log is read at set-up. Its first frame arrives with the first receive, the others as
 * much later as they were in the log. Lines that end with T were sent by whoever recorded, so they
 * do not come back. What is sent goes nowhere and is counted. */
#ifndef SKIDPAD_IO_CAN_REPLAY_H
#define SKIDPAD_IO_CAN_REPLAY_H

#include "shared/base/err.h"
#include "target/io/can.h"

#include <stddef.h>

struct can_replay_setup {
    const char *path;
    const char *name; /* the interface whose frames are replayed; NULL: all of them */
};

/* Ports of one log that replay different interfaces start at its first frame, whosever that is.
 * Returns 0 or a negative errno with a message (file, line, column). */
int can_replay_open(struct can_port **port, const struct can_replay_setup *setup, struct err *e);
/* Frames that have not come yet. */
size_t can_replay_left(const struct can_port *port);

#endif

/* Frames as lines of a log that candump -L writes and canplayer, log2asc and python-can read:
 *
 *     (1700000000.123456) can0 123#DEADBEEF              11-bit id, data
 *     (1700000000.123456) can0 0A1B2C3D#R8               29-bit id, remote frame that asks for 8
 *     (1700000000.123456) can0 123##1001122              FD, flags 1 (faster data), data
 *     (1700000000.123456) can0 20000004#0004000000000000 error frame
 *
 * Neither side allocates; both are pure. Microseconds are all that the format has: nanoseconds are
 * cut when writing, and read if a log has them. */
#ifndef SKIDPAD_CAN_CANDUMP_H
#define SKIDPAD_CAN_CANDUMP_H

#include "shared/can/msg.h"

#include <stddef.h>

enum {
    CANDUMP_NAME = 16,  /* of an interface, with its zero byte */
    CANDUMP_LINE = 192, /* longest line that is written, with newline and zero byte */
};

/* Writes a line with newline and zero byte; returns its length without the zero byte. The name is
 * cut to CANDUMP_NAME - 1. Times before 0 become 0; an own frame (CAN_MSG_OWN) ends with " T". */
size_t candump_format(const struct can_msg *msg, const char *name, char line[CANDUMP_LINE]);

struct candump_line {
    struct can_msg msg; /* bus is 0; CAN_MSG_OWN: the line ends with T */
    char name[CANDUMP_NAME];
    /* After a mistake: */
    const char *what; /* what was expected */
    size_t column;    /* where, from 1 */
};

/* Reads a line; a newline at its end is not needed. What stands behind the frame (direction,
 * comment) is passed over. FD data of a length that no frame has is filled with zeros up to the
 * next one that there is. Returns 0, 1 for a line without a frame (blank, or a comment after # or
 * ;), or -EINVAL. */
int candump_parse(const char *text, size_t length, struct candump_line *line);

#endif

/* What a frame is on the wire: which are allowed, which goes first, how long it takes. */
#ifndef SKIDPAD_CAN_FRAME_H
#define SKIDPAD_CAN_FRAME_H

#include "shared/can/msg.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a bus can carry it: known flags, an id in its range, a length that exists (classic up to
 * 8, FD 0 to 8, 12, 16, 20, 24, 32, 48, 64), no remote frame in FD, FD only where fd is set. */
bool can_frame_valid(const struct can_msg *msg, bool fd);

/* The next length that an FD frame can have; at most 64. */
int can_frame_fd_length(int bytes);

/* Order of arbitration: of frames that start together the one with the lowest rank gets the bus.
 * It is the bits from the start of frame to the end of the identifier, as they are sent. */
uint32_t can_frame_rank(const struct can_msg *msg);

/* Bits on the wire including the three of the pause behind it. Stuff bits depend on the data: these
 * are the most there can be, as schedules must assume. */
struct can_frame_bits {
    int nominal; /* at the rate of the arbitration */
    int data;    /* at the faster rate; 0 unless CAN_MSG_BRS */
};
struct can_frame_bits can_frame_bits(const struct can_msg *msg);

/* How long the bus is taken. Rates in bit/s; data_rate is used only for CAN_MSG_BRS. */
int64_t can_frame_ns(const struct can_msg *msg, int64_t bit_rate, int64_t data_rate);

#endif

/* The datagrams of cannelloni, version 2: CAN frames over UDP. Pure: bytes in, frames out.
 *
 * Big-endian: version, operation (0: data), sequence number, each a byte, count of frames in two;
 * then each frame: identifier in four bytes with the flag bits of SocketCAN, length in one (0x80
 * added for FD, then one byte of flags), data; a remote frame has a length but no data. */
#ifndef SKIDPAD_IO_CANNELLONI_H
#define SKIDPAD_IO_CANNELLONI_H

#include "shared/can/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CANNELLONI_HEAD = 5,                /* bytes before the first frame */
    CANNELLONI_PAYLOAD = 1500 - 20 - 8, /* what an Ethernet frame carries, and what peers expect */
    CANNELLONI_FRAME_MAX = 4 + 1 + 1 + CAN_MSG_DATA
};

struct cannelloni_reader {
    const uint8_t *at, *end;
    int left; /* frames */
};

/* Checks the whole datagram, so that all of its frames are taken or none. Returns the number of
 * frames, or -1: not version 2, not data, cut off, or a length that no frame has. Bytes behind the
 * last frame are ignored, as the program itself does. */
int cannelloni_open(struct cannelloni_reader *r, const uint8_t *bytes, size_t size,
                    uint8_t *sequence);
/* The next frame; false: there are no more. Time and bus are left 0. */
bool cannelloni_next(struct cannelloni_reader *r, struct can_msg *msg);

struct cannelloni_writer {
    uint8_t *bytes;
    size_t size, room;
    int count;
};

/* An empty datagram; room is at least CANNELLONI_HEAD. */
void cannelloni_begin(struct cannelloni_writer *w, uint8_t *bytes, size_t room, uint8_t sequence);
/* Appends a frame; false: it does not fit any more. */
bool cannelloni_add(struct cannelloni_writer *w, const struct can_msg *msg);

#endif

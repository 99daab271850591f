/* One CAN frame, classic or FD, as every part of the bench passes it on. */
#ifndef SKIDPAD_CAN_MSG_H
#define SKIDPAD_CAN_MSG_H

#include <stdint.h>

enum { CAN_MSG_DATA = 64, CAN_CLASSIC_DATA = 8 };

/* Bit 31 of the id marks 29-bit identifiers, as in DBC files and in SocketCAN. */
#define CAN_ID_EXTENDED 0x80000000u
#define CAN_ID_MASK     0x1fffffffu

enum can_msg_flag {
    CAN_MSG_FD = 1,     /* FD frame: up to 64 bytes */
    CAN_MSG_BRS = 2,    /* FD: data at the faster rate */
    CAN_MSG_ESI = 4,    /* FD: the sender is error passive */
    CAN_MSG_REMOTE = 8, /* remote frame: a length, no data */
    CAN_MSG_ERROR = 16, /* an error frame of the controller, not of the bus */
    CAN_MSG_OWN = 32    /* our own frame, seen on the bus: the confirmation that it was sent */
};

/* Plain data without padding: may be copied, hashed, put into rings. */
struct can_msg {
    int64_t time_ns; /* clock of the core. Received: stamp of the transport; to be sent: when it was
                      * made, 0: not told */
    uint32_t id;     /* with CAN_ID_EXTENDED */
    uint8_t bus;     /* index in the bench file */
    uint8_t len;     /* bytes of data; a remote frame's: bytes asked for */
    uint8_t flags;   /* enum can_msg_flag */
    uint8_t reserved;
    uint8_t data[CAN_MSG_DATA]; /* zero beyond len */
};

#endif

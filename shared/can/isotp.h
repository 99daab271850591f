/* ISO-TP (ISO 15765-2): messages of up to 4095 bytes in CAN frames of 8, or 64 with FD.
 *
 * One connection: two identifiers, one message at a time in each direction. Pure: time comes in,
 * frames go in and out, nothing is allocated; setup is const, the state plain data.
 *
 *     if a message is to go:       isotp_send(&setup, &link, data, length, now_ns);
 *     for each received frame:     isotp_take(&setup, &link, &msg, now_ns);
 *                                  if ((n = isotp_message(&link, &data)) > 0) ... ;
 *     in every tick:               n = isotp_poll(&setup, &link, now_ns, out, room);
 *
 *     frame                    first byte     then
 *     single (SF)              0x0L           L bytes; FD: 0x00, length
 *     first (FF)               0x1L LL        the first bytes; longer than 4095: 0x10 0x00, 4 bytes
 *     consecutive (CF)         0x2N           N counts 1 to 15, 0, 1 ...
 *     flow control (FC)        0x3S           block size, STmin; S 0 go on, 1 wait, 2 overflow */
#ifndef SKIDPAD_CAN_ISOTP_H
#define SKIDPAD_CAN_ISOTP_H

#include "shared/can/msg.h"

#include <stdbool.h>
#include <stdint.h>

enum { ISOTP_DATA = 4095, ISOTP_PADDING = 0xcc };

struct isotp_setup {
    uint32_t send_id, receive_id; /* with CAN_ID_EXTENDED */
    uint8_t frame_bytes;          /* of sent frames: 8, or with FD 12 to 64 */
    uint8_t block_size;           /* asked for: consecutive frames between flow controls; 0: all */
    uint8_t st_min;               /* asked for: code of the pause between consecutive frames */
    uint8_t wait_most;            /* flow controls "wait" in a row that are put up with */
    uint8_t padding;              /* byte that fills frames up */
    bool no_padding;              /* classic frames as short as they can be */
    bool bit_rate_switch;         /* FD: data at the faster rate */
    int64_t flow_ns;              /* N_Bs: a flow control must come within this */
    int64_t next_ns;              /* N_Cr: so must a consecutive frame */
};

/* Why the last transfer ended before its time. */
enum isotp_error {
    ISOTP_NO_ERROR,
    ISOTP_NO_FLOW_CONTROL, /* N_Bs ran out */
    ISOTP_NO_NEXT_FRAME,   /* N_Cr ran out */
    ISOTP_WRONG_SEQUENCE,
    ISOTP_INVALID_FLOW, /* a flow status that does not exist */
    ISOTP_UNEXPECTED,   /* a new message began within one */
    ISOTP_TOO_MANY_WAITS,
    ISOTP_OVERFLOW, /* the other side has no room, or we have not */
    ISOTP_ERRORS
};

enum isotp_sending { ISOTP_IDLE, ISOTP_FIRST, ISOTP_WAIT_FLOW, ISOTP_CONSECUTIVE };

struct isotp {
    /* to be sent */
    int64_t send_due_ns; /* next consecutive frame, or the end of the wait for a flow control */
    int64_t gap_ns;      /* asked for by the other side */
    int32_t send_length, sent_bytes;
    int32_t block_left; /* consecutive frames until the next flow control; -1: no limit */
    int32_t waits;
    uint32_t sending; /* enum isotp_sending */
    uint32_t send_sequence;
    uint32_t send_error; /* enum isotp_error, of the last message */
    /* received */
    uint32_t receive_error;
    int64_t receive_until_ns;
    int32_t receive_length, received_bytes;
    int32_t block_got;
    uint32_t receiving; /* 1: consecutive frames are expected */
    uint32_t receive_sequence;
    uint32_t receive_frame; /* bytes of a frame: all but the last are that long */
    uint32_t ready;         /* 1: a message is complete */
    uint32_t reply;         /* flow control to be sent: 1 + status; 0: none */
    uint32_t errors[ISOTP_ERRORS];
    uint8_t send[ISOTP_DATA + 1], receive[ISOTP_DATA + 1];
};

/* 11-bit or 29-bit identifiers, classic frames padded with 0xCC, all frames at once, both
 * time-outs 1 s. */
struct isotp_setup isotp_defaults(uint32_t send_id, uint32_t receive_id);

void isotp_reset(struct isotp *s);

/* Begins to send. Returns 0, -EBUSY while another one is under way, -EMSGSIZE if it is empty or
 * too long. */
int isotp_send(const struct isotp_setup *p, struct isotp *s, const uint8_t *data, int length,
               int64_t now_ns);
bool isotp_is_sending(const struct isotp *s);
/* Ends it; the rest is not sent. */
void isotp_give_up(struct isotp *s);

/* Takes a frame. False: it is not of this connection. */
bool isotp_take(const struct isotp_setup *p, struct isotp *s, const struct can_msg *msg,
                int64_t now_ns);

/* The message that is complete; returns its length, 0: there is none. It is gone with this call,
 * but its bytes stay until the next frame is taken. */
int isotp_message(struct isotp *s, const uint8_t **data);

/* Frames that are due, at most room; time-outs are found here. Returns how many. With STmin 0 room
 * frames go at once: it is the caller who knows how many the bus takes in a tick. */
int isotp_poll(const struct isotp_setup *p, struct isotp *s, int64_t now_ns, struct can_msg *out,
               int room);

/* The message of a single frame, of whatever identifier; 0: it is none. */
int isotp_single(const struct can_msg *msg, const uint8_t **data);

/* The pause that a code means; reserved ones mean the longest, 127 ms. */
int64_t isotp_st_min_ns(uint8_t code);

const char *isotp_error_name(uint32_t error);

#endif

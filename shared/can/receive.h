/* Supervision of received messages: when they come, how long they are, whether counter and checksum
 * are right. What is expected is const, what was seen is separate; each violation is counted and
 * reported as an event into a small buffer of the caller.
 *
 * Times are those of the frames' stamps, on the clock of the caller's now_ns. Pure. */
#ifndef SKIDPAD_CAN_RECEIVE_H
#define SKIDPAD_CAN_RECEIVE_H

#include "shared/can/msg.h"
#include "shared/can/protect.h"

#include <stdbool.h>
#include <stdint.h>

enum can_rx_kind {
    CAN_RX_EARLY,    /* sooner after the frame before than allowed */
    CAN_RX_LATE,     /* later */
    CAN_RX_TIMEOUT,  /* no good frame for too long; once until one returns */
    CAN_RX_RETURNED, /* the first good frame after that: no violation, the end of one */
    CAN_RX_LENGTH,
    CAN_RX_SUM,      /* checksum or data id */
    CAN_RX_REPEATED, /* the counter stands still */
    CAN_RX_LOST,     /* the counter says that frames are missing; this one is used */
    CAN_RX_SEQUENCE, /* more are missing than allowed, or there is no such counter */
    CAN_RX_KINDS
};

struct can_rx_rule {
    struct protect_rule protect; /* its length is that of the message, with or without a profile */
    int64_t early_ns, late_ns;   /* least and greatest distance of two frames; 0: any */
    int64_t timeout_ns;          /* longest age of the last good frame; 0: any */
    int64_t startup_ns;          /* until so long after the start there is no time-out */
};

struct can_rx_status {
    int64_t seen_ns; /* last frame, good or not */
    int64_t good_ns; /* last good frame; before the first: when supervision started */
    struct protect_status protect;
    uint32_t frames;               /* all; the counts wrap around */
    uint32_t counts[CAN_RX_KINDS]; /* of events */
    uint32_t timed_out, ever;      /* now; a good frame was seen since the start */
};

struct can_rx_event {
    int64_t time_ns;
    uint32_t kind;    /* enum can_rx_kind */
    uint32_t message; /* index of the rule */
};

/* Where events go. The caller empties it (count = 0). */
struct can_rx_events {
    struct can_rx_event *list;
    uint32_t room, count;
    uint64_t left_out; /* did not fit; they are in the counts of the message */
};

void can_rx_reset(struct can_rx_status *status, int64_t now_ns);

/* Takes a frame of the message. Returns whether its data may be used. */
bool can_rx_take(const struct can_rx_rule *rule, struct can_rx_status *status,
                 const struct can_msg *msg, uint32_t message, struct can_rx_events *events);

/* Looks for a time-out, once a tick after all frames. Returns whether there is one now. */
bool can_rx_watch(const struct can_rx_rule *rule, struct can_rx_status *status, int64_t now_ns,
                  uint32_t message, struct can_rx_events *events);

/* Lower-case name of a kind for logs: "timeout", "sum", ... */
const char *can_rx_kind_name(enum can_rx_kind kind);

#endif

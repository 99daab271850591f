/* Faults of frames: what goes wrong on the way from one unit to another. They act on frames that
 * are ready to be sent (between encoding and sending) or that were received (before decoding), one
 * by one switchable in the tick. The same calls give the same frames: nothing is random.
 *
 * The faults are const once the run starts; the state is plain data. Pure. */
#ifndef SKIDPAD_CAN_FRAME_FAULT_H
#define SKIDPAD_CAN_FRAME_FAULT_H

#include "shared/can/msg.h"
#include "shared/can/protect.h"

#include <stdbool.h>
#include <stdint.h>

enum frame_fault_kind {
    FRAME_DROP,      /* `count` of every `every` frames are lost */
    FRAME_DELAY,     /* each frame comes `ticks` ticks later */
    FRAME_DUPLICATE, /* each frame comes `count` times more */
    FRAME_FREEZE, /* the counter keeps its value of when the fault began; the checksum is right */
    FRAME_WRONG_SUM, /* the checksum is exclusive-or'ed with `mask` */
    FRAME_LENGTH,    /* the frame has `length` bytes */
    FRAME_BURST,     /* in every tick the last frame comes `count` times more */
    FRAME_SILENCE,   /* no frame at all */
    FRAME_FAULT_KINDS
};

enum { FRAME_FAULTS = 32, FRAME_FAULT_HELD = 128 };

struct frame_fault {
    struct protect_rule protect; /* of the message; FRAME_FREEZE and FRAME_WRONG_SUM need it */
    uint32_t id;                 /* of the message, with CAN_ID_EXTENDED */
    uint8_t kind;                /* enum frame_fault_kind */
    uint8_t all;                 /* every message, whatever its id: FRAME_DROP, _DELAY, _SILENCE */
    uint8_t length;
    uint8_t mask;
    uint32_t every, count, ticks;
};

struct frame_faults {
    struct frame_fault list[FRAME_FAULTS];
    int64_t
        tick_ns; /* received frames: a delayed one is stamped later by its ticks; 0: it is not */
    uint32_t count;
};

struct frame_fault_state {
    uint32_t on; /* bit i: fault i acts */
    uint32_t held_count;
    struct {
        uint32_t seen;   /* frames since the fault began */
        uint32_t frozen; /* FRAME_FREEZE: the counter */
        struct can_msg last;
    } fault[FRAME_FAULTS];
    struct {
        int64_t tick; /* when it goes on */
        struct can_msg msg;
    } held[FRAME_FAULT_HELD]; /* in the order of arrival */
    uint64_t touched;         /* frames that a fault changed, lost, delayed or added */
    uint64_t left_out;        /* frames lost because held[] or the output was full */
};

/* Switches a fault on or off; on starts it anew. An index beyond the list does nothing. */
void frame_fault_set(const struct frame_faults *faults, struct frame_fault_state *state,
                     uint32_t index, bool on);

/* Passes the n frames of this tick on to out, at most max. Called in every tick, also with no
 * frames: delayed ones come out later. Returns how many are in out. With no fault ever on it
 * copies. */
int frame_fault_apply(const struct frame_faults *faults, struct frame_fault_state *state,
                      int64_t tick, const struct can_msg *in, int n, struct can_msg *out, int max);

#endif

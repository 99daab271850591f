/* When a frame arrived, on the clock of the ticks, which nobody can set.
 *
 * Linux and Cobalt stamp frames by the time of day, and that may be set at any moment. The time of
 * taking a frame is certain: it came after the last look at the queue that found it empty, and not
 * after this one. A stamp only says more precisely when in between, and only if the time of day was
 * not set in between. So no frame is ever older than that last look, whatever the stamps say.
 *
 *     can_stamp_look(&s, now_ns, ahead_ns);     before each look at the queue
 *     ... frames are read ...
 *     can_stamp_looked(&s, ahead_ns, empty);    after it
 *     can_stamp_of(&s, stamp_ns, &time_ns);     for each frame, also later
 *
 * ahead_ns is the time of day minus the clock of the ticks, read at that moment. */
#ifndef SKIDPAD_IO_CAN_STAMP_H
#define SKIDPAD_IO_CAN_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct can_stamp {
    int64_t since_ns, since_ahead_ns; /* the queue was empty then; what was read came later */
    int64_t looked_ns, look_ahead_ns; /* the last look, before it */
    int64_t read_ahead_ns;            /* and after it */
    bool empty;                       /* it left nothing behind */
};

/* CLOCK_REALTIME minus CLOCK_MONOTONIC, by clocks that are read without a system call. */
int64_t can_stamp_ahead_ns(int64_t (*clock_ns)(clockid_t clock));

/* Nothing can have come before now_ns. */
void can_stamp_begin(struct can_stamp *s, int64_t now_ns, int64_t ahead_ns);
void can_stamp_look(struct can_stamp *s, int64_t now_ns, int64_t ahead_ns);
void can_stamp_looked(struct can_stamp *s, int64_t ahead_ns, bool empty);

/* *time_ns: when a frame of the last look arrived. day_ns is its stamp, by the time of day.
 * Returns false if that was not believable: then it is the time of the look. */
bool can_stamp_of(const struct can_stamp *s, int64_t day_ns, int64_t *time_ns);

#endif

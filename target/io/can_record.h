/* Every frame of a bench, written to a candump log that can-utils and python-can read.
 *
 * The real-time thread copies frames into a ring; an ordinary thread drains it into the file. A
 * full ring loses frames and counts them; a full disk ends the log and is told once. */
#ifndef SKIDPAD_IO_CAN_RECORD_H
#define SKIDPAD_IO_CAN_RECORD_H

#include "shared/base/err.h"
#include "target/io/can.h"

#include <stddef.h>

struct can_record_setup {
    const char *path;
    const char *const *names; /* of the buses, by their index; at most 15 characters each */
    int bus_count;
    /* Times of the wall clock, as candump has them. Otherwise as they are: for a simulated clock.
     */
    bool wall_clock;
    bool hold;          /* an older file stays until can_record_keep() */
    size_t ring_frames; /* a power of two; 0: 16384, two seconds of a full bus */
};

struct can_record;

/* Returns 0 or a negative errno with a message; -EBUSY: another process writes that file. */
int can_record_open(struct can_record **record, const struct can_record_setup *setup,
                    struct err *e);
int can_record_keep(struct can_record *record, struct err *e);

/* The real-time thread: frames as receive gave them. */
void can_record_received(struct can_record *record, const struct can_msg *msgs, int n);
/* The real-time thread: frames that send took, at now_ns. Where the transport confirms, nothing is
 * recorded here: they come again with receive, with the time they really had. */
void can_record_sent(struct can_record *record, const struct can_port *port, int64_t now_ns,
                     const struct can_msg *msgs, int n);

/* An ordinary thread: writes what has come and hands it to the kernel. Returns 0 or the negative
 * errno that ended the log, only the first time. */
int can_record_drain(struct can_record *record);
/* Asks the disk to store what the kernel has. Any ordinary thread. 0 or a negative errno. */
int can_record_sync(const struct can_record *record);
/* How many frames wait; for a simulated clock that is faster than the disk. */
size_t can_record_waiting(const struct can_record *record);
uint64_t can_record_written(const struct can_record *record);
/* Frames that found the ring full, or that the disk did not take. */
uint64_t can_record_lost(const struct can_record *record);
/* Drains once more; one that was never kept leaves nothing behind. Returns 0 or a negative errno
 * with a message if the file is not complete. */
int can_record_close(struct can_record *record, struct err *e);

#endif

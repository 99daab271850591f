/* Frames that wait for a controller: bounded, in their order, with an account of their waiting.
 *
 * Controllers have one frame in flight or a few, and a bus takes its time: what a tick sends at
 * once leaves one after the other. A transport puts every frame here and hands on as many as the
 * driver takes; the rest waits for the next call, or for a sender's thread. Plain memory of one
 * thread. */
#ifndef SKIDPAD_IO_CAN_QUEUE_H
#define SKIDPAD_IO_CAN_QUEUE_H

#include "target/io/can.h"

enum {
    CAN_QUEUE_FRAMES = 256 /* a power of two: 30 to 60 ms of 500 kbit/s */,
    CAN_QUEUE_IDS = 512
};

/* What the one who sends wants of a transport. */
struct can_sender_setup {
    int64_t period_ns;       /* of the real-time thread; 0: not known */
    int priority;            /* SCHED_FIFO of a sender's thread, below the real-time thread's */
    int cpu;                 /* of that thread; < 0: any */
    bool allow_nonrt;        /* without the right to SCHED_FIFO go on as an ordinary thread */
    const atomic_bool *mute; /* as of the port: what waits is not sent any more then */
    /* Of these identifiers only the newest frame waits: it takes the place of one that still waits
     * from an earlier tick. Of all others every frame is sent. NULL: none. */
    const uint32_t *newest_ids;
    int newest_count;
};

struct can_queue {
    struct can_msg frames[CAN_QUEUE_FRAMES];
    uint64_t head, tail; /* frames taken out and put in since the start */
    uint32_t newest[CAN_QUEUE_IDS];
    uint64_t last[CAN_QUEUE_IDS]; /* of each of them: number of its last frame, plus one */
    int newest_count;
    int64_t period_ns;
};

/* Returns 0, or -EINVAL with more identifiers than CAN_QUEUE_IDS. */
int can_queue_init(struct can_queue *q, const struct can_sender_setup *setup);
/* Puts a frame in; its time_ns says when it was made. Replaced frames and those that find it full
 * are counted in the port, and so is the depth. Returns whether it was put in. */
bool can_queue_put(struct can_queue *q, const struct can_msg *m, struct can_port *port);
/* The oldest frames that lie side by side. Returns how many; 0: none waits. */
int can_queue_peek(const struct can_queue *q, const struct can_msg **frames);
/* The driver has taken the first n frames by now: they are counted as sent, with their waiting. */
void can_queue_sent(struct can_queue *q, int n, int64_t now_ns, struct can_port *port);
/* The first n frames cannot be sent: they are counted as failed. */
void can_queue_fail(struct can_queue *q, int n, struct can_port *port);
int can_queue_count(const struct can_queue *q);

/* Adds one time to an account; times of frames that do not tell are left out (time_ns 0). */
void can_wait_add(struct can_wait *w, int64_t from_ns, int64_t to_ns, int64_t period_ns);

#endif

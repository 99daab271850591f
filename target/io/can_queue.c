#include "target/io/can_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int can_queue_init(struct can_queue *q, const struct can_sender_setup *setup)
{
    memset(q, 0, sizeof *q);
    if (setup->newest_count > CAN_QUEUE_IDS)
        return -EINVAL;
    q->period_ns = setup->period_ns;
    if (!setup->newest_ids)
        return 0;
    q->newest_count = setup->newest_count;
    memcpy(q->newest, setup->newest_ids, (size_t)q->newest_count * sizeof q->newest[0]);
    qsort(q->newest, (size_t)q->newest_count, sizeof q->newest[0], by_id);
    return 0;
}

/* Where the identifier is in the sorted list, or -1. */
static int find(const struct can_queue *q, uint32_t id)
{
    int low = 0, high = q->newest_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (q->newest[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < q->newest_count && q->newest[low] == id ? low : -1;
}

int can_queue_count(const struct can_queue *q)
{
    return (int)(q->tail - q->head);
}

bool can_queue_put(struct can_queue *q, const struct can_msg *m, struct can_port *port)
{
    const int at = find(q, m->id);
    if (at >= 0 && q->last[at] > q->head) {
        struct can_msg *waits = &q->frames[(q->last[at] - 1) % CAN_QUEUE_FRAMES];
        /* Several frames of one tick are meant so: a burst, a doubled frame. */
        if (waits->time_ns != m->time_ns) {
            *waits = *m;
            port->counts.replaced++;
            return true;
        }
    }
    if (q->tail - q->head == CAN_QUEUE_FRAMES) {
        port->counts.full++;
        return false;
    }
    q->frames[q->tail++ % CAN_QUEUE_FRAMES] = *m;
    if (at >= 0)
        q->last[at] = q->tail;
    port->flow.depth = q->tail - q->head;
    if (port->flow.depth > port->flow.depth_max)
        port->flow.depth_max = port->flow.depth;
    return true;
}

int can_queue_peek(const struct can_queue *q, const struct can_msg **frames)
{
    const int from = (int)(q->head % CAN_QUEUE_FRAMES), count = can_queue_count(q);
    *frames = &q->frames[from];
    return count < CAN_QUEUE_FRAMES - from ? count : CAN_QUEUE_FRAMES - from;
}

void can_queue_sent(struct can_queue *q, int n, int64_t now_ns, struct can_port *port)
{
    for (int i = 0; i < n; i++, q->head++)
        can_wait_add(&port->flow.out, q->frames[q->head % CAN_QUEUE_FRAMES].time_ns, now_ns,
                     q->period_ns);
    port->flow.depth = q->tail - q->head;
    port->counts.sent += (uint64_t)n;
}

void can_queue_fail(struct can_queue *q, int n, struct can_port *port)
{
    q->head += (uint64_t)n;
    port->flow.depth = q->tail - q->head;
    port->counts.failed += (uint64_t)n;
}

void can_wait_add(struct can_wait *w, int64_t from_ns, int64_t to_ns, int64_t period_ns)
{
    if (from_ns == 0)
        return;
    const int64_t wait_ns = to_ns - from_ns;
    w->frames++;
    w->sum_ns += wait_ns;
    if (wait_ns > w->max_ns)
        w->max_ns = wait_ns;
    if (period_ns > 0 && wait_ns > period_ns)
        w->over++;
}

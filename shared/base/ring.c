#include "shared/base/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t ring_memory_bytes(size_t record_bytes, size_t capacity)
{
    if (record_bytes == 0 || capacity == 0 || (capacity & (capacity - 1)) != 0)
        return 0;
    /* room for the rounding to whole lines in ring_init() */
    if (record_bytes > (SIZE_MAX - RING_LINE_BYTES) / capacity)
        return 0;
    return record_bytes * capacity;
}

int ring_init(struct ring *r, size_t record_bytes, size_t capacity, void *memory)
{
    const size_t bytes = ring_memory_bytes(record_bytes, capacity);
    memset(r, 0, sizeof *r);
    if (bytes == 0)
        return -EINVAL;
    r->owned = memory == NULL;
    if (r->owned) {
        const size_t lines = (bytes + RING_LINE_BYTES - 1) / RING_LINE_BYTES;
        memory = aligned_alloc(RING_LINE_BYTES, lines * RING_LINE_BYTES);
        if (!memory)
            return -ENOMEM;
    }
    memset(memory, 0, bytes);
    r->slots = memory;
    r->record_bytes = record_bytes;
    r->mask = capacity - 1;
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
    atomic_init(&r->dropped, 0);
    return 0;
}

void ring_free(struct ring *r)
{
    if (r->owned)
        free(r->slots);
    r->slots = NULL;
    r->owned = false;
}

/* Whether the producer sees no free slot, looking at the consumer's index only if it has to. The
 * acquire pairs with ring_release(): the consumer is done with the slot before it is overwritten.
 */
static bool full(struct ring *r, size_t head)
{
    if (head - r->tail_seen <= r->mask)
        return false;
    r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
    return head - r->tail_seen > r->mask;
}

void *ring_reserve(struct ring *r)
{
    const size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (full(r, head)) {
        /* One writer: a plain load and store, no locked instruction. */
        uint64_t dropped = atomic_load_explicit(&r->dropped, memory_order_relaxed);
        atomic_store_explicit(&r->dropped, dropped + 1, memory_order_relaxed);
        return NULL;
    }
    return r->slots + (head & r->mask) * r->record_bytes;
}

void ring_commit(struct ring *r)
{
    const size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

bool ring_push(struct ring *r, const void *record)
{
    void *slot = ring_reserve(r);
    if (!slot)
        return false;
    memcpy(slot, record, r->record_bytes);
    ring_commit(r);
    return true;
}

size_t ring_peek(struct ring *r, const void **records)
{
    const size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (r->head_seen == tail)
        r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
    const size_t ready = r->head_seen - tail;
    const size_t start = tail & r->mask;
    const size_t to_end = r->mask + 1 - start;
    *records = r->slots + start * r->record_bytes;
    return ready < to_end ? ready : to_end;
}

void ring_release(struct ring *r, size_t count)
{
    const size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    atomic_store_explicit(&r->tail, tail + count, memory_order_release);
}

size_t ring_pop(struct ring *r, void *records, size_t max)
{
    unsigned char *to = records;
    const void *from = NULL;
    size_t done = 0;
    /* At most max rounds; usually one, two where the memory ends. */
    while (done < max) {
        size_t span = ring_peek(r, &from);
        if (span == 0)
            break;
        if (span > max - done)
            span = max - done;
        memcpy(to + done * r->record_bytes, from, span * r->record_bytes);
        ring_release(r, span);
        done += span;
    }
    return done;
}

size_t ring_capacity(const struct ring *r)
{
    return r->mask + 1;
}

size_t ring_fill(const struct ring *r)
{
    /* Tail first: head is then at least as new, and the difference cannot be negative. It can be
     * too large when the consumer goes on meanwhile. */
    const size_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    const size_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    return head - tail <= r->mask ? head - tail : r->mask + 1;
}

uint64_t ring_dropped(const struct ring *r)
{
    return atomic_load_explicit(&r->dropped, memory_order_relaxed);
}

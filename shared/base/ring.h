/* A stream of fixed-size records from one thread to one other, without waiting on either side.
 *
 *     struct ring r;
 *     ring_init(&r, sizeof(struct sample), 4096, NULL);      set-up
 *
 *     struct sample *s = ring_reserve(&r);                   producer; NULL: full, counted as a
 * drop if (s) { fill(s); ring_commit(&r);
 *     }
 *
 *     const void *span;                                      consumer
 *     size_t n = ring_peek(&r, &span);
 *     store(span, n);
 *     ring_release(&r, n);
 *
 * Exactly one thread calls the producer's functions and exactly one those of the consumer. None of
 * these functions allocates, locks, loops over more than it copies or enters the kernel, so either
 * side may be real-time. Head and tail lie on cache lines of their own, and each side keeps the
 * other's index as it last saw it: a push reads the consumer's line only when by that knowledge the
 * ring is full, which in a ring that is drained happens once per round. */
#ifndef SKIDPAD_BASE_RING_H
#define SKIDPAD_BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two lines of 64 bytes: CPUs fetch lines in pairs. */
enum { RING_LINE_BYTES = 128 };

/* Indices count records since the start and are never reduced: they wrap with size_t, which the
 * capacity, a power of two, divides. The gaps separate the lines wherever the struct lies. */
struct ring {
    unsigned char *slots;
    size_t record_bytes;
    size_t mask; /* capacity - 1 */
    bool owned;  /* slots were allocated here */
    unsigned char gap_a[RING_LINE_BYTES];

    /* written by the producer */
    atomic_size_t head;
    size_t tail_seen;
    _Atomic uint64_t dropped;
    unsigned char gap_b[RING_LINE_BYTES];

    /* written by the consumer */
    atomic_size_t tail;
    size_t head_seen;
    unsigned char gap_c[RING_LINE_BYTES];
};

/* ---- set-up; no other thread may use the ring meanwhile */

/* Bytes of memory for that many records, or 0 if the numbers are not allowed (see ring_init). */
size_t ring_memory_bytes(size_t record_bytes, size_t capacity);
/* capacity is a power of two, record_bytes is not 0. The memory must be ring_memory_bytes() long,
 * aligned as the record wants it, and outlive the ring; NULL: allocated here, in whole cache lines.
 * Every byte of it is written, so that its pages exist from now on; locking them is the caller's
 * part. Returns 0, -EINVAL or -ENOMEM. */
int ring_init(struct ring *r, size_t record_bytes, size_t capacity, void *memory);
void ring_free(struct ring *r);

/* ---- the producer */

/* Copies a record in. Full: returns false and counts a drop. */
bool ring_push(struct ring *r, const void *record);
/* The place of the next record, to be written there; NULL if the ring is full, which counts as a
 * drop. Nothing is visible to the consumer before ring_commit(). Reserving again without a commit
 * gives the same place. The bytes found there are those of an older record. */
void *ring_reserve(struct ring *r);
void ring_commit(struct ring *r);

/* ---- the consumer */

/* Copies out up to max of the oldest records, in order; returns how many. */
size_t ring_pop(struct ring *r, void *records, size_t max);
/* The oldest records that lie side by side in memory; returns how many, 0: the ring is empty. At
 * the end of the memory the rest comes with the next call. They stay until released. */
size_t ring_peek(struct ring *r, const void **records);
/* Gives back the first count of the records that ring_peek() showed. */
void ring_release(struct ring *r, size_t count);

/* ---- any thread */

size_t ring_capacity(const struct ring *r);
/* Records in the ring. The consumer can pop at least that many, the producer will find at most that
 * many, another thread gets a number that was true a moment ago. */
size_t ring_fill(const struct ring *r);
/* Records that found the ring full since the start. */
uint64_t ring_dropped(const struct ring *r);

#endif

/* The single-producer single-consumer ring. */
#include "shared/base/ring.h"

#include "shared/base/time.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* A record whose size is not a power of two, and whose parts must agree. */
struct record {
    uint64_t number, copy, negated;
};

static struct record make(uint64_t number)
{
    return (struct record){number, number, ~number};
}

static bool whole(const struct record *r)
{
    return r->number == r->copy && r->negated == ~r->number;
}

static void start(struct ring *r, size_t capacity)
{
    assert_int_equal(ring_init(r, sizeof(struct record), capacity, NULL), 0);
}

static void push(struct ring *r, uint64_t number)
{
    const struct record record = make(number);
    assert_true(ring_push(r, &record));
}

/* Pops one record and expects its number. */
static void expect(struct ring *r, uint64_t number)
{
    struct record got = {0};
    assert_int_equal(ring_pop(r, &got, 1), 1);
    assert_int_equal(got.number, number);
    assert_true(whole(&got));
}

static void sizes_that_cannot_work_are_refused(void **unused)
{
    (void)unused;
    struct ring r;
    assert_int_equal(ring_init(&r, 0, 8, NULL), -EINVAL);
    assert_int_equal(ring_init(&r, 8, 0, NULL), -EINVAL);
    assert_int_equal(ring_init(&r, 8, 12, NULL), -EINVAL);
    assert_int_equal(ring_init(&r, SIZE_MAX / 2, 4, NULL), -EINVAL);
    assert_int_equal(ring_memory_bytes(24, 16), 384);
}

static void records_come_out_in_order(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 8);
    for (uint64_t i = 0; i < 100; i++) {
        push(&r, 2 * i);
        push(&r, 2 * i + 1);
        expect(&r, 2 * i);
        expect(&r, 2 * i + 1);
    }
    struct record nothing;
    assert_int_equal(ring_pop(&r, &nothing, 1), 0);
    ring_free(&r);
}

static void memory_of_the_caller_is_used_and_not_freed(void **unused)
{
    (void)unused;
    static struct record memory[4];
    memset(memory, 0xff, sizeof memory);
    struct ring r;
    assert_int_equal(ring_init(&r, sizeof memory[0], 4, memory), 0);
    push(&r, 7);
    assert_int_equal(memory[0].number, 7);
    assert_int_equal(memory[3].number, 0); /* written once by the set-up */
    ring_free(&r);
    assert_int_equal(memory[0].number, 7);
}

static void full_ring_keeps_the_old_records_and_counts_drops(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 4);
    for (uint64_t i = 0; i < 4; i++)
        push(&r, i);
    const struct record late = make(99);
    assert_int_equal(ring_fill(&r), ring_capacity(&r));
    assert_false(ring_push(&r, &late));
    assert_null(ring_reserve(&r));
    assert_int_equal(ring_dropped(&r), 2);
    expect(&r, 0);
    push(&r, 4);
    for (uint64_t i = 1; i < 5; i++)
        expect(&r, i);
    assert_int_equal(ring_dropped(&r), 2);
    assert_int_equal(ring_fill(&r), 0);
    ring_free(&r);
}

static void ring_of_one_record_works(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 1);
    for (uint64_t i = 0; i < 5; i++) {
        push(&r, i);
        assert_null(ring_reserve(&r));
        expect(&r, i);
    }
    ring_free(&r);
}

static void reserved_record_is_invisible_until_committed(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 4);
    struct record *slot = ring_reserve(&r);
    assert_non_null(slot);
    assert_ptr_equal(ring_reserve(&r), slot); /* no commit: the same place */
    *slot = make(5);
    const void *span = NULL;
    assert_int_equal(ring_peek(&r, &span), 0);
    ring_commit(&r);
    assert_int_equal(ring_peek(&r, &span), 1);
    expect(&r, 5);
    ring_free(&r);
}

static void producer_looks_at_the_consumers_index_once_per_round(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 8);
    for (uint64_t i = 0; i < 80; i++) {
        push(&r, i);
        expect(&r, i);
        assert_int_equal(r.tail_seen, i / 8 * 8); /* known since the last time it seemed full */
    }
    ring_free(&r);
}

static void slots_are_aligned_for_the_record(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal((uintptr_t)ring_reserve(&r) % alignof(struct record), 0);
        ring_commit(&r);
    }
    ring_free(&r);
}

static void peek_shows_contiguous_records_and_keeps_them(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 8);
    for (uint64_t i = 0; i < 6; i++)
        push(&r, i);
    struct record out[8];
    assert_int_equal(ring_pop(&r, out, 5), 5);
    for (uint64_t i = 6; i < 12; i++)
        push(&r, i);

    /* Records 5 to 7 end the memory, 8 to 11 begin it. */
    const void *span = NULL;
    assert_int_equal(ring_peek(&r, &span), 1); /* what was known when peeked before */
    assert_int_equal(((const struct record *)span)->number, 5);
    ring_release(&r, 1);
    assert_int_equal(ring_peek(&r, &span), 2);
    assert_int_equal(((const struct record *)span)[1].number, 7);
    assert_int_equal(ring_peek(&r, &span), 2); /* not released: still there */
    ring_release(&r, 2);
    assert_int_equal(ring_peek(&r, &span), 4);
    ring_release(&r, 3); /* a part of them */
    assert_int_equal(ring_fill(&r), 1);
    expect(&r, 11);
    ring_free(&r);
}

static void pop_takes_records_across_the_end_of_memory(void **unused)
{
    (void)unused;
    struct ring r;
    start(&r, 8);
    struct record out[8];
    for (uint64_t i = 0; i < 6; i++)
        push(&r, i);
    assert_int_equal(ring_pop(&r, out, 8), 6);
    for (uint64_t i = 6; i < 13; i++)
        push(&r, i);
    assert_int_equal(ring_pop(&r, out, 5), 5);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(out[i].number, 6 + i);
    assert_int_equal(ring_pop(&r, out, 8), 2);
    assert_int_equal(out[1].number, 12);
    assert_int_equal(ring_pop(&r, out, 0), 0);
    ring_free(&r);
}

/* As if SIZE_MAX - 2 records had already passed. */
static void start_before_the_indices_wrap(struct ring *r, size_t capacity)
{
    start(r, capacity);
    const size_t index = SIZE_MAX - 2;
    atomic_store(&r->head, index);
    atomic_store(&r->tail, index);
    r->head_seen = r->tail_seen = index;
}

static void indices_wrap_without_notice(void **unused)
{
    (void)unused;
    struct ring r;
    start_before_the_indices_wrap(&r, 4);
    for (uint64_t i = 0; i < 4; i++)
        push(&r, i);
    assert_true(atomic_load(&r.head) < 4); /* it did wrap */
    assert_int_equal(ring_fill(&r), 4);
    assert_null(ring_reserve(&r));
    for (uint64_t i = 4; i < 20; i++) {
        expect(&r, i - 4);
        push(&r, i);
    }
    struct record out[4];
    assert_int_equal(ring_pop(&r, out, 4), 4);
    assert_int_equal(out[3].number, 19);
    assert_int_equal(ring_fill(&r), 0);
    ring_free(&r);
}

/* ---- two threads, checked by ThreadSanitizer in `make check` */

/* Ends after this many records, or this time on a slow or busy machine. */
#define STRESS_RECORDS UINT64_C(3000000)
#define STRESS_NS      (NS_PER_S * 3 / 2)

struct stress {
    struct ring ring;
    bool retry;       /* a record that found the ring full is tried again */
    uint64_t offered; /* by the producer */
    atomic_bool done; /* the producer has ended */
    uint64_t retries;
};

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void *produce(void *argument)
{
    struct stress *s = argument;
    const int64_t end_ns = now_ns() + STRESS_NS;
    uint64_t i = 0;
    while (i < STRESS_RECORDS && (i % 1024 != 0 || now_ns() < end_ns)) {
        const struct record record = make(i);
        if (ring_push(&s->ring, &record) || !s->retry) {
            i++;
        } else {
            s->retries++;
            (void)sched_yield();
        }
    }
    s->offered = i;
    atomic_store(&s->done, true);
    return NULL;
}

/* Takes records, alternating copies and peeks, until the producer is done and the ring empty. Every
 * record must be whole and its number above the last one, by one if none is dropped. Returns how
 * many came; errors are counted, since cmocka wants assertions in the first thread. */
static uint64_t consume(struct stress *s, uint64_t *errors)
{
    struct record out[64];
    uint64_t count = 0, next = 0;
    for (;;) {
        const bool done = atomic_load(&s->done); /* before the look into the ring */
        const void *span = out;
        const bool copy = count % 3 != 0;
        size_t n = copy ? ring_pop(&s->ring, out, 64) : ring_peek(&s->ring, &span);
        const struct record *records = span;
        for (size_t i = 0; i < n; i++) {
            const bool in_order = s->retry ? records[i].number == next : records[i].number >= next;
            *errors += !whole(&records[i]) || !in_order;
            next = records[i].number + 1;
        }
        if (!copy)
            ring_release(&s->ring, n);
        count += n;
        if (n == 0 && done)
            return count;
        if (n == 0)
            (void)sched_yield();
    }
}

static void run_stress(struct stress *s, uint64_t *received)
{
    pthread_t producer;
    uint64_t errors = 0;
    assert_int_equal(pthread_create(&producer, NULL, produce, s), 0);
    *received = consume(s, &errors);
    assert_int_equal(pthread_join(producer, NULL), 0);
    assert_int_equal(errors, 0);
    assert_true(s->offered > 0);
}

static void millions_of_records_cross_threads_whole_and_in_order(void **unused)
{
    (void)unused;
    struct stress s = {.retry = true};
    uint64_t received = 0;
    start_before_the_indices_wrap(&s.ring, 256);
    run_stress(&s, &received);
    assert_int_equal(received, s.offered);
    assert_int_equal(ring_dropped(&s.ring), s.retries);
    ring_free(&s.ring);
}

static void records_dropped_between_threads_are_all_counted(void **unused)
{
    (void)unused;
    struct stress s = {.retry = false};
    uint64_t received = 0;
    start(&s.ring, 64);
    run_stress(&s, &received);
    assert_int_equal(received + ring_dropped(&s.ring), s.offered);
    ring_free(&s.ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_cannot_work_are_refused),
        cmocka_unit_test(records_come_out_in_order),
        cmocka_unit_test(memory_of_the_caller_is_used_and_not_freed),
        cmocka_unit_test(full_ring_keeps_the_old_records_and_counts_drops),
        cmocka_unit_test(ring_of_one_record_works),
        cmocka_unit_test(reserved_record_is_invisible_until_committed),
        cmocka_unit_test(producer_looks_at_the_consumers_index_once_per_round),
        cmocka_unit_test(slots_are_aligned_for_the_record),
        cmocka_unit_test(peek_shows_contiguous_records_and_keeps_them),
        cmocka_unit_test(pop_takes_records_across_the_end_of_memory),
        cmocka_unit_test(indices_wrap_without_notice),
        cmocka_unit_test(millions_of_records_cross_threads_whole_and_in_order),
        cmocka_unit_test(records_dropped_between_threads_are_all_counted),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}

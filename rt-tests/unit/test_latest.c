/* The triple buffer. */
#include "shared/base/latest.h"

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

static void sizes_that_cannot_work_are_refused(void **unused)
{
    (void)unused;
    struct latest l;
    alignas(max_align_t) static unsigned char memory[1024];
    assert_int_equal(latest_init(&l, 0, NULL, NULL), -EINVAL);
    assert_int_equal(latest_init(&l, SIZE_MAX / 2, NULL, NULL), -EINVAL);
    assert_int_equal(latest_init(&l, 8, memory + 1, NULL), -EINVAL); /* not aligned */
}

static void before_the_first_value_the_initial_one_is_read(void **unused)
{
    (void)unused;
    const double initial = 2.5;
    struct latest l;
    struct latest_info info;
    assert_int_equal(latest_init(&l, sizeof initial, NULL, &initial), 0);
    const double *value = latest_read(&l, &info);
    assert_true(*value == initial); /* a copy */
    assert_false(info.fresh);
    assert_int_equal(info.sequence, 0);
    assert_true(latest_age_ns(&info, 5) == INT64_MAX);
    latest_free(&l);

    assert_int_equal(latest_init(&l, sizeof initial, NULL, NULL), 0);
    value = latest_read(&l, NULL);
    assert_true(*value == 0.0);
    latest_free(&l);
}

static void reader_gets_the_newest_value_once_as_fresh(void **unused)
{
    (void)unused;
    struct latest l;
    struct latest_info info;
    assert_int_equal(latest_init(&l, sizeof(int), NULL, NULL), 0);
    for (int i = 1; i <= 5; i++)
        latest_write(&l, &i, 100 * i);
    const int *value = latest_read(&l, &info);
    assert_int_equal(*value, 5);
    assert_true(info.fresh);
    assert_int_equal(info.sequence, 5);
    assert_int_equal(latest_age_ns(&info, 530), 30);

    value = latest_read(&l, &info);
    assert_int_equal(*value, 5);
    assert_false(info.fresh);
    assert_int_equal(info.sequence, 5);
    latest_free(&l);
}

static void value_being_read_is_left_alone_by_the_writer(void **unused)
{
    (void)unused;
    struct latest l;
    int i = 1;
    assert_int_equal(latest_init(&l, sizeof i, NULL, NULL), 0);
    latest_write(&l, &i, 0);
    const int *held = latest_read(&l, NULL);
    for (i = 2; i < 10; i++)
        latest_write(&l, &i, 0);
    assert_int_equal(*held, 1);
    held = latest_read(&l, NULL);
    assert_int_equal(*held, 9);
    latest_free(&l);
}

static void value_written_in_place_appears_when_published(void **unused)
{
    (void)unused;
    const size_t bytes = latest_memory_bytes(sizeof(uint64_t));
    alignas(max_align_t) static unsigned char memory[1024];
    struct latest l;
    struct latest_info info;
    assert_true(bytes <= sizeof memory);
    assert_int_equal(latest_init(&l, sizeof(uint64_t), memory, NULL), 0);
    uint64_t *place = latest_begin(&l);
    *place = 42;
    (void)latest_read(&l, &info);
    assert_int_equal(info.sequence, 0);
    latest_publish(&l, 7);
    const uint64_t *value = latest_read(&l, &info);
    assert_int_equal(*value, 42);
    assert_int_equal(info.stamp_ns, 7);
    latest_free(&l); /* does not free the caller's memory */
    assert_null(l.slots);
}

/* ---- two threads, checked by ThreadSanitizer in `make check` */

/* Ends after this many values, or this time on a slow or busy machine. */
#define STRESS_VALUES UINT64_C(1000000)
#define STRESS_NS     (NS_PER_S * 3 / 2)
enum { WORDS = 40 }; /* several cache lines */

struct value {
    uint64_t word[WORDS];
};

struct stress {
    struct latest latest;
    uint64_t written;
    atomic_bool done;
};

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void *write_values(void *argument)
{
    struct stress *s = argument;
    const int64_t end_ns = now_ns() + STRESS_NS;
    uint64_t i = 0;
    while (i < STRESS_VALUES && (i % 1024 != 0 || now_ns() < end_ns)) {
        i++;
        struct value *v = latest_begin(&s->latest);
        for (size_t k = 0; k < WORDS; k++)
            v->word[k] = i + k;
        latest_publish(&s->latest, (int64_t)i);
        if (i % 64 == 0)
            (void)sched_yield();
    }
    s->written = i;
    atomic_store(&s->done, true);
    return NULL;
}

/* One read: the value is of one piece and belongs to the sequence number, which never goes back and
 * grows if and only if the value is fresh. Returns the number of broken promises. */
static uint64_t read_value(struct stress *s, uint64_t *last)
{
    struct latest_info info;
    const struct value *v = latest_read(&s->latest, &info);
    uint64_t errors = 0;
    for (size_t k = 0; k < WORDS; k++)
        errors += v->word[k] != (info.sequence ? info.sequence + k : 0);
    errors += info.fresh ? info.sequence <= *last : info.sequence != *last;
    errors += info.stamp_ns != (int64_t)info.sequence;
    *last = info.sequence;
    return errors;
}

static void values_are_never_torn_between_threads(void **unused)
{
    (void)unused;
    struct stress s = {0};
    assert_int_equal(latest_init(&s.latest, sizeof(struct value), NULL, NULL), 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_values, &s), 0);
    uint64_t errors = 0, last = 0, reads = 0;
    while (!atomic_load(&s.done)) {
        errors += read_value(&s, &last);
        if (++reads % 64 == 0)
            (void)sched_yield();
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    errors += read_value(&s, &last);
    assert_int_equal(errors, 0);
    assert_int_equal(last, s.written); /* the last value is not missed */
    assert_true(reads > 0);
    latest_free(&s.latest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_cannot_work_are_refused),
        cmocka_unit_test(before_the_first_value_the_initial_one_is_read),
        cmocka_unit_test(reader_gets_the_newest_value_once_as_fresh),
        cmocka_unit_test(value_being_read_is_left_alone_by_the_writer),
        cmocka_unit_test(value_written_in_place_appears_when_published),
        cmocka_unit_test(values_are_never_torn_between_threads),
    };
    return cmocka_run_group_tests_name("latest", tests, NULL, NULL);
}

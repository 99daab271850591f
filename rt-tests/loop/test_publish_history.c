/* Records that a host missed: from memory, else from the log while it grows. */
#include "shared/wire/log_channels.h"
#include "shared/wire/telemetry.h"
#include "target/publish_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct bed {
    struct publish_history history;
    struct mdf_writer *log;
    char path[64];
    int64_t tick; /* of the next record */
};

static struct bed *bed_open(int64_t every)
{
    struct bed *b = calloc(1, sizeof *b);
    const struct mdf_group groups[] = {{.name = "ticks",
                                        .record_bytes = sizeof(struct loop_record),
                                        .channels = log_tick_channels,
                                        .channel_count = LOG_TICK_CHANNELS},
                                       {.name = "events",
                                        .record_bytes = sizeof(struct telemetry_event),
                                        .channels = log_event_channels,
                                        .channel_count = LOG_EVENT_CHANNELS}};
    struct err e = {""};
    assert_non_null(b);
    (void)snprintf(b->path, sizeof b->path, "/tmp/skidpad-history-XXXXXX");
    int fd = mkstemp(b->path);
    assert_true(fd >= 0);
    (void)close(fd);
    const struct mdf_file file = {.path = b->path, .groups = groups, .group_count = 2};
    assert_int_equal(mdf_open(&b->log, &file, &e), 0);
    assert_int_equal(publish_history_init(&b->history, every, b->path), 0);
    return b;
}

static void bed_close(struct bed *b)
{
    publish_history_free(&b->history);
    if (b->log)
        (void)mdf_close(b->log);
    (void)unlink(b->path);
    free(b);
}

/* So many ticks into the log, with an event now and then; the last ones may not be flushed. */
static void drive(struct bed *b, int64_t ticks, uint32_t dropped)
{
    struct loop_record *r = calloc(1, sizeof *r);
    const struct telemetry_event e = {.event = {.kind = EVENT_MISSED}};
    assert_non_null(r);
    for (int64_t i = 0; i < ticks; i++) {
        r->tick = b->tick++;
        r->dropped = i == 0 ? dropped : 0;
        if (i % 7 == 3)
            assert_int_equal(mdf_write(b->log, 1, &e, 1), 0);
        assert_int_equal(mdf_write(b->log, 0, r, 1), 0);
    }
    free(r);
}

static void flush(struct bed *b)
{
    assert_int_equal(mdf_flush(b->log), 0);
}

static int64_t tick_of(struct bed *b, uint64_t number)
{
    struct loop_record r;
    return publish_history_get(&b->history, number, &r) == PUBLISH_FOUND ? r.tick : -1;
}

static enum publish_found found(struct bed *b, uint64_t number)
{
    struct loop_record r;
    return publish_history_get(&b->history, number, &r);
}

static void the_log_gives_what_memory_has_not(void **state)
{
    (void)state;
    struct bed *b = bed_open(3); /* every third tick is published */
    drive(b, 1000, 0);
    flush(b);
    for (uint64_t n = 0; n < 300; n++)
        assert_int_equal(tick_of(b, n), 3 * n);
    struct loop_sample s;
    memset(&s, 0, sizeof s);
    s.number = 320;
    s.record.tick = -7;
    publish_history_put(&b->history, &s);
    assert_int_equal(tick_of(b, 320), -7); /* memory first */
    assert_int_equal(tick_of(b, 319), 957);
    bed_close(b);
}

/* An answer that was lost on its way is asked for again. */
static void the_last_ones_are_at_hand_without_the_log(void **state)
{
    (void)state;
    struct bed *b = bed_open(1);
    drive(b, 600, 0);
    flush(b);
    assert_int_equal(tick_of(b, 500), 500);
    const struct mdf_reader *file = b->history.file;
    for (uint64_t n = 500; n > 500 - HISTORY_AGAIN; n--)
        assert_int_equal(tick_of(b, n), n);
    assert_int_equal(b->history.number, 501); /* nothing was read again */
    assert_ptr_equal(b->history.file, file);
    assert_int_equal(tick_of(b, 10), 10); /* from the beginning again */
    assert_int_equal(b->history.number, 11);
    bed_close(b);
}

static void a_log_that_grows_is_read_on(void **state)
{
    (void)state;
    struct bed *b = bed_open(1);
    drive(b, 100, 0);
    flush(b);
    assert_int_equal(tick_of(b, 99), 99);
    assert_int_equal(found(b, 100), PUBLISH_LATER); /* not written yet: neither here nor gone */
    const struct mdf_reader *file = b->history.file;
    for (int n = 1; n <= 20; n++) {
        drive(b, 50, 0);
        flush(b);
        assert_int_equal(tick_of(b, 100 + 50 * (uint64_t)n - 1), 100 + 50 * n - 1);
    }
    assert_ptr_equal(b->history.file, file); /* never opened again, however long it is */
    assert_int_equal(mdf_close(b->log), 0);  /* finished; what was there stays */
    b->log = NULL;
    assert_int_equal(tick_of(b, 1000), 1000);
    bed_close(b);
}

/* Half of a record may be in the file. */
static void half_a_record_waits_for_its_end(void **state)
{
    (void)state;
    struct bed *b = bed_open(1);
    drive(b, 10, 0);
    flush(b);
    FILE *whole = fopen(b->path, "rbe"), *part;
    static char bytes[1 << 20];
    assert_non_null(whole);
    size_t size = fread(bytes, 1, sizeof bytes, whole);
    (void)fclose(whole);
    assert_in_range(size, 10 * sizeof(struct loop_record), sizeof bytes - 1);
    part = fopen(b->path, "wbe");
    assert_non_null(part);
    size_t cut = sizeof(struct loop_record) + 100;
    assert_int_equal(fwrite(bytes, 1, size - cut, part), size - cut);
    assert_int_equal(fflush(part), 0);
    assert_int_equal(tick_of(b, 7), 7);
    assert_int_equal(found(b, 8), PUBLISH_LATER);
    assert_int_equal(fwrite(bytes + size - cut, 1, cut, part), cut);
    assert_int_equal(fclose(part), 0);
    assert_int_equal(tick_of(b, 8), 8);
    assert_int_equal(tick_of(b, 9), 9);
    bed_close(b);
}

static void a_long_log_is_looked_through_in_parts(void **state)
{
    (void)state;
    struct bed *b = bed_open(1);
    drive(b, 2 * HISTORY_READ, 0);
    flush(b);
    int later = 0;
    while (found(b, 2 * HISTORY_READ - 1) == PUBLISH_LATER)
        later++;
    assert_in_range(later, 2, 3); /* events are read, too */
    assert_int_equal(tick_of(b, 2 * HISTORY_READ - 1), 2 * HISTORY_READ - 1);
    bed_close(b);
}

static void what_the_log_lost_is_gone(void **state)
{
    (void)state;
    struct bed *b = bed_open(1);
    drive(b, 20, 0);
    drive(b, 20, 4); /* four records were lost: numbers behind are not known */
    flush(b);
    assert_int_equal(tick_of(b, 19), 19);
    assert_int_equal(found(b, 20), PUBLISH_GONE);
    assert_int_equal(found(b, 3), PUBLISH_FOUND);
    bed_close(b);
    b = bed_open(1);
    drive(b, 20, 0);
    flush(b);
    int later = 0; /* the disk is full, say: it is not waited for without end */
    while (found(b, 20) == PUBLISH_LATER)
        later++;
    assert_int_equal(later, HISTORY_DRY);
    bed_close(b);
    struct publish_history none;
    struct loop_record r;
    assert_int_equal(publish_history_init(&none, 1, ""), 0);
    assert_int_equal(publish_history_get(&none, 0, &r), PUBLISH_GONE);
    publish_history_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_gives_what_memory_has_not),
        cmocka_unit_test(the_last_ones_are_at_hand_without_the_log),
        cmocka_unit_test(a_log_that_grows_is_read_on),
        cmocka_unit_test(half_a_record_waits_for_its_end),
        cmocka_unit_test(a_long_log_is_looked_through_in_parts),
        cmocka_unit_test(what_the_log_lost_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

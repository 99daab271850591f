/* What the MDF writer writes, byte by byte where the standard says where a byte is. */
#include "shared/wire/mdf_write.h"

#include "rt-tests/support/mdf_bytes.h"
#include "rt-tests/support/mdf_sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { HD_AT = 64, SIGNALS = 10, EVENTS = 3 };

struct log {
    char path[64];
    struct mdf_writer *writer;
    struct mdf_bytes bytes;
    struct mdf_walk walk;
};

static void look(struct log *log)
{
    mdf_bytes_free(&log->bytes);
    log->bytes = mdf_bytes_load(log->path);
    mdf_walk(&log->bytes, &log->walk);
}

/* The sample log with ten signals and three events, flushed but not closed. */
static int open_log(void **state)
{
    static struct log log;
    log = (struct log){0};
    mdf_sample_path(log.path);
    const struct mdf_file file = mdf_sample_file(log.path);
    struct err e;
    assert_int_equal(mdf_open(&log.writer, &file, &e), 0);
    assert_int_equal(mdf_sample_write(log.writer, 0, SIGNALS), 0);
    assert_int_equal(mdf_flush(log.writer), 0);
    look(&log);
    *state = &log;
    return 0;
}

static void close_log(struct log *log)
{
    assert_int_equal(mdf_close(log->writer), 0);
    log->writer = NULL;
    look(log);
}

static int remove_log(void **state)
{
    struct log *log = *state;
    if (log->writer)
        (void)mdf_close(log->writer);
    mdf_bytes_free(&log->bytes);
    return unlink(log->path);
}

static void identification_says_unfinished_while_the_log_is_open(void **state)
{
    const struct log *log = *state;
    assert_memory_equal(log->bytes.bytes, "UnFinMF 4.10    skidpad \0\0\0\0", 28);
    assert_int_equal(mdf_u(&log->bytes, 28, 2), 410);
    assert_int_equal(mdf_u(&log->bytes, 60, 2), 0x05); /* cycle counters, length of last DT */
    assert_int_equal(mdf_u(&log->bytes, 62, 2), 0);
    assert_false(log->walk.finished);
    assert_int_equal(log->walk.group[0].cycle_count, 0);
}

static void closing_finishes_the_file(void **state)
{
    struct log *log = *state;
    const size_t size = log->bytes.size;
    close_log(log);
    assert_memory_equal(log->bytes.bytes, "MDF     4.10    skidpad ", 24);
    assert_int_equal(mdf_u(&log->bytes, 60, 4), 0);
    assert_int_equal(log->bytes.size, size); /* nothing is appended */
    assert_int_equal(log->walk.data_end, size);
    assert_int_equal(log->walk.group[0].cycle_count, SIGNALS);
    assert_int_equal(log->walk.group[1].cycle_count, EVENTS);
}

static void every_record_is_found_in_both_states(void **state)
{
    struct log *log = *state;
    for (int closed = 0; closed < 2; closed++) {
        assert_int_equal(log->walk.group_count, 2);
        assert_int_equal(log->walk.group[0].complete, SIGNALS);
        assert_int_equal(log->walk.group[1].complete, EVENTS);
        assert_int_equal(log->walk.left_over, 0);
        if (!closed)
            close_log(log);
    }
}

static void data_block_is_the_last_and_the_group_precedes_it(void **state)
{
    const struct log *log = *state;
    const uint64_t data = log->walk.data_at - 24;
    mdf_expect_block(&log->bytes, data, "DT", 24, 0); /* its length is given when closed */
    assert_int_equal(mdf_link(&log->bytes, HD_AT, 0), data - 64);
    assert_true(log->walk.group[0].at < data && log->walk.group[1].at < data);
}

static void records_of_two_groups_are_numbered_from_one_and_keep_their_order(void **state)
{
    const struct log *log = *state;
    assert_int_equal(log->walk.record_id_bytes, 1);
    assert_int_equal(log->walk.group[0].record_id, 1);
    assert_int_equal(log->walk.group[1].record_id, 2);
    const unsigned char *at = log->bytes.bytes + log->walk.data_at;
    for (uint64_t i = 0; i < SIGNALS; i++) {
        const struct mdf_sample_signal s = mdf_sample_signal(i);
        assert_int_equal(*at++, 1);
        assert_memory_equal(at, &s, sizeof s);
        at += sizeof s;
        if (i % 3 == 2) {
            const struct mdf_sample_event e = mdf_sample_event((uint32_t)(i / 3));
            assert_int_equal(*at++, 2);
            assert_memory_equal(at, &e, sizeof e);
            at += sizeof e;
        }
    }
}

/* type, sync, data type, first bit, then byte offset and bits: bytes 88 to 99 of a CN block. */
static void expect_channel(const struct mdf_bytes *b, uint64_t at, const char *name,
                           const char *unit, uint64_t kinds, uint64_t offset, uint64_t bits)
{
    assert_string_equal(mdf_text(b, mdf_link(b, at, 2)), name);
    assert_string_equal(mdf_text(b, mdf_link(b, at, 6)), unit);
    assert_int_equal(mdf_u(b, at + 88, 4), kinds);
    assert_int_equal(mdf_u(b, at + 92, 4), offset);
    assert_int_equal(mdf_u(b, at + 96, 4), bits);
    assert_int_equal(mdf_u(b, at + 100, 4), 0); /* flags */
}

static void channels_say_where_and_what_their_values_are(void **state)
{
    const struct log *log = *state;
    const struct mdf_bytes *b = &log->bytes;
    assert_int_equal(log->walk.group[0].channel_count, 5);
    assert_int_equal(log->walk.group[0].record_bytes, 32);
    assert_string_equal(mdf_text(b, mdf_link(b, log->walk.group[0].at, 2)), "signals");
    assert_string_equal(mdf_text(b, mdf_link(b, log->walk.group[0].at, 5)), "every tick");
    uint64_t at = log->walk.group[0].first_channel;
    expect_channel(b, at, "t", "s", 0x00040102, 0, 64); /* master, time, real */
    assert_int_equal(mdf_link(b, at, 4), 0);            /* seconds as stored */
    at = mdf_link(b, at, 0);
    expect_channel(b, at, "speed", "m/s", 0x00040000, 8, 64);
    assert_string_equal(mdf_text(b, mdf_link(b, at, 7)), "forward velocity");
    at = mdf_link(b, at, 0);
    expect_channel(b, at, "number", "", 0x00000000, 16, 64); /* unsigned */
    at = mdf_link(b, at, 0);
    expect_channel(b, at, "gear", "", 0x00020000, 24, 32); /* signed */
    at = mdf_link(b, at, 0);
    expect_channel(b, at, "fault", "", 0x00000000, 28, 32);
    assert_int_equal(mdf_link(b, at, 0), 0);

    at = log->walk.group[1].first_channel;
    expect_channel(b, at, "t", "s", 0x00020102, 0, 64); /* master, time, signed */
    at = mdf_link(b, mdf_link(b, at, 0), 0);
    expect_channel(b, at, "what", "", 0x00070000, 12, 96); /* UTF-8 */
}

static void nanoseconds_are_converted_to_seconds(void **state)
{
    const struct log *log = *state;
    const struct mdf_bytes *b = &log->bytes;
    const uint64_t cc = mdf_link(b, log->walk.group[1].first_channel, 4);
    mdf_expect_block(b, cc, "CC", 96, 4);
    assert_int_equal(mdf_u(b, cc + 56, 1), 1);       /* linear */
    assert_int_equal(mdf_u(b, cc + 62, 2), 2);       /* two parameters */
    assert_true(mdf_f64(b, cc + 80) == 0.0);         /* offset first */
    assert_true(mdf_f64(b, cc + 88) == 0.000000001); /* the same double */
}

static void header_tells_when_and_about_what(void **state)
{
    const struct log *log = *state;
    const struct mdf_bytes *b = &log->bytes;
    assert_int_equal(mdf_u(b, HD_AT + 72, 8), UINT64_C(1700000000123456789));
    assert_int_equal(mdf_u(b, HD_AT + 80, 4), 0); /* time zone: UTC ... */
    assert_int_equal(mdf_u(b, HD_AT + 84, 1), 2); /* ... and valid */
    const char *comment = mdf_text(b, mdf_link(b, HD_AT, 5));
    assert_memory_equal(b->bytes + mdf_link(b, HD_AT, 5), "##MD", 4);
    assert_non_null(strstr(comment, "<HDcomment xmlns=\"http://www.asam.net/mdf/v4\">"));
    assert_non_null(strstr(comment, "<TX>a test</TX>"));
    assert_non_null(
        strstr(comment, "<e name=\"car\">small &lt;front&gt; &amp; &quot;rear&quot;</e>"));
    assert_non_null(strstr(comment, "<e name=\"bell\">a?b</e>")); /* XML has no such character */
}

static void history_names_the_tool(void **state)
{
    const struct log *log = *state;
    const struct mdf_bytes *b = &log->bytes;
    const uint64_t fh = mdf_link(b, HD_AT, 1);
    assert_int_equal(mdf_u(b, fh + 40, 8), UINT64_C(1700000000123456789));
    const char *comment = mdf_text(b, mdf_link(b, fh, 1));
    assert_non_null(strstr(comment, "<tool_id>skidpad</tool_id>"));
    assert_non_null(strstr(comment, "<tool_vendor>"));
    assert_non_null(strstr(comment, "<tool_version>"));
}

static void attachments_carry_the_configuration(void **state)
{
    const struct log *log = *state;
    const struct mdf_bytes *b = &log->bytes;
    const char text[] = "period_ms: 1\ncar: small\n";
    const uint64_t length = sizeof text - 1;
    const uint64_t at = mdf_link(b, HD_AT, 3);
    mdf_expect_block(b, at, "AT", 96 + length, 4);
    assert_string_equal(mdf_text(b, mdf_link(b, at, 1)), "bench.yaml");
    assert_string_equal(mdf_text(b, mdf_link(b, at, 2)), "application/yaml");
    assert_int_equal(mdf_u(b, at + 56, 2), 1); /* embedded, not compressed, no MD5 */
    assert_int_equal(mdf_u(b, at + 80, 8), length);
    assert_int_equal(mdf_u(b, at + 88, 8), length);
    assert_memory_equal(b->bytes + at + 96, text, length);
    const uint64_t empty = mdf_link(b, at, 0);
    assert_string_equal(mdf_text(b, mdf_link(b, empty, 2)), "text/plain");
    assert_int_equal(mdf_link(b, empty, 0), 0);
}

/* Files are the same for the same input: no clock, no random number, no stray memory. */
static void same_records_give_the_same_bytes(void **state)
{
    struct log *log = *state;
    void *other_state = NULL;
    const struct mdf_bytes first = log->bytes;
    log->bytes = (struct mdf_bytes){0};
    char path[64];
    memcpy(path, log->path, sizeof path);
    assert_int_equal(mdf_close(log->writer), 0);
    assert_int_equal(open_log(&other_state), 0); /* takes the place of the first */
    assert_int_equal(log->bytes.size, first.size);
    assert_memory_equal(log->bytes.bytes, first.bytes, first.size);
    free(first.bytes);
    assert_int_equal(unlink(path), 0);
}

/* ---- other logs */

static void single_group_has_plain_records(void **unused)
{
    (void)unused;
    struct log log = {0};
    mdf_sample_path(log.path);
    struct mdf_file file = mdf_sample_file(log.path);
    file.group_count = 1;
    assert_int_equal(mdf_open(&log.writer, &file, NULL), 0);
    struct mdf_sample_signal s[4];
    for (uint64_t i = 0; i < 4; i++)
        s[i] = mdf_sample_signal(i);
    assert_int_equal(mdf_write(log.writer, 0, s, 4), 0);
    close_log(&log);
    assert_int_equal(log.walk.record_id_bytes, 0);
    assert_int_equal(log.walk.group[0].record_id, 0);
    assert_int_equal(log.walk.group[0].cycle_count, 4);
    assert_memory_equal(log.bytes.bytes + log.walk.data_at, s, sizeof s);
    mdf_bytes_free(&log.bytes);
    assert_int_equal(unlink(log.path), 0);
}

static void log_without_records_or_extras_is_valid(void **unused)
{
    (void)unused;
    struct log log = {0};
    mdf_sample_path(log.path);
    const struct mdf_file file = {
        .path = log.path, .groups = mdf_sample_groups, .group_count = MDF_SAMPLE_GROUPS};
    assert_int_equal(mdf_open(&log.writer, &file, NULL), 0);
    close_log(&log);
    assert_true(log.walk.finished);
    assert_int_equal(log.walk.group[0].cycle_count, 0);
    assert_int_equal(log.walk.data_end, log.walk.data_at);
    assert_int_equal(mdf_link(&log.bytes, HD_AT, 3), 0);
    mdf_bytes_free(&log.bytes);
    assert_int_equal(unlink(log.path), 0);
}

static size_t size_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (size_t)st.st_size;
}

static void records_reach_the_file_in_blocks_or_when_flushed(void **unused)
{
    (void)unused;
    struct log log = {0};
    mdf_sample_path(log.path);
    struct mdf_file file = mdf_sample_file(log.path);
    const size_t record = 1 + sizeof(struct mdf_sample_signal);
    file.block_bytes = 3 * record + 5; /* three records and no fourth */
    file.sync_bytes = 1;               /* and to the disk each time */
    const struct mdf_sample_signal s = mdf_sample_signal(0);
    assert_int_equal(mdf_open(&log.writer, &file, NULL), 0);
    const size_t empty = size_of(log.path);
    assert_int_equal(empty, mdf_file_bytes(log.writer));
    for (int i = 0; i < 3; i++)
        assert_int_equal(mdf_write(log.writer, 0, &s, 1), 0);
    assert_int_equal(size_of(log.path), empty);
    assert_int_equal(mdf_write(log.writer, 0, &s, 1), 0);
    assert_int_equal(size_of(log.path), empty + 3 * record);
    assert_int_equal(mdf_flush(log.writer), 0);
    assert_int_equal(size_of(log.path), empty + 4 * record);
    assert_int_equal(mdf_file_bytes(log.writer), empty + 4 * record);
    close_log(&log);
    mdf_bytes_free(&log.bytes);
    assert_int_equal(unlink(log.path), 0);
}

/* A block smaller than a record still takes one. */
static void tiny_block_size_works(void **unused)
{
    (void)unused;
    struct log log = {0};
    mdf_sample_path(log.path);
    struct mdf_file file = mdf_sample_file(log.path);
    file.block_bytes = 1;
    assert_int_equal(mdf_open(&log.writer, &file, NULL), 0);
    assert_int_equal(mdf_sample_write(log.writer, 0, SIGNALS), 0);
    close_log(&log);
    assert_int_equal(log.walk.group[0].complete, SIGNALS);
    assert_int_equal(log.walk.group[1].complete, EVENTS);
    mdf_bytes_free(&log.bytes);
    assert_int_equal(unlink(log.path), 0);
}

int main(void)
{
#define ON_SAMPLE(test) cmocka_unit_test_setup_teardown(test, open_log, remove_log)
    const struct CMUnitTest tests[] = {
        ON_SAMPLE(identification_says_unfinished_while_the_log_is_open),
        ON_SAMPLE(closing_finishes_the_file),
        ON_SAMPLE(every_record_is_found_in_both_states),
        ON_SAMPLE(data_block_is_the_last_and_the_group_precedes_it),
        ON_SAMPLE(records_of_two_groups_are_numbered_from_one_and_keep_their_order),
        ON_SAMPLE(channels_say_where_and_what_their_values_are),
        ON_SAMPLE(nanoseconds_are_converted_to_seconds),
        ON_SAMPLE(header_tells_when_and_about_what),
        ON_SAMPLE(history_names_the_tool),
        ON_SAMPLE(attachments_carry_the_configuration),
        ON_SAMPLE(same_records_give_the_same_bytes),
        cmocka_unit_test(single_group_has_plain_records),
        cmocka_unit_test(log_without_records_or_extras_is_valid),
        cmocka_unit_test(records_reach_the_file_in_blocks_or_when_flushed),
        cmocka_unit_test(tiny_block_size_works),
    };
    return cmocka_run_group_tests_name("mdf_write", tests, NULL, NULL);
}

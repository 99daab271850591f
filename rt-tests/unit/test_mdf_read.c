/* What mdf_write() writes, mdf_read_*() reads back bit for bit: finished, unfinished, cut. */
#include "shared/wire/mdf_read.h"
#include "shared/wire/mdf_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct sample {
    int64_t time_ns;
    double f64;
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    uint32_t u32;
    char text[12];
    uint32_t unused;
};

struct event {
    int64_t time_ns;
    char what[24];
};

static const struct mdf_channel sample_channels[] = {
    {"t", "s", "time of the tick", MDF_I64, offsetof(struct sample, time_ns), 0, true, 1e-9, 0.0},
    {"f64", "m/s", "<b>&\"'</b>", MDF_F64, offsetof(struct sample, f64), 0, false, 0.0, 0.0},
    {"i64", NULL, NULL, MDF_I64, offsetof(struct sample, i64), 0, false, 0.0, 0.0},
    {"u64", "", "", MDF_U64, offsetof(struct sample, u64), 0, false, 0.0, 0.0},
    {"i32",
     "\xc2\xb0"
     "C",
     NULL, MDF_I32, offsetof(struct sample, i32), 0, false, 0.25, -40.0},
    {"u32", NULL, "f\xc3\xbcr", MDF_U32, offsetof(struct sample, u32), 0, false, 0.0, 0.0},
    {"text", NULL, NULL, MDF_TEXT, offsetof(struct sample, text), 12, false, 0.0, 0.0},
};
static const struct mdf_channel event_channels[] = {
    {"t", "s", NULL, MDF_I64, offsetof(struct event, time_ns), 0, true, 1e-9, 0.0},
    {"what", NULL, NULL, MDF_TEXT, offsetof(struct event, what), 24, false, 0.0, 0.0},
};
static const struct mdf_group groups[] = {
    {"signals", "all <of> them", sizeof(struct sample), sample_channels, 7},
    {"events & faults", NULL, sizeof(struct event), event_channels, 2},
};
static const struct mdf_property properties[] = {
    {"seed", "42"},
    {"quote \"q\" & <tag>", "a < b && c > \"d\" 'e'"},
    {"umlaut", "\xc3\xa4\xe2\x82\xac"},
    {"lines", "one\ntwo\tthree"},
    {"empty", ""},
};
static const uint8_t binary[] = {0, 1, 2, 0xff, 0x23, 0x23, 'D', 'T', 0};
static const struct mdf_attachment attachments[] = {
    {"bench.yaml", NULL, "car: sedan\n", 11},
    {"binary & co.bin", "application/octet-stream", binary, sizeof binary},
    {"empty.txt", "text/plain", "", 0},
};
enum { START = 1700000000, PROPERTIES = 5, ATTACHMENTS = 3, HALF = 12 };

static char path[] = "/tmp/mdf_read_XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static const double odd_doubles[] = {0.0,    -0.0,     1.0,       0.1,     -1e308,        5e-324,
                                     1e-310, INFINITY, -INFINITY, 1.0 / 3, 123456789.125, 2e-16};
enum { ODD = sizeof odd_doubles / sizeof odd_doubles[0] };

static struct sample sample_of(uint64_t i)
{
    static const uint64_t nan_bits = UINT64_C(0x7ff8000000abcdef);
    struct sample s = {
        .time_ns = (int64_t)(50000 * i),
        .f64 = odd_doubles[i % ODD],
        .i64 = i % 3 == 0 ? INT64_MIN : INT64_MAX - (int64_t)i,
        .u64 = i % 2 ? UINT64_MAX - i : (UINT64_C(1) << 53) + i,
        .i32 = i % 2 ? INT32_MIN + (int32_t)i : INT32_MAX - (int32_t)i,
        .u32 = i % 2 ? UINT32_MAX - (uint32_t)i : (uint32_t)i,
        .unused = 0x23232323,
    };
    if (i % 7 == 6)
        memcpy(&s.f64, &nan_bits, sizeof s.f64);
    /* Texts of every length that leaves room for the zero byte. */
    memset(s.text, 'a' + (int)(i % 26), i % 12);
    return s;
}

static struct event event_of(uint64_t i)
{
    struct event v = {.time_ns = (int64_t)(1000003 * i)};
    (void)snprintf(v.what, sizeof v.what, "event %llu", (unsigned long long)i);
    return v;
}

static struct mdf_writer *start(size_t group_count)
{
    const struct mdf_file file = {.path = path,
                                  .comment = "test & <run>",
                                  .start_ns = START * INT64_C(1000000000),
                                  .properties = properties,
                                  .property_count = PROPERTIES,
                                  .attachments = attachments,
                                  .attachment_count = ATTACHMENTS,
                                  .groups = groups,
                                  .group_count = group_count};
    struct mdf_writer *w = NULL;
    struct err e = {""};
    if (mdf_open(&w, &file, &e) != 0)
        fail_msg("%s", e.text);
    return w;
}

static struct mdf_reader *open_log(void)
{
    struct mdf_reader *r = NULL;
    struct err e = {""};
    if (mdf_read_open(path, &r, &e) != 0)
        fail_msg("%s", e.text);
    return r;
}

static int next(struct mdf_reader *r, const struct mdf_read_group **g, const void **record)
{
    struct err e = {""};
    int rc = mdf_read_next(r, g, record, &e);
    if (rc < 0)
        fail_msg("%s", e.text);
    return rc;
}

static void expect_sample(const struct mdf_read_group *g, const void *record, uint64_t i)
{
    struct sample s = sample_of(i);
    const struct mdf_read_channel *c = g->channels;
    size_t bytes = 0;
    assert_int_equal(g->data_bytes, sizeof s);
    assert_memory_equal(record, &s, sizeof s);
    assert_true(mdf_read_number(&c[0], record) == (double)s.time_ns / 1e9);
    assert_true(mdf_read_int64(&c[0], record) == s.time_ns);
    double f64 = mdf_read_number(&c[1], record);
    assert_memory_equal(&f64, &s.f64, sizeof f64);
    assert_true(mdf_read_int64(&c[2], record) == s.i64);
    assert_true(mdf_read_uint64(&c[3], record) == s.u64);
    assert_true(mdf_read_int64(&c[4], record) == s.i32);
    assert_true(mdf_read_number(&c[4], record) == 0.25 * s.i32 - 40.0);
    assert_true(mdf_read_uint64(&c[5], record) == s.u32);
    const void *text = mdf_read_raw(&c[6], record, &bytes);
    assert_int_equal(bytes, i % 12);
    assert_memory_equal(text, s.text, bytes);
    for (size_t k = 0; k < g->channel_count; k++)
        assert_true(mdf_read_valid(&c[k], record));
}

static void descriptions_are_read_back(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 2; count++) {
        assert_int_equal(mdf_close(start(count)), 0);
        struct mdf_reader *r = open_log();
        const struct mdf_read_file *file = mdf_read_file(r);
        assert_string_equal(file->version, "4.10");
        assert_false(file->unfinished || file->local_time);
        assert_true(file->start_ns == START * INT64_C(1000000000));
        assert_string_equal(file->comment, "test & <run>");
        assert_int_equal(file->group_count, count);
        for (size_t g = 0; g < count; g++) {
            const struct mdf_read_group *got = mdf_read_group_find(r, groups[g].name);
            assert_ptr_equal(got, &file->groups[g]);
            assert_string_equal(got->comment, groups[g].comment ? groups[g].comment : "");
            assert_int_equal(got->data_bytes, groups[g].record_bytes);
            assert_int_equal(got->invalid_bytes, 0);
            assert_int_equal(got->channel_count, groups[g].channel_count);
            for (size_t i = 0; i < got->channel_count; i++) {
                const struct mdf_channel *c = &groups[g].channels[i];
                const struct mdf_read_channel *read = mdf_read_channel_find(got, c->name);
                assert_ptr_equal(read, &got->channels[i]);
                assert_string_equal(read->unit, c->unit ? c->unit : "");
                assert_string_equal(read->comment, c->comment ? c->comment : "");
                assert_int_equal(read->master, c->master);
                assert_int_equal(read->byte_offset, c->offset);
            }
        }
        assert_null(mdf_read_group_find(r, "no such group"));
        assert_null(mdf_read_channel_find(&file->groups[0], "no such channel"));
        mdf_read_close(r);
    }
}

static void properties_and_attachments_are_read_back(void **state)
{
    (void)state;
    assert_int_equal(mdf_close(start(2)), 0);
    struct mdf_reader *r = open_log();
    const struct mdf_read_file *file = mdf_read_file(r);
    assert_int_equal(file->property_count, PROPERTIES);
    for (size_t i = 0; i < PROPERTIES; i++) {
        assert_string_equal(file->properties[i].name, properties[i].name);
        assert_string_equal(mdf_read_property(r, properties[i].name), properties[i].value);
    }
    assert_null(mdf_read_property(r, "none"));
    assert_int_equal(file->attachment_count, ATTACHMENTS);
    for (size_t i = 0; i < ATTACHMENTS; i++) {
        const struct mdf_read_attachment *a = &file->attachments[i];
        char bytes[64];
        struct err e = {""};
        assert_string_equal(a->name, attachments[i].name);
        assert_string_equal(a->mime, attachments[i].mime ? attachments[i].mime : "text/plain");
        assert_true(a->embedded && !a->compressed);
        assert_int_equal(a->bytes, attachments[i].bytes);
        assert_int_equal(mdf_read_attachment_bytes(r, a, 0, bytes, attachments[i].bytes, &e), 0);
        assert_memory_equal(bytes, attachments[i].data, attachments[i].bytes);
    }
    mdf_read_close(r);
}

/* Which group record i belongs to; no regular pattern. */
static size_t group_of(size_t group_count, uint64_t i)
{
    return group_count == 2 && i * 2654435761U >> 7 & 1;
}

static void write_mixed(struct mdf_writer *w, size_t group_count, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        struct event v = event_of(i);
        struct sample s = sample_of(i);
        size_t group = group_of(group_count, i);
        assert_int_equal(mdf_write(w, group, group ? (const void *)&v : &s, 1), 0);
    }
}

/* Reads as many of these records as there are, and counts them. */
static uint64_t read_mixed(struct mdf_reader *r)
{
    const struct mdf_read_file *file = mdf_read_file(r);
    const struct mdf_read_group *g = NULL;
    const void *record = NULL;
    uint64_t i = 0;
    for (; next(r, &g, &record) == 1; i++) {
        struct event v = event_of(i);
        size_t group = group_of(file->group_count, i);
        assert_ptr_equal(g, &file->groups[group]);
        if (group == 1)
            assert_memory_equal(record, &v, sizeof v);
        else
            expect_sample(g, record, i);
    }
    return i;
}

/* 100000 records are several windows of the reader and blocks of the writer. */
static void one_group_is_read_back(void **state)
{
    enum { RECORDS = 100000 };
    (void)state;
    struct mdf_writer *w = start(1);
    write_mixed(w, 1, 0, RECORDS);
    assert_int_equal(mdf_close(w), 0);
    struct mdf_reader *r = open_log();
    assert_int_equal(mdf_read_file(r)->groups[0].cycles, RECORDS);
    assert_int_equal(read_mixed(r), RECORDS);
    mdf_read_close(r);
}

static void two_groups_come_in_the_order_they_were_written(void **state)
{
    (void)state;
    struct mdf_writer *w = start(2);
    write_mixed(w, 2, 0, 20000);
    assert_int_equal(mdf_close(w), 0);
    struct mdf_reader *r = open_log();
    assert_int_equal(read_mixed(r), 20000);
    assert_int_equal(mdf_read_left_over(r), 0);
    for (size_t i = 0; i < 2; i++) {
        const struct mdf_read_group *g = &mdf_read_file(r)->groups[i];
        assert_int_equal(mdf_read_count(r, g), g->cycles);
        assert_true(g->cycles > 5000);
    }
    mdf_read_rewind(r);
    assert_int_equal(read_mixed(r), 20000);
    mdf_read_close(r);
}

/* The bytes of the log as they are on the disk now. */
static uint8_t *log_bytes(size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    assert_int_equal(fclose(f), 0);
    return bytes;
}

/* Reads a file cut to this size: are exactly the complete records there? */
static void expect_cut(const uint8_t *bytes, size_t cut, uint64_t complete, size_t left_over)
{
    uint8_t *part = malloc(cut); /* of exactly this size, for the sanitizer */
    struct mdf_reader *r = NULL;
    struct err e = {""};
    assert_non_null(part);
    memcpy(part, bytes, cut);
    assert_int_equal(mdf_read_open_bytes("cut.mf4", part, cut, &r, &e), 0);
    assert_true(mdf_read_file(r)->unfinished);
    assert_int_equal(read_mixed(r), complete);
    assert_int_equal(mdf_read_left_over(r), left_over);
    mdf_read_close(r);
    free(part);
}

static void an_unfinished_file_cut_anywhere_gives_the_complete_records(void **state)
{
    enum { RECORDS = 6 };
    (void)state;
    for (size_t count = 1; count <= 2; count++) {
        struct mdf_writer *w = start(count);
        size_t ends[RECORDS + 1], size = 0, complete = 0;
        for (uint64_t i = 0; i <= RECORDS; i++) {
            if (i > 0)
                write_mixed(w, count, i - 1, i);
            assert_int_equal(mdf_flush(w), 0);
            ends[i] = (size_t)mdf_file_bytes(w);
        }
        uint8_t *bytes = log_bytes(&size);
        assert_int_equal(size, ends[RECORDS]);
        for (size_t cut = ends[0]; cut <= size; cut++) {
            if (complete < RECORDS && cut == ends[complete + 1])
                complete++;
            expect_cut(bytes, cut, complete, cut - ends[complete]);
        }
        free(bytes);
        assert_int_equal(mdf_close(w), 0);
    }
}

static void a_running_log_is_read_up_to_the_last_flush(void **state)
{
    (void)state;
    struct mdf_writer *w = start(2);
    write_mixed(w, 2, 0, HALF);
    assert_int_equal(mdf_flush(w), 0);
    struct mdf_reader *r = open_log();
    assert_true(mdf_read_file(r)->unfinished);
    write_mixed(w, 2, HALF, 2 * HALF);
    assert_int_equal(mdf_close(w), 0); /* grows and is finished under the reader's hands */
    assert_int_equal(read_mixed(r), HALF);
    mdf_read_close(r);
}

static void zeros_left_by_a_power_cut_are_no_records(void **state)
{
    static const uint8_t zeros[4096];
    (void)state;
    struct mdf_writer *w = start(2);
    write_mixed(w, 2, 0, HALF);
    assert_int_equal(mdf_flush(w), 0);
    FILE *f = fopen(path, "ab");
    assert_non_null(f);
    assert_int_equal(fwrite(zeros, 1, sizeof zeros, f), sizeof zeros);
    assert_int_equal(fclose(f), 0);
    struct mdf_reader *r = open_log();
    assert_int_equal(read_mixed(r), HALF);
    assert_int_equal(mdf_read_left_over(r), sizeof zeros);
    mdf_read_close(r);
    assert_true(mdf_close(w) < 0); /* who finds more in it than was written does not finish it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_are_read_back),
        cmocka_unit_test(properties_and_attachments_are_read_back),
        cmocka_unit_test(one_group_is_read_back),
        cmocka_unit_test(two_groups_come_in_the_order_they_were_written),
        cmocka_unit_test(an_unfinished_file_cut_anywhere_gives_the_complete_records),
        cmocka_unit_test(a_running_log_is_read_up_to_the_last_flush),
        cmocka_unit_test(zeros_left_by_a_power_cut_are_no_records),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}

/* Damaged and hostile MDF files: a message with a position, or the records that are there; never a
 * crash, an endless list, or memory for a length that cannot be. */
#include "shared/wire/mdf_read.h"

#include "rt-tests/support/mdf_hand.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct hand good, bad;

/* Where its blocks are, to damage them. */
static struct {
    uint64_t dt[2], list, dg, cg[2], cn, cc, at, name;
} in;

/* Two groups with ids in a list of two blocks: one of everything. Four records. */
static void make_good(void)
{
    static const uint8_t first[] = {1, 10, 2, 20}, second[] = {21, 1, 11, 1, 12};
    static const struct hand_channel byte = {.name = "n", .bit_count = 8};
    uint8_t attached[41] = {1};
    hand_begin(&good);
    in.dt[0] = hand_block(&good, "##DT", 0, first, sizeof first);
    in.dt[1] = hand_block(&good, "##DT", 0, second, sizeof second);
    in.list = hand_list(&good, 2, in.dt);
    in.dg = hand_data_group(&good, 1, in.list);
    in.cg[0] = hand_group(&good, in.dg, "one", 1, 1, 3);
    in.cg[1] = hand_group(&good, in.dg, "two", 2, 2, 1);
    in.cn = hand_channel(&good, in.cg[0], &byte);
    in.cc = hand_linear(&good, 1.0, 2.0);
    hand_link(&good, in.cn, 4, in.cc);
    in.name = hand_get(&good, in.cn + 24 + 16, 8);
    in.at = hand_block(&good, "##AT", 4, attached, sizeof attached);
    hand_field(&good, in.at, 24, 1, 8);
    hand_field(&good, in.at, 32, 1, 8);
    hand_link(&good, HAND_HD, 3, in.at);
    hand_link(&good, HAND_HD, 5,
              hand_text(&good, "##MD",
                        "<HDcomment><TX>t</TX><common_properties><e name='a'>b</e>"
                        "</common_properties></HDcomment>"));
    bad = good;
}

/* Reads all there is of bad; returns the number of records, or the error. */
static int read_all(size_t size, struct err *e)
{
    /* A copy of exactly this size, so that the sanitizer sees a step beyond it. */
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bad.bytes, size);
    struct mdf_reader *r = NULL;
    const struct mdf_read_group *g = NULL;
    const void *record = NULL;
    int records = 0;
    e->text[0] = '\0';
    int rc = mdf_read_open_bytes("bad.mf4", copy, size, &r, e);
    while (rc == 0 && (rc = mdf_read_next(r, &g, &record, e)) == 1) {
        records++;
        rc = 0;
    }
    mdf_read_close(r);
    free(copy);
    assert_true(rc <= 0);
    assert_true((rc == 0) == (e->text[0] == '\0'));
    if (rc < 0 && strncmp(e->text, "bad.mf4: at byte ", 17) != 0)
        fail_msg("%s", e->text);
    return rc < 0 ? rc : records;
}

static void expect_bad(int code, uint64_t at, const char *what)
{
    struct err e;
    char place[64];
    (void)snprintf(place, sizeof place, "at byte %llu: ", (unsigned long long)at);
    int rc = read_all(bad.used, &e);
    if (rc != code || !strstr(e.text, what) || !strstr(e.text, place))
        fail_msg("%d '%s', expected %d '%s%s'", rc, e.text, code, place, what);
    bad = good;
}

static void the_file_that_will_be_damaged_is_good(void **state)
{
    struct err e;
    (void)state;
    make_good();
    assert_int_equal(read_all(bad.used, &e), 4);
}

static void a_file_cut_anywhere_gets_a_message(void **state)
{
    struct err e;
    (void)state;
    make_good();
    for (size_t size = 0; size < good.used; size++)
        assert_int_equal(read_all(size, &e), -EBADMSG);
}

static void every_byte_may_be_wrong(void **state)
{
    static const uint8_t wrong[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct err e;
    (void)state;
    for (int unfinished = 0; unfinished < 2; unfinished++) {
        make_good();
        if (unfinished)
            hand_unfinished(&good, 0x05, 0);
        for (size_t at = 0; at < good.used; at++) {
            for (size_t i = 0; i < sizeof wrong; i++) {
                bad.bytes[at] = wrong[i];
                (void)read_all(bad.used, &e);
            }
            bad.bytes[at] = good.bytes[at];
        }
    }
}

static void links_lead_to_blocks(void **state)
{
    static const uint64_t wrong[] = {1, 8, 63, 65, 72, 0x7fffffff8, 0xfffffffffffffff8};
    (void)state;
    make_good();
    const uint64_t links[] = {HAND_HD + 24, HAND_HD + 48,  HAND_HD + 64,  in.list + 32, in.dg + 32,
                              in.dg + 40,   in.cg[0] + 32, in.cg[0] + 40, in.cn + 40,   in.cn + 56};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            hand_set(&bad, links[i], wrong[k], 8);
            if (wrong[k] == 72)
                expect_bad(-EBADMSG, 72, "must be here, not 'h");
            else
                expect_bad(-EBADMSG, links[i],
                           wrong[k] % 8 ? "not a multiple of 8" : "where no block can be");
        }
        hand_set(&bad, links[i], good.used - good.used % 8, 8);
        expect_bad(-EBADMSG, links[i], "where no block can be");
        hand_set(&bad, links[i], HAND_HD, 8);
        expect_bad(-EBADMSG, HAND_HD, "must be here, not '##HD'");
    }
}

static void lists_that_never_end_are_noticed(void **state)
{
    static const char ring[] = "it never ends";
    (void)state;
    make_good();
    hand_link(&bad, in.dg, 0, in.dg);
    expect_bad(-EBADMSG, in.dg + 24, ring);
    hand_link(&bad, in.cg[0], 0, in.cg[0]);
    expect_bad(-EBADMSG, in.cg[0] + 24, ring);
    hand_link(&bad, in.cg[1], 0, in.cg[0]);
    expect_bad(-EBADMSG, in.cg[0] + 24, ring);
    hand_link(&bad, in.cn, 0, in.cn);
    expect_bad(-EBADMSG, in.cn + 24, ring);
    hand_link(&bad, in.at, 0, in.at);
    expect_bad(-EBADMSG, in.at + 24, ring);
    hand_link(&bad, in.list, 0, in.list);
    expect_bad(-EBADMSG, in.list + 24, ring);
    hand_link(&bad, in.list, 0, in.list);
    hand_unfinished(&bad, 0x05, 0);
    expect_bad(-EBADMSG, in.list + 24, ring);
}

static void blocks_are_as_long_as_they_say(void **state)
{
    (void)state;
    make_good();
    const uint64_t blocks[] = {HAND_HD, in.dt[0], in.list, in.dg, in.cg[0], in.cn, in.cc, in.at};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        hand_set(&bad, blocks[i] + 8, UINT64_MAX, 8);
        expect_bad(-EBADMSG, blocks[i], "but the file ends at byte");
        hand_set(&bad, blocks[i] + 8, 23, 8);
        expect_bad(-EBADMSG, blocks[i], "too short");
        hand_set(&bad, blocks[i] + 16, UINT64_C(1) << 61, 8);
        expect_bad(-EBADMSG, blocks[i], "links");
        if (good.bytes[blocks[i] + 16] > 0) {
            hand_set(&bad, blocks[i] + 16, 0, 8);
            expect_bad(-EBADMSG, blocks[i], "has 0 links");
        }
    }
    hand_set(&bad, in.name + 8, 24 + 1, 8);
    expect_bad(-EBADMSG, in.name, "no zero byte at its end");
    hand_field(&bad, in.list, 4, 3, 4);
    expect_bad(-EBADMSG, in.list, "##DL counts 3 data blocks and links to 2");
    hand_set(&bad, in.cc + 8, 24 + 32 + 24 + 8, 8);
    expect_bad(-EBADMSG, in.cc, "two values");
    hand_field(&bad, in.at, 24, 2, 8);
    expect_bad(-EBADMSG, in.at, "1 bytes are attached, 2 were meant to be");
}

static void records_are_where_and_what_they_should_be(void **state)
{
    (void)state;
    make_good();
    hand_field(&bad, in.cn, 4, 1, 4);
    expect_bad(-EBADMSG, in.cn, "not within its record of 1 bytes");
    hand_field(&bad, in.cn, 3, 8, 1);
    expect_bad(-EBADMSG, in.cn, "bit 8 is not within");
    hand_field(&bad, in.cn, 8, UINT32_MAX, 4);
    expect_bad(-EBADMSG, in.cn, "not within its record");
    hand_field(&bad, in.cg[1], 24, UINT32_MAX, 4);
    expect_bad(-EFBIG, in.cg[1], "at most 16777216 are supported");
    hand_field(&bad, in.cg[1], 24, MDF_READ_RECORD_MAX, 4);
    expect_bad(-EBADMSG, in.dt[1] + 24, "the last record is not complete");
    hand_field(&bad, in.cg[1], 0, 1, 8);
    expect_bad(-EBADMSG, in.dg, "two groups have the record id 1");
    hand_field(&bad, in.cg[1], 0, 256, 8);
    expect_bad(-EBADMSG, in.dg, "record id 256 does not fit into 1 bytes");
    hand_field(&bad, in.dg, 0, 3, 1);
    expect_bad(-EBADMSG, in.dg, "record ids of 3 bytes");
    hand_field(&bad, in.dg, 0, 16, 1);
    expect_bad(-EBADMSG, in.dg, "record ids of 16 bytes");
    hand_field(&bad, in.dg, 0, 0, 1);
    expect_bad(-EBADMSG, in.dg, "2 groups share data without record ids");
    hand_set(&bad, in.dt[0] + 24 + 2, 9, 1);
    expect_bad(-EBADMSG, in.dt[0] + 24 + 2, "no group has records that begin like this");
    hand_field(&bad, in.cg[0], 8, 2, 8);
    expect_bad(-EBADMSG, in.dt[1] + 24 + 5, "group 1 has 3 records, but the file counts 2");
    hand_set(&bad, in.dt[1] + 8, 24 + 4, 8);
    expect_bad(-EBADMSG, in.dt[1] + 24 + 3, "the last record is not complete");
    hand_link(&bad, in.list, 1, in.dt[1]);
    (void)hand_block(&bad, "##DT", 0, NULL, 0);
    expect_bad(-EBADMSG, in.dt[1] + 24, "no group has records");
}

static void an_unknown_id_ends_an_unfinished_file(void **state)
{
    struct err e;
    (void)state;
    make_good();
    hand_unfinished(&bad, 0x05, 0);
    hand_set(&bad, in.dt[0] + 24 + 2, 0, 1);
    assert_int_equal(read_all(bad.used, &e), 1);
}

/* Every data group of a file uses the same long list of groups: 16 million in 672 kB. */
static void shared_lists_do_not_multiply(void **state)
{
    enum { COUNT = 4000, BYTES = 168 + COUNT * (64 + 104) };
    static const char ids[2][4] = {{'#', '#', 'D', 'G'}, {'#', '#', 'C', 'G'}};
    static uint8_t file[BYTES];
    (void)state;
    hand_begin(&bad);
    memcpy(file, bad.bytes, bad.used);
    uint64_t groups = 168 + COUNT * 64;
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t next[2] = {i + 1 < COUNT ? 168 + 64 * (i + 1) : 0,
                            i + 1 < COUNT ? groups + 104 * (i + 1) : 0};
        const uint64_t dg[] = {64, 4, next[0], groups, 0, 0, 1}, cg[] = {104, 6, next[1]};
        memcpy(file + 168 + 64 * i, ids[0], 4);
        memcpy(file + 168 + 64 * i + 8, dg, sizeof dg);
        memcpy(file + groups + 104 * i, ids[1], 4);
        memcpy(file + groups + 104 * i + 8, cg, sizeof cg);
    }
    const uint64_t first = 168;
    memcpy(file + 64 + 24, &first, 8);
    struct mdf_reader *r = NULL;
    struct err e = {""};
    assert_int_equal(mdf_read_open_bytes("many.mf4", file, BYTES, &r, &e), -EFBIG);
    assert_non_null(strstr(e.text, "need more than 64 MiB of memory"));
}

static void what_is_no_mdf_file_is_refused(void **state)
{
    struct mdf_reader *r = NULL;
    struct err e = {""};
    (void)state;
    make_good();
    memcpy(bad.bytes, "MDF3    ", 8);
    expect_bad(-EBADMSG, 0, "this is not an MDF file");
    hand_set(&bad, 28, 330, 2);
    expect_bad(-ENOTSUP, 28, "MDF version 3.30 is not supported");
    assert_int_equal(mdf_read_open("/nonexistent/x.mf4", &r, &e), -ENOENT);
    assert_string_equal(e.text, "/nonexistent/x.mf4: No such file or directory");
    assert_int_equal(mdf_read_open("/", &r, &e), -EINVAL);
    assert_string_equal(e.text, "/: is not a regular file: give the name of a log");
    assert_int_equal(mdf_read_open("/dev/null", &r, &e), -EINVAL);
    assert_null(r);
}

static void a_file_that_shrinks_meanwhile_gets_a_message(void **state)
{
    char path[] = "/tmp/mdf_read_XXXXXX";
    struct mdf_reader *r = NULL;
    const struct mdf_read_group *g = NULL;
    const void *record = NULL;
    struct err e = {""};
    (void)state;
    make_good();
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, good.bytes, good.used), (ssize_t)good.used);
    assert_int_equal(mdf_read_open(path, &r, &e), 0);
    assert_int_equal(ftruncate(fd, 100), 0);
    assert_int_equal(mdf_read_next(r, &g, &record, &e), -EBADMSG);
    assert_non_null(strstr(e.text, "has become shorter"));
    mdf_read_close(r);
    (void)close(fd);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_that_will_be_damaged_is_good),
        cmocka_unit_test(a_file_cut_anywhere_gets_a_message),
        cmocka_unit_test(every_byte_may_be_wrong),
        cmocka_unit_test(links_lead_to_blocks),
        cmocka_unit_test(lists_that_never_end_are_noticed),
        cmocka_unit_test(blocks_are_as_long_as_they_say),
        cmocka_unit_test(records_are_where_and_what_they_should_be),
        cmocka_unit_test(an_unknown_id_ends_an_unfinished_file),
        cmocka_unit_test(shared_lists_do_not_multiply),
        cmocka_unit_test(what_is_no_mdf_file_is_refused),
        cmocka_unit_test(a_file_that_shrinks_meanwhile_gets_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

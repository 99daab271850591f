/* The MDF reader with files put together by hand from the standard: what our writer never writes.
 */
#include "shared/wire/mdf_read.h"

#include "rt-tests/support/mdf_hand.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct hand hand;

static const struct hand_channel counter_u32 = {.name = "n", .bit_count = 32};

/* One group of u32 records 100, 101, ... cut into blocks of block_bytes in lists of list_blocks. */
static void make_list_file(uint32_t records, size_t block_bytes, size_t list_blocks)
{
    uint8_t data[1024];
    uint64_t blocks[256], lists[256];
    size_t bytes = 4 * (size_t)records, count = 0, list_count = 0;
    hand_begin(&hand);
    for (uint32_t i = 0; i < records; i++)
        for (int k = 0; k < 4; k++)
            data[4 * i + (uint32_t)k] = (uint8_t)((100 + i) >> (8 * k));
    for (size_t at = 0; at < bytes; at += block_bytes)
        blocks[count++] = hand_block(&hand, "##DT", 0, data + at,
                                     bytes - at < block_bytes ? bytes - at : block_bytes);
    for (size_t i = 0; i < count; i += list_blocks) {
        size_t part = count - i < list_blocks ? count - i : list_blocks;
        lists[list_count++] = hand_list(&hand, part, blocks + i);
    }
    for (size_t i = 0; i + 1 < list_count; i++)
        hand_link(&hand, lists[i], 0, lists[i + 1]);
    uint64_t dg = hand_data_group(&hand, 0, lists[0]);
    (void)hand_channel(&hand, hand_group(&hand, dg, "g", 0, 4, records), &counter_u32);
}

static void lists_of_blocks_are_one_stream(void **state)
{
    (void)state;
    for (size_t block = 1; block <= 12; block++) {
        for (size_t list = 1; list <= 3; list++) {
            make_list_file(10, block, list);
            struct mdf_reader *r = hand_open(&hand);
            const struct mdf_read_channel *c = mdf_read_file(r)->groups[0].channels;
            for (uint64_t i = 0; i < 10; i++)
                assert_int_equal(mdf_read_uint64(c, hand_expect_record(r, 0)), 100 + i);
            hand_expect_end(r, 0, "");
        }
    }
}

static void record_ids_of_every_size_are_read(void **state)
{
    static const uint64_t ids[][2] = {
        {1, 0xfe}, {0x100, 0xfffe}, {0x10000, 0xfffffffe}, {1, UINT64_C(0x8000000000000001)}};
    static const int sizes[] = {1, 2, 4, 8};
    static const int order[] = {0, 1, 1, 0, 1, 0, 0};
    (void)state;
    for (int k = 0; k < 4; k++) {
        uint8_t data[128];
        size_t used = 0;
        hand_begin(&hand);
        for (size_t i = 0; i < 7; i++) {
            memcpy(data + used, &ids[k][order[i]], (size_t)sizes[k]);
            used += (size_t)sizes[k];
            size_t bytes = order[i] ? 5 : 2;
            memset(data + used, (int)(10 + i), bytes);
            used += bytes;
        }
        uint64_t dg = hand_data_group(&hand, sizes[k], hand_block(&hand, "##DT", 0, data, used));
        static const struct hand_channel first = {.name = "a", .bit_count = 8};
        static const struct hand_channel last = {.name = "b", .byte_offset = 4, .bit_count = 8};
        (void)hand_channel(&hand, hand_group(&hand, dg, "short", ids[k][0], 2, 4), &first);
        (void)hand_channel(&hand, hand_group(&hand, dg, "long", ids[k][1], 5, 3), &last);
        struct mdf_reader *r = hand_open(&hand);
        const struct mdf_read_group *groups = mdf_read_file(r)->groups;
        for (size_t i = 0; i < 7; i++) {
            const void *record = hand_expect_record(r, (size_t)order[i]);
            assert_int_equal(mdf_read_uint64(groups[order[i]].channels, record), 10 + i);
        }
        assert_int_equal(mdf_read_count(r, &groups[0]), 4);
        assert_int_equal(mdf_read_count(r, &groups[1]), 3);
        hand_expect_end(r, 0, "");
    }
}

static void records_of_variable_length_are_passed_over(void **state)
{
    static const uint8_t data[] = {1, 10, 2, 3, 0, 0, 0, 'a', 'b', 'c',
                                   1, 11, 2, 0, 0, 0, 0, 1,   12};
    static const struct hand_channel byte = {.name = "n", .bit_count = 8};
    (void)state;
    hand_begin(&hand);
    uint64_t dt = hand_block(&hand, "##DT", 0, data, sizeof data);
    uint64_t dg = hand_data_group(&hand, 1, dt);
    (void)hand_channel(&hand, hand_group(&hand, dg, "fixed", 1, 1, 3), &byte);
    hand_field(&hand, hand_group(&hand, dg, "variable", 2, 3, 2), 16, 1, 2);
    struct mdf_reader *r = hand_open(&hand);
    const struct mdf_read_group *groups = mdf_read_file(r)->groups;
    assert_true(groups[1].variable);
    for (uint64_t i = 10; i < 13; i++)
        assert_int_equal(mdf_read_uint64(groups[0].channels, hand_expect_record(r, 0)), i);
    hand_expect_end(r, 0, "");
    hand_set(&hand, dt + 24 + 3, 200, 1);
    r = hand_open(&hand);
    (void)hand_expect_record(r, 0);
    hand_expect_end(r, -EBADMSG, "the last record is not complete");
}

static void data_groups_come_one_after_the_other(void **state)
{
    static const uint8_t data[] = {1, 2, 3};
    static const struct hand_channel byte = {.name = "n", .bit_count = 8};
    (void)state;
    hand_begin(&hand);
    for (size_t i = 0; i < 3; i++) {
        uint64_t dg =
            hand_data_group(&hand, 0, i == 1 ? 0 : hand_block(&hand, "##DT", 0, data, i + 1));
        (void)hand_channel(&hand, hand_group(&hand, dg, "g", 0, 1, i == 1 ? 0 : i + 1), &byte);
    }
    struct mdf_reader *r = hand_open(&hand);
    for (int again = 0; again < 3; again++) {
        (void)hand_expect_record(r, 0);
        for (uint64_t i = 1; again != 1 && i <= 3; i++)
            assert_int_equal(
                mdf_read_uint64(mdf_read_file(r)->groups[2].channels, hand_expect_record(r, 2)), i);
        if (again < 2)
            mdf_read_rewind(r);
    }
    hand_expect_end(r, 0, "");
}

static void an_unfinished_list_goes_on_to_the_end(void **state)
{
    (void)state;
    for (uint32_t records = 1; records < 6; records++) {
        make_list_file(records, 4, 2);
        uint64_t last = 64 + 104 + (uint64_t)(records - 1) * 32; /* each ##DT is padded to 32 */
        assert_memory_equal(hand.bytes + last, "##DT", 4);
        /* Move everything behind it, as a logger does that writes descriptions first. */
        uint8_t tail[4] = {0};
        memcpy(tail, hand.bytes + last + 24, 4);
        uint64_t moved = hand_block(&hand, "##DT", 0, tail, 4);
        for (uint64_t at = 64; at < moved; at += 8)
            if (hand_get(&hand, at, 8) == last)
                hand_set(&hand, at, moved, 8);
        hand_set(&hand, moved + 8, 24, 8);
        hand_raw(&hand, "\x77\0\0\0\x78\0", 6);
        hand_unfinished(&hand, 0x05, 0);
        struct mdf_reader *r = hand_open(&hand);
        assert_true(mdf_read_file(r)->unfinished);
        const struct mdf_read_channel *c = mdf_read_file(r)->groups[0].channels;
        for (uint64_t i = 0; i < records; i++)
            assert_int_equal(mdf_read_uint64(c, hand_expect_record(r, 0)), 100 + i);
        assert_int_equal(mdf_read_uint64(c, hand_expect_record(r, 0)), 0x77);
        const struct mdf_read_group *g;
        const void *record;
        assert_int_equal(mdf_read_next(r, &g, &record, NULL), 0);
        assert_int_equal(mdf_read_left_over(r), 2);
        hand_expect_end(r, 0, "");
    }
}

static void unfinished_lists_may_have_empty_links(void **state)
{
    (void)state;
    make_list_file(3, 4, 4);
    uint64_t list = 64 + 104 + 3 * 32;
    assert_memory_equal(hand.bytes + list, "##DL", 4);
    hand_link(&hand, list, 3, 0);
    struct mdf_reader *r = hand_open(&hand);
    (void)hand_expect_record(r, 0);
    (void)hand_expect_record(r, 0);
    hand_expect_end(r, -EBADMSG, "##DL has an empty link");
    hand_unfinished(&hand, 0x11, 0);
    r = hand_open(&hand);
    (void)hand_expect_record(r, 0);
    (void)hand_expect_record(r, 0);
    hand_expect_end(r, 0, "");
}

static void other_ways_to_be_unfinished_are_refused(void **state)
{
    (void)state;
    make_list_file(1, 4, 1);
    hand_unfinished(&hand, 0x05, 1);
    hand_expect_refused(&hand, -ENOTSUP, "only the program that wrote it (by hand) can repair");
    hand_unfinished(&hand, 0x85, 0);
    hand_expect_refused(&hand, -ENOTSUP, "flags 0x85");
}

static void compressed_and_column_data_is_refused(void **state)
{
    static const char *const ids[] = {"##DZ", "##HL", "##DV", "##LD"};
    static const uint8_t fields[24];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        hand_begin(&hand);
        uint64_t data = hand_block(&hand, ids[i], i % 2, fields, sizeof fields);
        (void)hand_data_group(&hand, 0, data);
        hand_expect_refused(&hand, -ENOTSUP,
                            i < 2 ? "compressed data is not supported"
                                  : "data by column is not supported");
        hand_begin(&hand);
        data = hand_block(&hand, ids[i], i % 2, fields, sizeof fields);
        (void)hand_data_group(&hand, 0, hand_list(&hand, 1, &data));
        struct mdf_reader *r = hand_open(&hand);
        hand_expect_end(r, -ENOTSUP, ids[i]);
    }
}

static void comments_are_text_or_xml(void **state)
{
    static const char xml[] =
        "<?xml version='1.0'?><!-- <TX>no</TX> --><HDcomment xmlns='x'><TX>a &lt;b&gt; &amp;amp; "
        "&#228;&#x20AC;<![CDATA[<&lt;]]> \r\nc</TX><common_properties >"
        "<e name=\"one\">1</e><e name = 'two &quot;q&quot;' type=\"a>b\">&apos;2&apos;</e>"
        "<tree name='t'><e name=\"deep\"/><e>nameless</e></tree><e other='x' name='un&known;'>&bad"
        "</e></common_properties><e name='outside'>no</e></HDcomment>";
    static const char *const expected[][2] = {
        {"one", "1"}, {"two \"q\"", "'2'"}, {"deep", ""}, {"un&known;", "&bad"}};
    (void)state;
    hand_begin(&hand);
    hand_link(&hand, HAND_HD, 5, hand_text(&hand, "##MD", xml));
    struct mdf_reader *r = hand_open(&hand);
    const struct mdf_read_file *file = mdf_read_file(r);
    assert_string_equal(file->comment, "a <b> &amp; \xc3\xa4\xe2\x82\xac<&lt; \nc");
    assert_int_equal(file->property_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(file->properties[i].name, expected[i][0]);
        assert_string_equal(mdf_read_property(r, expected[i][0]), expected[i][1]);
    }
    assert_null(mdf_read_property(r, "outside"));
    hand_expect_end(r, 0, "");
    hand_link(&hand, HAND_HD, 5, hand_text(&hand, "##TX", "<plain>"));
    r = hand_open(&hand);
    assert_string_equal(mdf_read_file(r)->comment, "<plain>");
    hand_expect_end(r, 0, "");
}

static void attachments_are_read_in_parts(void **state)
{
    static const uint8_t fields[45] = {1, [40] = 'h', 'e', 'l', 'l', 'o'};
    uint8_t part[4];
    struct err e = {""};
    (void)state;
    hand_begin(&hand);
    uint64_t at = hand_block(&hand, "##AT", 4, fields, sizeof fields);
    hand_field(&hand, at, 24, 5, 8);
    hand_field(&hand, at, 32, 5, 8);
    hand_link(&hand, at, 1, hand_text(&hand, "##TX", "greeting.txt"));
    hand_link(&hand, HAND_HD, 3, at);
    uint64_t outside = hand_block(&hand, "##AT", 4, fields, 40);
    hand_field(&hand, outside, 0, 0, 2);
    hand_link(&hand, at, 0, outside);
    struct mdf_reader *r = hand_open(&hand);
    const struct mdf_read_attachment *a = mdf_read_file(r)->attachments;
    assert_int_equal(mdf_read_file(r)->attachment_count, 2);
    assert_string_equal(a[0].name, "greeting.txt");
    assert_int_equal(a[0].bytes, 5);
    assert_int_equal(mdf_read_attachment_bytes(r, &a[0], 1, part, 4, &e), 0);
    assert_memory_equal(part, "ello", 4);
    assert_int_equal(mdf_read_attachment_bytes(r, &a[0], 2, part, 4, &e), -EINVAL);
    assert_int_equal(mdf_read_attachment_bytes(r, &a[1], 0, part, 0, &e), -ENOTSUP);
    hand_expect_end(r, 0, "");
    hand_field(&hand, at, 0, 3, 2);
    r = hand_open(&hand);
    a = mdf_read_file(r)->attachments;
    assert_int_equal(mdf_read_attachment_bytes(r, &a[0], 0, part, 1, &e), -ENOTSUP);
    mdf_read_close(r);
    hand_field(&hand, at, 32, 6, 8);
    hand_expect_refused(&hand, -EBADMSG, "6 attached bytes do not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_blocks_are_one_stream),
        cmocka_unit_test(record_ids_of_every_size_are_read),
        cmocka_unit_test(records_of_variable_length_are_passed_over),
        cmocka_unit_test(data_groups_come_one_after_the_other),
        cmocka_unit_test(an_unfinished_list_goes_on_to_the_end),
        cmocka_unit_test(unfinished_lists_may_have_empty_links),
        cmocka_unit_test(other_ways_to_be_unfinished_are_refused),
        cmocka_unit_test(compressed_and_column_data_is_refused),
        cmocka_unit_test(comments_are_text_or_xml),
        cmocka_unit_test(attachments_are_read_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

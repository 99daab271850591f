/* Values of every kind that the MDF reader understands, in records put together by hand. They are
 * compared bit for bit. */
#include "shared/wire/mdf_read.h"

#include "rt-tests/support/mdf_hand.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct hand hand;

/* A sorted file with one record. Returns the group. */
static uint64_t make_one_record(const void *data, size_t bytes, uint32_t data_bytes)
{
    hand_begin(&hand);
    uint64_t dg = hand_data_group(&hand, 0, hand_block(&hand, "##DT", 0, data, bytes));
    return hand_group(&hand, dg, "g", 0, data_bytes, 1);
}

static void integers_lie_at_any_bit(void **state)
{
    /* Bits are counted from the least significant one of the first byte. */
    static const uint8_t data[] = {0xa5, 0x5a, 0xff, 0x00, 0x12, 0x34,
                                   0x56, 0x78, 0x9a, 0xbc, 0xde};
    static const struct {
        struct hand_channel c;
        uint64_t value;
    } cases[] = {
        {{"one bit", 0, 0, 0, 0, 0, 1}, 1},
        {{"three bits", 0, 0, 0, 5, 0, 3}, 5},
        {{"across bytes", 0, 0, 0, 4, 0, 12}, 0x5aa},
        {{"signed twelve", 0, 0, 2, 4, 1, 12}, (uint64_t)-11},
        {{"signed eight", 0, 0, 2, 0, 2, 8}, (uint64_t)-1},
        {{"signed one bit", 0, 0, 2, 0, 2, 1}, (uint64_t)-1},
        {{"thirty-two", 0, 0, 0, 0, 4, 32}, 0x78563412},
        {{"sixty-four", 0, 0, 0, 0, 3, 64}, UINT64_C(0xdebc9a7856341200)},
        {{"signed sixty-four", 0, 0, 2, 0, 3, 64}, UINT64_C(0xdebc9a7856341200)},
        {{"nine bytes", 0, 0, 0, 7, 1, 64}, UINT64_C(0x7934f0ac682401fe)},
        {{"signed nine bytes", 0, 0, 2, 1, 2, 64}, UINT64_C(0x5e4d3c2b1a09007f)},
    };
    (void)state;
    uint64_t group = make_one_record(data, sizeof data, sizeof data);
    enum { COUNT = sizeof cases / sizeof cases[0] };
    for (size_t i = 0; i < COUNT; i++)
        (void)hand_channel(&hand, group, &cases[i].c);
    struct mdf_reader *r = hand_open(&hand);
    const struct mdf_read_channel *c = mdf_read_file(r)->groups[0].channels;
    const void *record = hand_expect_record(r, 0);
    for (size_t i = 0; i < COUNT; i++) {
        bool is_signed = cases[i].c.data_type == 2;
        assert_string_equal(c[i].name, cases[i].c.name);
        assert_int_equal(c[i].type, is_signed ? MDF_READ_TYPE_SIGNED : MDF_READ_TYPE_UNSIGNED);
        if (mdf_read_uint64(&c[i], record) != cases[i].value)
            fail_msg("%s: %#llx", c[i].name, (unsigned long long)mdf_read_uint64(&c[i], record));
        assert_true(mdf_read_int64(&c[i], record) == (int64_t)cases[i].value);
        double number = is_signed ? (double)(int64_t)cases[i].value : (double)cases[i].value;
        assert_true(mdf_read_number(&c[i], record) == number);
    }
    hand_expect_end(r, 0, "");
}

static void floats_texts_and_other_types(void **state)
{
    static const struct hand_channel channels[] = {
        {"f32", 0, 0, 4, 0, 0, 32},        {"f64", 0, 0, 4, 0, 4, 64},
        {"text", 0, 0, 7, 0, 12, 48},      {"latin1", 0, 0, 6, 0, 18, 16},
        {"big endian", 0, 0, 1, 0, 0, 32}, {"f16", 0, 0, 4, 0, 0, 16},
        {"variable", 1, 0, 0, 0, 4, 64},   {"virtual", 6, 0, 0, 0, 0, 0},
        {"bytes", 0, 0, 10, 0, 1, 16},     {"long integer", 0, 0, 0, 0, 0, 72},
    };
    enum { COUNT = sizeof channels / sizeof channels[0] };
    uint8_t data[20] = {0};
    const float f32 = 0.1F;
    const double f64 = -0.0;
    (void)state;
    memcpy(data, &f32, 4);
    memcpy(data + 4, &f64, 8);
    memcpy(data + 12, "abc\0x", 6);
    data[18] = 0xe4;
    data[19] = 'z';
    uint64_t group = make_one_record(data, sizeof data, sizeof data);
    for (size_t i = 0; i < COUNT; i++)
        (void)hand_channel(&hand, group, &channels[i]);
    struct mdf_reader *r = hand_open(&hand);
    const struct mdf_read_channel *c = mdf_read_file(r)->groups[0].channels;
    const void *record = hand_expect_record(r, 0);
    size_t bytes = 0;
    assert_true(mdf_read_number(&c[0], record) == (double)f32);
    assert_true(mdf_read_number(&c[1], record) == 0.0 && signbit(mdf_read_number(&c[1], record)));
    assert_memory_equal(mdf_read_raw(&c[2], record, &bytes), "abc", 4);
    assert_int_equal(bytes, 3);
    assert_memory_equal(mdf_read_raw(&c[3], record, &bytes), "\xe4z", 2);
    assert_int_equal(bytes, 2);
    for (size_t i = 4; i < COUNT; i++) {
        assert_int_equal(c[i].type, MDF_READ_TYPE_RAW);
        assert_true(isnan(mdf_read_number(&c[i], record)));
        assert_int_equal(mdf_read_uint64(&c[i], record), 0);
        (void)mdf_read_raw(&c[i], record, &bytes);
        assert_int_equal(bytes, channels[i].bit_count / 8);
    }
    assert_memory_equal(mdf_read_raw(&c[8], record, &bytes), data + 1, 2);
    hand_expect_end(r, 0, "");
}

static void conversions_give_physical_values(void **state)
{
    static const struct hand_channel channels[] = {
        {"ns", 2, 1, 2, 0, 0, 64},   {"linear", 0, 0, 2, 0, 0, 64},   {"same", 0, 0, 4, 0, 8, 64},
        {"none", 0, 0, 2, 0, 0, 64}, {"rational", 0, 0, 2, 0, 0, 64},
    };
    uint8_t data[16], none[24] = {0}, rational[72] = {2};
    uint64_t cn[5];
    const int64_t ns = 150000;
    const double zero = -0.0;
    (void)state;
    memcpy(data, &ns, 8);
    memcpy(data + 8, &zero, 8);
    uint64_t group = make_one_record(data, sizeof data, sizeof data);
    for (size_t i = 0; i < 5; i++)
        cn[i] = hand_channel(&hand, group, &channels[i]);
    uint64_t cc = hand_linear(&hand, 0.0, 1e-9);
    hand_link(&hand, cc, 1, hand_text(&hand, "##TX", "s"));
    hand_link(&hand, cn[0], 4, cc);
    hand_link(&hand, cn[1], 4, hand_linear(&hand, -1.5, 0.25));
    hand_link(&hand, cn[1], 6, hand_text(&hand, "##MD", "<CNunit><TX>m</TX></CNunit>"));
    hand_link(&hand, cn[2], 4, hand_linear(&hand, 0.0, 1.0));
    hand_link(&hand, cn[3], 4, hand_block(&hand, "##CC", 4, none, sizeof none));
    hand_link(&hand, cn[4], 4, hand_block(&hand, "##CC", 4, rational, sizeof rational));
    struct mdf_reader *r = hand_open(&hand);
    const struct mdf_read_channel *c = mdf_read_file(r)->groups[0].channels;
    const void *record = hand_expect_record(r, 0);
    /* 1e-9 * 150000 is one unit in the last place higher. */
    assert_true(mdf_read_number(&c[0], record) == 0.00015);
    assert_int_equal(mdf_read_int64(&c[0], record), ns);
    assert_true(c[0].master && !c[1].master);
    assert_string_equal(c[0].unit, "s");
    assert_true(mdf_read_number(&c[1], record) == 0.25 * 150000 - 1.5);
    assert_string_equal(c[1].unit, "m");
    assert_true(signbit(mdf_read_number(&c[2], record)));
    assert_int_equal(c[3].conversion, MDF_READ_AS_STORED);
    assert_int_equal(c[4].conversion, MDF_READ_UNKNOWN);
    assert_true(mdf_read_number(&c[4], record) == 150000.0);
    hand_expect_end(r, 0, "");
}

static void invalidation_bits_follow_the_data(void **state)
{
    static const struct hand_channel channels[] = {{"always", 0, 0, 0, 0, 0, 8},
                                                   {"bit 1", 0, 0, 0, 0, 0, 8},
                                                   {"bit 9", 0, 0, 0, 0, 0, 8},
                                                   {"never", 0, 0, 0, 0, 0, 8}};
    static const uint8_t data[] = {7, 0x02, 0x00};
    (void)state;
    uint64_t group = make_one_record(data, sizeof data, 1), cn[4];
    hand_field(&hand, group, 28, 2, 4);
    for (size_t i = 0; i < 4; i++) {
        cn[i] = hand_channel(&hand, group, &channels[i]);
        hand_field(&hand, cn[i], 12, i == 0 ? 0 : i == 3 ? 1 : 2, 4);
        hand_field(&hand, cn[i], 16, i == 1 ? 1 : 9, 4);
    }
    struct mdf_reader *r = hand_open(&hand);
    const struct mdf_read_channel *c = mdf_read_file(r)->groups[0].channels;
    const void *record = hand_expect_record(r, 0);
    assert_true(mdf_read_valid(&c[0], record));
    assert_false(mdf_read_valid(&c[1], record));
    assert_true(mdf_read_valid(&c[2], record));
    assert_false(mdf_read_valid(&c[3], record));
    hand_expect_end(r, 0, "");
    hand_field(&hand, cn[2], 16, 16, 4);
    hand_expect_refused(&hand, -EBADMSG, "invalidation bit 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_lie_at_any_bit),
        cmocka_unit_test(floats_texts_and_other_types),
        cmocka_unit_test(conversions_give_physical_values),
        cmocka_unit_test(invalidation_bits_follow_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

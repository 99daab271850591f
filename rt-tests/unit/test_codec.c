/* The codec against bit-by-bit readings of the DBC's two ways to count, and at the ends of ranges.
 */
#include "shared/can/codec.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct dbc_signal signal_at(uint32_t start, uint32_t length, bool big, enum dbc_type type)
{
    return (struct dbc_signal){.name = "s",
                               .start = start,
                               .length = length,
                               .big_endian = big,
                               .type = type,
                               .factor = 1.0,
                               .switch_index = -1};
}

static struct can_code compiled(struct dbc_signal s, uint32_t bytes)
{
    struct dbc_message m = {.name = "m", .length = bytes, .signals = &s, .signal_count = 1};
    struct can_code code;
    assert_int_equal(code_compile(&m, &s, &code), 0);
    return code;
}

/* A fixed sequence of 64-bit numbers (splitmix64). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Bit `position` of the file's count: byte position / 8, bit position % 8 of it. A little-endian
 * signal goes up from its lowest bit; a big-endian one goes down from its highest, and from the
 * lowest bit of a byte to the highest of the next. */
static uint64_t slow_get(const struct dbc_signal *s, const uint8_t *data)
{
    uint64_t raw = 0;
    uint32_t position = s->start;
    for (uint32_t i = 0; i < s->length; i++) {
        uint64_t bit = data[position / 8] >> (position % 8) & 1u;
        if (s->big_endian) {
            raw = raw << 1 | bit;
            position = position % 8 ? position - 1 : position + 15;
        } else {
            raw |= bit << i;
            position++;
        }
    }
    return raw;
}

static bool slow_fits(const struct dbc_signal *s, uint32_t bytes)
{
    uint32_t position = s->start;
    for (uint32_t i = 0; i < s->length; i++) {
        if (position / 8 >= bytes)
            return false;
        position = !s->big_endian ? position + 1 : position % 8 ? position - 1 : position + 15;
    }
    return true;
}

static void check_place(uint32_t start, uint32_t length, bool big, uint32_t bytes, uint64_t *seed)
{
    struct dbc_signal s = signal_at(start, length, big, DBC_UNSIGNED);
    struct dbc_message m = {.name = "m", .length = bytes, .signals = &s, .signal_count = 1};
    struct can_code code;
    int rc = code_compile(&m, &s, &code);
    assert_int_equal(rc, slow_fits(&s, bytes) ? 0 : -ERANGE);
    if (rc)
        return;
    uint8_t data[CAN_MSG_DATA], before[CAN_MSG_DATA];
    for (size_t i = 0; i < sizeof data; i += 8) {
        uint64_t bits = next_random(seed);
        memcpy(data + i, &bits, 8);
    }
    memcpy(before, data, sizeof data);
    assert_true(code_get_raw(&code, data) == slow_get(&s, data));
    uint64_t raw = next_random(seed), mask = ~(uint64_t)0 >> (64 - length);
    code_put_raw(&code, data, raw);
    assert_true(slow_get(&s, data) == (raw & mask));
    assert_true(code_get_raw(&code, data) == (raw & mask));
    /* Putting the old bits back restores every byte: no other bit was touched. */
    code_put_raw(&code, data, slow_get(&s, before));
    assert_memory_equal(data, before, sizeof data);
}

static void every_place_and_length_is_read_and_written_like_bit_by_bit(void **unused)
{
    (void)unused;
    uint64_t seed = 1;
    for (uint32_t big = 0; big < 2; big++)
        for (uint32_t length = 1; length <= 64; length++)
            for (uint32_t start = 0; start < 512; start++) {
                check_place(start, length, big, 64, &seed);
                if (start < 72)
                    check_place(start, length, big, 8, &seed);
            }
}

static void lengths_that_cannot_be_coded_are_refused(void **unused)
{
    (void)unused;
    struct can_code code;
    struct dbc_message m = {.name = "m", .length = 64};
    struct dbc_signal none = signal_at(0, 0, false, DBC_UNSIGNED);
    struct dbc_signal vin = signal_at(0, 136, false, DBC_UNSIGNED);
    assert_int_equal(code_compile(&m, &none, &code), -ERANGE);
    assert_int_equal(code_compile(&m, &vin, &code), -ERANGE);
}

static void physical_values_round_to_the_nearest_raw_value(void **unused)
{
    (void)unused;
    struct dbc_signal s = signal_at(3, 12, false, DBC_UNSIGNED);
    s.factor = 0.1;
    s.offset = -30.0;
    struct can_code code = compiled(s, 8);
    uint8_t data[CAN_MSG_DATA] = {0};
    assert_int_equal(code_put(&code, data, 12.34), CODE_OK);
    assert_int_equal(code_get_raw(&code, data), 423);
    /* 423 * 0.1 - 30 in doubles; the sum has 1e-15 of rounding at most. */
    assert_true(fabs(code_get(&code, data) - 12.3) < 1e-14);
}

/* Every raw value of many scalings is what its own physical value is coded to. */
static void physical_round_trip_is_exact_up_to_32_bits(void **unused)
{
    (void)unused;
    static const double factors[] = {1.0, 0.1, -0.25, 0.0075, 1.5625e-05, 0.00390625, 3.0, -1e6};
    static const double offsets[] = {0.0, -30.0, 1e3, -273.15};
    uint64_t seed = 7;
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
            for (uint32_t length = 1; length <= 32; length++)
                for (int i = 0; i < 20; i++) {
                    struct dbc_signal s =
                        signal_at(5, length, false, i % 2 ? DBC_SIGNED : DBC_UNSIGNED);
                    s.factor = factors[f];
                    s.offset = offsets[o];
                    struct can_code code = compiled(s, 8);
                    uint64_t raw = next_random(&seed) & code.field.mask, back = 0;
                    assert_int_equal(code_raw_of(&code, code_value_of(&code, raw), &back), CODE_OK);
                    assert_true(back == raw);
                }
}

static void check_clamp(enum dbc_type type, uint32_t length, double value, int status, uint64_t raw)
{
    struct can_code code = compiled(signal_at(0, length, false, type), 8);
    uint8_t data[CAN_MSG_DATA] = {0};
    uint64_t direct = 0;
    assert_int_equal(code_put(&code, data, value), status);
    assert_true(code_get_raw(&code, data) == raw);
    assert_int_equal(code_raw_of(&code, value, &direct), status);
    assert_true(direct == raw);
}

static void values_outside_the_raw_range_are_clamped_and_reported(void **unused)
{
    (void)unused;
    check_clamp(DBC_UNSIGNED, 8, 255.0, CODE_OK, 255);
    check_clamp(DBC_UNSIGNED, 8, 255.4, CODE_OK, 255);
    check_clamp(DBC_UNSIGNED, 8, 255.6, CODE_HIGH, 255);
    check_clamp(DBC_UNSIGNED, 8, -0.4, CODE_OK, 0);
    check_clamp(DBC_UNSIGNED, 8, -0.6, CODE_LOW, 0);
    check_clamp(DBC_UNSIGNED, 8, INFINITY, CODE_HIGH, 255);
    check_clamp(DBC_SIGNED, 8, -128.0, CODE_OK, 0x80);
    check_clamp(DBC_SIGNED, 8, -129.0, CODE_LOW, 0x80);
    check_clamp(DBC_SIGNED, 8, 128.0, CODE_HIGH, 0x7f);
    check_clamp(DBC_SIGNED, 1, -1.0, CODE_OK, 1);
    check_clamp(DBC_SIGNED, 1, 1.0, CODE_HIGH, 0);
    check_clamp(DBC_SIGNED, 8, -INFINITY, CODE_LOW, 0x80);
}

static void clamping_knows_the_ends_of_wide_integers(void **unused)
{
    (void)unused;
    /* The greatest double below 2^64, 2^63 and 2^60; the ends themselves round up to the power. */
    check_clamp(DBC_UNSIGNED, 64, 0x1.fffffffffffffp63, CODE_OK, 0xfffffffffffff800u);
    check_clamp(DBC_UNSIGNED, 64, 0x1p63, CODE_OK, 0x8000000000000000u);
    check_clamp(DBC_UNSIGNED, 64, 0x1p64, CODE_HIGH, UINT64_MAX);
    check_clamp(DBC_SIGNED, 64, 0x1.fffffffffffffp62, CODE_OK, 0x7ffffffffffffc00u);
    check_clamp(DBC_SIGNED, 64, 0x1p63, CODE_HIGH, INT64_MAX);
    check_clamp(DBC_SIGNED, 64, -0x1p63, CODE_OK, 0x8000000000000000u);
    check_clamp(DBC_SIGNED, 64, -0x1.1p63, CODE_LOW, 0x8000000000000000u);
    check_clamp(DBC_UNSIGNED, 60, 0x1.fffffffffffffp59, CODE_OK, 0xfffffffffffff80u);
    check_clamp(DBC_UNSIGNED, 60, 0x1p60, CODE_HIGH, 0xfffffffffffffffu);
}

static void what_is_no_number_leaves_the_data(void **unused)
{
    (void)unused;
    for (int type = DBC_UNSIGNED; type <= DBC_FLOAT64; type++) {
        uint32_t length = type == DBC_FLOAT64 ? 64 : 32;
        struct can_code code = compiled(signal_at(0, length, false, (enum dbc_type)type), 8);
        uint8_t data[CAN_MSG_DATA];
        memset(data, 0xa5, sizeof data);
        assert_int_equal(code_put(&code, data, NAN), CODE_NAN);
        for (size_t i = 0; i < sizeof data; i++)
            assert_int_equal(data[i], 0xa5);
    }
}

static void integers_of_64_bits_are_exact(void **unused)
{
    (void)unused;
    struct can_code code = compiled(signal_at(3, 64, false, DBC_SIGNED), 16);
    uint8_t data[CAN_MSG_DATA] = {0};
    const int64_t values[] = {INT64_MIN, INT64_MIN + 1, -1, 0, (INT64_C(1) << 53) + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        code_put_raw(&code, data, (uint64_t)values[i]);
        assert_true(code_get_int(&code, data) == values[i]);
    }
    code = compiled(signal_at(2, 5, true, DBC_SIGNED), 8);
    code_put_raw(&code, data, 0x13);
    assert_int_equal(code_get_int(&code, data), -13);
}

static void floating_point_signals_hold_the_bits_of_a_float_or_double(void **unused)
{
    (void)unused;
    struct dbc_signal s = signal_at(7, 32, true, DBC_FLOAT32);
    s.offset = 1.0;
    struct can_code code = compiled(s, 8);
    uint8_t data[CAN_MSG_DATA] = {0};
    assert_int_equal(code_put(&code, data, -1.5), CODE_OK);
    const uint8_t minus_2_5[] = {0xc0, 0x20, 0, 0};
    assert_memory_equal(data, minus_2_5, 4);
    assert_true(code_get(&code, data) == -1.5);
    assert_int_equal(code_put(&code, data, 1e39), CODE_HIGH);
    assert_true(code_get_raw(&code, data) == 0x7f7fffff);
    assert_int_equal(code_put(&code, data, -1e39), CODE_LOW);

    code = compiled(signal_at(0, 64, false, DBC_FLOAT64), 8);
    assert_int_equal(code_put(&code, data, 0.1), CODE_OK);
    assert_true(code_get_raw(&code, data) == 0x3fb999999999999au);
    assert_true(code_get(&code, data) == 0.1);
}

static void wrapped_values_count_on_past_the_end(void **unused)
{
    (void)unused;
    struct dbc_signal s = signal_at(4, 12, true, DBC_UNSIGNED);
    s.factor = 4e-6; /* a time stamp in steps of 4 us */
    struct can_code code = compiled(s, 8);
    uint8_t data[CAN_MSG_DATA] = {0};
    assert_int_equal(code_put_wrapped(&code, data, 5000 * 4e-6), CODE_OK);
    uint64_t first = code_get_raw(&code, data);
    assert_int_equal(first, 5000 - 4096);
    assert_int_equal(code_put_wrapped(&code, data, 8200 * 4e-6), CODE_OK);
    assert_int_equal(code_wrapped_step(&code, first, code_get_raw(&code, data)), 3200);
    assert_int_equal(code_put_wrapped(&code, data, -4e-6), CODE_OK);
    assert_int_equal(code_get_raw(&code, data), 4095);
    assert_int_equal(code_put_wrapped(&code, data, 1e300), CODE_NAN);
    assert_int_equal(code_put_wrapped(&code, data, NAN), CODE_NAN);
    assert_int_equal(code_get_raw(&code, data), 4095);
}

/* A switch, a second one under it, and a signal that is there for 1..2 and 5 of the second. */
static void multiplexed_signals_are_present_when_all_switches_say_so(void **unused)
{
    (void)unused;
    const struct dbc_range at_3 = {3, 3}, low[] = {{1, 2}, {5, 5}};
    struct dbc_signal signals[3] = {signal_at(0, 4, false, DBC_UNSIGNED),
                                    signal_at(15, 8, true, DBC_UNSIGNED),
                                    signal_at(16, 16, false, DBC_UNSIGNED)};
    signals[1].switch_index = 0;
    signals[1].ranges = &at_3;
    signals[1].range_count = 1;
    signals[2].switch_index = 1;
    signals[2].ranges = low;
    signals[2].range_count = 2;
    struct dbc_message m = {.name = "m", .length = 8, .signals = signals, .signal_count = 3};
    struct can_mux mux[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(mux_compile(&m, &signals[i], &mux[i]), 0);
    uint8_t data[CAN_MSG_DATA] = {0};
    for (uint32_t outer = 0; outer < 16; outer++)
        for (uint32_t inner = 0; inner < 256; inner++) {
            data[0] = (uint8_t)outer;
            data[1] = (uint8_t)inner;
            assert_true(mux_present(&mux[0], data));
            assert_int_equal(mux_present(&mux[1], data), outer == 3);
            assert_int_equal(mux_present(&mux[2], data),
                             outer == 3 && (inner == 1 || inner == 2 || inner == 5));
        }
    mux_select(&mux[2], data);
    assert_int_equal(data[0], 3);
    assert_int_equal(data[1], 1);
    assert_true(mux_present(&mux[2], data));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_and_length_is_read_and_written_like_bit_by_bit),
        cmocka_unit_test(lengths_that_cannot_be_coded_are_refused),
        cmocka_unit_test(physical_values_round_to_the_nearest_raw_value),
        cmocka_unit_test(physical_round_trip_is_exact_up_to_32_bits),
        cmocka_unit_test(values_outside_the_raw_range_are_clamped_and_reported),
        cmocka_unit_test(clamping_knows_the_ends_of_wide_integers),
        cmocka_unit_test(what_is_no_number_leaves_the_data),
        cmocka_unit_test(integers_of_64_bits_are_exact),
        cmocka_unit_test(floating_point_signals_hold_the_bits_of_a_float_or_double),
        cmocka_unit_test(wrapped_values_count_on_past_the_end),
        cmocka_unit_test(multiplexed_signals_are_present_when_all_switches_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Protection of frames: check values, published examples, recorded frames, errors and counters. */
#include "shared/can/crc.h"
#include "shared/can/protect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDED = 16 };

/* The definition of a CRC, bit by bit: an independent way to the same number. */
static unsigned slow_crc(unsigned width, unsigned polynomial, unsigned crc, const uint8_t *bytes,
                         size_t count)
{
    for (size_t i = 0; i < 8 * count; i++) {
        unsigned bit = bytes[i / 8] >> (7 - i % 8) & 1;
        unsigned out = (crc >> (width - 1) & 1) ^ bit;
        crc = (crc << 1 & ((1u << width) - 1)) ^ (out ? polynomial : 0);
    }
    return crc;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void tables_follow_from_the_polynomials(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 256; i++) {
        uint8_t byte = (uint8_t)i;
        assert_int_equal(crc8_1d_table[i], slow_crc(8, 0x1d, 0, &byte, 1));
        assert_int_equal(crc8_2f_table[i], slow_crc(8, 0x2f, 0, &byte, 1));
        assert_int_equal(crc16_1021_table[i], slow_crc(16, 0x1021, 0, &byte, 1));
    }
    uint8_t data[64];
    uint32_t seed = 1;
    for (size_t n = 0; n <= sizeof data; n++) {
        for (size_t i = 0; i < n; i++)
            data[i] = (uint8_t)next_random(&seed);
        assert_int_equal(crc8_run(crc8_1d_table, 0x5a, data, n), slow_crc(8, 0x1d, 0x5a, data, n));
        assert_int_equal(crc8_run(crc8_2f_table, 0xff, data, n), slow_crc(8, 0x2f, 0xff, data, n));
        assert_int_equal(crc16_run(crc16_1021_table, 0xffff, data, n),
                         slow_crc(16, 0x1021, 0xffff, data, n));
    }
}

static void check_values_are_the_published_ones(void **unused)
{
    (void)unused;
    static const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    assert_int_equal(crc8_run(crc8_1d_table, 0xff, digits, 9) ^ 0xff, 0x4b);
    assert_int_equal(crc8_run(crc8_2f_table, 0xff, digits, 9) ^ 0xff, 0xdf);
    assert_int_equal(crc16_run(crc16_1021_table, 0xffff, digits, 9), 0x29b1);
}

struct example {
    enum protect_profile profile;
    uint16_t data_id;
    uint32_t counter;
    uint8_t length, sum_at;
    uint16_t counter_at;
    uint8_t frame[16];
};

/* Examples of AUTOSAR's E2E protocol specification (profiles 1 and 5: data id 0x123 and 0x1234,
 * data all zero) and, for the second counter, what other implementations give. */
static void published_frames_come_out(void **unused)
{
    (void)unused;
    static const struct example list[] = {
        {PROTECT_E2E_1A, 0x123, 0, 8, 0, 8, {0xcc}},
        {PROTECT_E2E_1A, 0x123, 1, 8, 0, 8, {0x91, 0x01}},
        {PROTECT_E2E_1B, 0x123, 0, 8, 0, 8, {0xce}},
        {PROTECT_E2E_1B, 0x123, 1, 8, 0, 8, {0x02, 0x01}},
        {PROTECT_E2E_1_LOW, 0x123, 0, 8, 0, 8, {0xce}},
        {PROTECT_E2E_1_LOW, 0x123, 1, 8, 0, 8, {0x93, 0x01}},
        {PROTECT_E2E_1C, 0x123, 0, 8, 0, 8, {0x2a, 0x10}},
        {PROTECT_E2E_1C, 0x123, 1, 8, 0, 8, {0x77, 0x11}},
        {PROTECT_E2E_2, 0, 1, 8, 0, 8, {0x45, 0x01}},
        {PROTECT_E2E_5, 0x1234, 0, 8, 0, 16, {0x1c, 0xca}},
        {PROTECT_E2E_5, 0x1234, 1, 8, 0, 16, {0xcf, 0x8d, 0x01}},
        {PROTECT_E2E_5, 0x1234, 0, 16, 8, 80, {0, 0, 0, 0, 0, 0, 0, 0, 0x28, 0x91}},
        {PROTECT_E2E_5, 0x1234, 1, 16, 8, 80, {0, 0, 0, 0, 0, 0, 0, 0, 0xfb, 0xd6, 0x01}},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const struct example *e = &list[i];
        struct protect_rule rule;
        uint8_t data[16] = {0};
        protect_profile(&rule, e->profile, e->length);
        rule.data_id = e->data_id;
        rule.sum_at = e->sum_at;
        rule.counter_at = e->counter_at;
        assert_null(protect_check(&rule));
        protect_apply(&rule, e->counter, data);
        assert_memory_equal(data, e->frame, e->length);
    }
}

static void profile_2_takes_the_id_of_the_counter(void **unused)
{
    (void)unused;
    struct protect_rule rule;
    protect_profile(&rule, PROTECT_E2E_2, 8);
    for (unsigned i = 0; i < PROTECT_IDS; i++)
        rule.data_ids[i] = (uint8_t)i;
    uint8_t data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    protect_apply(&rule, 2, data);
    assert_memory_equal(data, ((uint8_t[]){0xbc, 2, 2, 3, 4, 5, 6, 7}), 8);
    protect_apply(&rule, 17, data); /* 16 values: 17 is 1 */
    assert_memory_equal(data, ((uint8_t[]){0x61, 1, 2, 3, 4, 5, 6, 7}), 8);
}

/* The frames are the words of 16 hexadecimal digits in the note beside the databases. */
static int read_recorded(uint8_t frames[RECORDED][8])
{
    const char *folder = getenv("SKIDPAD_DATA");
    char path[1024], word[64];
    int count = 0;
    if (!folder)
        return 0;
    (void)snprintf(path, sizeof path, "%s/dbc/README.md", folder);
    FILE *file = fopen(path, "r");
    while (file && count < RECORDED && fscanf(file, "%63s", word) == 1) {
        if (strlen(word) != 16 || strspn(word, "0123456789abcdef") != 16)
            continue;
        for (int i = 0; i < 8; i++) {
            const char digits[] = {word[2 * i], word[2 * i + 1], '\0'};
            frames[count][i] = (uint8_t)strtoul(digits, NULL, 16);
        }
        count++;
    }
    if (file)
        (void)fclose(file);
    return count;
}

static void recorded_frames_of_a_car_verify(void **unused)
{
    (void)unused;
    uint8_t frames[RECORDED][8];
    if (!getenv("SKIDPAD_DATA"))
        skip();
    assert_int_equal(read_recorded(frames), RECORDED);
    struct protect_rule rule;
    struct protect_status status = {0};
    protect_profile(&rule, PROTECT_E2E_2, 8);
    memset(rule.data_ids, 0x07, sizeof rule.data_ids);
    for (uint32_t i = 0; i < RECORDED; i++) {
        uint8_t again[8];
        assert_int_equal(protect_verify(&rule, &status, frames[i], 8), 0);
        assert_int_equal(status.counter, i);
        memcpy(again, frames[i], 8);
        again[0] = 0;
        protect_apply(&rule, i, again);
        assert_memory_equal(again, frames[i], 8);
    }
    assert_int_equal(status.good, RECORDED);
    rule.data_ids[3] = 0x08; /* the id of another message */
    assert_int_equal(protect_verify(&rule, &status, frames[3], 8), PROTECT_WRONG_SUM);
}

static const enum protect_profile with_crc[] = {
    PROTECT_E2E_1A, PROTECT_E2E_1B, PROTECT_E2E_1C,   PROTECT_E2E_1_LOW,
    PROTECT_E2E_2,  PROTECT_E2E_5,  PROTECT_PLAIN_1D, PROTECT_PLAIN_2F,
};
enum { WITH_CRC = sizeof with_crc / sizeof with_crc[0] };

static void make_rule(enum protect_profile profile, uint8_t length, struct protect_rule *rule)
{
    protect_profile(rule, profile, length);
    rule->data_id = 0xa5c;
    for (unsigned i = 0; i < PROTECT_IDS; i++)
        rule->data_ids[i] = (uint8_t)(31 * i + 7);
    assert_null(protect_check(rule));
}

/* Whether a wrong counter bit also changes the data id, so that the two errors may cancel out in
 * the checksum: a weakness of profiles 1B and 2 that depends on the ids and the length. */
static bool changes_id(const struct protect_rule *rule, unsigned bit)
{
    return (rule->id_mode == PROTECT_ID_ALTERNATING || rule->id_mode == PROTECT_ID_LIST_LAST) &&
           bit / 4 == rule->counter_at / 4u;
}

/* The checksum of the whole message by the slow way: id and data as profiles 1B and 2 say. */
static unsigned slow_sum(const struct protect_rule *rule, const uint8_t *data)
{
    unsigned counter = data[1] & 0xf;
    if (rule->id_mode == PROTECT_ID_ALTERNATING) {
        uint8_t id = (uint8_t)(counter & 1 ? rule->data_id >> 8 : rule->data_id);
        return slow_crc(8, 0x1d, slow_crc(8, 0x1d, 0, &id, 1), data + 1, rule->length - 1u);
    }
    unsigned crc = slow_crc(8, 0x2f, 0xff, data + 1, rule->length - 1u);
    return slow_crc(8, 0x2f, crc, &rule->data_ids[counter], 1) ^ 0xff;
}

/* A CRC finds every single wrong bit of any frame. */
static void flip_every_bit(const struct protect_rule *rule, uint8_t *data, unsigned *missed)
{
    for (unsigned bit = 0; bit < 8u * rule->length; bit++) {
        struct protect_status status = {0};
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        unsigned fault = protect_verify(rule, &status, data, rule->length);
        if (changes_id(rule, bit) && slow_sum(rule, data) == data[0]) {
            assert_false(fault & PROTECT_WRONG_SUM);
            ++*missed;
        } else {
            assert_int_equal(fault, PROTECT_WRONG_SUM);
            assert_true(status.wrong_sum == 1 && status.good == 0 && !status.started);
        }
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    struct protect_status status = {0};
    assert_int_equal(protect_verify(rule, &status, data, rule->length), 0);
}

static void every_single_wrong_bit_is_found(void **unused)
{
    (void)unused;
    uint32_t seed = 7;
    unsigned missed = 0, frames = 0;
    for (size_t p = 0; p < WITH_CRC; p++) {
        for (uint8_t length = 4; length <= 64; length = (uint8_t)(length + 4)) {
            struct protect_rule rule;
            make_rule(with_crc[p], length, &rule);
            uint8_t data[64];
            for (unsigned i = 0; i < length; i++)
                data[i] = (uint8_t)next_random(&seed);
            for (uint32_t counter = 0; counter < 16; counter++) {
                protect_apply(&rule, counter, data);
                flip_every_bit(&rule, data, &missed);
                frames += changes_id(&rule, 8) ? 1 : 0;
            }
        }
    }
    /* Chance: 4 bits in each of these frames, and an 8-bit CRC, so about one in 64 frames. */
    assert_true(missed < frames / 16);
}

static void the_nibble_of_another_id_is_found(void **unused)
{
    (void)unused;
    struct protect_rule ours, theirs;
    struct protect_status status = {0};
    uint8_t data[8] = {0};
    make_rule(PROTECT_E2E_1C, 8, &ours);
    theirs = ours;
    theirs.data_id ^= 0x100; /* differs in the transmitted nibble only: the CRC alone is right */
    protect_apply(&theirs, 0, data);
    assert_int_equal(protect_verify(&ours, &status, data, 8), PROTECT_WRONG_SUM);
}

/* The way that protect_check() found and the long way are the same, wherever the checksum is. */
static void fast_and_slow_sums_agree(void **unused)
{
    (void)unused;
    uint32_t seed = 11;
    unsigned fast = 0;
    for (int n = 0; n < 20000; n++) {
        struct protect_rule rule;
        uint8_t data[16], again[16];
        make_rule(with_crc[next_random(&seed) % WITH_CRC], 16, &rule);
        rule.sum_at = (uint8_t)(next_random(&seed) % 16);
        rule.first = (uint8_t)(next_random(&seed) % 16);
        rule.end = (uint8_t)(next_random(&seed) % 17);
        rule.counter_at = (uint16_t)(8 * (next_random(&seed) % 16));
        rule.nibble_at = rule.counter_at + 4u;
        if (protect_check(&rule))
            continue;
        for (int i = 0; i < 16; i++)
            again[i] = data[i] = (uint8_t)next_random(&seed);
        protect_apply(&rule, 3, data);
        fast += rule.fast;
        rule.fast = 0;
        protect_apply(&rule, 3, again);
        assert_memory_equal(data, again, sizeof data);
    }
    assert_true(fast > 1000);
}

static void sums_by_hand(void **unused)
{
    (void)unused;
    struct protect_rule rule;
    uint8_t data[6] = {0x10, 0xf0, 0x33, 0x00, 0x55, 0x00};
    protect_profile(&rule, PROTECT_PLAIN_ADD, 6);
    rule.sum_at = 5;
    rule.counter_bits = 0;
    rule.start = 0x06;
    rule.id_mode = PROTECT_ID_BOTH_FIRST;
    rule.data_id = 0x0224;
    assert_null(protect_check(&rule));
    protect_apply(&rule, 0, data);
    /* 0x06 + 0x24 + 0x02 + 0x10 + 0xf0 + 0x33 + 0x00 + 0x55 = 0x1b4 */
    assert_int_equal(data[5], 0xb4);
    rule.xor_out = 0xff;
    rule.first = 2;
    rule.end = 5;
    protect_seal(&rule, data); /* 0x06 + 0x24 + 0x02 + 0x33 + 0x55 = 0xb4 */
    assert_int_equal(data[5], 0x4b);
    protect_profile(&rule, PROTECT_PLAIN_XOR, 6);
    rule.sum_at = 2; /* in the middle */
    rule.counter_at = 28;
    assert_null(protect_check(&rule));
    data[5] = 0x0f;
    protect_apply(&rule, 9, data); /* byte 3 becomes 0x90 */
    assert_int_equal(data[2], 0x10 ^ 0xf0 ^ 0x90 ^ 0x55 ^ 0x0f);
}

static void counters_of_any_width_and_order(void **unused)
{
    (void)unused;
    for (uint8_t bits = 1; bits <= 32; bits++) {
        for (uint16_t at = 0; at < 64; at++) {
            for (uint8_t big = 0; big < 2; big++) {
                struct protect_rule rule;
                protect_profile(&rule, PROTECT_COUNTER, 8);
                rule.counter_bits = bits;
                rule.counter_at = at;
                rule.counter_big = big;
                rule.counter_last = (uint32_t)(((uint64_t)1 << bits) - 1);
                if (protect_check(&rule))
                    continue;
                uint8_t data[8], zero[8] = {0};
                memset(data, 0xff, sizeof data);
                protect_apply(&rule, 0x12345679u, data);
                assert_int_equal(protect_counter(&rule, data), 0x12345679u & rule.counter_last);
                /* no other bit was touched: with the counter all ones the frame is all ones */
                protect_apply(&rule, rule.counter_last, data);
                for (int i = 0; i < 8; i++)
                    assert_int_equal(data[i], 0xff);
                protect_apply(&rule, 1, zero);
                assert_int_equal(zero[at / 8], 1 << at % 8);
            }
        }
    }
}

static void repeated_and_lost_frames_are_counted(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t counter;
        unsigned fault;
    } run[] = {
        {13, 0},
        {14, 0},
        {0, 0}, /* profile 1 goes to 14 */
        {0, PROTECT_REPEATED},
        {0, PROTECT_REPEATED},
        {1, 0},
        {3, PROTECT_LOST},
        {4, 0},
        {7, PROTECT_SEQUENCE}, /* two missing, one allowed */
        {8, 0},
        {6, PROTECT_SEQUENCE}, /* backwards: 12 missing */
        {7, 0},
    };
    struct protect_rule rule;
    struct protect_status status = {0};
    make_rule(PROTECT_E2E_1A, 8, &rule);
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        uint8_t data[8] = {0, 0, (uint8_t)i};
        protect_apply(&rule, run[i].counter, data);
        assert_int_equal(protect_verify(&rule, &status, data, 8), run[i].fault);
    }
    assert_int_equal(status.repeated, 2);
    assert_int_equal(status.lost, 1 + 2 + 12);
    assert_int_equal(status.sequence, 2);
    assert_int_equal(status.good, 8);

    /* 15 is no counter of profile 1, even with a right checksum */
    uint8_t data[8] = {0, 0x0f};
    protect_seal(&rule, data);
    assert_int_equal(protect_verify(&rule, &status, data, 8), PROTECT_SEQUENCE);
    assert_int_equal(status.counter, 7);
    assert_int_equal(protect_verify(&rule, &status, data, 7), PROTECT_WRONG_LENGTH);
    assert_int_equal(status.wrong_length, 1);
}

static void impossible_rules_are_refused(void **unused)
{
    (void)unused;
    struct protect_rule rule;
    protect_profile(&rule, PROTECT_E2E_1A, 1);
    assert_non_null(protect_check(&rule)); /* no byte for the counter */
    protect_profile(&rule, PROTECT_E2E_1A, 8);
    rule.counter_at = 4; /* on top of the checksum */
    assert_non_null(protect_check(&rule));
    protect_profile(&rule, PROTECT_E2E_5, 8);
    rule.sum_at = 7; /* two bytes */
    assert_non_null(protect_check(&rule));
    protect_profile(&rule, PROTECT_E2E_2, 8);
    rule.counter_bits = 0;
    assert_non_null(protect_check(&rule));
    protect_profile(&rule, PROTECT_COUNTER, 8);
    rule.counter_last = 16;
    assert_non_null(protect_check(&rule));
    protect_profile(&rule, PROTECT_E2E_1C, 8);
    rule.nibble_at = 8; /* on top of the counter */
    assert_non_null(protect_check(&rule));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_follow_from_the_polynomials),
        cmocka_unit_test(check_values_are_the_published_ones),
        cmocka_unit_test(published_frames_come_out),
        cmocka_unit_test(profile_2_takes_the_id_of_the_counter),
        cmocka_unit_test(recorded_frames_of_a_car_verify),
        cmocka_unit_test(every_single_wrong_bit_is_found),
        cmocka_unit_test(the_nibble_of_another_id_is_found),
        cmocka_unit_test(fast_and_slow_sums_agree),
        cmocka_unit_test(sums_by_hand),
        cmocka_unit_test(counters_of_any_width_and_order),
        cmocka_unit_test(repeated_and_lost_frames_are_counted),
        cmocka_unit_test(impossible_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

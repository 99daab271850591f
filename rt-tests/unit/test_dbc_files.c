/* Every signal of every DBC file at hand through the codec and back; recorded frames of a real car.
 */
#include "shared/can/codec.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 20 };

/* A fixed sequence of 64-bit numbers (splitmix64). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_random(uint8_t data[CAN_MSG_DATA], uint64_t *seed)
{
    for (size_t i = 0; i < CAN_MSG_DATA; i += 8) {
        uint64_t bits = next_random(seed);
        memcpy(data + i, &bits, 8);
    }
}

/* Raw: exact, and no other bit changes. Physical: value, bits, value gives the same bits while a
 * double holds the raw value with three bits to spare for the rounding of factor and offset. */
static void round_trip(const struct dbc_message *m, const struct dbc_signal *s, uint64_t *seed)
{
    struct can_code code;
    struct can_mux mux;
    uint8_t data[CAN_MSG_DATA], before[CAN_MSG_DATA];
    assert_int_equal(code_compile(m, s, &code), 0);
    assert_int_equal(mux_compile(m, s, &mux), 0);
    for (int i = 0; i < ROUNDS; i++) {
        fill_random(data, seed);
        mux_select(&mux, data);
        assert_true(mux_present(&mux, data));
        memcpy(before, data, sizeof data);
        uint64_t old = code_get_raw(&code, data), raw = next_random(seed) & code.field.mask;
        code_put_raw(&code, data, raw);
        assert_true(code_get_raw(&code, data) == raw);
        if (s->length <= 50 && s->type <= DBC_SIGNED) {
            double value = code_get(&code, data);
            code_put_raw(&code, data, ~raw);
            assert_int_equal(code_put(&code, data, value), CODE_OK);
            assert_true(code_get_raw(&code, data) == raw);
            assert_true(code_get(&code, data) == value);
        }
        code_put_raw(&code, data, old);
        assert_memory_equal(data, before, sizeof data);
    }
}

static void check_file(const char *path, size_t least_signals)
{
    struct dbc dbc;
    struct err e = {""};
    uint64_t seed = 3;
    size_t signals = 0;
    if (dbc_load(path, &dbc, &e))
        fail_msg("%s", e.text);
    for (size_t i = 0; i < dbc.message_count; i++)
        for (size_t k = 0; k < dbc.messages[i].signal_count; k++) {
            const struct dbc_signal *s = &dbc.messages[i].signals[k];
            if (!s->fits)
                continue;
            round_trip(&dbc.messages[i], s, &seed);
            signals++;
        }
    print_message("%s: %zu signals\n", path, signals);
    assert_true(signals >= least_signals);
    dbc_free(&dbc);
}

static void check_folder(const char *pattern, size_t least_files, size_t least_signals)
{
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= least_files);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_file(found.gl_pathv[i], least_signals);
    globfree(&found);
}

static void our_signals_come_back(void **unused)
{
    (void)unused;
    check_folder("config/can/*.dbc", 1, 10);
}

static const char *data_folder(void)
{
    const char *folder = getenv("SKIDPAD_DATA");
    if (!folder || !*folder)
        skip();
    return folder;
}

static void signals_of_production_cars_come_back(void **unused)
{
    (void)unused;
    char pattern[512];
    (void)snprintf(pattern, sizeof pattern, "%s/dbc/*.dbc", data_folder());
    check_folder(pattern, 2, 300);
}

/* Our own database is without doubt, and what docs and bench rely on is in it. */
static void our_database_has_no_warnings(void **unused)
{
    (void)unused;
    struct dbc dbc;
    struct err e = {""};
    size_t out = 0, in = 0;
    assert_int_equal(dbc_load("config/can/skidpad_chassis.dbc", &dbc, &e), 0);
    assert_int_equal(dbc.warning_count, 0);
    for (size_t i = 0; i < dbc.message_count; i++) {
        const struct dbc_message *m = &dbc.messages[i];
        bool from_unit = strcmp(m->sender, "ESP") == 0;
        out += !from_unit;
        in += from_unit;
        const struct dbc_signal *crc = dbc_find_signal(m, "Crc", NULL);
        const struct dbc_signal *counter = dbc_find_signal(m, "Counter", NULL);
        assert_true((crc == NULL) == (counter == NULL));
        assert_true(!crc || (crc->start == 0 && crc->length == 8));
        assert_true(!counter || (counter->start == 8 && counter->length == 4));
    }
    assert_int_equal(out, 13);
    assert_int_equal(in, 8);
    dbc_free(&dbc);
}

static double value_in(const struct dbc_message *m, const char *name, const uint8_t *data)
{
    struct can_code code;
    struct err e = {""};
    const struct dbc_signal *s = dbc_find_signal(m, name, &e);
    if (!s)
        fail_msg("%s", e.text);
    assert_int_equal(code_compile(m, s, &code), 0);
    return code_get(&code, data);
}

/* Sixteen frames of the brake pressure, one for each value of the counter. */
static const char *const recorded[] = {
    "908064000000e710", "f48164000000e710", "908263000000e810", "a08363000000e610",
    "e78463000000e810", "2e8578040000ea30", "7b8663000000e610", "718779040000d030",
    "508879040000ea30", "818964000000e110", "6a8a68000004d010", "178b6a040000e610",
    "c78c63000000d110", "538d64040000e210", "248e63000000e710", "3f8f82040000e630"};

static void recorded_frames_of_a_brake_unit_decode(void **unused)
{
    (void)unused;
    char path[512];
    struct dbc dbc;
    struct err e = {""};
    (void)snprintf(path, sizeof path, "%s/dbc/vw_mqb.dbc", data_folder());
    assert_int_equal(dbc_load(path, &dbc, &e), 0);
    const struct dbc_message *m = dbc_message_by_id(&dbc, 0x106);
    assert_non_null(m);
    assert_string_equal(m->name, "ESP_05");
    for (unsigned int i = 0; i < 16; i++) {
        uint8_t data[CAN_MSG_DATA] = {0};
        for (int k = 0; k < 8; k++) {
            char pair[3] = {recorded[i][2 * k], recorded[i][2 * k + 1], '\0'};
            data[k] = (uint8_t)strtoul(pair, NULL, 16);
        }
        unsigned int raw = (data[2] | (unsigned int)data[3] << 8) & 0x3ff;
        assert_true(value_in(m, "COUNTER", data) == i);
        assert_true(value_in(m, "CHECKSUM", data) == data[0]);
        /* 10 bits from bit 16 on, 0.3 bar each, offset -30: 99 to 130, a foot on and off. */
        double bar = value_in(m, "ESP_Bremsdruck", data);
        assert_true(fabs(bar - (0.3 * raw - 30.0)) < 1e-12);
        assert_true(bar > -0.4 && bar < 9.1);
    }
    dbc_free(&dbc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_signals_come_back),
        cmocka_unit_test(our_database_has_no_warnings),
        cmocka_unit_test(signals_of_production_cars_come_back),
        cmocka_unit_test(recorded_frames_of_a_brake_unit_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Packets, descriptions and seals: what is right is taken, what is not says why. */
#include "host/description.h"
#include "shared/wire/seal.h"
#include "shared/wire/telemetry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct telemetry_header header(uint8_t kind)
{
    return (struct telemetry_header){
        .magic = TELEMETRY_MAGIC, .version = TELEMETRY_VERSION, .kind = kind, .name = "t"};
}

static int verdict(const struct telemetry_header *h, size_t body)
{
    unsigned char packet[4096] = {0};
    struct telemetry_header out;
    memcpy(packet, h, sizeof *h);
    return (int)telemetry_open(packet, sizeof *h + body, &out);
}

static void a_packet_is_what_its_head_says(void **state)
{
    (void)state;
    struct telemetry_header h = header(TELEMETRY_STATUS);
    assert_int_equal(verdict(&h, sizeof(struct telemetry_status)), TELEMETRY_GOOD);
    assert_int_equal(verdict(&h, sizeof(struct telemetry_status) - 1), TELEMETRY_BROKEN);
    assert_int_equal(verdict(&h, sizeof(struct telemetry_status) + 1), TELEMETRY_BROKEN);
    h.version = TELEMETRY_VERSION + 1;
    assert_int_equal(verdict(&h, 0), TELEMETRY_OTHER_VERSION);
    h.magic++;
    assert_int_equal(verdict(&h, 0), TELEMETRY_STRANGE);
    h = header(33); /* no such kind */
    assert_int_equal(verdict(&h, 0), TELEMETRY_BROKEN);
    h = header(TELEMETRY_STATUS);
    memset(h.name, 'x', sizeof h.name); /* does not end */
    assert_int_equal(verdict(&h, sizeof(struct telemetry_status)), TELEMETRY_BROKEN);
    assert_int_equal(telemetry_open("SKDP", 4, &h), TELEMETRY_STRANGE);
}

static void lists_have_the_length_of_their_elements(void **state)
{
    (void)state;
    struct telemetry_header h = header(TELEMETRY_RECORDS);
    h.count = 3;
    h.each_bytes = 100;
    assert_int_equal(verdict(&h, 300), TELEMETRY_GOOD);
    assert_int_equal(verdict(&h, 299), TELEMETRY_BROKEN);
    h.first = UINT64_MAX - 1; /* the last number would wrap */
    assert_int_equal(verdict(&h, 300), TELEMETRY_BROKEN);
    h.first = 0;
    h.each_bytes = 8; /* shorter than the head of a record */
    assert_int_equal(verdict(&h, 24), TELEMETRY_BROKEN);
    h.count = 0;
    assert_int_equal(verdict(&h, 0), TELEMETRY_BROKEN);
    h.count = UINT32_MAX;
    h.each_bytes = UINT32_MAX;
    assert_int_equal(verdict(&h, 1), TELEMETRY_BROKEN);
    h = header(TELEMETRY_ASK_RECORDS);
    h.count = TELEMETRY_ASK_MAX;
    assert_int_equal(verdict(&h, 0), TELEMETRY_GOOD);
    h.count++;
    assert_int_equal(verdict(&h, 0), TELEMETRY_BROKEN);
}

static void bins_hold_what_is_not_above_their_bound(void **state)
{
    (void)state;
    assert_int_equal(telemetry_bin(-5), 0);
    assert_int_equal(telemetry_bin(1000), 0);
    assert_int_equal(telemetry_bin(1001), 1);
    assert_int_equal(telemetry_bin(INT64_MAX), TELEMETRY_BINS - 1);
    for (size_t i = 1; i < TELEMETRY_BINS; i++)
        assert_true(telemetry_bin_high_ns(i) > telemetry_bin_high_ns(i - 1));
}

/* ---- descriptions */

/* A build with two signals of its own; the hash may be wrong. */
static int read_other(uint64_t spoil, const char *signals, struct description **d, struct err *e)
{
    char text[1024];
    uint64_t hash = telemetry_hash_signal(telemetry_hash_begin, "a", "m", SIGNAL_f64, 8);
    hash = telemetry_hash_signal(hash, "b", "1", SIGNAL_i32, 0);
    int n = snprintf(text, sizeof text,
                     "{\"run\":\"00000000000000ff\",\"table\":\"%016llx\",\"period_s\":0.001,"
                     "\"publish_s\":0.01,\"record_bytes\":64,\"start_ns\":\"5\",\"signals\":[%s],"
                     "\"run_info\":{\"car\":\"c\"}}",
                     (unsigned long long)(hash ^ spoil), signals);
    assert_true(n > 0 && (size_t)n < sizeof text);
    return description_read(text, (size_t)n, d, e);
}

static const char two_signals[] =
    "{\"name\":\"a\",\"unit\":\"m\",\"type\":\"f64\",\"offset\":8,\"meaning\":\"\"},"
    "{\"name\":\"b\",\"unit\":\"1\",\"type\":\"i32\",\"offset\":0,\"meaning\":\"\"}";

static void another_builds_records_are_read_by_its_description(void **state)
{
    (void)state;
    struct description *d = NULL;
    struct err e = {""};
    unsigned char record[64] = {0};
    const double a = 2.5;
    const int32_t b = -7;
    assert_int_equal(read_other(0, two_signals, &d, &e), 0);
    assert_int_equal(d->run, 255);
    assert_int_equal(d->signal_count, 2);
    memcpy(record + offsetof(struct loop_record, signals) + 8, &a, sizeof a);
    memcpy(record + offsetof(struct loop_record, signals), &b, sizeof b);
    assert_true(description_value(d, description_find(d, "a"), record) == 2.5);
    assert_true(description_value(d, description_find(d, "b"), record) == -7.0);
    assert_int_equal(description_find(d, "vx_mps"), -1);
    assert_true(description_find(d, "tick_wake_us") >= DESCRIPTION_SIGNALS);
    description_free(d);
}

static void a_description_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct description *d = NULL;
    struct err e = {""};
    assert_true(read_other(1, two_signals, &d, &e) < 0);
    assert_null(d);
    assert_non_null(strstr(e.text, "hash"));
    /* A value that reaches beyond the record. */
    assert_true(read_other(0,
                           "{\"name\":\"a\",\"unit\":\"m\",\"type\":\"f64\",\"offset\":9,"
                           "\"meaning\":\"\"}",
                           &d, &e) < 0);
    assert_true(read_other(0,
                           "{\"name\":\"a\",\"unit\":\"m\",\"type\":\"f32\",\"offset\":0,"
                           "\"meaning\":\"\"}",
                           &d, &e) < 0);
    assert_true(read_other(0, "", &d, &e) < 0);
    assert_true(description_read("[]", 2, &d, &e) < 0);
    assert_true(description_read("{", 1, &d, &e) < 0);
}

/* ---- keys */

static void keys_are_kept_for_their_owner(void **state)
{
    (void)state;
    char folder[] = "/tmp/skidpad-key-XXXXXX", path[64], other[64];
    struct seal_key a, b;
    struct err e = {""};
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a", folder);
    (void)snprintf(other, sizeof other, "%s/b", folder);
    assert_int_equal(seal_key_make(path, &e), 0);
    assert_int_equal(seal_key_make(other, &e), 0);
    assert_true(seal_key_make(path, &e) < 0);
    assert_int_equal(seal_key_load(path, &a, &e), 0);
    assert_int_equal(seal_key_load(other, &b, &e), 0);
    assert_memory_not_equal(&a, &b, sizeof a);
    FILE *f = fopen(other, "we");
    assert_non_null(f);
    (void)fputs("00112233\n", f);
    (void)fclose(f);
    assert_true(seal_key_load(other, &b, &e) < 0);
    assert_non_null(strstr(e.text, "64 hexadecimal digits"));
    (void)unlink(path);
    (void)unlink(other);
    assert_true(seal_key_load(path, &a, &e) < 0);
    assert_non_null(strstr(e.text, "--new-key"));
    (void)rmdir(folder);
}

static void seals_hold_for_one_text_one_key_and_one_session(void **state)
{
    (void)state;
    struct seal_key key, s1, s2;
    uint8_t host[SEAL_NONCE] = {1}, target[SEAL_NONCE] = {2}, seal[SEAL_BYTES];
    seal_random(&key, sizeof key);
    seal_session(&key, 1, host, target, &s1);
    seal_make(&s1, "stop", 4, seal);
    assert_true(seal_is_right(&s1, "stop", 4, seal));
    assert_false(seal_is_right(&s1, "stoq", 4, seal));
    assert_false(seal_is_right(&key, "stop", 4, seal));
    seal_session(&key, 2, host, target, &s2); /* another run */
    assert_false(seal_is_right(&s2, "stop", 4, seal));
    target[5] = 9;
    seal_session(&key, 1, host, target, &s2); /* another meeting */
    assert_false(seal_is_right(&s2, "stop", 4, seal));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_is_what_its_head_says),
        cmocka_unit_test(lists_have_the_length_of_their_elements),
        cmocka_unit_test(bins_hold_what_is_not_above_their_bound),
        cmocka_unit_test(another_builds_records_are_read_by_its_description),
        cmocka_unit_test(a_description_that_does_not_fit_is_refused),
        cmocka_unit_test(keys_are_kept_for_their_owner),
        cmocka_unit_test(seals_hold_for_one_text_one_key_and_one_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

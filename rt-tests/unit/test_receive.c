/* Receive rules: time, length, counter, checksum; events and counts. */
#include "shared/can/receive.h"

#include "shared/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 4, MESSAGE = 7 };

struct bench {
    struct can_rx_rule rule;
    struct can_rx_status status;
    struct can_rx_event list[ROOM];
    struct can_rx_events events;
    uint32_t counter;
};

/* A message every 10 ms, 5 to 15 ms allowed, 50 ms time-out, 200 ms to start. */
static void set_up(struct bench *b)
{
    memset(b, 0, sizeof *b);
    protect_profile(&b->rule.protect, PROTECT_E2E_1A, 8);
    b->rule.protect.data_id = 0x77;
    b->rule.early_ns = 5 * NS_PER_MS;
    b->rule.late_ns = 15 * NS_PER_MS;
    b->rule.timeout_ns = 50 * NS_PER_MS;
    b->rule.startup_ns = 200 * NS_PER_MS;
    b->events.list = b->list;
    b->events.room = ROOM;
    can_rx_reset(&b->status, 1000 * NS_PER_MS);
}

static struct can_msg frame(struct bench *b, int64_t ms)
{
    struct can_msg msg = {.time_ns = ms * NS_PER_MS, .id = 0x123, .len = 8};
    protect_apply(&b->rule.protect, b->counter++, msg.data);
    return msg;
}

static bool take(struct bench *b, const struct can_msg *msg)
{
    b->events.count = 0;
    return can_rx_take(&b->rule, &b->status, msg, MESSAGE, &b->events);
}

static bool watch(struct bench *b, int64_t ms)
{
    b->events.count = 0;
    return can_rx_watch(&b->rule, &b->status, ms * NS_PER_MS, MESSAGE, &b->events);
}

static void assert_event(const struct bench *b, enum can_rx_kind kind, int64_t ms)
{
    assert_int_equal(b->events.count, 1);
    assert_int_equal(b->list[0].kind, kind);
    assert_int_equal(b->list[0].message, MESSAGE);
    assert_int_equal(b->list[0].time_ns, ms * NS_PER_MS);
    assert_true(b->status.counts[kind] > 0);
}

static void a_regular_message_has_no_events(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    for (int64_t ms = 1003; ms < 3000; ms += 10) {
        struct can_msg msg = frame(&b, ms);
        assert_true(take(&b, &msg));
        assert_int_equal(b.events.count, 0);
        assert_false(watch(&b, ms + 9));
        assert_int_equal(b.status.good_ns, ms * NS_PER_MS);
    }
    assert_int_equal(b.status.frames, 200);
    assert_int_equal(b.status.protect.good, 200);
}

static void distance_is_watched_at_both_ends(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    static const struct {
        int64_t ms;
        int kind; /* -1: none */
    } run[] = {{1100, -1}, {1115, -1},           {1131, CAN_RX_LATE},
               {1136, -1}, {1140, CAN_RX_EARLY}, {1150, -1}};
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        struct can_msg msg = frame(&b, run[i].ms);
        assert_true(take(&b, &msg)); /* the data is good, only the time is not */
        if (run[i].kind < 0)
            assert_int_equal(b.events.count, 0);
        else
            assert_event(&b, (enum can_rx_kind)run[i].kind, run[i].ms);
    }
}

static void silence_times_out_once_and_ends_once(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    assert_false(watch(&b, 1200)); /* 200 ms to start, though the time-out is 50 ms */
    assert_true(watch(&b, 1201));
    assert_event(&b, CAN_RX_TIMEOUT, 1201);
    assert_true(watch(&b, 1202));
    assert_int_equal(b.events.count, 0); /* reported once */
    struct can_msg msg = frame(&b, 1300);
    assert_true(take(&b, &msg));
    assert_event(&b, CAN_RX_RETURNED, 1300);
    assert_false(watch(&b, 1350));
    assert_true(watch(&b, 1351)); /* after the start it is 50 ms */
    assert_event(&b, CAN_RX_TIMEOUT, 1351);
    assert_int_equal(b.status.counts[CAN_RX_TIMEOUT], 2);
}

static void bad_frames_do_not_hold_off_the_time_out(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    struct can_msg msg = frame(&b, 1010);
    assert_true(take(&b, &msg));
    for (int64_t ms = 1020; ms <= 1060; ms += 10) {
        msg = frame(&b, ms);
        msg.data[5] ^= 0x10;
        assert_false(take(&b, &msg));
        assert_event(&b, CAN_RX_SUM, ms);
    }
    assert_int_equal(b.status.good_ns, 1010 * NS_PER_MS);
    assert_true(watch(&b, 1061));
}

static void each_violation_has_its_kind(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    struct can_msg msg = frame(&b, 1010);
    assert_true(take(&b, &msg));
    msg.time_ns += 10 * NS_PER_MS;
    assert_false(take(&b, &msg));
    assert_event(&b, CAN_RX_REPEATED, 1020);
    b.counter += 1;
    msg = frame(&b, 1030);
    assert_true(take(&b, &msg)); /* one lost is allowed */
    assert_event(&b, CAN_RX_LOST, 1030);
    b.counter += 2;
    msg = frame(&b, 1040);
    assert_false(take(&b, &msg));
    assert_event(&b, CAN_RX_SEQUENCE, 1040);
    msg = frame(&b, 1050);
    msg.len = 7;
    assert_false(take(&b, &msg));
    assert_event(&b, CAN_RX_LENGTH, 1050);
    assert_string_equal(can_rx_kind_name(CAN_RX_LENGTH), "length");
    assert_string_equal(can_rx_kind_name(CAN_RX_SEQUENCE), "sequence");
}

static void a_full_buffer_loses_events_but_no_counts(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    for (int i = 0; i < 10; i++) {
        struct can_msg msg = frame(&b, 1010 + 10 * i);
        msg.data[0] ^= 1;
        (void)can_rx_take(&b.rule, &b.status, &msg, MESSAGE, &b.events);
    }
    assert_int_equal(b.events.count, ROOM);
    assert_int_equal(b.events.left_out, 10 - ROOM);
    assert_int_equal(b.status.counts[CAN_RX_SUM], 10);
}

static void without_limits_only_the_length_counts(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    b.rule = (struct can_rx_rule){.protect = {.length = 8, .end = 8}};
    assert_null(protect_check(&b.rule.protect));
    struct can_msg msg = {.time_ns = 5, .len = 8};
    for (int i = 0; i < 3; i++)
        assert_true(take(&b, &msg));
    assert_int_equal(b.events.count, 0);
    assert_false(watch(&b, 100000000));
    msg.len = 9;
    assert_false(take(&b, &msg));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_regular_message_has_no_events),
        cmocka_unit_test(distance_is_watched_at_both_ends),
        cmocka_unit_test(silence_times_out_once_and_ends_once),
        cmocka_unit_test(bad_frames_do_not_hold_off_the_time_out),
        cmocka_unit_test(each_violation_has_its_kind),
        cmocka_unit_test(a_full_buffer_loses_events_but_no_counts),
        cmocka_unit_test(without_limits_only_the_length_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

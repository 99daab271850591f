/* The queue of frames that wait for a controller, and RT-Socket-CAN's lists. */
#include "target/io/can_queue.h"
#include "target/io/can_rtcan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct can_queue queue;
static struct can_port port;

static void begin(const uint32_t *newest, int count)
{
    const struct can_sender_setup setup = {
        .period_ns = 1000, .newest_ids = newest, .newest_count = count};
    memset(&port, 0, sizeof port);
    assert_int_equal(can_queue_init(&queue, &setup), 0);
}

static bool put(uint32_t id, int value, int64_t time_ns)
{
    const struct can_msg m = {.id = id, .len = 1, .data = {(uint8_t)value}, .time_ns = time_ns};
    return can_queue_put(&queue, &m, &port);
}

static void expect_first(uint32_t id, int value)
{
    const struct can_msg *m;
    assert_true(can_queue_peek(&queue, &m) > 0);
    assert_int_equal(m->id, id);
    assert_int_equal(m->data[0], (uint8_t)value);
    can_queue_sent(&queue, 1, 5000, &port);
}

static void order_is_kept_round_the_end(void **state)
{
    (void)state;
    begin(NULL, 0);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < CAN_QUEUE_FRAMES - 56; i++)
            assert_true(put(0x100, i, 1));
        for (int i = 0; i < CAN_QUEUE_FRAMES - 56; i++)
            expect_first(0x100, i);
    }
    const struct can_msg *m;
    assert_int_equal(can_queue_peek(&queue, &m), 0);
    assert_int_equal(port.counts.sent, 10 * (CAN_QUEUE_FRAMES - 56));
    assert_int_equal(port.flow.depth_max, CAN_QUEUE_FRAMES - 56);
}

static void what_finds_it_full_is_counted(void **state)
{
    (void)state;
    begin(NULL, 0);
    for (int i = 0; i < CAN_QUEUE_FRAMES; i++)
        assert_true(put(0x100, i, 1));
    assert_false(put(0x200, 1, 1));
    assert_int_equal(port.counts.full, 1);
    expect_first(0x100, 0);
    assert_true(put(0x200, 1, 1));
    can_queue_fail(&queue, can_queue_count(&queue), &port);
    assert_int_equal(port.counts.failed, CAN_QUEUE_FRAMES);
    assert_int_equal(can_queue_count(&queue), 0);
}

static void every_frame_waits_unless_asked_otherwise(void **state)
{
    const uint32_t other[] = {0x300};
    (void)state;
    begin(other, 1);
    assert_true(put(0x100, 1, 1));
    assert_true(put(0x100, 2, 2));
    expect_first(0x100, 1);
    expect_first(0x100, 2);
    assert_int_equal(port.counts.replaced, 0);
}

static void newer_frame_takes_the_place_of_a_late_one(void **state)
{
    const uint32_t newest[] = {0x300, 0x100};
    (void)state;
    begin(newest, 2);
    assert_true(put(0x100, 1, 1));
    assert_true(put(0x200, 2, 1));
    assert_true(put(0x300, 3, 1));
    assert_true(put(0x100, 4, 2)); /* a cycle later */
    assert_int_equal(can_queue_count(&queue), 3);
    expect_first(0x100, 4); /* in the place of the old one */
    expect_first(0x200, 2);
    assert_true(put(0x100, 5, 3)); /* the last one has left: behind the others */
    expect_first(0x300, 3);
    expect_first(0x100, 5);
    assert_int_equal(port.counts.replaced, 1);
    assert_int_equal(port.counts.sent, 4);
}

static void frames_of_one_tick_are_all_meant(void **state)
{
    const uint32_t newest[] = {0x100};
    (void)state;
    begin(newest, 1);
    assert_true(put(0x100, 1, 7));
    assert_true(put(0x100, 2, 7)); /* a burst */
    assert_true(put(0x100, 3, 8)); /* replaces the last one */
    expect_first(0x100, 1);
    expect_first(0x100, 3);
    assert_int_equal(port.counts.replaced, 1);
}

static void a_full_queue_still_takes_newer_values(void **state)
{
    const uint32_t newest[] = {0x100};
    (void)state;
    begin(newest, 1);
    assert_true(put(0x100, 1, 1));
    for (int i = 1; i < CAN_QUEUE_FRAMES; i++)
        assert_true(put(0x200, i, 1));
    assert_true(put(0x100, 2, 2));
    assert_int_equal(port.counts.full, 0);
    expect_first(0x100, 2);
}

static void waiting_is_measured(void **state)
{
    (void)state;
    begin(NULL, 0);
    assert_true(put(1, 0, 4500));
    assert_true(put(2, 0, 3000));
    assert_true(put(3, 0, 0)); /* does not tell */
    assert_int_equal(port.flow.depth, 3);
    can_queue_sent(&queue, 3, 5000, &port);
    assert_int_equal(port.flow.depth, 0);
    assert_int_equal(port.flow.out.frames, 2);
    assert_int_equal(port.flow.out.sum_ns, 2500);
    assert_int_equal(port.flow.out.max_ns, 2000);
    assert_int_equal(port.flow.out.over, 1); /* than a period of 1000 ns */
}

static void too_many_identifiers_are_refused(void **state)
{
    static const uint32_t ids[CAN_QUEUE_IDS + 1];
    const struct can_sender_setup setup = {.newest_ids = ids, .newest_count = CAN_QUEUE_IDS + 1};
    (void)state;
    assert_int_equal(can_queue_init(&queue, &setup), -EINVAL);
}

/* ---- lists of RT-Socket-CAN, as its release 3.3 prints them */

static const char *file_of(const char *text)
{
    static char path[32];
    (void)snprintf(path, sizeof path, "/tmp/skidpad-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
    return path;
}

static void own_socket_is_found_by_its_time_out(void **state)
{
    static const char text[] =
        "Name___________ Filter ErrMask RX_Timeout_ns TX_Timeout_ns RX_BufFull TX_Lo\n"
        "rtcan0               1 0x00000      infinite      infinite         99     0\n"
        "rtcan0              13 0x0010c      infinite     100008001         12     0\n"
        "rtcan1               1 0x0010c      infinite     100008002          3     0\n";
    const char *path = file_of(text);
    (void)state;
    assert_int_equal(can_rtcan_lost(path, "rtcan0", 100008001), 12);
    assert_int_equal(can_rtcan_lost(path, "rtcan1", 100008002), 3);
    assert_int_equal(can_rtcan_lost(path, "rtcan0", 100008002), -1);
    (void)unlink(path);
    assert_int_equal(can_rtcan_lost(path, "rtcan0", 100008001), -1);
    assert_int_not_equal(can_rtcan_timeout_ns(1000, 1), can_rtcan_timeout_ns(1000, 2));
    assert_int_not_equal(can_rtcan_timeout_ns(1000, 7), can_rtcan_timeout_ns(1001, 0));
}

static void started_controllers_are_found(void **state)
{
    static const char text[] =
        "Name___________ _Baudrate State___ TX_Counter RX_Counter ____Errors\n"
        "rtcan0          undefined stopped           0          0          0\n"
        "rtcan1             500000 active          120         30          0\n"
        "rtcan2             500000 passive           0          0         17\n"
        "rtcan3             500000 bus-off           0          0          0\n";
    const char *path = file_of(text);
    char first[IFNAMSIZ], second[IFNAMSIZ];
    (void)state;
    assert_int_equal(can_rtcan_active(path, first, second), 2);
    assert_string_equal(first, "rtcan1");
    assert_string_equal(second, "rtcan2");
    (void)unlink(path);
    assert_int_equal(can_rtcan_active(path, first, second), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept_round_the_end),
        cmocka_unit_test(what_finds_it_full_is_counted),
        cmocka_unit_test(every_frame_waits_unless_asked_otherwise),
        cmocka_unit_test(newer_frame_takes_the_place_of_a_late_one),
        cmocka_unit_test(frames_of_one_tick_are_all_meant),
        cmocka_unit_test(a_full_queue_still_takes_newer_values),
        cmocka_unit_test(waiting_is_measured),
        cmocka_unit_test(too_many_identifiers_are_refused),
        cmocka_unit_test(own_socket_is_found_by_its_time_out),
        cmocka_unit_test(started_controllers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

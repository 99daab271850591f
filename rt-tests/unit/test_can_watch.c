/* Changes on a bus, as events. */
#include "target/io/can_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void traffic_alone_is_no_event(void **unused)
{
    (void)unused;
    struct can_watch watch = {0};
    struct can_port port = {0};
    struct can_change changes[CAN_COUNT_KINDS];
    port.counts.sent = 10;
    port.counts.received = 20;
    port.counts.confirmed = 10;
    assert_int_equal(can_watch_look(&watch, &port, changes), 0);
}

static void each_event_is_told_once_with_its_number(void **unused)
{
    (void)unused;
    struct can_watch watch = {0};
    struct can_port port = {0};
    struct can_change changes[CAN_COUNT_KINDS];
    port.counts.full = 3;
    port.counts.bus_off = 1;
    port.state = CAN_BUS_OFF;
    assert_int_equal(can_watch_look(&watch, &port, changes), 2);
    assert_int_equal(changes[0].count, CAN_COUNT_full);
    assert_int_equal(changes[0].added, 3);
    assert_int_equal(changes[1].count, CAN_COUNT_bus_off);
    assert_int_equal(changes[1].added, 1);
    assert_int_equal(watch.state, CAN_BUS_OFF);
    assert_int_equal(can_watch_look(&watch, &port, changes), 0);
    port.counts.full++;
    assert_int_equal(can_watch_look(&watch, &port, changes), 1);
    assert_int_equal(changes[0].added, 1);
}

static void every_count_and_state_has_a_name(void **unused)
{
    (void)unused;
    assert_string_equal(can_count_name(CAN_COUNT_error_frames), "error_frames");
    assert_string_equal(can_count_name(CAN_COUNT_KINDS), "?");
    assert_string_equal(can_count_meaning(-1), "?");
    for (int i = 0; i < CAN_COUNT_KINDS; i++)
        assert_true(can_count_meaning(i)[0] != '?');
    assert_string_equal(can_state_name(CAN_BUS_OFF), "bus-off");
    assert_string_equal(can_state_name(CAN_DOWN + 1), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_alone_is_no_event),
        cmocka_unit_test(each_event_is_told_once_with_its_number),
        cmocka_unit_test(every_count_and_state_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

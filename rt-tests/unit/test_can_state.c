/* Error frames of a controller, as the kernel's drivers send them. */
#include "target/io/can_state.h"

#include <linux/can/error.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int after(int state, uint32_t classes, unsigned controller)
{
    const struct can_msg m = {.id = classes,
                              .len = CAN_ERR_DLC,
                              .flags = CAN_MSG_ERROR,
                              .data = {[1] = (uint8_t)controller}};
    return can_state_after_error(&m, state);
}

static void error_frames_lead_up_to_bus_off_and_back(void **unused)
{
    (void)unused;
    assert_int_equal(after(CAN_ACTIVE, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_WARNING), CAN_ACTIVE);
    assert_int_equal(after(CAN_ACTIVE, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE), CAN_PASSIVE);
    assert_int_equal(after(CAN_ACTIVE, CAN_ERR_CRTL, CAN_ERR_CRTL_RX_PASSIVE), CAN_PASSIVE);
    assert_int_equal(after(CAN_PASSIVE, CAN_ERR_BUSOFF, 0), CAN_BUS_OFF);
    assert_int_equal(after(CAN_BUS_OFF, CAN_ERR_RESTARTED, 0), CAN_ACTIVE);
    assert_int_equal(after(CAN_PASSIVE, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_WARNING), CAN_ACTIVE);
    assert_int_equal(after(CAN_PASSIVE, CAN_ERR_CRTL, CAN_ERR_CRTL_ACTIVE), CAN_ACTIVE);
}

static void single_errors_change_nothing(void **unused)
{
    (void)unused;
    assert_int_equal(after(CAN_ACTIVE, CAN_ERR_PROT | CAN_ERR_BUSERROR, 0xff), CAN_ACTIVE);
    assert_int_equal(after(CAN_ACTIVE, CAN_ERR_ACK, 0), CAN_ACTIVE);
    assert_int_equal(after(CAN_PASSIVE, CAN_ERR_LOSTARB, 0), CAN_PASSIVE);
    assert_int_equal(after(CAN_PASSIVE, CAN_ERR_CRTL, CAN_ERR_CRTL_RX_OVERFLOW), CAN_PASSIVE);
}

static void only_a_restart_ends_bus_off(void **unused)
{
    (void)unused;
    assert_int_equal(after(CAN_BUS_OFF, CAN_ERR_CRTL, CAN_ERR_CRTL_ACTIVE), CAN_BUS_OFF);
    assert_int_equal(after(CAN_DOWN, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE), CAN_DOWN);
    const struct can_msg empty = {.id = CAN_ERR_CRTL, .flags = CAN_MSG_ERROR};
    assert_int_equal(can_state_after_error(&empty, CAN_PASSIVE), CAN_PASSIVE);
}

static void changes_of_state_are_counted_once(void **unused)
{
    (void)unused;
    struct can_port port = {0};
    can_state_enter(&port, CAN_ACTIVE);
    can_state_alive(&port);
    assert_int_equal(port.counts.recovered, 0);
    can_state_enter(&port, CAN_PASSIVE);
    can_state_enter(&port, CAN_PASSIVE);
    assert_int_equal(port.counts.passive, 1);
    can_state_alive(&port); /* a passive controller still talks */
    assert_int_equal(port.state, CAN_PASSIVE);
    can_state_enter(&port, CAN_BUS_OFF);
    can_state_alive(&port);
    assert_int_equal(port.state, CAN_ACTIVE);
    can_state_enter(&port, CAN_DOWN);
    can_state_alive(&port);
    assert_int_equal(port.counts.bus_off, 1);
    assert_int_equal(port.counts.down, 1);
    assert_int_equal(port.counts.recovered, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_frames_lead_up_to_bus_off_and_back),
        cmocka_unit_test(single_errors_change_nothing),
        cmocka_unit_test(only_a_restart_ends_bus_off),
        cmocka_unit_test(changes_of_state_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* can_rtdm.c on the stand-in of RT-Socket-CAN. */
#include "shared/base/time.h"
#include "shim_can_cobalt.h"
#include "shim_mode.h"
#include "target/io/can_core.h"
#include "target/io/can_open.h"
#include "target/rt/rt.h"
#include "target/rt/rt_thread.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int fresh(void **state)
{
    (void)state;
    (void)unsetenv("SHIM_CORE");
    for (int i = 0; i < SHIM_CAN_INTERFACES; i++)
        shim_can_state(i, CAN_STATE_ERROR_ACTIVE);
    shim_can_wire_ns(0);
    return 0;
}

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static struct can_port *port_open(const char *interface)
{
    struct can_port *port = NULL;
    struct err e = {""};
    const struct can_core_setup setup = {
        .interface = interface, .sender = {.period_ns = NS_PER_MS, .cpu = -1, .allow_nonrt = true}};
    if (can_core_open(&port, &setup, &e))
        fail_msg("%s", e.text);
    return port;
}

/* Frames leave in a thread of their own: until it has told of so many, sent or not. */
static void wait_for_sender(struct can_port *p, uint64_t frames)
{
    while (p->counts.sent + p->counts.failed < frames)
        (void)p->ops->receive(p, 0, NULL, 0);
}

static void expect_refusal(const char *interface, bool fd, int code, const char *text)
{
    struct can_port *port = NULL;
    struct err e = {""};
    const struct can_core_setup setup = {.interface = interface, .fd = fd, .sender = {.cpu = -1}};
    assert_int_equal(can_core_open(&port, &setup, &e), code);
    assert_null(port);
    if (!strstr(e.text, text) || strncmp(e.text, interface, strlen(interface)) != 0)
        fail_msg("\"%s\" does not say \"%s\"", e.text, text);
}

static struct can_msg message(uint32_t id, int len)
{
    struct can_msg m;
    memset(&m, 0, sizeof m);
    m.id = id;
    m.len = (uint8_t)len;
    for (int i = 0; i < len; i++)
        m.data[i] = (uint8_t)(16 * len + i);
    return m;
}

/* ---- set-up */

static void names_of_interfaces_are_known(void **state)
{
    (void)state;
    assert_true(can_core_interface("rtcan0"));
    assert_true(can_core_interface("rtcan12"));
    assert_false(can_core_interface("rtcan"));
    assert_false(can_core_interface("rtcan0x"));
    assert_false(can_core_interface("can0"));
    assert_false(can_core_interface(""));
}

static void socket_of_linux_is_detected(void **state)
{
    (void)state;
    (void)setenv("SHIM_CORE", "no-can", 1);
    expect_refusal("rtcan0", false, -ENOTSUP, "one of Linux, not of RTDM");
}

static void fd_frames_are_refused(void **state)
{
    (void)state;
    expect_refusal("rtcan0", true, -ENOTSUP, "classic frames only");
}

static void missing_interface_is_explained(void **state)
{
    (void)state;
    expect_refusal("rtcan7", false, -ENODEV, "xeno_can_virt");
    expect_refusal("rtcan000000000000000", false, -EINVAL, "longer than");
}

static void stopped_controller_is_explained(void **state)
{
    (void)state;
    shim_can_state(0, CAN_STATE_STOPPED);
    expect_refusal("rtcan0", false, -ENETDOWN, "rtcanconfig rtcan0");
    shim_can_state(0, CAN_STATE_BUS_OFF);
    expect_refusal("rtcan0", false, -ENETDOWN, "off the bus");
}

/* ---- frames */

static void frames_arrive_as_they_were_sent(void **state)
{
    struct can_port *a = port_open("rtcan0"), *b = port_open("rtcan1");
    struct can_msg sent[3] = {message(0x123, 8), message(0x18abcdefu | CAN_ID_EXTENDED, 3),
                              message(0x7ef, 0)},
                   got[8];
    (void)state;
    b->bus = 5;
    assert_int_equal(a->ops->send(a, sent, 3), 3);
    wait_for_sender(a, 3);
    int64_t now_ns = now();
    assert_int_equal(b->ops->receive(b, now_ns, got, 8), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(got[i].id, sent[i].id);
        assert_int_equal(got[i].len, sent[i].len);
        assert_int_equal(got[i].bus, 5);
        assert_int_equal(got[i].flags, 0);
        assert_memory_equal(got[i].data, sent[i].data, CAN_MSG_DATA);
        /* Stamped by the other clock, given in ours: between the sending and now, give or take
         * the moment between the two clock reads of the conversion. */
        assert_true(got[i].time_ns > now_ns - NS_PER_S);
        assert_true(got[i].time_ns < now_ns + NS_PER_MS);
    }
    assert_int_equal(b->ops->receive(b, now_ns, got, 8), 0);
    assert_int_equal(a->ops->receive(a, now_ns, got, 8), 0); /* not its own */
    assert_int_equal(a->counts.sent, 3);
    assert_int_equal(b->counts.received, 3);
    assert_int_equal(b->counts.unstamped, 0);
    a->ops->close(a);
    b->ops->close(b);
}

/* Stands in for the C library's, for all code of this program: a time of day that can be set. */
static int64_t day_shift_ns;

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int clock_gettime(clockid_t clock, struct timespec *t)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, t);
    if (clock == CLOCK_REALTIME) {
        const int64_t ns = (int64_t)t->tv_sec * NS_PER_S + t->tv_nsec + day_shift_ns;
        *t = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
    }
    return status;
}

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Set between the stamp and the reading, or before both. */
static void frames_keep_their_age_when_the_clock_is_set(void **state)
{
    static const int step_ms[] = {-30, 60, -90, 9000, -9000, 1};
    struct can_port *a = port_open("rtcan0"), *b = port_open("rtcan1");
    struct can_msg m = message(0x10, 1), got[4];
    int64_t empty_ns = now_ns();
    (void)state;
    assert_int_equal(b->ops->receive(b, empty_ns, got, 4), 0);
    for (int i = 0; i < 12; i++) {
        if (i % 2 == 0)
            day_shift_ns += step_ms[i / 2] * NS_PER_MS;
        assert_int_equal(a->ops->send(a, &m, 1), 1);
        wait_for_sender(a, (uint64_t)i + 1);
        if (i % 2 == 1)
            day_shift_ns -= step_ms[i / 2] * NS_PER_MS;
        const int64_t look_ns = now_ns();
        assert_int_equal(b->ops->receive(b, look_ns, got, 4), 1);
        assert_true(got[0].time_ns >= empty_ns);
        assert_true(got[0].time_ns <= look_ns + NS_PER_MS); /* reading two clocks takes time */
        empty_ns = look_ns;
    }
    day_shift_ns = 0;
    a->ops->close(a);
    b->ops->close(b);
}

static void remote_frames_carry_no_data(void **state)
{
    struct can_port *a = port_open("rtcan0"), *b = port_open("rtcan1");
    struct can_msg m = message(0x100, 4), got;
    const uint8_t none[CAN_MSG_DATA] = {0};
    (void)state;
    m.flags = CAN_MSG_REMOTE;
    assert_int_equal(a->ops->send(a, &m, 1), 1);
    wait_for_sender(a, 1);
    assert_int_equal(b->ops->receive(b, 0, &got, 1), 1);
    assert_int_equal(got.id, 0x100);
    assert_int_equal(got.flags, CAN_MSG_REMOTE);
    assert_int_equal(got.len, 4);
    assert_memory_equal(got.data, none, sizeof none);
    /* now_ns was 0, far from any stamp: the stamp is not believed */
    assert_int_equal(got.time_ns, 0);
    assert_int_equal(b->counts.unstamped, 1);
    a->ops->close(a);
    b->ops->close(b);
}

static void frames_that_cannot_be_sent_are_counted(void **state)
{
    struct can_port *a = port_open("rtcan0");
    struct can_msg m[4] = {message(0x7f5, 1), message(0x10, 1), message(0x20, 8), message(0x30, 1)};
    (void)state;
    m[2].flags = CAN_MSG_FD;
    /* An identifier that the driver refuses, an FD frame; the others are not held up. */
    assert_int_equal(a->ops->send(a, m, 4), 3);
    wait_for_sender(a, 4);
    assert_int_equal(a->counts.failed, 2);
    assert_int_equal(a->counts.sent, 2);
    a->ops->close(a);
}

/* ---- a controller with one frame in flight */

/* Every frame carries its number. */
static struct can_msg numbered(uint32_t number)
{
    struct can_msg m = message(0x100, 4);
    memcpy(m.data, &number, sizeof number);
    m.time_ns = now();
    return m;
}

/* Four frames each millisecond, one after the other on the wire: none is lost, all keep their
 * order, and the thread of the ticks never waits for the controller. */
static void frames_wait_for_a_busy_controller(int64_t wire_ns)
{
    enum { FRAMES = 5000, BURST = 4 };
    struct can_port *a = port_open("rtcan0"), *b = port_open("rtcan1");
    struct can_msg got[CAN_BATCH];
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    uint32_t sent = 0, received = 0;
    shim_can_wire_ns(wire_ns);
    while (received < FRAMES) {
        for (int i = 0; i < BURST && sent < FRAMES; i++, sent++) {
            struct can_msg m = numbered(sent);
            assert_int_equal(a->ops->send(a, &m, 1), 1);
        }
        for (int n; (n = b->ops->receive(b, now(), got, CAN_BATCH)) > 0; received += (uint32_t)n)
            for (int i = 0; i < n; i++) {
                uint32_t number;
                memcpy(&number, got[i].data, sizeof number);
                assert_int_equal(number, received + (uint32_t)i);
            }
        (void)nanosleep(&pause, NULL);
    }
    a->ops->finish(a);
    assert_int_equal(a->counts.sent, FRAMES);
    assert_int_equal(a->counts.full + a->counts.failed + a->counts.replaced, 0);
    assert_int_equal(a->flow.out.frames, FRAMES);
    assert_true(a->flow.out.max_ns >= wire_ns); /* the second of a burst waits for the first */
    assert_true(a->flow.depth_max > 1);
    assert_int_equal(a->flow.left, 0);
    a->ops->close(a);
    b->ops->close(b);
}

static void one_frame_in_flight_of_130_us_loses_nothing(void **state)
{
    (void)state;
    frames_wait_for_a_busy_controller(130 * NS_PER_US);
}

static void one_frame_in_flight_of_230_us_loses_nothing(void **state)
{
    (void)state;
    frames_wait_for_a_busy_controller(230 * NS_PER_US);
}

static void controller_that_takes_nothing_fills_a_bounded_queue(void **state)
{
    enum { FRAMES = 4000 };
    struct can_port *a = port_open("rtcan0");
    struct can_msg m = message(0x10, 1);
    int taken = 0;
    (void)state;
    (void)setenv("SHIM_CORE", "can-full", 1);
    for (int i = 0; i < FRAMES; i++)
        taken += a->ops->send(a, &m, 1); /* never waits: else this would not end */
    a->ops->finish(a);
    assert_int_equal(a->counts.sent, 0);
    assert_int_equal(a->counts.full, FRAMES - taken);
    assert_int_equal(a->counts.failed, taken);
    assert_in_range(taken, CAN_QUEUE_FRAMES, 2000);
    a->ops->close(a);
}

static void newest_value_takes_the_place_of_one_that_is_late(void **state)
{
    const uint32_t ids[] = {0x100};
    const struct can_core_setup setup = {
        .interface = "rtcan0",
        .sender = {.cpu = -1, .allow_nonrt = true, .newest_ids = ids, .newest_count = 1}};
    struct can_port *a = NULL, *b = port_open("rtcan1");
    struct can_msg got[CAN_BATCH];
    struct err e = {""};
    uint32_t last = 0, sent = 100;
    (void)state;
    if (can_core_open(&a, &setup, &e))
        fail_msg("%s", e.text);
    shim_can_wire_ns(20 * NS_PER_MS); /* far slower than they are made */
    for (uint32_t i = 1; i <= sent; i++) {
        struct can_msg m = numbered(i);
        assert_int_equal(a->ops->send(a, &m, 1), 1);
    }
    while (last < sent)
        for (int n = b->ops->receive(b, now(), got, CAN_BATCH); n > 0; n--) {
            uint32_t number;
            memcpy(&number, got[0].data, sizeof number);
            assert_true(number > last);
            last = number;
        }
    a->ops->finish(a);
    assert_true(a->counts.replaced > 0);
    assert_int_equal(a->counts.sent + a->counts.replaced, sent);
    assert_int_equal(a->counts.full + a->counts.failed, 0);
    a->ops->close(a);
    b->ops->close(b);
}

/* ---- what is received */

static void frames_that_nobody_wants_take_no_room(void **state)
{
    const uint32_t ids[] = {0x100, 0x18abcdefu | CAN_ID_EXTENDED};
    const struct can_core_setup setup = {.interface = "rtcan1",
                                         .ids = ids,
                                         .id_count = 2,
                                         .sender = {.cpu = -1, .allow_nonrt = true}};
    struct can_port *a = port_open("rtcan0"), *b = NULL;
    struct can_msg m[4] = {message(0x101, 1), message(0x100, 1),
                           message(0x18abcdefu | CAN_ID_EXTENDED, 1), message(0x200, 1)},
                   got[8];
    struct err e = {""};
    (void)state;
    if (can_core_open(&b, &setup, &e))
        fail_msg("%s", e.text);
    assert_int_equal(a->ops->send(a, m, 4), 4);
    wait_for_sender(a, 4);
    assert_int_equal(b->ops->receive(b, now(), got, 8), 2);
    assert_int_equal(got[0].id, 0x100);
    assert_int_equal(got[1].id, 0x18abcdefu | CAN_ID_EXTENDED);
    a->ops->close(a);
    b->ops->close(b);
}

static void overflow_of_the_sockets_ring_is_counted(void **state)
{
    struct can_port *a = port_open("rtcan0"), *b = port_open("rtcan1");
    struct can_msg m = message(0x10, 1), got;
    (void)state;
    for (int i = 0; i < SHIM_CAN_RING + 7; i++)
        assert_int_equal(a->ops->send(a, &m, 1), 1);
    wait_for_sender(a, SHIM_CAN_RING + 7);
    b->ops->service(b);
    assert_int_equal(b->ops->receive(b, now(), &got, 1), 1);
    assert_int_equal(b->counts.overflow, 7);
    assert_int_equal(a->counts.overflow, 0);
    a->ops->close(a);
    b->ops->close(b);
}

static void words_auto_take_the_cores_own_controllers(void **state)
{
    char bench[64], unit[64];
    (void)state;
    can_open_default(false, false, bench, sizeof bench);
    can_open_default(true, false, unit, sizeof unit);
    assert_string_equal(bench, "rtdm:rtcan0");
    assert_string_equal(unit, "rtdm:rtcan1");
    can_open_default(false, true, bench, sizeof bench); /* FD frames: not there */
    assert_null(strstr(bench, "rtdm"));
    shim_can_state(1, CAN_STATE_STOPPED); /* nobody on the other end */
    can_open_default(false, false, bench, sizeof bench);
    assert_null(strstr(bench, "rtdm"));
}

/* A bench names the bus in words; the gateway's thread could not use the socket. */
static void words_open_it_without_a_gateway(void **state)
{
    const struct can_gateway_setup gateway = {.period_ns = NS_PER_MS, .not_cpu = -1};
    const struct can_open_setup setup = {.bus = 2, .gateway = &gateway},
                                with_fd = {.bus = 2, .fd = true};
    struct can_port *port = NULL;
    struct err e = {""};
    (void)state;
    assert_int_equal(can_open(&port, "rtdm:rtcan0", &setup, &e), 0);
    assert_string_equal(port->ops->name, "rtdm");
    assert_int_equal(port->bus, 2);
    port->ops->close(port);
    assert_int_equal(can_open(&port, "rtdm:rtcan0", &with_fd, &e), -ENOTSUP);
    assert_non_null(strstr(e.text, "classic frames only"));
    assert_int_equal(can_open(&port, "rtdm:can0", &setup, &e), -EINVAL);
}

/* ---- the controller's state */

static void error_frame(uint32_t what, uint8_t controller)
{
    struct can_frame f;
    memset(&f, 0, sizeof f);
    f.can_id = CAN_ERR_FLAG | what;
    f.can_dlc = CAN_ERR_DLC;
    f.data[1] = controller;
    shim_can_deliver(0, &f);
}

static void error_frames_tell_the_state(void **state)
{
    struct can_port *a = port_open("rtcan0"), *b = port_open("rtcan1");
    struct can_msg got[8], m = message(0x10, 1);
    (void)state;
    error_frame(CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE);
    error_frame(CAN_ERR_PROT, 0); /* not asked for */
    assert_int_equal(a->ops->receive(a, 0, got, 8), 1);
    assert_int_equal(got[0].flags, CAN_MSG_ERROR);
    assert_int_equal(a->state, CAN_PASSIVE);
    error_frame(CAN_ERR_BUSOFF, 0);
    assert_int_equal(a->ops->receive(a, 0, got, 8), 1);
    assert_int_equal(a->state, CAN_BUS_OFF);
    error_frame(CAN_ERR_RESTARTED, 0);
    error_frame(CAN_ERR_CRTL, CAN_ERR_CRTL_RX_OVERFLOW);
    assert_int_equal(a->ops->receive(a, 0, got, 8), 2);
    assert_int_equal(a->state, CAN_ACTIVE);
    assert_int_equal(a->counts.error_frames, 4);
    assert_int_equal(a->counts.passive, 1);
    assert_int_equal(a->counts.bus_off, 1);
    assert_int_equal(a->counts.recovered, 1);
    assert_int_equal(a->counts.overflow, 1);
    assert_int_equal(a->counts.received, 0);
    assert_int_equal(b->ops->send(b, &m, 1), 1);
    wait_for_sender(b, 1);
    assert_int_equal(a->ops->receive(a, 0, got, 8), 1);
    a->ops->close(a);
    b->ops->close(b);
}

static void service_asks_for_the_state(void **state)
{
    struct can_port *a = port_open("rtcan0");
    struct can_msg got, m = message(0x10, 1);
    (void)state;
    shim_can_state(0, CAN_STATE_STOPPED);
    assert_int_equal(a->ops->send(a, &m, 1), 1);
    wait_for_sender(a, 1);
    assert_int_equal(a->state, CAN_DOWN);
    assert_int_equal(a->counts.failed, 1);
    shim_can_state(0, CAN_STATE_ERROR_WARNING);
    a->ops->service(a);
    assert_int_equal(a->state, CAN_DOWN); /* the thread that receives changes it */
    assert_int_equal(a->ops->receive(a, 0, &got, 1), 0);
    assert_int_equal(a->state, CAN_ACTIVE);
    assert_int_equal(a->counts.down, 1);
    assert_int_equal(a->counts.recovered, 1);
    a->ops->close(a);
}

/* ---- the real-time thread stays in real time */

struct exchange {
    struct rt rt;
    struct err error;
    struct can_port *a, *b;
    int status, received;
    uint64_t switches;
};

static void work(void *argument)
{
    struct exchange *x = argument;
    struct can_msg m = message(0x321, 8), got[CAN_BATCH];
    x->status = rt_cobalt.start(&x->rt, &x->error);
    for (int i = 0; x->status == 0 && i < 200; i++) {
        x->status = rt_cobalt.wait(&x->rt, 0);
        int64_t now_ns = rt_cobalt.now_ns(&x->rt);
        (void)x->a->ops->send(x->a, &m, 1);
        x->received += x->b->ops->receive(x->b, now_ns, got, CAN_BATCH);
    }
    while (x->status == 0 && x->received < 200) {
        x->status = rt_cobalt.wait(&x->rt, rt_cobalt.now_ns(&x->rt) + NS_PER_MS);
        x->received += x->b->ops->receive(x->b, rt_cobalt.now_ns(&x->rt), got, CAN_BATCH);
    }
    x->switches = rt_cobalt.switches(&x->rt);
    rt_cobalt.stop(&x->rt);
}

static void exchange_never_leaves_real_time(void **state)
{
    const struct rt_settings settings = {.cpu = -1, .priority = 80, .allow_nonrt = true};
    struct exchange x;
    struct rt_thread thread;
    (void)state;
    memset(&x, 0, sizeof x);
    x.rt.ops = &rt_cobalt;
    assert_int_equal(rt_cobalt.open(&x.rt, &x.error), 0);
    x.a = port_open("rtcan0");
    x.b = port_open("rtcan1");
    shim_can_wire_ns(130 * NS_PER_US);
    assert_int_equal(rt_thread_start(&thread, &settings, work, &x, &x.error), 0);
    rt_thread_join(&thread);
    assert_int_equal(x.status, 0);
    assert_int_equal(x.received, 200);
    assert_int_equal(x.switches, 0);
    assert_int_equal(shim_can_violations(), 0);
    x.a->ops->finish(x.a);
    assert_int_equal(x.a->flow.left, 0);
    x.a->ops->close(x.a);
    x.b->ops->close(x.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(names_of_interfaces_are_known, fresh),
        cmocka_unit_test_setup(socket_of_linux_is_detected, fresh),
        cmocka_unit_test_setup(fd_frames_are_refused, fresh),
        cmocka_unit_test_setup(missing_interface_is_explained, fresh),
        cmocka_unit_test_setup(stopped_controller_is_explained, fresh),
        cmocka_unit_test_setup(frames_arrive_as_they_were_sent, fresh),
        cmocka_unit_test_setup(frames_keep_their_age_when_the_clock_is_set, fresh),
        cmocka_unit_test_setup(remote_frames_carry_no_data, fresh),
        cmocka_unit_test_setup(frames_that_cannot_be_sent_are_counted, fresh),
        cmocka_unit_test_setup(one_frame_in_flight_of_130_us_loses_nothing, fresh),
        cmocka_unit_test_setup(one_frame_in_flight_of_230_us_loses_nothing, fresh),
        cmocka_unit_test_setup(controller_that_takes_nothing_fills_a_bounded_queue, fresh),
        cmocka_unit_test_setup(newest_value_takes_the_place_of_one_that_is_late, fresh),
        cmocka_unit_test_setup(frames_that_nobody_wants_take_no_room, fresh),
        cmocka_unit_test_setup(overflow_of_the_sockets_ring_is_counted, fresh),
        cmocka_unit_test_setup(words_auto_take_the_cores_own_controllers, fresh),
        cmocka_unit_test_setup(words_open_it_without_a_gateway, fresh),
        cmocka_unit_test_setup(error_frames_tell_the_state, fresh),
        cmocka_unit_test_setup(service_asks_for_the_state, fresh),
        cmocka_unit_test_setup(exchange_never_leaves_real_time, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SocketCAN for real: can0 and can1 are two controllers on one bus (500 kbit/s, up), vcan0 is a
 * virtual interface for FD (mtu 72). Runs as root in a guest, payload rt-tests/vm/payload; uses
 * `ip`. The emulated controllers lose step behind a remote frame with a length and drop frames that
 * come faster than a real bus has them: remote frames and bursts are received on vcan0. Error
 * frames of a controller are played there too, where anyone may send them. */
#include "target/io/can_socket.h"

#include "shared/base/time.h"
#include "target/io/can_gateway.h"
#include "target/io/can_interface.h"
#include "target/io/can_record.h"
#include "target/rt/rt_filter.h"

#include <errno.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { WAIT_MS = 500 }; /* an emulated machine is slow; a frame takes 0.3 ms on the bus */

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void ip(const char *arguments)
{
    char command[256];
    (void)snprintf(command, sizeof command, "ip %s", arguments);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a test, as root in a guest
}

static struct can_port *open_port(const struct can_socket_setup *setup)
{
    struct can_port *port = NULL;
    struct err e = {""};
    if (can_socket_open(&port, setup, &e))
        fail_msg("%s", e.text);
    return port;
}

static struct can_port *open_all(const char *interface, bool confirm)
{
    const struct can_socket_setup setup = {.interface = interface, .confirm = confirm};
    return open_port(&setup);
}

static void close_port(struct can_port *port)
{
    port->ops->close(port);
}

/* Takes frames until there are max or none came for a while. */
static int collect(struct can_port *p, struct can_msg *got, int max)
{
    enum { SLICE_MS = 10 }; /* as a tick would: receive also hands on what waits to be sent */
    int total = 0;
    for (int quiet_ms = 0; total < max && quiet_ms < WAIT_MS; quiet_ms += SLICE_MS) {
        struct pollfd readable = {.fd = p->descriptor, .events = POLLIN};
        (void)poll(&readable, 1, SLICE_MS);
        int n = p->ops->receive(p, now_ns(), got + total, max - total);
        total += n;
        quiet_ms = n > 0 ? 0 : quiet_ms;
    }
    return total;
}

static int send_one(struct can_port *p, struct can_msg m)
{
    return p->ops->send(p, &m, 1);
}

static void expect_same(const struct can_msg *got, const struct can_msg *want)
{
    struct can_msg plain = *got;
    plain.time_ns = 0;
    plain.bus = 0;
    assert_memory_equal(&plain, want, sizeof plain);
}

static const struct can_msg samples[] = {
    {.id = 0x123, .len = 8, .data = {1, 2, 3, 4, 5, 6, 7, 8}},
    {.id = 0x7ff},
    {.id = CAN_ID_EXTENDED | 0x1abcdef0, .len = 3, .data = {0xaa, 0xbb, 0xcc}},
    {.id = 0x010, .flags = CAN_MSG_REMOTE},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void frames_cross_the_bus_with_stamps_and_are_confirmed(void **unused)
{
    (void)unused;
    struct can_port *a = open_all("can0", true), *b = open_all("can1", false);
    struct can_msg got[2 * SAMPLES];
    b->bus = 5;
    const int64_t before = now_ns();
    assert_int_equal(a->ops->send(a, samples, SAMPLES), SAMPLES);
    assert_int_equal(collect(b, got, SAMPLES), SAMPLES);
    int64_t after = now_ns();
    for (int i = 0; i < SAMPLES; i++) {
        expect_same(&got[i], &samples[i]);
        assert_int_equal(got[i].bus, 5);
        /* 1 ms: above the error of comparing the clocks in an emulated machine */
        assert_true(got[i].time_ns > before - NS_PER_MS && got[i].time_ns < after + NS_PER_MS);
    }
    assert_int_equal(collect(a, got, SAMPLES), SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        struct can_msg own = samples[i];
        own.flags |= CAN_MSG_OWN;
        expect_same(&got[i], &own);
    }
    assert_int_equal(a->counts.sent, SAMPLES);
    assert_int_equal(a->counts.confirmed, SAMPLES);
    assert_int_equal(a->counts.received, 0);
    assert_int_equal(b->counts.received, SAMPLES);
    assert_int_equal(b->counts.unstamped + a->counts.unstamped, 0);
    close_port(a);
    close_port(b);
}

static void only_the_ids_asked_for_arrive(void **unused)
{
    (void)unused;
    const uint32_t ids[] = {0x123, CAN_ID_EXTENDED | 0x7ff};
    const struct can_socket_setup setup = {.interface = "can1", .ids = ids, .id_count = 2};
    const struct can_socket_setup nothing = {.interface = "can1", .ids = ids, .id_count = 0};
    struct can_port *a = open_all("can0", false), *b = open_port(&setup), *c = open_port(&nothing);
    struct can_msg got[8];
    assert_int_equal(a->ops->send(a, samples, SAMPLES), SAMPLES);
    assert_int_equal(send_one(a, (struct can_msg){.id = 0x7ff | CAN_ID_EXTENDED}), 1);
    assert_int_equal(collect(b, got, 8), 2);
    assert_int_equal(got[0].id, 0x123);
    assert_int_equal(got[1].id, 0x7ff | CAN_ID_EXTENDED);
    assert_int_equal(c->ops->receive(c, now_ns(), got, 8), 0);
    close_port(a);
    close_port(b);
    close_port(c);
}

/* Pins this process to the CPU of the interrupts and puts it above their threads (PREEMPT_RT), so
 * that the queue fills while it sends; then back. */
static void hold_cpu(bool hold)
{
    cpu_set_t cpus;
    const struct sched_param priority = {.sched_priority = hold ? 90 : 0};
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    if (!hold)
        CPU_SET(1, &cpus);
    assert_int_equal(sched_setaffinity(0, sizeof cpus, &cpus), 0);
    assert_int_equal(sched_setscheduler(0, hold ? SCHED_FIFO : SCHED_OTHER, &priority), 0);
}

static void frames_wait_for_a_full_transmit_queue_in_their_order(void **unused)
{
    (void)unused;
    enum { BURST = 100 };
    struct can_port *a = open_all("can0", true);
    struct can_msg burst[BURST], got[BURST];
    for (int i = 0; i < BURST; i++)
        burst[i] =
            (struct can_msg){.id = 0x100, .len = 1, .data = {(uint8_t)i}, .time_ns = now_ns()};
    ip("link set can0 txqueuelen 10");
    assert_int_equal(can_interface_queue_length("can0"), 10);
    hold_cpu(true);
    assert_int_equal(a->ops->send(a, burst, BURST), BURST);
    const uint64_t at_once = a->counts.sent;
    hold_cpu(false);
    print_message("of %d frames at once a queue of 10 took %d\n", BURST, (int)at_once);
    assert_in_range(at_once, 10, BURST - 1);
    assert_int_equal(collect(a, got, BURST), BURST);
    for (int i = 0; i < BURST; i++)
        assert_int_equal(got[i].data[0], i);
    assert_int_equal(a->counts.sent, BURST);
    assert_int_equal(a->counts.full + a->counts.failed, 0);
    assert_int_equal(a->flow.out.frames, BURST);
    assert_true(a->flow.depth_max >= BURST - at_once);
    close_port(a);
}

static void what_finds_both_queues_full_is_counted(void **unused)
{
    (void)unused;
    enum { BURST = 2 * CAN_QUEUE_FRAMES, FEW = 100 };
    static struct can_msg burst[BURST], got[BURST];
    struct can_port *a = open_all("can0", true);
    for (int i = 0; i < BURST; i++)
        burst[i] = (struct can_msg){.id = 0x100, .len = 1, .data = {(uint8_t)i}};
    hold_cpu(true);
    const int taken = a->ops->send(a, burst, BURST);
    hold_cpu(false);
    assert_in_range(taken, CAN_QUEUE_FRAMES, BURST - 1);
    assert_int_equal(a->counts.full, BURST - taken);
    assert_int_equal(a->counts.failed, 0);
    assert_int_equal(collect(a, got, taken), taken);
    assert_int_equal(a->counts.sent, taken);
    close_port(a);
    /* With room for all of them none waits here. */
    ip("link set can0 txqueuelen 1000");
    a = open_all("can0", true);
    hold_cpu(true);
    assert_int_equal(a->ops->send(a, burst, FEW), FEW);
    assert_int_equal(a->counts.sent, FEW);
    hold_cpu(false);
    assert_int_equal(collect(a, got, FEW), FEW);
    close_port(a);
}

static void an_overflow_of_the_receive_queue_is_counted(void **unused)
{
    (void)unused;
    enum { FRAMES = 200 };
    struct can_port *a = open_all("vcan0", false), *b = open_all("vcan0", false);
    struct can_port *witness = open_all("vcan0", false);
    struct can_msg out[FRAMES], got[FRAMES + 1];
    const int small = 4096;
    assert_int_equal(setsockopt(b->descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    for (int i = 0; i < FRAMES; i++)
        out[i] = (struct can_msg){.id = 0x200, .len = 1, .data = {(uint8_t)i}};
    assert_int_equal(a->ops->send(a, out, FRAMES), FRAMES);
    assert_int_equal(collect(witness, got, FRAMES), FRAMES);
    int n = collect(b, got, FRAMES);
    assert_in_range(n, 1, FRAMES - 1);
    /* The kernel tells with the next frame. */
    assert_int_equal(send_one(a, out[0]), 1);
    n += collect(b, got, 1);
    assert_int_equal(b->counts.overflow, FRAMES + 1 - n);
    assert_int_equal(witness->counts.overflow, 0);
    close_port(a);
    close_port(b);
    close_port(witness);
}

static void an_interface_may_go_down_and_come_up(void **unused)
{
    (void)unused;
    struct can_port *a = open_all("can0", false), *b = open_all("can1", false);
    struct can_msg got[4];
    ip("link set can0 down");
    assert_int_equal(a->ops->receive(a, now_ns(), got, 4), 0);
    assert_int_equal(a->state, CAN_DOWN);
    assert_int_equal(a->counts.down, 1);
    assert_int_equal(send_one(a, samples[0]), 0);
    assert_int_equal(a->counts.failed, 1);
    a->ops->service(a);
    ip("link set can0 up");
    assert_int_equal(send_one(a, samples[0]), 1);
    assert_int_equal(a->state, CAN_ACTIVE);
    assert_int_equal(a->counts.recovered, 1);
    assert_int_equal(collect(b, got, 1), 1);
    /* Whoever only listens is back with the first frame. */
    ip("link set can0 down");
    assert_int_equal(a->ops->receive(a, now_ns(), got, 4), 0);
    ip("link set can0 up");
    assert_int_equal(send_one(b, samples[1]), 1);
    assert_int_equal(collect(a, got, 1), 1);
    expect_same(&got[0], &samples[1]);
    assert_int_equal(a->counts.down, 2);
    assert_int_equal(a->counts.recovered, 2);
    close_port(a);
    close_port(b);
}

static void an_interface_may_disappear_and_come_back(void **unused)
{
    (void)unused;
    struct can_port *a = open_all("vcan0", false);
    struct can_msg got[4];
    ip("link del vcan0");
    assert_int_equal(a->ops->receive(a, now_ns(), got, 4), 0);
    assert_int_equal(a->state, CAN_DOWN);
    assert_int_equal(send_one(a, samples[0]), 0);
    a->ops->service(a);
    assert_int_equal(send_one(a, samples[0]), 0);
    assert_int_equal(a->counts.failed, 2);
    ip("link add vcan0 mtu 72 type vcan");
    ip("link set vcan0 up");
    a->ops->service(a);
    struct can_port *b = open_all("vcan0", false);
    assert_int_equal(send_one(a, samples[0]), 1);
    assert_int_equal(collect(b, got, 1), 1);
    assert_int_equal(send_one(b, samples[1]), 1);
    assert_int_equal(collect(a, got, 1), 1);
    assert_int_equal(a->state, CAN_ACTIVE);
    close_port(a);
    close_port(b);
}

static void fd_frames_pass_where_the_interface_has_fd(void **unused)
{
    (void)unused;
    struct can_port *a = open_all("vcan0", true), *b = open_all("vcan0", false);
    struct can_port *classic = open_all("can0", false);
    struct can_msg out = {.id = 0x10, .len = 64, .flags = CAN_MSG_FD | CAN_MSG_BRS}, got[4];
    for (int i = 0; i < 64; i++)
        out.data[i] = (uint8_t)(200 - i);
    assert_true(a->fd);
    assert_false(classic->fd);
    assert_int_equal(send_one(a, out), 1);
    assert_int_equal(send_one(a, samples[0]), 1);
    assert_int_equal(collect(b, got, 2), 2);
    expect_same(&got[0], &out);
    expect_same(&got[1], &samples[0]);
    assert_int_equal(collect(a, got, 2), 2);
    out.flags |= CAN_MSG_OWN;
    expect_same(&got[0], &out);
    const struct can_msg remote = {.id = 0x321, .len = 4, .flags = CAN_MSG_REMOTE};
    assert_int_equal(send_one(a, remote), 1);
    assert_int_equal(collect(b, got, 1), 1);
    expect_same(&got[0], &remote);
    out.flags = CAN_MSG_FD;
    assert_int_equal(send_one(classic, out), 0);
    assert_int_equal(classic->counts.failed, 1);
    close_port(a);
    close_port(b);
    close_port(classic);
}

/* What a driver reports, sent by another program on vcan0. */
static void play_error(int s, uint32_t classes, uint8_t controller)
{
    const struct can_frame f = {
        .can_id = CAN_ERR_FLAG | classes, .len = CAN_ERR_DLC, .data = {[1] = controller}};
    assert_int_equal(write(s, &f, sizeof f), sizeof f);
}

static void error_frames_change_the_state(void **unused)
{
    (void)unused;
    const uint32_t none[] = {0};
    const struct can_socket_setup setup = {.interface = "vcan0", .ids = none, .id_count = 0};
    struct can_port *a = open_port(&setup), *player = open_all("vcan0", false);
    struct can_msg got[4];
    play_error(player->descriptor, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE);
    assert_int_equal(collect(a, got, 1), 1);
    assert_int_equal(got[0].flags, CAN_MSG_ERROR);
    assert_int_equal(got[0].id, CAN_ERR_CRTL);
    assert_int_equal(a->state, CAN_PASSIVE);
    play_error(player->descriptor, CAN_ERR_BUSOFF, 0);
    assert_int_equal(collect(a, got, 1), 1);
    assert_int_equal(a->state, CAN_BUS_OFF);
    /* The kernel takes frames for a controller that is off: that alone is no recovery. */
    assert_int_equal(send_one(a, samples[0]), 1);
    assert_int_equal(a->state, CAN_BUS_OFF);
    play_error(player->descriptor, CAN_ERR_RESTARTED, 0);
    assert_int_equal(collect(a, got, 1), 1);
    assert_int_equal(a->state, CAN_ACTIVE);
    assert_int_equal(a->counts.error_frames, 3);
    assert_int_equal(a->counts.passive, 1);
    assert_int_equal(a->counts.bus_off, 1);
    assert_int_equal(a->counts.recovered, 1);
    assert_int_equal(a->counts.received, 0);
    close_port(a);
    close_port(player);
}

/* What was recorded on the bus, played by canplayer on another. */
static void a_recorded_log_can_be_played_by_canplayer(void **unused)
{
    (void)unused;
    static const char *const names[] = {"bench"};
    const struct can_record_setup setup = {
        .path = "/tmp/record.log", .names = names, .bus_count = 1, .wall_clock = true};
    struct can_record *r = NULL;
    struct can_port *a = open_all("can0", true), *b = open_all("vcan0", false);
    struct can_msg got[SAMPLES];
    assert_int_equal(can_record_open(&r, &setup, NULL), 0);
    assert_int_equal(a->ops->send(a, samples, SAMPLES), SAMPLES);
    can_record_sent(r, a, now_ns(), samples, SAMPLES); /* nothing: they are confirmed */
    assert_int_equal(collect(a, got, SAMPLES), SAMPLES);
    can_record_received(r, got, SAMPLES);
    assert_int_equal(can_record_close(r, NULL), 0);
    // NOLINTNEXTLINE(cert-env33-c): a test, as root in a guest
    assert_int_equal(system("canplayer -I /tmp/record.log vcan0=bench"), 0);
    assert_int_equal(collect(b, got, SAMPLES), SAMPLES);
    for (int i = 0; i < SAMPLES; i++)
        expect_same(&got[i], &samples[i]);
    close_port(a);
    close_port(b);
}

static void a_gateway_carries_frames_and_states(void **unused)
{
    (void)unused;
    const struct can_gateway_setup setup = {.period_ns = NS_PER_MS, .priority = 40, .not_cpu = 0};
    struct can_port *a = NULL, *b = open_all("can1", false);
    struct can_msg got[2 * SAMPLES];
    struct err e = {""};
    if (can_gateway_open(&a, open_all("can0", true), &setup, &e))
        fail_msg("%s", e.text);
    assert_true(a->confirms);
    for (int round = 0; round < 50; round++) {
        assert_int_equal(a->ops->send(a, samples, SAMPLES), SAMPLES);
        assert_int_equal(collect(b, got, SAMPLES), SAMPLES);
        int n = 0;
        for (int64_t until = now_ns() + NS_PER_S; n < SAMPLES && now_ns() < until;)
            n += a->ops->receive(a, now_ns(), got + n, SAMPLES - n);
        assert_int_equal(n, SAMPLES);
    }
    assert_int_equal(a->counts.confirmed, 50 * SAMPLES);
    ip("link set can0 down");
    for (int64_t until = now_ns() + NS_PER_S; a->state != CAN_DOWN && now_ns() < until;)
        (void)a->ops->receive(a, now_ns(), got, SAMPLES);
    assert_int_equal(a->state, CAN_DOWN);
    ip("link set can0 up");
    assert_int_equal(send_one(b, samples[0]), 1);
    int n = 0;
    for (int64_t until = now_ns() + NS_PER_S; n == 0 && now_ns() < until;)
        n = a->ops->receive(a, now_ns(), got, SAMPLES);
    assert_int_equal(n, 1);
    assert_int_equal(a->state, CAN_ACTIVE);
    close_port(a);
    close_port(b);
}

/* Sends and receives under the filter of the real-time thread. Returns how the child ended. */
static int under_filter(bool sockets)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct can_port *a = open_all("vcan0", false), *b = open_all("vcan0", false);
        struct can_msg got[CAN_BATCH];
        int received = 0;
        if (rt_filter_install(sockets, NULL))
            _exit(3);
        for (int i = 0; i < 1000; i++) {
            (void)a->ops->send(a, samples, SAMPLES);
            received += b->ops->receive(b, now_ns(), got, CAN_BATCH);
        }
        (void)syscall(SYS_exit, received == 1000 * SAMPLES ? 0 : 4); /* _exit is not allowed */
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void recvmmsg_and_sendmmsg_are_the_only_calls(void **unused)
{
    (void)unused;
    const int with = under_filter(true), without = under_filter(false);
    assert_true(WIFEXITED(with) && WEXITSTATUS(with) == 0);
    assert_true(WIFSIGNALED(without) && WTERMSIG(without) == SIGSYS);
}

static void what_cannot_be_opened_says_why(void **unused)
{
    (void)unused;
    struct can_port *p = NULL;
    struct err e;
    char names[64];
    struct can_socket_setup setup = {.interface = "can7"};
    assert_int_equal(can_socket_open(&p, &setup, &e), -ENODEV);
    assert_non_null(strstr(e.text, "no such interface"));
    assert_non_null(strstr(e.text, "can0"));
    ip("link set vcan0 down");
    setup.interface = "vcan0";
    assert_int_equal(can_socket_open(&p, &setup, &e), -ENETDOWN);
    assert_non_null(strstr(e.text, "ip link set vcan0 up"));
    assert_null(p);
    assert_int_equal(can_interface_list(names, sizeof names, true), 2);
    assert_string_equal(names, "can0 can1");
    assert_int_equal(can_interface_list(names, sizeof names, false), 3);
    ip("link set vcan0 up");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_cross_the_bus_with_stamps_and_are_confirmed),
        cmocka_unit_test(only_the_ids_asked_for_arrive),
        cmocka_unit_test(frames_wait_for_a_full_transmit_queue_in_their_order),
        cmocka_unit_test(what_finds_both_queues_full_is_counted),
        cmocka_unit_test(an_overflow_of_the_receive_queue_is_counted),
        cmocka_unit_test(an_interface_may_go_down_and_come_up),
        cmocka_unit_test(an_interface_may_disappear_and_come_back),
        cmocka_unit_test(fd_frames_pass_where_the_interface_has_fd),
        cmocka_unit_test(error_frames_change_the_state),
        cmocka_unit_test(a_recorded_log_can_be_played_by_canplayer),
        cmocka_unit_test(a_gateway_carries_frames_and_states),
        cmocka_unit_test(recvmmsg_and_sendmmsg_are_the_only_calls),
        cmocka_unit_test(what_cannot_be_opened_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

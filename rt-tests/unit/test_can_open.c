/* Buses by their words, and candump logs as a bus. */
#include "target/io/can_open.h"

#include "shared/base/time.h"
#include "target/io/can_interface.h"
#include "target/io/can_replay.h"
#include "target/io/can_socket.h"

#include <errno.h>
#include <linux/can/error.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the words */

static struct can_spec parsed(const char *text)
{
    struct can_spec spec;
    struct err e = {""};
    if (can_spec_parse(text, &spec, &e))
        fail_msg("%s", e.text);
    return spec;
}

static void each_kind_of_bus_has_its_words(void **unused)
{
    (void)unused;
    struct can_spec s = parsed("socketcan:can0");
    assert_int_equal(s.kind, CAN_SOCKETCAN);
    assert_string_equal(s.name, "can0");
    s = parsed("rtdm:rtcan1");
    assert_int_equal(s.kind, CAN_RTDM);
    assert_string_equal(s.name, "rtcan1");
    s = parsed("udp:20000:20001");
    assert_int_equal(s.kind, CAN_UDP);
    assert_int_equal(s.local_port, 20000);
    assert_int_equal(s.peer_port, 20001);
    assert_string_equal(s.host, "127.0.0.1");
    s = parsed("udp:1:192.168.1.20:65535");
    assert_string_equal(s.host, "192.168.1.20");
    assert_int_equal(s.peer_port, 65535);
    assert_int_equal(parsed("memory").kind, CAN_MEMORY);
    s = parsed("replay:logs/run:1.log");
    assert_int_equal(s.kind, CAN_REPLAY);
    assert_string_equal(s.path, "logs/run:1.log");
    assert_string_equal(s.name, "");
    s = parsed("replay:can1@a/b@c.log");
    assert_string_equal(s.name, "can1");
    assert_string_equal(s.path, "a/b@c.log");
    s = parsed("replay:a/b@c.log");
    assert_string_equal(s.name, "");
    assert_string_equal(s.path, "a/b@c.log");
}

static void other_words_are_refused_with_what_is_allowed(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"",
                                      "can0",
                                      "socketcan",
                                      "rtdm:can0",
                                      "rtdm:",
                                      "socketcan:",
                                      "socketcan:0123456789abcdef",
                                      "udp",
                                      "udp:1",
                                      "udp:0:1",
                                      "udp:1:0",
                                      "udp:1:65536",
                                      "udp:a:1",
                                      "udp:1:host:b",
                                      "memory:1",
                                      "replay",
                                      "replay:",
                                      "replay:x@",
                                      "Socketcan:can0"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct can_spec spec;
        struct err e = {""};
        assert_int_equal(can_spec_parse(bad[i], &spec, &e), -EINVAL);
        assert_non_null(strstr(e.text, "allowed: socketcan:INTERFACE"));
    }
}

/* ---- opening */

static void ends_are_opened_by_their_words(void **unused)
{
    (void)unused;
    struct can_memory *bus = NULL;
    struct can_port *a = NULL, *b = NULL, *c = NULL;
    struct err e = {""};
    struct can_msg m = {.id = 0x42}, got[4];
    const struct can_memory_setup no_load = {0};
    const struct can_gateway_setup gateway = {.period_ns = NS_PER_MS, .not_cpu = -1};
    assert_int_equal(can_memory_open(&bus, &no_load, &e), 0);
    const struct can_open_setup with = {.bus = 2, .memory = bus, .gateway = &gateway};
    const struct can_open_setup without = {.bus = 2};
    assert_int_equal(can_open(&a, "memory", &with, &e), 0);
    assert_int_equal(can_open(&b, "memory", &with, &e), 0);
    assert_string_equal(a->ops->name, "memory");
    (void)b->ops->receive(b, 0, got, 4);
    assert_int_equal(a->ops->send(a, &m, 1), 1);
    assert_int_equal(b->ops->receive(b, 1, got, 4), 1);
    assert_int_equal(got[0].bus, 2);
    const struct can_open_setup fd = {.memory = bus, .fd = true};
    assert_int_equal(can_open(&c, "memory", &fd, &e), -EINVAL);
    assert_non_null(strstr(e.text, "FD frames"));
    can_memory_close(bus);
    assert_int_equal(can_open(&c, "memory", &without, &e), -EINVAL);
    assert_non_null(strstr(e.text, "simulated clock"));
    assert_null(c);
    assert_int_equal(can_open(&c, "nothing", &without, &e), -EINVAL);
}

static void a_gateway_stands_before_the_transport_if_asked_for(void **unused)
{
    (void)unused;
    struct can_port *p = NULL;
    struct err e = {""};
    const struct can_gateway_setup gateway = {.period_ns = NS_PER_MS, .not_cpu = -1};
    const struct can_gateway_setup bad = {.not_cpu = -1};
    struct can_open_setup setup = {.bus = 1, .gateway = &gateway};
    /* a port that is surely free only for a moment: a used one gives its own message */
    const int rc = can_open(&p, "udp:47811:47812", &setup, &e);
    if (rc == -EADDRINUSE)
        return;
    assert_int_equal(rc, 0);
    assert_string_equal(p->ops->name, "gateway");
    assert_int_equal(p->bus, 1);
    p->ops->close(p);
    setup.gateway = &bad;
    assert_int_equal(can_open(&p, "udp:47811:47812", &setup, &e), -EINVAL);
    assert_null(p);
}

/* Whatever this machine has: a message that leads on. */
static void an_interface_that_is_not_there_says_what_to_do(void **unused)
{
    (void)unused;
    struct can_port *p = NULL;
    struct err e = {""};
    const struct can_open_setup setup = {0};
    const int rc = can_open(&p, "socketcan:nocan", &setup, &e);
    if (can_interface_kernel_has_can()) {
        assert_int_equal(rc, -ENODEV);
        assert_non_null(strstr(e.text, "there is no such interface; CAN interfaces here:"));
    } else {
        assert_int_equal(rc, -EAFNOSUPPORT);
        assert_non_null(strstr(e.text, "no CAN"));
        assert_non_null(strstr(e.text, "udp:"));
    }
    assert_null(p);
    const struct can_open_setup many = {.ids = (const uint32_t[]){1}, .id_count = 513};
    assert_int_equal(can_open(&p, "socketcan:nocan", &many, &e), -EINVAL);
    assert_true(can_interface_queue_length("nocan") < 0);
}

static void can_of_a_core_needs_its_program(void **unused)
{
    (void)unused;
    struct can_port *p = NULL;
    struct err e = {""};
    const struct can_open_setup setup = {0};
    assert_int_equal(can_open(&p, "rtdm:rtcan0", &setup, &e), -ENOTSUP);
    assert_non_null(strstr(e.text, "--rt cobalt"));
    assert_null(p);
}

static void both_ends_of_a_demonstration_fit_together(void **unused)
{
    (void)unused;
    char bench[64], unit[64], names[256];
    can_open_default(false, false, bench, sizeof bench);
    can_open_default(true, false, unit, sizeof unit);
    const struct can_spec b = parsed(bench), u = parsed(unit);
    assert_int_equal(b.kind, u.kind);
    if (can_interface_list(names, sizeof names, true) == 0)
        assert_int_equal(b.kind, CAN_UDP);
    assert_int_equal(b.local_port, u.peer_port);
    assert_int_equal(u.local_port, b.peer_port);
}

/* ---- replay */

struct log {
    char path[32];
};

static int make_log(void **state)
{
    static struct log l;
    static const char text[] = "(100.000000) can0 001#01\n"
                               "# a remark\n"
                               "\n"
                               "(100.000500) can1 002#02\n"
                               "(100.001000) can0 003#03\n"
                               "(100.000900) can0 004#04\n" /* earlier than the one before */
                               "(100.002000) can0 005#05 T\n"
                               "(100.003000) can0 20000040#0000000000000000\n"
                               "(100.004000) can0 006##1001122\n";
    (void)snprintf(l.path, sizeof l.path, "/tmp/can_replay.XXXXXX");
    const int f = mkstemp(l.path);
    if (f < 0 || write(f, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
        return -1;
    *state = &l;
    return close(f);
}

static int remove_log(void **state)
{
    return unlink(((struct log *)*state)->path);
}

static struct can_port *open_log(const char *path, const char *name)
{
    struct can_port *p = NULL;
    struct err e = {""};
    const struct can_replay_setup setup = {.path = path, .name = name};
    if (can_replay_open(&p, &setup, &e))
        fail_msg("%s", e.text);
    return p;
}

static void frames_come_when_they_came(void **state)
{
    const int64_t start = 5 * NS_PER_S, us = NS_PER_US;
    static const struct {
        int64_t at_us;
        int frames;
        uint32_t first;
    } steps[] = {{0, 1, 1},    {400, 0, 0},  {500, 1, 2},
                 {1000, 2, 3}, {2000, 0, 0}, {3000, 1, CAN_ERR_BUSOFF},
                 {4000, 1, 6}, {9000, 0, 0}};
    struct can_port *p = open_log(((struct log *)*state)->path, NULL);
    struct can_msg got[8];
    p->bus = 9;
    assert_int_equal(can_replay_left(p), 6);
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const int n = p->ops->receive(p, start + steps[i].at_us * us, got, 8);
        assert_int_equal(n, steps[i].frames);
        if (n == 0)
            continue;
        assert_int_equal(got[0].id, steps[i].first);
        assert_int_equal(got[0].time_ns, start + steps[i].at_us * us);
        assert_int_equal(got[0].bus, 9);
        if (steps[i].at_us == 1000)
            assert_int_equal(got[1].time_ns, start + 1000 * us); /* time never goes back */
    }
    assert_int_equal(can_replay_left(p), 0);
    assert_int_equal(p->counts.received, 5);
    assert_int_equal(p->counts.bus_off, 1);
    assert_int_equal(p->counts.recovered, 1);
    assert_int_equal(p->ops->send(p, got, 1), 1);
    p->ops->close(p);
}

static void one_interface_of_a_log_keeps_its_time(void **state)
{
    struct can_port *p = open_log(((struct log *)*state)->path, "can1");
    struct can_msg got[8];
    assert_int_equal(can_replay_left(p), 1);
    assert_int_equal(p->ops->receive(p, NS_PER_S, got, 8), 0);
    assert_int_equal(p->ops->receive(p, NS_PER_S + 500 * NS_PER_US, got, 8), 1);
    assert_int_equal(got[0].id, 2);
    p->ops->close(p);
}

static void a_call_gives_no_more_than_asked_for(void **state)
{
    struct can_port *p = open_log(((struct log *)*state)->path, NULL);
    struct can_msg got[8];
    (void)p->ops->receive(p, 0, got, 0);
    assert_int_equal(p->ops->receive(p, NS_PER_S, got, 2), 2);
    assert_int_equal(p->ops->receive(p, NS_PER_S, got, 8), 4);
    p->ops->close(p);
}

static void a_log_that_cannot_be_replayed_says_where(void **state)
{
    const struct log *l = *state;
    struct can_port *p = NULL;
    struct err e = {""};
    const struct can_replay_setup nowhere = {.path = "/nowhere.log"};
    const struct can_replay_setup no_frames = {.path = l->path, .name = "can7"};
    const struct can_replay_setup broken = {.path = l->path};
    assert_int_equal(can_replay_open(&p, &nowhere, &e), -ENOENT);
    assert_int_equal(can_replay_open(&p, &no_frames, &e), -EINVAL);
    assert_non_null(strstr(e.text, "can7"));
    FILE *f = fopen(l->path, "a");
    assert_non_null(f);
    (void)fputs("(100.0) can0 12G#\n", f);
    (void)fclose(f);
    assert_int_equal(can_replay_open(&p, &broken, &e), -EINVAL);
    char where[64];
    (void)snprintf(where, sizeof where, "%s:10:", l->path);
    assert_non_null(strstr(e.text, where));
    assert_null(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_bus_has_its_words),
        cmocka_unit_test(other_words_are_refused_with_what_is_allowed),
        cmocka_unit_test(ends_are_opened_by_their_words),
        cmocka_unit_test(a_gateway_stands_before_the_transport_if_asked_for),
        cmocka_unit_test(an_interface_that_is_not_there_says_what_to_do),
        cmocka_unit_test(can_of_a_core_needs_its_program),
        cmocka_unit_test(both_ends_of_a_demonstration_fit_together),
        cmocka_unit_test_setup_teardown(frames_come_when_they_came, make_log, remove_log),
        cmocka_unit_test_setup_teardown(one_interface_of_a_log_keeps_its_time, make_log,
                                        remove_log),
        cmocka_unit_test_setup_teardown(a_call_gives_no_more_than_asked_for, make_log, remove_log),
        cmocka_unit_test_setup_teardown(a_log_that_cannot_be_replayed_says_where, make_log,
                                        remove_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

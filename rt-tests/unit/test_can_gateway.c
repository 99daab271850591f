/* The gateway's thread between rings and a transport. The tests play the real-time thread. */
#include "target/io/can_gateway.h"

#include "shared/base/time.h"
#include "target/io/can_udp.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const int64_t period_ns = NS_PER_MS;

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* A gateway on one end of UDP, the other end without. */
struct ends {
    struct can_port *gateway, *far;
};

static struct ends open_muted_ends(const atomic_bool *mute)
{
    struct ends ends;
    struct can_port *near;
    struct err e = {""};
    const struct can_udp_setup any = {0};
    const struct can_gateway_setup setup = {.period_ns = period_ns, .not_cpu = -1};
    assert_int_equal(can_udp_open(&near, &any, &e), 0);
    assert_int_equal(can_udp_open(&ends.far, &any, &e), 0);
    (void)can_udp_set_peer_port(near, can_udp_local_port(ends.far));
    (void)can_udp_set_peer_port(ends.far, can_udp_local_port(near));
    near->mute = mute;
    if (can_gateway_open(&ends.gateway, near, &setup, &e))
        fail_msg("%s", e.text);
    return ends;
}

static struct ends open_ends(void)
{
    return open_muted_ends(NULL);
}

static void close_ends(struct ends ends)
{
    ends.gateway->ops->close(ends.gateway);
    ends.far->ops->close(ends.far);
}

/* Takes frames until there are max. Never gives up by itself: the runner has a time-out. */
static void collect(struct can_port *p, struct can_msg *got, int max)
{
    for (int total = 0; total < max;) {
        const int n = p->ops->receive(p, now_ns(), got + total, max - total);
        assert_in_range(n, 0, CAN_BATCH);
        total += n;
        (void)sched_yield();
    }
}

static struct can_msg numbered(uint32_t number)
{
    struct can_msg m = {.id = number % 0x800, .len = 8};
    memcpy(m.data, &number, sizeof number);
    return m;
}

static void frames_pass_both_ways_in_order(void **unused)
{
    (void)unused;
    enum { FRAMES = 3000, AT_ONCE = 20 };
    static struct can_msg got[AT_ONCE];
    struct ends ends = open_ends();
    ends.gateway->bus = 7;
    for (uint32_t k = 0; k < FRAMES; k += AT_ONCE) {
        struct can_msg out[AT_ONCE];
        for (uint32_t i = 0; i < AT_ONCE; i++)
            out[i] = numbered(k + i);
        struct can_port *from = k / AT_ONCE % 2 ? ends.gateway : ends.far;
        struct can_port *to = k / AT_ONCE % 2 ? ends.far : ends.gateway;
        assert_int_equal(from->ops->send(from, out, AT_ONCE), AT_ONCE);
        collect(to, got, AT_ONCE);
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            assert_memory_equal(got[i].data, out[i].data, 8);
            assert_int_equal(got[i].bus, to == ends.gateway ? 7 : 0);
        }
    }
    close_ends(ends);
}

/* The counts follow when the thread has told them. */
static void counts_of_the_transport_come_through(void **unused)
{
    (void)unused;
    struct ends ends = open_ends();
    struct can_msg out[3] = {numbered(1), numbered(2), numbered(3)}, got[4];
    out[1].len = 9; /* no such frame: the transport finds out */
    assert_int_equal(ends.gateway->ops->send(ends.gateway, out, 3), 3);
    collect(ends.far, got, 2);
    while (ends.gateway->counts.sent != 2 || ends.gateway->counts.failed != 1)
        (void)ends.gateway->ops->receive(ends.gateway, now_ns(), got, 4);
    assert_int_equal(ends.gateway->counts.full + ends.gateway->counts.overflow, 0);
    assert_int_equal(ends.gateway->state, CAN_ACTIVE);
    close_ends(ends);
}

/* A watchdog has taken over: what waits in the ring is thrown away, not sent later. */
static void a_mute_gateway_sends_nothing(void **unused)
{
    (void)unused;
    atomic_bool mute = false;
    struct ends ends = open_muted_ends(&mute);
    struct can_msg out[2] = {numbered(1), numbered(2)}, got[4];
    assert_int_equal(ends.gateway->ops->send(ends.gateway, out, 1), 1);
    collect(ends.far, got, 1);
    atomic_store(&mute, true);
    assert_int_equal(ends.gateway->ops->send(ends.gateway, out, 2), 2);
    while (can_gateway_waiting(ends.gateway) > 0)
        (void)sched_yield();
    ends.gateway->ops->close(ends.gateway); /* whatever it sends has left by then */
    assert_int_equal(ends.far->ops->receive(ends.far, now_ns(), got, 4), 0);
    assert_int_equal(can_gateway_waiting(ends.far), 0);
    ends.far->ops->close(ends.far);
}

static void full_rings_are_counted(void **unused)
{
    (void)unused;
    struct ends ends = open_ends();
    static struct can_msg out[2 * CAN_GATEWAY_RING], got[CAN_GATEWAY_RING];
    for (uint32_t i = 0; i < 2 * CAN_GATEWAY_RING; i++)
        out[i] = numbered(i);
    /* Out: more than fits, faster than anyone drains. */
    const int taken = ends.gateway->ops->send(ends.gateway, out, 2 * CAN_GATEWAY_RING);
    assert_in_range(taken, CAN_GATEWAY_RING, 2 * CAN_GATEWAY_RING);
    assert_int_equal(ends.gateway->counts.full, 2 * CAN_GATEWAY_RING - taken);
    for (int left = taken; left > 0; left -= CAN_GATEWAY_RING)
        collect(ends.far, got, left < CAN_GATEWAY_RING ? left : CAN_GATEWAY_RING);
    /* In: nobody reads until the thread has seen everything. */
    const uint64_t frames = 2 * CAN_GATEWAY_RING;
    for (uint64_t i = 0; i < frames; i += 64)
        assert_int_equal(ends.far->ops->send(ends.far, out + i, 64), 64);
    struct can_msg none[1];
    while (ends.gateway->counts.received != frames ||
           ends.gateway->counts.overflow != CAN_GATEWAY_RING)
        (void)ends.gateway->ops->receive(ends.gateway, now_ns(), none, 0);
    collect(ends.gateway, got, CAN_GATEWAY_RING);
    for (uint32_t i = 0; i < CAN_GATEWAY_RING; i++)
        assert_memory_equal(got[i].data, out[i].data, 8);
    assert_int_equal(ends.gateway->ops->receive(ends.gateway, now_ns(), got, 64), 0);
    close_ends(ends);
}

static void what_the_last_tick_sent_still_leaves(void **unused)
{
    (void)unused;
    struct ends ends = open_ends();
    struct can_msg out = numbered(5), got[1];
    assert_int_equal(ends.gateway->ops->send(ends.gateway, &out, 1), 1);
    ends.gateway->ops->close(ends.gateway);
    collect(ends.far, got, 1);
    assert_int_equal(got[0].id, 5);
    ends.far->ops->close(ends.far);
}

static void it_looks_twice_a_period_in_step_with_the_ticks(void **unused)
{
    (void)unused;
    const int64_t t = NS_PER_MS, r = 1000 * t; /* a release */
    assert_int_equal(can_gateway_next_look_ns(r, r, t), r + t / 4);
    assert_int_equal(can_gateway_next_look_ns(r + t / 4, r, t), r + 3 * t / 4);
    assert_int_equal(can_gateway_next_look_ns(r + t / 2, r, t), r + 3 * t / 4);
    /* a tick that did not come: as if it had */
    assert_int_equal(can_gateway_next_look_ns(r + 5 * t, r, t), r + 5 * t + t / 4);
    /* no ticks, or those of another clock */
    assert_int_equal(can_gateway_next_look_ns(r, 0, t), r + t / 2);
    assert_int_equal(can_gateway_next_look_ns(r, r + NS_PER_S, t), r + t / 2);
    assert_int_equal(can_gateway_next_look_ns(r + 10 * NS_PER_S, r, t), r + 10 * NS_PER_S + t / 2);
    /* never more often than every 20 us */
    const int64_t fast = 20 * NS_PER_US;
    assert_int_equal(can_gateway_next_look_ns(r + 5 * NS_PER_US, r, fast), r + 25 * NS_PER_US);
}

static void what_cannot_work_is_refused(void **unused)
{
    (void)unused;
    struct can_port *transport, *p;
    struct err e;
    const struct can_udp_setup any = {0};
    const struct can_gateway_setup no_period = {.not_cpu = -1};
    const struct can_gateway_setup no_such_priority = {
        .period_ns = period_ns, .not_cpu = -1, .priority = 1000};
    assert_int_equal(can_udp_open(&transport, &any, &e), 0);
    assert_int_equal(can_gateway_open(&p, transport, &no_period, &e), -EINVAL);
    assert_int_equal(can_gateway_open(&p, transport, &no_such_priority, &e), -EINVAL);
    assert_non_null(strstr(e.text, "priority 1000"));
    transport->ops->close(transport);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_pass_both_ways_in_order),
        cmocka_unit_test(counts_of_the_transport_come_through),
        cmocka_unit_test(a_mute_gateway_sends_nothing),
        cmocka_unit_test(full_rings_are_counted),
        cmocka_unit_test(what_the_last_tick_sent_still_leaves),
        cmocka_unit_test(it_looks_twice_a_period_in_step_with_the_ticks),
        cmocka_unit_test(what_cannot_work_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

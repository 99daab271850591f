/* The bus in memory: one tick of delay, arbitration, bus load, nothing lost, the same every time.
 */
#include "target/io/can_memory.h"

#include "shared/base/time.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int64_t tick_ns = NS_PER_MS;

static struct can_memory *open_bus(int64_t bit_rate, int64_t data_rate)
{
    struct can_memory *bus = NULL;
    const struct can_memory_setup setup = {bit_rate, data_rate, true};
    assert_int_equal(can_memory_open(&bus, &setup, NULL), 0);
    return bus;
}

static struct can_msg frame(uint32_t id, int len, int flags)
{
    struct can_msg m = {.id = id, .len = (uint8_t)len, .flags = (uint8_t)flags};
    for (int i = 0; i < len; i++)
        m.data[i] = (uint8_t)(i + (int)id);
    return m;
}

static int send_one(struct can_port *p, uint32_t id, int len, int flags)
{
    const struct can_msg m = frame(id, len, flags);
    return p->ops->send(p, &m, 1);
}

static int receive(struct can_port *p, int64_t now_ns, struct can_msg *got, int max)
{
    return p->ops->receive(p, now_ns, got, max);
}

static void a_frame_arrives_one_tick_later_at_everyone_else(void **unused)
{
    (void)unused;
    struct can_memory *bus = open_bus(0, 0);
    struct can_port *p[3];
    struct can_msg got[8];
    for (int i = 0; i < 3; i++) {
        p[i] = can_memory_attach(bus, i == 0);
        p[i]->bus = (uint8_t)i;
        assert_int_equal(receive(p[i], tick_ns, got, 8), 0);
    }
    assert_int_equal(send_one(p[0], 0x123, 3, 0), 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(receive(p[i], tick_ns, got, 8), 0);
    for (int i = 0; i < 3; i++) {
        struct can_msg want = frame(0x123, 3, i == 0 ? CAN_MSG_OWN : 0);
        want.time_ns = 2 * tick_ns;
        want.bus = (uint8_t)i;
        assert_int_equal(receive(p[i], 2 * tick_ns, got, 8), 1);
        assert_memory_equal(&got[0], &want, sizeof want);
        assert_int_equal(receive(p[i], 3 * tick_ns, got, 8), 0);
    }
    assert_int_equal(p[0]->counts.confirmed, 1);
    assert_int_equal(p[0]->counts.received, 0);
    assert_int_equal(p[1]->counts.received, 1);
    can_memory_close(bus);
}

static void frames_of_a_tick_go_by_arbitration(void **unused)
{
    (void)unused;
    struct can_memory *bus = open_bus(0, 0);
    struct can_port *a = can_memory_attach(bus, false), *b = can_memory_attach(bus, false);
    struct can_port *c = can_memory_attach(bus, false);
    struct can_msg got[8];
    (void)receive(c, 0, got, 8);
    (void)send_one(a, 0x300, 1, 0);
    (void)send_one(a, 0x100, 2, 0);
    (void)send_one(b, CAN_ID_EXTENDED | 0x200u << 18, 3, 0);
    (void)send_one(b, 0x200, 4, 0);
    (void)send_one(a, 0x100, 5, 0); /* the same id: in the order of sending */
    assert_int_equal(receive(c, tick_ns, got, 8), 5);
    const int order[] = {2, 5, 4, 3, 1};
    for (int i = 0; i < 5; i++)
        assert_int_equal(got[i].len, order[i]);
    can_memory_close(bus);
}

/* 135 bits at 500 kbit/s: 270 us a frame, three and a bit in a tick of 1 ms. */
static void the_bit_rate_limits_what_fits_into_a_tick(void **unused)
{
    (void)unused;
    struct can_memory *bus = open_bus(500000, 0);
    struct can_port *a = can_memory_attach(bus, false), *b = can_memory_attach(bus, false);
    struct can_msg got[16];
    (void)receive(b, 0, got, 16);
    for (uint32_t i = 0; i < 5; i++)
        (void)send_one(a, 0x500 - i, 8, 0);
    assert_int_equal(receive(b, tick_ns, got, 16), 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(got[i].id, 0x4fc + i);
        assert_int_equal(got[i].time_ns, 270000 * (int64_t)(i + 1));
    }
    /* A more important frame comes before the one that waits, not before the one that has begun. */
    (void)send_one(a, 0x001, 8, 0);
    assert_int_equal(receive(b, 2 * tick_ns, got, 16), 3);
    const uint32_t ids[] = {0x4ff, 0x001, 0x500};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(got[i].id, ids[i]);
        assert_int_equal(got[i].time_ns, 270000 * (4 + i));
    }
    assert_int_equal(can_memory_busy_ns(bus), 6 * 270000);
    /* An idle bus begins at once: at the tick of the sending. */
    assert_int_equal(receive(b, 5 * tick_ns, got, 16), 0);
    (void)send_one(a, 0x010, 8, 0);
    assert_int_equal(receive(b, 6 * tick_ns, got, 16), 1);
    assert_int_equal(got[0].time_ns, 5 * tick_ns + 270000);
    can_memory_close(bus);
}

/* Ten seconds of a saturated 1 Mbit/s bus at a tick of 0.1 ms. Every bit time is used, nothing is
 * lost, and the numbers in the data are without a gap. */
static void a_full_bus_is_taken_at_a_tenth_of_a_millisecond(void **unused)
{
    (void)unused;
    struct can_memory *bus = open_bus(1000000, 0);
    struct can_port *a = can_memory_attach(bus, false), *b = can_memory_attach(bus, false);
    struct can_msg got[CAN_BATCH];
    const int64_t step_ns = NS_PER_MS / 10, ticks = 100000;
    uint32_t next_out = 0, next_in = 0;
    for (int64_t k = 0; k <= ticks; k++) {
        const int n = receive(b, k * step_ns, got, CAN_BATCH);
        for (int i = 0; i < n; i++, next_in++) {
            uint32_t number;
            memcpy(&number, got[i].data, sizeof number);
            assert_int_equal(number, next_in);
            assert_int_equal(got[i].time_ns, 135000 * (int64_t)(next_in + 1));
        }
        while (next_out - next_in < 4) {
            struct can_msg m = frame(0x100, 8, 0);
            memcpy(m.data, &next_out, sizeof next_out);
            assert_int_equal(a->ops->send(a, &m, 1), 1);
            next_out++;
        }
    }
    assert_int_equal(next_in, ticks * step_ns / 135000);
    assert_int_equal(b->counts.received, next_in);
    assert_int_equal(b->counts.overflow + a->counts.full + a->counts.failed, 0);
    can_memory_close(bus);
}

/* 20,000 FD frames of 64 bytes a second are more than one real bus carries: no bus load here. */
static void twenty_thousand_fd_frames_a_second_are_taken(void **unused)
{
    (void)unused;
    struct can_memory *bus = open_bus(0, 0);
    struct can_port *a = can_memory_attach(bus, false), *b = can_memory_attach(bus, false);
    struct can_msg got[CAN_BATCH], out[2];
    out[0] = frame(0x10, 64, CAN_MSG_FD | CAN_MSG_BRS);
    out[1] = frame(0x11, 64, CAN_MSG_FD | CAN_MSG_BRS);
    const int64_t step_ns = NS_PER_MS / 10, ticks = 10000;
    int64_t total = 0;
    for (int64_t k = 0; k <= ticks; k++) {
        const int n = receive(b, k * step_ns, got, CAN_BATCH);
        assert_int_equal(n, k == 0 ? 0 : 2);
        for (int i = 0; i < n; i++)
            assert_memory_equal(got[i].data, out[i].data, 64);
        total += n;
        assert_int_equal(a->ops->send(a, out, 2), 2);
    }
    assert_int_equal(total, 20000);
    can_memory_close(bus);
}

static void full_queues_are_counted(void **unused)
{
    (void)unused;
    struct can_memory *bus = open_bus(0, 0);
    struct can_port *a = can_memory_attach(bus, false), *b = can_memory_attach(bus, false);
    struct can_msg got[CAN_BATCH];
    (void)receive(b, 0, got, 1);
    for (int i = 0; i < CAN_MEMORY_QUEUE; i++)
        assert_int_equal(send_one(a, 1, 0, 0), 1);
    assert_int_equal(send_one(a, 1, 0, 0), 0);
    assert_int_equal(a->counts.full, 1);
    assert_int_equal(send_one(a, 0x800, 0, 0), 0);
    assert_int_equal(a->counts.failed, 1);
    /* b reads one frame a tick: its inbox overflows by what does not fit. */
    const int64_t fits = CAN_MEMORY_INBOX, rounds = 2 * CAN_MEMORY_INBOX / CAN_MEMORY_QUEUE;
    for (int64_t k = 1; k <= rounds; k++) {
        (void)receive(a, k, got, 1);
        for (int i = 0; i < CAN_MEMORY_QUEUE && k < rounds; i++)
            (void)send_one(a, 1, 0, 0);
    }
    int64_t read = 0;
    for (int n = 1; n > 0; read += n)
        n = receive(b, rounds, got, CAN_BATCH);
    assert_int_equal(read, fits);
    assert_int_equal(b->counts.overflow, rounds * CAN_MEMORY_QUEUE - fits);
    can_memory_close(bus);
}

static void a_port_that_is_off_neither_sends_nor_receives(void **unused)
{
    (void)unused;
    struct can_memory *bus = open_bus(0, 0);
    struct can_port *a = can_memory_attach(bus, false), *b = can_memory_attach(bus, false);
    struct can_msg got[8];
    (void)receive(b, 0, got, 8);
    (void)send_one(a, 1, 1, 0);
    (void)send_one(b, 2, 2, 0);
    can_memory_disturb(a, CAN_BUS_OFF);
    assert_int_equal(send_one(a, 3, 0, 0), 0);
    assert_int_equal(receive(a, tick_ns, got, 8), 0);
    assert_int_equal(receive(b, tick_ns, got, 8), 0);
    assert_int_equal(a->counts.bus_off, 1);
    assert_int_equal(a->counts.failed, 1);
    can_memory_disturb(a, CAN_ACTIVE);
    assert_int_equal(a->counts.recovered, 1);
    assert_int_equal(send_one(a, 4, 4, 0), 1);
    assert_int_equal(send_one(b, 5, 5, 0), 1);
    assert_int_equal(receive(a, 2 * tick_ns, got, 8), 1);
    assert_int_equal(got[0].id, 5);
    assert_int_equal(receive(b, 2 * tick_ns, got, 8), 1);
    assert_int_equal(got[0].id, 4);
    b->ops->close(b);
    assert_int_equal(send_one(a, 6, 0, 0), 1);
    assert_int_equal(receive(a, 3 * tick_ns, got, 8), 0);
    can_memory_close(bus);
}

static uint64_t scramble(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Four ports send at random on a loaded FD bus. Returns a hash of everything that arrived, and
 * checks that it is complete and, per identifier, in order. */
static uint64_t random_traffic(uint64_t seed)
{
    enum { PORTS = 4, IDS = 16 };
    struct can_memory *bus = open_bus(500000, 2000000);
    struct can_port *p[PORTS];
    struct can_msg got[CAN_BATCH];
    uint32_t sent[IDS] = {0}, seen[PORTS][IDS] = {{0}};
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < PORTS; i++)
        p[i] = can_memory_attach(bus, true);
    for (int64_t k = 0; k < 4000; k++) {
        for (int i = 0; i < PORTS; i++) {
            const int n = receive(p[i], k * tick_ns / 2, got, CAN_BATCH);
            for (int j = 0; j < n; j++) {
                uint32_t number;
                memcpy(&number, got[j].data, sizeof number);
                assert_int_equal(number, seen[i][got[j].id]++);
                assert_true(got[j].time_ns <= k * tick_ns / 2);
                for (size_t b = 0; b < sizeof got[j]; b++)
                    hash = (hash ^ ((const unsigned char *)&got[j])[b]) * 1099511628211u;
            }
        }
        if (k < 3000 && scramble(&seed) % 2 == 0) {
            const uint32_t id = (uint32_t)(scramble(&seed) % IDS);
            struct can_msg m = frame(id, 8 + 4 * (int)(scramble(&seed) % 5), CAN_MSG_FD);
            m.flags |= scramble(&seed) % 2 ? CAN_MSG_BRS : 0;
            memcpy(m.data, &sent[id], sizeof sent[id]);
            sent[id] += (uint32_t)p[id % PORTS]->ops->send(p[id % PORTS], &m, 1);
        }
    }
    for (int i = 0; i < PORTS; i++)
        for (int id = 0; id < IDS; id++)
            assert_int_equal(seen[i][id], sent[id]);
    can_memory_close(bus);
    return hash;
}

static void random_traffic_is_complete_and_repeatable(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_true(random_traffic(seed) == random_traffic(seed));
    assert_true(random_traffic(1) != random_traffic(2));
}

static void what_cannot_work_is_refused(void **unused)
{
    (void)unused;
    struct can_memory *bus = NULL;
    struct err e;
    const struct can_memory_setup bad = {.bit_rate = -1};
    assert_int_equal(can_memory_open(&bus, &bad, &e), -EINVAL);
    assert_null(bus);
    bus = open_bus(0, 0);
    for (int i = 0; i < CAN_MEMORY_PORTS; i++)
        assert_non_null(can_memory_attach(bus, false));
    assert_null(can_memory_attach(bus, false));
    can_memory_close(bus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_arrives_one_tick_later_at_everyone_else),
        cmocka_unit_test(frames_of_a_tick_go_by_arbitration),
        cmocka_unit_test(the_bit_rate_limits_what_fits_into_a_tick),
        cmocka_unit_test(a_full_bus_is_taken_at_a_tenth_of_a_millisecond),
        cmocka_unit_test(twenty_thousand_fd_frames_a_second_are_taken),
        cmocka_unit_test(full_queues_are_counted),
        cmocka_unit_test(a_port_that_is_off_neither_sends_nor_receives),
        cmocka_unit_test(random_traffic_is_complete_and_repeatable),
        cmocka_unit_test(what_cannot_work_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The compiled bus in the tick: exact frames, both sides against each other, what is counted. */
#include "rt-tests/support/bus_demo.h"
#include "shared/base/time.h"
#include "shared/can/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRAMES = 64, EVENTS = 32 };

#define PI 3.141592653589793238463

/* One side of the bus. */
struct side {
    enum bus_role role;
    struct bus *bus;
    struct bus_state state;
    double sources[BUS_DEMO_SLOTS], sinks[BUS_DEMO_SLOTS];
    int64_t stamps_ns[BUS_DEMO_SLOTS];
    struct can_msg out[FRAMES];
    int count;
    struct can_rx_event list[EVENTS];
    struct can_rx_events events;
};

static struct side *open_side(enum bus_role role, int64_t tick_ns)
{
    struct side *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->role = role;
    s->bus = bus_demo(role, tick_ns);
    s->events = (struct can_rx_events){.list = s->list, .room = EVENTS};
    bus_reset(s->bus, &s->state, 0, 0);
    return s;
}

static void close_side(struct side *s)
{
    bus_free(s->bus);
    free(s);
}

static void set(struct side *s, const char *name, double value)
{
    s->sources[bus_demo_slot(s->role, false, name)] = value;
}

static double got(const struct side *s, const char *name)
{
    return s->sinks[bus_demo_slot(s->role, true, name)];
}

static void encode(struct side *s, int64_t tick)
{
    s->count = bus_encode(s->bus, &s->state, tick, s->sources, s->out, FRAMES);
}

static const struct can_msg *frame_of(const struct side *s, uint32_t id)
{
    for (int i = 0; i < s->count; i++)
        if (s->out[i].id == id)
            return &s->out[i];
    return NULL;
}

/* Ticks until the message is sent; its frame. */
static const struct can_msg *next_frame(struct side *s, uint32_t id, int64_t *tick)
{
    for (int i = 0; i < 2000; i++) {
        encode(s, (*tick)++);
        const struct can_msg *msg = frame_of(s, id);
        if (msg)
            return msg;
    }
    fail_msg("0x%x was never sent", id);
    return NULL;
}

static void frames_by_hand(void **unused)
{
    (void)unused;
    struct side *s = open_side(BUS_BENCH, NS_PER_MS);
    int64_t tick = 0;
    set(s, "fl_sensor_edges", 1000.0);              /* 0x3e8: 0xe8 remains */
    set(s, "fl_sensor_edge_ns", 1e9 + 123456000.0); /* 1,123,456 us: 0x112480 -> 0x2480 */
    set(s, "fr_sensor_edges", 255.0);
    set(s, "fr_sensor_edge_ns", 65535000.0);
    const struct can_msg *msg = next_frame(s, 0xa0, &tick);
    static const uint8_t edges[8] = {0, 0x50, 0xe8, 0x80, 0x24, 0xff, 0xff, 0xff};
    assert_int_equal(msg->len, 8);
    assert_int_equal(msg->flags, 0);
    assert_int_equal(msg->bus, 1);
    assert_memory_equal(msg->data + 1, edges + 1, 7); /* byte 1: counter 0, both valid */

    /* 80 bar above -10 bar is raw 900 = 0x384, in both circuits.
     * 55 % is raw 550 = 0x226 from bit 40. Switch on, test switch off, both valid. */
    set(s, "sensor_brake_switch", 1.0);
    set(s, "sensor_master_Pa", 80.0e5);
    set(s, "in_brake_pedal", 0.55);
    msg = next_frame(s, 0xb4, &tick);
    static const uint8_t brake[7] = {0, 0xd0, 0x84, 0x43, 0x38, 0x26, 0x02};
    assert_int_equal(msg->len, 7);
    assert_memory_equal(msg->data + 1, brake + 1, 6);

    /* 90 deg/s is raw 18000 = 0x4650; -9.80665 m/s2 is raw -9807 = 0xd9b1 */
    set(s, "sensor_yaw_rate_radps", PI / 2.0);
    set(s, "sensor_force_y_mps2", 1.234);
    set(s, "sensor_force_x_mps2", -9.80665);
    msg = next_frame(s, 0xa4, &tick);
    static const uint8_t inertia[8] = {0, 0x70, 0x50, 0x46, 0xd2, 0x04, 0xb1, 0xd9};
    assert_int_equal(msg->data[1] & 0xf0, inertia[1]);
    assert_memory_equal(msg->data + 2, inertia + 2, 6);
    close_side(s);
}

/* Every frame is protected as its rule says, and the counters run on from 0. */
static void counters_and_checksums_run(void **unused)
{
    (void)unused;
    struct side *s = open_side(BUS_BENCH, NS_PER_MS);
    struct protect_status status[BUS_SENT] = {{0}};
    uint32_t frames = 0;
    for (int64_t tick = 0; tick < 2000; tick++) {
        encode(s, tick);
        assert_true(s->count <= (int)s->bus->busiest.frames);
        for (int i = 0; i < s->count; i++) {
            for (uint32_t k = 0; k < s->bus->sent_count; k++) {
                const struct bus_sent *m = &s->bus->sent[k];
                if (m->frame.id != s->out[i].id)
                    continue;
                assert_int_equal(tick % m->period_ticks, m->offset_ticks);
                if (m->protect_on)
                    assert_int_equal(
                        protect_verify(&m->protect, &status[k], s->out[i].data, s->out[i].len), 0);
                frames++;
            }
        }
    }
    /* in 2 s: 3 of 5 ms, 4 of 10 ms, 3 of 20 ms, 2 of 100 ms, 1 of 1 s */
    assert_int_equal(frames, 3 * 400 + 4 * 200 + 3 * 100 + 2 * 20 + 2);
    assert_int_equal(s->state.no_number + s->state.clamped + s->state.left_out, 0);
    close_side(s);
}

static void periods_are_the_same_at_every_tick(void **unused)
{
    (void)unused;
    static const int64_t tick_us[] = {1000, 500, 200, 100, 50};
    for (size_t i = 0; i < sizeof tick_us / sizeof tick_us[0]; i++) {
        struct side *s = open_side(BUS_BENCH, tick_us[i] * NS_PER_US);
        for (uint32_t k = 0; k < s->bus->sent_count; k++) {
            const struct bus_sent *m = &s->bus->sent[k];
            double ms = (double)(m->period_ticks * s->bus->tick_ns) / (double)NS_PER_MS;
            const struct dbc_message *d = dbc_message_by_id(s->bus->dbc, m->frame.id);
            if (d->cycle_ms > 0.0)
                assert_true(ms == d->cycle_ms);
        }
        close_side(s);
    }
}

/* Passes all frames of one side to the other. */
static void carry(struct side *from, struct side *to, int64_t now_ns)
{
    for (int i = 0; i < from->count; i++) {
        from->out[i].time_ns = now_ns;
        (void)bus_decode(to->bus, &to->state, &from->out[i], to->sinks, to->stamps_ns, &to->events);
    }
}

static double random_between(uint32_t *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (double)(*seed >> 8) / 16777216.0;
}

struct pair {
    const char *source, *sink;
    double low, high;
    double resolution; /* in the unit of the sink: half of it may be lost */
    double factor;     /* sink = source * factor */
    double modulus;    /* of the sink; 0: does not wrap */
};

static const struct pair to_unit[] = {
    {"fl_sensor_edges", "fl_edges", 0, 1e6, 1, 1, 256},
    {"rr_sensor_edges", "rr_edges", 0, 4e9, 1, 1, 256},
    {"fl_sensor_edge_ns", "fl_edge_us", 0, 9e15, 1, 1e-3, 65536},
    {"rl_sensor_edge_ns", "rl_edge_us", 0, 1e9, 1, 1e-3, 65536},
    {"sensor_yaw_rate_radps", "yaw_rate_radps", -2.8, 2.8, 0.005 * PI / 180, 1, 0},
    {"sensor_force_y_mps2", "acc_y_mps2", -32, 32, 0.001, 1, 0},
    {"sensor_hand_wheel_rad", "hand_wheel_rad", -20, 20, 0.05 * PI / 180, 1, 0},
    {"sensor_master_Pa", "master_Pa", -1e5, 390e5, 0.1e5, 1, 0},
    {"in_throttle", "accelerator", 0, 1, 0.004, 1, 0},
    {"engine_radps", "engine_radps", 0, 900, 0.25 * PI / 30, 1, 0},
    {"engine_Nm", "engine_Nm", -1000, 1000, 0.5, 1, 0},
};
static const struct pair to_bench[] = {
    {"fl_pressure_Pa", "fl_unit_pressure_Pa", 0, 204e5, 0.1e5, 1, 0},
    {"fr_pressure_Pa", "fr_unit_pressure_Pa", 0, 204e5, 0.1e5, 1, 0},
    {"rl_pressure_Pa", "rl_unit_pressure_Pa", 0, 204e5, 0.1e5, 1, 0},
    {"rr_pressure_Pa", "rr_unit_pressure_Pa", 0, 204e5, 0.1e5, 1, 0},
    {"control", "fl_unit_pressure_valid", 1, 1, 1, 1, 0},
};

static void assert_pairs(const struct side *from, const struct side *to, const struct pair *pairs,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct pair *p = &pairs[i];
        double sent = from->sources[bus_demo_slot(from->role, false, p->source)] * p->factor;
        double away = got(to, p->sink) - sent;
        if (p->modulus > 0.0)
            away = remainder(away, p->modulus);
        /* half a step, and the rounding of the largest numbers */
        if (!(fabs(away) <= 0.5 * p->resolution + 1e-9 * p->resolution + 1e-15 * fabs(sent)))
            fail_msg("%s: sent %.17g, got %.17g", p->sink, sent, got(to, p->sink));
    }
}

static void randomise(struct side *s, const struct pair *pairs, size_t count, uint32_t *seed)
{
    for (size_t i = 0; i < count; i++) {
        double value = random_between(seed, pairs[i].low, pairs[i].high);
        set(s, pairs[i].source, pairs[i].modulus > 0.0 ? floor(value) : value);
    }
}

static void the_other_side_gets_every_value(void **unused)
{
    (void)unused;
    struct side *bench = open_side(BUS_BENCH, 5 * NS_PER_MS);
    struct side *unit = open_side(BUS_UNIT, 5 * NS_PER_MS);
    uint32_t seed = 3;
    int64_t tick = 0;
    for (int n = 0; n < 500; n++) {
        randomise(bench, to_unit, sizeof to_unit / sizeof to_unit[0], &seed);
        randomise(unit, to_bench, sizeof to_bench / sizeof to_bench[0], &seed);
        for (int i = 0; i < 4; i++, tick++) { /* the slowest of these has 20 ms */
            int64_t now_ns = tick * 5 * NS_PER_MS;
            encode(bench, tick);
            encode(unit, tick);
            carry(bench, unit, now_ns);
            carry(unit, bench, now_ns);
            assert_int_equal(bus_supervise(unit->bus, &unit->state, now_ns, &unit->events), 0);
            assert_int_equal(bus_supervise(bench->bus, &bench->state, now_ns, &bench->events), 0);
        }
        assert_pairs(bench, unit, to_unit, sizeof to_unit / sizeof to_unit[0]);
        assert_pairs(unit, bench, to_bench, sizeof to_bench / sizeof to_bench[0]);
    }
    /* nothing was found wrong with anything */
    assert_int_equal(unit->events.count + unit->events.left_out, 0);
    assert_int_equal(bench->events.count + bench->events.left_out, 0);
    assert_int_equal(bench->state.unknown + bench->state.foreign, 0);
    assert_int_equal(unit->state.foreign, 0);
    int pressure = bus_demo_slot(BUS_BENCH, true, "fl_unit_pressure_Pa");
    assert_int_equal(bench->stamps_ns[pressure], (tick - 1) * 5 * NS_PER_MS);
    assert_string_equal(bench->bus->received[bench->bus->sink_message[pressure]].name,
                        "WheelPressures");
    close_side(bench);
    close_side(unit);
}

/* Raw microseconds modulo 65536, from nanoseconds up to 104 days: by whole numbers. */
static void edge_times_stay_exact(void **unused)
{
    (void)unused;
    struct side *s = open_side(BUS_BENCH, NS_PER_MS);
    static const int64_t at_ns[] = {0,
                                    1000,
                                    65535000,
                                    65536000,
                                    INT64_C(86400) * NS_PER_S + 1000,
                                    INT64_C(9007199254740) * 1000};
    int64_t tick = 0;
    for (size_t i = 0; i < sizeof at_ns / sizeof at_ns[0]; i++) {
        set(s, "fl_sensor_edge_ns", (double)at_ns[i]);
        const struct can_msg *msg = next_frame(s, 0xa0, &tick);
        uint32_t us = msg->data[3] | (uint32_t)msg->data[4] << 8;
        assert_int_equal(us, (uint64_t)(at_ns[i] / 1000) & 0xffff);
    }
    close_side(s);
}

static void pages_follow_each_other(void **unused)
{
    (void)unused;
    struct side *s = open_side(BUS_UNIT, 5 * NS_PER_MS);
    int64_t tick = 0;
    set(s, "reference_mps", 10.0); /* 36 km/h: raw 3600 = 0x0e10, on every page */
    set(s, "fault", 7.0);
    set(s, "fr_mps", 20.0); /* 72 km/h: 0x1c20 */
    for (uint32_t n = 0; n < 12; n++) {
        const struct can_msg *msg = next_frame(s, 0x128, &tick);
        assert_int_equal(msg->data[1] >> 4, n % 5);
        assert_int_equal(msg->data[2] | msg->data[3] << 8, 0x0e10);
        assert_int_equal(msg->data[4], n % 5 == 0 ? 7 : 0);
        assert_int_equal(msg->data[6] | msg->data[7] << 8, n % 5 == 1 ? 0x1c20 : 0);
    }
    close_side(s);
}

static void what_does_not_fit_is_clamped_and_counted(void **unused)
{
    (void)unused;
    struct side *s = open_side(BUS_BENCH, NS_PER_MS);
    int64_t tick = 0;
    set(s, "sensor_force_y_mps2", 1e3);
    set(s, "sensor_force_x_mps2", NAN);
    const struct can_msg *msg = next_frame(s, 0xa4, &tick);
    assert_int_equal(msg->data[4] | msg->data[5] << 8, 0x7fff);
    assert_int_equal(msg->data[6] | msg->data[7] << 8, 0); /* as the template has it */
    assert_int_equal(s->state.clamped, 1);
    assert_int_equal(s->state.no_number, 1);
    /* no room: the frame is lost, the counter goes on as the receiver will see */
    tick = 1000;
    struct bus_state before = s->state;
    int n = bus_encode(s->bus, &s->state, tick, s->sources, s->out, 0);
    assert_int_equal(n, 0);
    assert_true(s->state.left_out > before.left_out);
    close_side(s);
}

static void foreign_and_unknown_frames_are_counted(void **unused)
{
    (void)unused;
    struct side *s = open_side(BUS_BENCH, NS_PER_MS);
    struct can_msg msg = {.id = 0xa0, .len = 8};
    assert_int_equal(bus_decode(s->bus, &s->state, &msg, s->sinks, NULL, &s->events), -1);
    msg.id = 0x7ab;
    assert_int_equal(bus_decode(s->bus, &s->state, &msg, s->sinks, NULL, &s->events), -1);
    msg.id = 0xa8 | CAN_ID_EXTENDED; /* another message altogether */
    assert_int_equal(bus_decode(s->bus, &s->state, &msg, s->sinks, NULL, &s->events), -1);
    msg = (struct can_msg){.id = 0xa0, .len = 8, .flags = CAN_MSG_OWN};
    assert_int_equal(bus_decode(s->bus, &s->state, &msg, s->sinks, NULL, &s->events), -1);
    assert_int_equal(s->state.foreign, 1);
    assert_int_equal(s->state.unknown, 2);
    msg = (struct can_msg){.id = 0xa8, .len = 8}; /* no checksum: refused, nothing written */
    memset(s->sinks, 0x55, sizeof s->sinks);
    double before = s->sinks[0];
    assert_int_equal(bus_decode(s->bus, &s->state, &msg, s->sinks, s->stamps_ns, &s->events), -1);
    for (int i = 0; i < BUS_DEMO_SLOTS; i++)
        assert_true(s->sinks[i] == before);
    assert_int_equal(s->events.count, 1);
    assert_int_equal(s->list[0].kind, CAN_RX_SUM);
    assert_string_equal(s->bus->received[s->list[0].message].name, "WheelPressures");
    close_side(s);
}

static void a_silent_unit_is_noticed(void **unused)
{
    (void)unused;
    struct side *s = open_side(BUS_BENCH, NS_PER_MS);
    struct side *unit = open_side(BUS_UNIT, 5 * NS_PER_MS);
    for (int64_t tick = 0; tick < 20; tick++) {
        encode(unit, tick);
        carry(unit, s, tick * 5 * NS_PER_MS);
        assert_int_equal(bus_supervise(s->bus, &s->state, tick * 5 * NS_PER_MS, &s->events), 0);
    }
    /* WheelPressures came at 95 ms last, time-out 20 ms; EspStatus 50 ms; EspReference 100 ms */
    int64_t ms = 96;
    while (bus_supervise(s->bus, &s->state, ms * NS_PER_MS, &s->events) == 0)
        ms++;
    assert_int_equal(ms, 95 + 20 + 1);
    assert_int_equal(s->events.count, 1);
    assert_string_equal(s->bus->received[s->list[0].message].name, "WheelPressures");
    while (bus_supervise(s->bus, &s->state, ms * NS_PER_MS, &s->events) < 4)
        ms++;
    assert_true(ms <= 95 + 100 + 1);
    close_side(unit);
    close_side(s);
}

static void a_copied_state_goes_on_alike(void **unused)
{
    (void)unused;
    struct side *a = open_side(BUS_BENCH, NS_PER_MS), *b = open_side(BUS_BENCH, NS_PER_MS);
    uint32_t seed = 9;
    for (int64_t tick = 0; tick < 300; tick++) {
        randomise(a, to_unit, sizeof to_unit / sizeof to_unit[0], &seed);
        encode(a, tick);
        if (tick == 137)
            b->state = a->state;
        if (tick <= 137)
            continue;
        memcpy(b->sources, a->sources, sizeof a->sources);
        encode(b, tick);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->out, b->out, (size_t)a->count * sizeof a->out[0]);
    }
    assert_memory_equal(&a->state, &b->state, sizeof a->state);
    close_side(a);
    close_side(b);
}

static void only_used_sources_matter(void **unused)
{
    (void)unused;
    struct side *a = open_side(BUS_BENCH, NS_PER_MS), *b = open_side(BUS_BENCH, NS_PER_MS);
    for (int i = 0; i < BUS_DEMO_SLOTS; i++) {
        a->sources[i] = NAN;
        b->sources[i] = 1e300;
    }
    for (uint32_t i = 0; i < a->bus->used_count; i++)
        a->sources[a->bus->used[i]] = b->sources[a->bus->used[i]] = 0.5;
    for (int64_t tick = 0; tick < 100; tick++) {
        encode(a, tick);
        encode(b, tick);
        assert_memory_equal(a->out, b->out, (size_t)a->count * sizeof a->out[0]);
    }
    assert_int_equal(a->state.no_number, 0);
    close_side(a);
    close_side(b);
}

/* The inlined way of simple signals is that of all signals, for every signal of the demo bus. */
static void simple_signals_code_alike(void **unused)
{
    (void)unused;
    struct bus *bus = bus_demo(BUS_BENCH, NS_PER_MS);
    const struct dbc *dbc = bus->dbc;
    uint32_t seed = 5;
    for (size_t i = 0; i < dbc->message_count; i++) {
        for (size_t k = 0; k < dbc->messages[i].signal_count; k++) {
            const struct dbc_signal *s = &dbc->messages[i].signals[k];
            struct can_code code;
            assert_int_equal(code_compile(&dbc->messages[i], s, &code), 0);
            assert_true(code_is_simple(&code));
            for (int n = 0; n < 50; n++) {
                uint8_t a[CAN_MSG_DATA] = {0}, b[CAN_MSG_DATA] = {0};
                double reach = s->max - s->min;
                double value = random_between(&seed, s->min - 0.1 * reach, s->max + 0.1 * reach);
                if (n == 0)
                    value = NAN;
                assert_int_equal(code_put_simple(&code, a, value), code_put(&code, b, value));
                assert_memory_equal(a, b, sizeof a);
                assert_true(code_get_simple(&code, a) == code_get(&code, a));
            }
        }
    }
    bus_free(bus);
}

static void units_convert(void **unused)
{
    (void)unused;
    struct unit a = {0}, b = {0};
    assert_true(unit_find("km/h", &a) && unit_find("m/s", &b));
    assert_true(unit_same_kind(&a, &b, false) && a.num / a.den == 1.0 / 3.6);
    assert_true(unit_find("bar", &a) && unit_find("kPa", &b));
    assert_true(unit_same_kind(&a, &b, false) && a.num / b.num == 100.0);
    assert_true(unit_find("rpm", &a) && unit_find("deg/s", &b)); /* 1 rpm is 6 deg/s */
    assert_true(unit_same_kind(&a, &b, false));
    assert_true(fabs(a.num / a.den / (b.num / b.den) - 6.0) < 1e-14);
    assert_true(unit_find("rad/s", &a) && unit_find("m", &b));
    struct unit speed = unit_product(&a, &b);
    assert_true(unit_find("km/h", &b));
    assert_false(unit_same_kind(&speed, &b, false));
    assert_true(unit_same_kind(&speed, &b, true));
    assert_true(unit_find("g", &a) && unit_find("kg", &b) && !unit_same_kind(&a, &b, true));
    assert_false(unit_find("furlong", &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_by_hand),
        cmocka_unit_test(counters_and_checksums_run),
        cmocka_unit_test(periods_are_the_same_at_every_tick),
        cmocka_unit_test(the_other_side_gets_every_value),
        cmocka_unit_test(edge_times_stay_exact),
        cmocka_unit_test(pages_follow_each_other),
        cmocka_unit_test(what_does_not_fit_is_clamped_and_counted),
        cmocka_unit_test(foreign_and_unknown_frames_are_counted),
        cmocka_unit_test(a_silent_unit_is_noticed),
        cmocka_unit_test(a_copied_state_goes_on_alike),
        cmocka_unit_test(only_used_sources_matter),
        cmocka_unit_test(simple_signals_code_alike),
        cmocka_unit_test(units_convert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

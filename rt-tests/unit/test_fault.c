/* Faults of sensors and brakes: what they do to the values, and when. */
#include "target/scenario/fault_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.141592653589793;
static const double step_s = 1e-3;

struct bed {
    struct fault_set set;
    struct fault_state state;
    struct signals last;
    struct sensors_out sense;
    char messages[2000];
};

static struct bed *load(const char *yaml, size_t messages)
{
    struct bed *b = calloc(1, sizeof *b);
    struct cfg_doc *doc = NULL;
    assert_non_null(b);
    assert_int_equal(cfg_open_text("bench.yaml", yaml, strlen(yaml), &doc), 0);
    fault_load(cfg_root(doc), NULL, &b->set);
    cfg_done(cfg_root(doc));
    for (size_t i = 0; i < cfg_message_count(doc); i++) {
        size_t at = strlen(b->messages);
        (void)snprintf(b->messages + at, sizeof b->messages - at, "%s\n", cfg_message(doc, i));
    }
    if (cfg_message_count(doc) != messages)
        print_message("%s", b->messages);
    assert_int_equal(cfg_message_count(doc), messages);
    cfg_close(doc);
    for (int i = 0; i < WHEELS; i++)
        b->set.teeth[i] = 48;
    b->set.seed = 7;
    fault_reset(&b->set, &b->state);
    return b;
}

static uint32_t at(struct bed *b, double time_s)
{
    b->last.time_s = time_s;
    return fault_update(&b->set, &b->state, &b->last, time_s, step_s);
}

/* The sensors as they are, then as the faults leave them. */
static struct sensors_out altered(struct bed *b, const struct sensors_out *in)
{
    struct sensors_out out = *in;
    fault_sensors(&b->set, &b->state, &out);
    return out;
}

static void a_fault_lasts_from_start_to_end(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: yaw, kind: offset, sensor: yaw_rate, amount_degps: 10, "
                         "start_s: 1.0, for_s: 0.5}\n",
                         0);
    const struct sensors_out in = {.yaw_rate_radps = 0.1};
    assert_int_equal(at(b, 0.999), 0);
    assert_true(altered(b, &in).yaw_rate_radps == 0.1);
    assert_int_equal(at(b, 1.0), 1); /* the bit that changed */
    assert_true(fabs(altered(b, &in).yaw_rate_radps - 0.1 - 10.0 * pi / 180.0) < 1e-15);
    assert_int_equal(at(b, 1.2), 0);
    assert_int_equal(at(b, 1.5), 1);
    assert_int_equal(b->state.active, 0);
    assert_true(altered(b, &in).yaw_rate_radps == 0.1);
    free(b);
}

/* Neither one that lasts less than a tick, nor one that falls between two. */
static void no_fault_is_too_short_to_act(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: a, kind: stuck, sensor: master, start_s: 1.0, for_s: 1e-300}\n"
                         "  - {name: b, kind: stuck, sensor: master, start_s: 1.0003, for_s: "
                         "0.0004}\n",
                         0);
    assert_int_equal(at(b, 0.999), 0);
    assert_int_equal(at(b, 1.0), 1);
    assert_int_equal(b->state.active, 1);
    assert_int_equal(at(b, 1.001), 3);
    assert_int_equal(b->state.active, 2);
    assert_int_equal(at(b, 1.002), 2);
    assert_int_equal(b->state.active, 0);
    free(b);
}

static void a_condition_starts_a_fault_once(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: press, kind: stuck, sensor: master, when: vx_mps < 50 km/h, "
                         "for_s: 0.002}\n",
                         0);
    struct sensors_out in = {.master_Pa = 3e6};
    b->last.vx_mps = 20.0;
    assert_int_equal(at(b, 0.0), 0);
    b->last.vx_mps = 13.0;
    assert_int_equal(at(b, 0.001), 1);
    (void)altered(b, &in);
    in.master_Pa = 9e6;
    assert_true(altered(b, &in).master_Pa == 9e6 || b->state.entering);
    assert_int_equal(at(b, 0.002), 0);
    assert_int_equal(at(b, 0.003), 1); /* over, and not again */
    assert_int_equal(at(b, 0.004), 0);
    assert_int_equal(b->state.active, 0);
    free(b);
}

static void stuck_keeps_the_first_value_and_drift_grows(void **state)
{
    (void)state;
    struct bed *b =
        load("faults:\n"
             "  - {name: a, kind: stuck, sensor: hand_wheel, start_s: 0}\n"
             "  - {name: b, kind: drift, sensor: level_ay, amount_mps2: 2, start_s: 0}\n"
             "  - {name: c, kind: gain, sensor: yaw_rate, factor: -1, start_s: 0}\n",
             0);
    for (int k = 0; k <= 500; k++) {
        (void)at(b, 1e-3 * k);
        const struct sensors_out in = {
            .hand_wheel_rad = 1.0 + k, .level_acc_mps2 = {0.0, 3.0}, .yaw_rate_radps = 0.2};
        struct sensors_out out = altered(b, &in);
        assert_true(out.hand_wheel_rad == 1.0);
        assert_true(fabs(out.level_acc_mps2[1] - 3.0 - 2e-3 * k) < 1e-12);
        assert_true(out.yaw_rate_radps == -0.2);
    }
    free(b);
}

static void noise_has_its_standard_deviation(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: a, kind: noise, sensor: yaw_rate, amount_degps: 1, start_s: "
                         "0}\n",
                         0);
    double sum = 0.0, squares = 0.0;
    const struct sensors_out in = {0};
    enum { N = 20000 };
    for (int k = 0; k < N; k++) {
        (void)at(b, 1e-3 * k);
        double y = altered(b, &in).yaw_rate_radps * 180.0 / pi;
        sum += y;
        squares += y * y;
    }
    assert_true(fabs(sum / N) < 4.0 / sqrt(N)); /* four standard errors */
    assert_true(fabs(sqrt(squares / N) - 1.0) < 4.0 / sqrt(2.0 * N));
    free(b);
}

/* A wheel turning at 10 revolutions a second; k ms. */
static struct sensors_out turning(int k)
{
    double teeth = 480.0 * 1e-3 * k;
    struct sensors_out s = {0};
    for (int i = 0; i < WHEELS; i++) {
        s.wheel_edges[i] = (uint32_t)teeth;
        s.wheel_edge_ns[i] = (int64_t)(floor(teeth) / 480.0 * 1e9);
        s.wheel_radps[i] = 20.0 * pi;
    }
    return s;
}

static void missing_teeth_are_missing_once_a_revolution(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: a, kind: missing_teeth, sensor: wheel_rl, teeth: 2, start_s: "
                         "0}\n",
                         0);
    double least = 1e9, most = 0.0;
    uint32_t first = 0, last = 0;
    int64_t first_ns = 0, last_ns = 0;
    for (int k = 0; k <= 1000; k++) {
        (void)at(b, 1e-3 * k);
        const struct sensors_out in = turning(k);
        struct sensors_out out = altered(b, &in);
        assert_memory_equal(&out.wheel_edges[RR], &in.wheel_edges[RR], sizeof(uint32_t));
        if (k == 0) {
            first = out.wheel_edges[RL];
            first_ns = out.wheel_edge_ns[RL];
        }
        assert_true(out.wheel_edge_ns[RL] <= in.wheel_edge_ns[RL]);
        if (k > 10) {
            least = fmin(least, out.wheel_radps[RL]);
            most = fmax(most, out.wheel_radps[RL]);
        }
        last = out.wheel_edges[RL];
        last_ns = out.wheel_edge_ns[RL];
    }
    /* 10 revolutions with 46 of 48 teeth. */
    assert_int_equal(last - first, 460);
    assert_true(llabs(last_ns - first_ns - 1000000000) < 7000000); /* the gap: three pitches */
    /* One gap of three pitches in a tick of half an edge: a third of the speed for a moment. */
    assert_true(fabs(least - 20.0 * pi / 3.0) < 0.01 * 20.0 * pi);
    assert_true(most < 1.02 * 20.0 * pi);
    free(b);
}

static void a_broken_wire_gives_no_edges_and_swapped_ones_the_others(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: a, kind: no_edges, sensor: wheel_fl, start_s: 0.1}\n"
                         "  - {name: b, kind: swapped, wheel: rl, with: rr, start_s: 0.1}\n",
                         0);
    struct sensors_out in = turning(100), out;
    (void)at(b, 0.1);
    out = altered(b, &in);
    uint32_t held = out.wheel_edges[FL];
    in = turning(200);
    in.wheel_edges[RR] += 5;
    in.wheel_radps[RR] = 7.0;
    (void)at(b, 0.2);
    out = altered(b, &in);
    assert_int_equal(out.wheel_edges[FL], held);
    assert_true(out.wheel_radps[FL] == 0.0);
    assert_int_equal(out.wheel_edges[RL], in.wheel_edges[RR]);
    assert_int_equal(out.wheel_edges[RR], in.wheel_edges[RL]);
    assert_true(out.wheel_radps[RL] == 7.0);
    free(b);
}

/* Whatever makes the pressures: the plant gets which wheel is held and how slow another is, and
 * nothing else of its inputs changes. */
static void pressures_stick_or_lag(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: a, kind: pressure_stuck, wheel: fl, start_s: 1, for_s: 1}\n"
                         "  - {name: b, kind: pressure_slow, wheel: rr, rate_barps: 100, start_s: "
                         "1, for_s: 1}\n"
                         "  - {name: c, kind: pressure_slow, wheel: rr, rate_barps: 40, start_s: "
                         "1.5}\n"
                         "  - {name: d, kind: pressure_slow, wheel: rr, rate_barps: 70, start_s: "
                         "1.5}\n",
                         0);
    static const struct {
        double time_s;
        uint32_t hold;
        double slow_Paps;
    } want[] = {{0.5, 0, 0.0}, {1.2, 1u << FL, 100e5}, {1.7, 1u << FL, 40e5}, {2.5, 0, 40e5}};
    for (int brake = PLANT_BRAKE_PEDAL; brake <= PLANT_BRAKE_VALVES; brake++) {
        struct plant_in in = {
            .brake = brake, .brake_pedal = 0.3, .wheel_pressure_Pa = {8e6, 8e6, 8e6, 8e6}};
        for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
            struct plant_in expected = in;
            (void)at(b, want[k].time_s);
            fault_brakes(&b->set, &b->state, &in);
            expected.hold = want[k].hold;
            expected.slow_Paps[RR] = want[k].slow_Paps; /* the slowest of those that are on */
            assert_memory_equal(&in, &expected, sizeof in);
        }
    }
    free(b);
}

static void hydraulics_leak_and_stick_while_the_fault_is_on(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: a, kind: leak, at: rl, share: 0.2, start_s: 1, for_s: 1}\n"
                         "  - {name: b, kind: leak, at: circuit_2, share: 0.5, start_s: 1}\n"
                         "  - {name: c, kind: valve_stuck, valve: outlet, at: fr, position: open, "
                         "start_s: 1}\n"
                         "  - {name: d, kind: valve_stuck, valve: prime, at: circuit_2, position: "
                         "closed, start_s: 2}\n"
                         "  - {name: e, kind: pump_dead, start_s: 2}\n",
                         0);
    struct plant_in in = {.brake_pedal = 0.5};
    (void)at(b, 0.5);
    fault_brakes(&b->set, &b->state, &in);
    assert_int_equal(in.hydraulic_fault, 0);
    (void)at(b, 1.5);
    fault_brakes(&b->set, &b->state, &in);
    assert_true(in.leak.wheel[RL] == 0.2 && in.leak.wheel[FL] == 0.0);
    assert_true(in.leak.circuit[CIRCUIT_2] == 0.5 && in.leak.circuit[CIRCUIT_1] == 0.0);
    assert_int_equal(in.hydraulic_fault, PLANT_OUTLET_OPEN << FR);
    (void)at(b, 2.5);
    fault_brakes(&b->set, &b->state, &in);
    assert_true(in.leak.wheel[RL] == 0.0);
    assert_int_equal(in.hydraulic_fault,
                     PLANT_OUTLET_OPEN << FR | PLANT_PRIME_CLOSED << CIRCUIT_2 | PLANT_PUMP_DEAD);
    assert_ptr_equal(fault_needs_hydraulics(&b->set), &b->set.fault[0]);
    free(b);
}

static void a_request_switches_any_fault(void **state)
{
    (void)state;
    struct bed *b = load("faults: [{name: a, kind: no_edges, sensor: wheel_fl}]\n", 0);
    assert_int_equal(at(b, 5.0), 0);
    b->state.by_hand = 1;
    assert_int_equal(at(b, 5.1), 1);
    b->state.by_hand = 0;
    assert_int_equal(at(b, 5.2), 1);
    assert_int_equal(b->state.active, 0);
    free(b);
}

static void bad_entries_are_told(void **state)
{
    (void)state;
    struct bed *b = load("faults:\n"
                         "  - {name: a, kind: no_edges, sensor: yaw_rate, start_s: 1}\n"
                         "  - {name: a, kind: stuck, sensor: master, start_s: 1}\n"
                         "  - {name: c, kind: offset, sensor: master, amount_degps: 1}\n"
                         "  - {name: d, kind: frame, start_s: 1}\n"
                         "  - {name: e, kind: swapped, wheel: fl, with: fl}\n"
                         "  - {name: f, kind: stuck, sensor: master, when: vx_mps < }\n",
                         7);
    assert_non_null(strstr(b->messages, "this fault is of a wheel"));
    assert_non_null(strstr(b->messages, "is the name of another fault"));
    assert_non_null(strstr(b->messages, "amount_bar"));
    assert_non_null(strstr(b->messages, "frame faults need a bus"));
    assert_non_null(strstr(b->messages, "must be another wheel"));
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_lasts_from_start_to_end),
        cmocka_unit_test(no_fault_is_too_short_to_act),
        cmocka_unit_test(a_condition_starts_a_fault_once),
        cmocka_unit_test(stuck_keeps_the_first_value_and_drift_grows),
        cmocka_unit_test(noise_has_its_standard_deviation),
        cmocka_unit_test(missing_teeth_are_missing_once_a_revolution),
        cmocka_unit_test(a_broken_wire_gives_no_edges_and_swapped_ones_the_others),
        cmocka_unit_test(pressures_stick_or_lag),
        cmocka_unit_test(hydraulics_leak_and_stick_while_the_fault_is_on),
        cmocka_unit_test(a_request_switches_any_fault),
        cmocka_unit_test(bad_entries_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

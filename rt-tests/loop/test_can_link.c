/* The unit in the loop on the simulated clock: frames, pressures, safe state and faults, exactly.
 */
#include "target/bench_load.h"
#include "target/can_link_load.h"
#include "target/ecu/ecu_unit_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MS = 1000000 };

struct bed {
    struct bench *bench;
    struct ecu_unit *unit;
    struct loop loop;
    struct rt rt;
    struct offline car;
    int64_t silent_from; /* tick from which the unit says nothing; < 0: never */
    int64_t silent_to;
    struct can_port *box;       /* the pulse box's end of the second bus; NULL: there is none */
    struct loop_record *record; /* all of them */
    size_t records;
    struct loop_event event[4096];
    size_t events;
};

/* The unit, which can be switched off. */
static int unit_step(void *self, int64_t now_ns, const struct can_msg *received, int n,
                     struct can_msg *sent, int max)
{
    struct bed *b = self;
    int count = ecu_unit_step(b->unit, now_ns, received, n, sent, max);
    bool silent =
        b->silent_from >= 0 && b->loop.tick >= b->silent_from && b->loop.tick < b->silent_to;
    return silent ? 0 : count;
}

static struct bed *bed_open_at(int bit_rate, bool pulses, const char *more)
{
    struct bed *b = calloc(1, sizeof *b);
    struct cfg_doc *doc = NULL;
    char path[] = "/tmp/skidpad_can_link_XXXXXX", here[1024];
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    char pulse_bus[1200];
    assert_non_null(getcwd(here, sizeof here));
    (void)snprintf(pulse_bus, sizeof pulse_bus,
                   ", {name: pulses, bus: %s/config/can/pulse_box.yaml}", here);
    assert_non_null(b);
    assert_non_null(f);
    fprintf(f,
            "kind: bench\nname: test\nscenario: %s/config/scenarios/abs_split.yaml\n"
            "can: [{name: chassis, bus: %s/config/can/skidpad_chassis.yaml, bit_rate: %d}%s]\n"
            "stand_in: {params: %s/config/ecu/sedan.yaml}\nlatency: {frame: WheelEdgesFront}\n%s%s",
            here, here, bit_rate, pulses ? pulse_bus : "", here, more,
            strstr(more, "diagnosis:") ? "" : "diagnosis: off\n");
    assert_int_equal(fclose(f), 0);
    int bad = bench_load(path, 0.0, &b->bench, &doc);
    cfg_print_messages(doc, stderr);
    (void)unlink(path);
    assert_int_equal(bad, 0);
    const struct cfg_node *bus = cfg_item(cfg_list(cfg_root(doc), "can"), 0);
    assert_int_equal(ecu_unit_open(b->bench->stand_in, bus, stderr, &b->unit), 0);
    cfg_close(doc);
    b->silent_from = -1;
    b->silent_to = INT64_MAX;
    return b;
}

static struct bed *bed_open(const char *more)
{
    return bed_open_at(500000, false, more);
}

static void bed_run(struct bed *b, int64_t ticks)
{
    struct offline_options options = {
        .step_s = 1e-9 * (double)b->bench->loop.period_ns, .duration_s = -1.0, .integrator = -1};
    const struct can_link_ports ports = {.simulated = true, .period_ns = b->bench->loop.period_ns};
    struct err e = {""};
    assert_int_equal(offline_open(b->bench->scenario, &options, &b->car), 0);
    b->rt.ops = &rt_virtual;
    assert_int_equal(rt_virtual.start(&b->rt, &e), 0);
    b->bench->link->unit = (struct can_unit){.step = unit_step, .self = b};
    assert_int_equal(can_link_open(b->bench->link, &ports, &e), 0);
    if (b->bench->link->buses > 1)
        b->box = can_memory_attach(b->bench->link->bus[1].memory, false);
    b->loop.rt = &b->rt;
    b->loop.car = &b->car;
    b->loop.setup = b->bench->loop;
    b->loop.setup.ticks = ticks;
    b->loop.link = &can_link;
    b->loop.peer = b->bench->link;
    b->loop.sequence = &b->bench->sequence;
    if (b->bench->faults.count > 0)
        b->loop.faults = &b->bench->faults;
    memcpy(b->bench->faults.teeth, b->car.vehicle->sensors.toothed.teeth,
           sizeof b->bench->faults.teeth);
    assert_int_equal(loop_rings_init(&b->loop, 1e-3 * (double)ticks), 0);
    can_link_start(b->bench->link, rt_virtual.now_ns(&b->rt));
    loop_run(&b->loop);
    b->record = calloc((size_t)ticks, sizeof *b->record);
    assert_non_null(b->record);
    b->records = ring_pop(&b->loop.records, b->record, (size_t)ticks);
    assert_int_equal(b->records, ticks);
    b->events = ring_pop(&b->loop.events, b->event, 4096);
}

static void bed_close(struct bed *b)
{
    loop_rings_free(&b->loop);
    offline_close(&b->car);
    bench_free(b->bench);
    ecu_unit_close(b->unit);
    free(b->record);
    free(b);
}

/* Tick of the first event of a kind, or -1; the value may be wanted. */
static int64_t first(const struct bed *b, int kind, int64_t *value)
{
    for (size_t i = 0; i < b->events; i++) {
        if (b->event[i].kind != kind)
            continue;
        if (value)
            *value = b->event[i].value;
        return b->event[i].tick;
    }
    return -1;
}

/* Whether a link event has this text in its description. */
static int64_t first_text(const struct bed *b, const char *text)
{
    char line[200];
    for (size_t i = 0; i < b->events; i++) {
        if (b->event[i].kind != EVENT_LINK)
            continue;
        can_link.describe(b->bench->link, b->event[i].value, line, sizeof line);
        if (strstr(line, text))
            return b->event[i].tick;
    }
    return -1;
}

static void the_loop_is_closed(void **state)
{
    (void)state;
    struct bed *b = bed_open("");
    bed_run(b, 2000);
    const struct can_link *c = b->bench->link;
    uint32_t abs = 0;
    for (size_t i = 0; i < b->records; i++) {
        const struct signals *s = &b->record[i].signals;
        abs |= s->fl_unit_abs | s->fr_unit_abs | s->rl_unit_abs | s->rr_unit_abs;
        /* What acts is what the unit asked for: the ramp is wider than the unit's. */
        if (i > 100 && s->fl_unit_pressure_valid)
            assert_true(s->fl_in_pressure_Pa <= s->in_brake_pedal * 150e5 + 1e5);
    }
    assert_int_equal(abs, 1);
    assert_int_equal(b->loop.cause, CAUSE_NONE);
    assert_int_equal(c->violations, 0);
    assert_int_equal(first(b, EVENT_LINK, NULL), -1);
    /* Cyclic frames: 3 every 5 ms, 4 every 10 ms, 3 every 20 ms, 2 every 100 ms, 1 every 1 s. */
    assert_in_range(b->record[1999].signals.bus_sent, 2 * (600 + 400 + 150 + 20 + 1) - 13,
                    2 * (600 + 400 + 150 + 20 + 1) + 13);
    /* The unit: one every 5 ms, two every 10 ms, two every 20 ms. */
    assert_in_range(b->record[1999].signals.bus_received, 2 * 500 - 10, 2 * 500);
    /* 5 ms of frames, 5 ms of cycle, a tick each way. */
    assert_true(timing_percentile_ns(&c->latency.hop[LATENCY_TOTAL], 990000) <= 12 * MS);
    assert_true(c->latency.hop[LATENCY_TOTAL].count > 200);
    bed_close(b);
}

static void runs_are_equal_to_the_bit(void **state)
{
    (void)state;
    struct bed *a = bed_open(""), *b = bed_open("");
    bed_run(a, 1500);
    bed_run(b, 1500);
    assert_memory_equal(a->record, b->record, 1500 * sizeof *a->record);
    bed_close(a);
    bed_close(b);
}

/* WheelPressures has a time-out of 20 ms. The last frame before the silence arrives a tick after it
 * was sent. */
static void a_silent_unit_leads_to_the_safe_state_in_time(void **state)
{
    (void)state;
    struct bed *b = bed_open("");
    int64_t cause;
    b->silent_from = 1000;
    bed_run(b, 2000);
    int64_t safe = first(b, EVENT_SAFE, &cause);
    assert_int_equal(cause, CAUSE_SILENT);
    int64_t last = 0;
    for (size_t i = 1; i < 1100; i++)
        if (b->record[i].signals.unit_age_s < b->record[i - 1].signals.unit_age_s)
            last = (int64_t)i;
    assert_in_range(safe - last, 19, 21); /* time-out plus one tick */
    assert_int_equal(b->loop.cause, CAUSE_SILENT);
    /* The bus lives on: frames still go out, and the car is braked by the safe inputs. */
    assert_true(b->record[1999].signals.bus_sent > b->record[1100].signals.bus_sent + 900);
    assert_true(b->record[1999].signals.vx_mps < b->record[1100].signals.vx_mps);
    bed_close(b);
}

static void reset(struct bed *b)
{
    struct request r = {.kind = REQUEST_RESET, .safe = b->loop.safe_number};
    assert_int_equal(requests_post(&b->loop.requests, &r, &(struct request_words){"anna", ""}), 0);
}

static void reset_recovers_when_the_unit_is_back(void **state)
{
    (void)state;
    struct bed *b = bed_open("");
    b->silent_from = 1000;
    b->silent_to = 1200;
    /* A request that comes too early: the unit is still silent, so the safe state returns. */
    bed_run(b, 1100);
    assert_int_equal(b->loop.cause, CAUSE_SILENT);
    free(b->record);
    b->record = NULL;
    reset(b);
    b->loop.setup.start_ns = b->loop.first_ns; /* go on with the same releases */
    b->loop.setup.ticks = 1150;
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_SILENT);
    b->loop.setup.ticks = 1400;
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_SILENT); /* latched, although the unit is back */
    reset(b);
    b->loop.setup.ticks = 1600;
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_NONE);
    assert_true(b->loop.signals.in_brake == PLANT_BRAKE_PRESSURES);
    bed_close(b);
}

struct frame_case {
    const char *yaml, *text; /* the fault, and what the receive rules say of it */
    bool safe;               /* whether it leads to the safe state */
};

/* Faults on the unit's pressures, for 300 ms from 1 s on. */
static void faults_on_received_frames_are_seen(void **state)
{
    (void)state;
    static const struct frame_case cases[] = {
        {"frame: silence", "WheelPressures: timeout", true},
        {"frame: wrong_sum", "WheelPressures: sum", true},
        {"frame: freeze", "WheelPressures: repeated", true},
        {"frame: length, length: 5", "WheelPressures: length", true},
        {"frame: drop, every: 2, count: 1", "WheelPressures: lost", false},
        {"frame: duplicate, count: 1", "WheelPressures: repeated", true} /* 200 a second */,
        {"frame: delay, ticks: 30", "WheelPressures: timeout", true},
        {"frame: burst, count: 3", "WheelPressures: repeated", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char yaml[300];
        (void)snprintf(yaml, sizeof yaml,
                       "faults: [{name: f, kind: frame, message: WheelPressures, start_s: 1, "
                       "for_s: 0.3, %s}]\n",
                       cases[i].yaml);
        struct bed *b = bed_open(yaml);
        bed_run(b, 1600);
        int64_t seen = first_text(b, cases[i].text);
        if (seen < 1000 || seen > 1032 || (b->loop.cause != CAUSE_NONE) != cases[i].safe)
            print_message("%s: seen at %lld, cause %u\n", cases[i].yaml, (long long)seen,
                          b->loop.cause);
        assert_in_range(seen, 1000, 1032);
        assert_int_equal(b->loop.cause != CAUSE_NONE, cases[i].safe);
        assert_int_equal(first(b, EVENT_FAULT_ON, NULL), 1000);
        assert_int_equal(first(b, EVENT_FAULT_OFF, NULL), 1300);
        bed_close(b);
    }
}

/* The same on frames to the unit: the unit notices, not the bench. */
static void faults_on_sent_frames_are_the_units_to_notice(void **state)
{
    (void)state;
    static const char *const kinds[] = {"frame: silence", "frame: wrong_sum", "frame: freeze",
                                        "frame: length, length: 5"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char yaml[300];
        (void)snprintf(yaml, sizeof yaml,
                       "faults: [{name: f, kind: frame, message: WheelEdgesFront, start_s: 0.2, "
                       "%s}]\n",
                       kinds[i]);
        struct bed *b = bed_open(yaml);
        bed_run(b, 1000);
        assert_int_equal(b->bench->link->violations, 0);
        assert_true(b->unit->violations > 0);
        assert_true(b->record[999].signals.unit_trouble > 0);
        assert_true(b->record[999].signals.unit_lamp_abs > 0);
        bed_close(b);
    }
}

/* A stranger fills the bus at 1 Mbit/s: with our own frames 7,100 a second, each with all its stuff
 * bits, is 96 % of it. Tick 0.1 ms. None is lost. */
static void a_full_bus_is_taken_without_loss(void **state)
{
    (void)state;
    struct bed *b = bed_open_at(1000000, false, "realtime: {period_us: 100}\n");
    struct can_port *stranger;
    struct can_msg m = {.id = 0x700, .len = 8};
    struct err e = {""};
    const struct can_link_ports ports = {.simulated = true, .period_ns = 100000};
    assert_int_equal(can_link_open(b->bench->link, &ports, &e), 0);
    struct can_link *c = b->bench->link;
    stranger = can_memory_attach(c->bus[0].memory, false);
    assert_non_null(stranger);
    struct offline_options options = {.step_s = 1e-4, .duration_s = -1.0, .integrator = -1};
    assert_int_equal(offline_open(b->bench->scenario, &options, &b->car), 0);
    b->rt.ops = &rt_virtual;
    assert_int_equal(rt_virtual.start(&b->rt, &e), 0);
    b->loop = (struct loop){.rt = &b->rt, .car = &b->car, .link = &can_link, .peer = c};
    b->loop.setup = b->bench->loop;
    assert_int_equal(loop_rings_init(&b->loop, 0.1), 0);
    can_link_start(c, rt_virtual.now_ns(&b->rt));
    uint64_t offered = 0;
    for (int64_t tick = 1; tick <= 20000; tick++) {
        b->loop.setup.ticks = tick;
        loop_run(&b->loop);
        b->loop.setup.start_ns = b->loop.first_ns; /* go on with the same releases */
        if (tick % 5 < 3)
            offered += (uint64_t)stranger->ops->send(stranger, &m, 1);
    }
    assert_int_equal(offered, 12000);
    assert_true(can_memory_busy_ns(c->bus[0].memory) > 1900 * (int64_t)MS); /* of 2 s */
    assert_in_range(c->bus[0].port->counts.received, 11990, 12000); /* the last ones still wait */
    assert_int_equal(c->bus[0].port->counts.overflow, 0);
    stranger->ops->close(stranger);
    bed_close(b);
}

/* A fault in the drive: its code is what the tester reads after it, and nothing of before. */
static void the_tester_reads_what_the_drive_left(void **state)
{
    (void)state;
    struct bed *b = bed_open("faults: [{name: a, kind: no_edges, sensor: wheel_rr, start_s: 0.6}]\n"
                             "diagnosis: {expect: []}\n");
    b->unit->diag.store.entry[ECU_FAULT_SWAPPED].status = UDS_CONFIRMED; /* of last week */
    bed_run(b, 1500);
    const struct diagnosis *d = &b->bench->link->diagnosis;
    assert_true(d->cleared && d->read);
    assert_int_equal(d->count, 1);
    assert_int_equal(d->code[0].code.code, 0x405031);
    assert_true(d->code[0].snapshot_length > 20);
    assert_int_equal(diagnosis_verdict(d), DIAGNOSIS_UNEXPECTED);
    assert_int_equal(b->loop.over_tick, 1500);
    assert_in_range(b->loop.tick, 1501, 1600); /* reading is over soon */
    assert_int_equal(b->bench->link->bus[0].state.unknown, 0);
    bed_close(b);
}

/* Ignition off at first and in the middle: the unit is silent then, which is no fault; it comes
 * back and has kept no code. For reading the ignition is on, whatever the sequence says. */
static void ignition_comes_and_goes(void **state)
{
    (void)state;
    struct bed *b = bed_open("sequence: [{ignition: off, for_s: 0.3}, {ignition: on, for_s: 0.2},\n"
                             "  {ignition: off, for_s: 3}, {ignition: on, for_s: 0.5},\n"
                             "  {ignition: off}]\ndiagnosis: {}\n");
    bed_run(b, 7000);
    assert_int_equal(b->loop.cause, CAUSE_NONE);
    static const struct {
        int tick;
        uint32_t power;
        bool talks;
    } at[] = {{290, 2, true},  {450, 1, true},  {600, 2, true},  {3400, 2, false},
              {3900, 1, true}, {5900, 2, true}, {6900, 2, false}};
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
        const struct signals *s = &b->record[at[k].tick].signals;
        assert_int_equal(s->unit_power, at[k].power);
        assert_int_equal(s->unit_age_s >= 0.0 && s->unit_age_s < 0.02, at[k].talks);
        assert_int_equal(s->power_terminal, at[k].power == 1 ? TERMINAL_ON : TERMINAL_OFF);
    }
    const struct diagnosis *d = &b->bench->link->diagnosis;
    assert_int_equal(diagnosis_verdict(d), DIAGNOSIS_PASS);
    assert_int_equal(b->unit->state.power.starts, 4); /* before the first frame it takes it as on */
    bed_close(b);
}

/* What a pulse box gets lets it go on between ticks: the angle of each frame is that of the one
 * before plus speed times time. */
static void a_pulse_box_can_follow_every_wheel(void **state)
{
    (void)state;
    struct bed *b = bed_open_at(500000, true, "");
    struct can_msg m;
    const double turn_rad = 6.283185307179586, per_bit_rad = turn_rad / (1 << 24);
    double angle_rad[4] = {0.0}, speed_radps[4] = {0.0};
    int frames = 0;
    bed_run(b, 200); /* an inbox holds 1,024 frames */
    while (b->box->ops->receive(b->box, INT64_MAX, &m, 1) == 1) {
        int w = (int)m.id - 256;
        uint32_t raw = m.data[0] | (uint32_t)m.data[1] << 8 | (uint32_t)m.data[2] << 16;
        int32_t speed = (int32_t)((uint32_t)m.data[3] << 8 | (uint32_t)m.data[4] << 16 |
                                  (uint32_t)m.data[5] << 24) >>
                        8;
        assert_in_range(w, 0, 3);
        double gone_rad = fmod(per_bit_rad * raw - angle_rad[w] + turn_rad, turn_rad);
        double mean_radps = 0.5 * (speed_radps[w] + 1e-4 * speed);
        /* Two bits of angle and one of speed, and half of what the speed changes in a tick. */
        double change_rad = 0.5e-3 * fabs(1e-4 * speed - speed_radps[w]);
        if (frames >= 4)
            assert_true(fabs(gone_rad - 1e-3 * mean_radps) < 2.0 * per_bit_rad + change_rad + 1e-7);
        angle_rad[w] = per_bit_rad * raw;
        speed_radps[w] = 1e-4 * speed;
        frames++;
    }
    assert_in_range(frames, 4 * 198, 4 * 200);
    b->box->ops->close(b->box);
    bed_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_is_closed),
        cmocka_unit_test(runs_are_equal_to_the_bit),
        cmocka_unit_test(a_silent_unit_leads_to_the_safe_state_in_time),
        cmocka_unit_test(reset_recovers_when_the_unit_is_back),
        cmocka_unit_test(faults_on_received_frames_are_seen),
        cmocka_unit_test(faults_on_sent_frames_are_the_units_to_notice),
        cmocka_unit_test(a_full_bus_is_taken_without_loss),
        cmocka_unit_test(the_tester_reads_what_the_drive_left),
        cmocka_unit_test(ignition_comes_and_goes),
        cmocka_unit_test(a_pulse_box_can_follow_every_wheel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

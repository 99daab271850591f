/* Every kind of fault of docs/faults.md against everything that can make the brake pressures: the
 * pedal of a car without and with hydraulics, and the stand-in unit in lock-step by pressures, by
 * currents of its valves and by pulses of them. A fault does what it is there for, to the wheel
 * that it is of; it changes neither what makes the pressures nor what the unit does with the
 * others. */
#include "rt-tests/support/near.h"
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

#define BAR 1e5

enum interface { PEDAL, PEDAL_HYDRAULIC, PRESSURES, VALVES, PULSES, INTERFACES };

static const struct {
    const char *name, *car, *bus; /* bus NULL: no unit */
    int brake;                    /* of plant_in, from the unit's first frame on */
    const char *message;          /* the unit's, that the pressures come from */
} interfaces[INTERFACES] = {
    {"pedal", "compact", NULL, PLANT_BRAKE_PEDAL, NULL},
    {"pedal, hydraulics", "sedan", NULL, PLANT_BRAKE_PEDAL, NULL},
    {"pressures", "sedan", "skidpad_chassis", PLANT_BRAKE_PRESSURES, "WheelPressures"},
    {"valves", "sedan", "skidpad_chassis_valves", PLANT_BRAKE_VALVES, "ValvesFront"},
    {"pulses", "sedan", "skidpad_chassis_pwm", PLANT_BRAKE_VALVES, "ValvesFront"},
};

/* Gentle braking, which is the driver's, with a change of the pedal while the faults are on; and a
 * stop on ice, in which the unit controls. */
enum { TICKS = 2400, ON = 1000, OFF = 1900, ICE_TICKS = 2500, ICE_ON = 560 };
static const char gentle[] =
    "start: {speed_kmh: 70, gear: neutral}\nroad: {friction_left: 1, friction_right: 1}\n"
    "inputs: {gear: neutral, keep_straight: {}, brake_pedal: [[0.5, 0], [0.7, 0.12], [1.2, 0.12], "
    "[1.3, 0.2], [1.6, 0.2], [1.7, 0.14]]}\n";
static const char ice[] =
    "start: {speed_kmh: 90, gear: neutral}\nroad: {friction_left: 0.3, friction_right: 0.3}\n"
    "inputs: {gear: neutral, keep_straight: {}, brake_pedal: [[0.5, 0], [0.6, 0.6]]}\n";

struct drive {
    struct bench *bench;
    struct ecu_unit *unit;
    struct loop loop;
    struct rt rt;
    struct offline car;
    int64_t silent_from;
    struct loop_record *record;
    struct loop_event event[4096];
    size_t events;
};

static int unit_step(void *self, int64_t now_ns, const struct can_msg *received, int n,
                     struct can_msg *sent, int max)
{
    struct drive *d = self;
    int count = ecu_unit_step(d->unit, now_ns, received, n, sent, max);
    return d->loop.tick >= d->silent_from ? 0 : count;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* Bench and scenario as files, loaded; what the loader says goes into said, if it may say anything.
 * NULL: it refused. */
static struct drive *load(enum interface by, const char *scenario, const char *fault, char *said,
                          size_t room)
{
    struct drive *d = calloc(1, sizeof *d);
    struct cfg_doc *doc = NULL;
    struct offline_options options = {.step_s = 1e-3, .duration_s = -1.0, .integrator = -1};
    char folder[] = "/tmp/skidpad_fault_XXXXXX", path[2][64], here[1024], text[6000], buses[3000];
    assert_non_null(d);
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(here, sizeof here));
    (void)snprintf(path[0], sizeof path[0], "%s/scenario.yaml", folder);
    (void)snprintf(path[1], sizeof path[1], "%s/bench.yaml", folder);
    (void)snprintf(text, sizeof text,
                   "kind: scenario\nname: test\nvehicle: %s/config/vehicles/%s.yaml\n"
                   "duration_s: 10\n%s",
                   here, interfaces[by].car, scenario);
    write_file(path[0], text);
    (void)snprintf(buses, sizeof buses,
                   "can: [{name: chassis, bus: %s/config/can/%s.yaml}]\n"
                   "stand_in: {params: %s/config/ecu/sedan.yaml}\ndiagnosis: off\n",
                   here, interfaces[by].bus ? interfaces[by].bus : "", here);
    (void)snprintf(text, sizeof text, "kind: bench\nname: test\nscenario: %s\n%s%s%s%s", path[0],
                   interfaces[by].bus ? buses : "", fault ? "faults: [{name: f, " : "",
                   fault ? fault : "", fault ? "}]\n" : "");
    write_file(path[1], text);
    int bad = bench_load(path[1], 0.0, &d->bench, &doc);
    if (said)
        (void)snprintf(said, room, "%s", cfg_message_count(doc) ? cfg_message(doc, 0) : "");
    else
        cfg_print_messages(doc, stderr);
    if (!bad && interfaces[by].bus) {
        const struct cfg_node *bus = cfg_item(cfg_list(cfg_root(doc), "can"), 0);
        assert_int_equal(ecu_unit_open(d->bench->stand_in, bus, stderr, &d->unit), 0);
    }
    cfg_close(doc);
    if (!bad)
        assert_int_equal(offline_open(d->bench->scenario, &options, &d->car), 0);
    (void)unlink(path[0]);
    (void)unlink(path[1]);
    (void)rmdir(folder);
    d->silent_from = INT64_MAX;
    if (!bad)
        return d;
    free(d);
    return NULL;
}

static void drive_on(struct drive *d, int64_t ticks)
{
    const struct can_link_ports ports = {.simulated = true, .period_ns = 1000000};
    struct err e = {""};
    d->rt.ops = &rt_virtual;
    assert_int_equal(rt_virtual.start(&d->rt, &e), 0);
    d->loop.rt = &d->rt;
    d->loop.car = &d->car;
    d->loop.setup = d->bench->loop;
    d->loop.setup.ticks = ticks;
    if (d->unit) {
        d->bench->link->unit = (struct can_unit){.step = unit_step, .self = d};
        assert_int_equal(can_link_open(d->bench->link, &ports, &e), 0);
        d->loop.link = &can_link;
        d->loop.peer = d->bench->link;
        can_link_start(d->bench->link, rt_virtual.now_ns(&d->rt));
    }
    if (d->bench->faults.count > 0)
        d->loop.faults = &d->bench->faults;
    memcpy(d->bench->faults.teeth, d->car.vehicle->sensors.toothed.teeth,
           sizeof d->bench->faults.teeth);
    assert_int_equal(loop_rings_init(&d->loop, 1e-3 * (double)ticks), 0);
    loop_run(&d->loop);
    d->record = calloc((size_t)ticks, sizeof *d->record);
    assert_non_null(d->record);
    assert_int_equal(ring_pop(&d->loop.records, d->record, (size_t)ticks), ticks);
    d->events = ring_pop(&d->loop.events, d->event, 4096);
}

static void drive_close(struct drive *d)
{
    loop_rings_free(&d->loop);
    offline_close(&d->car);
    bench_free(d->bench);
    if (d->unit)
        ecu_unit_close(d->unit);
    free(d->record);
    free(d);
}

/* A drive by an interface with one fault (NULL: none). */
static struct drive *driven(enum interface by, const char *scenario, const char *fault,
                            int64_t ticks)
{
    struct drive *d = load(by, scenario, fault, NULL, 0);
    assert_non_null(d);
    drive_on(d, ticks);
    return d;
}

/* ---- what a record says */

#define FOUR(name)                                                                                 \
    static void name##_of(const struct signals *s, double out[WHEELS])                             \
    {                                                                                              \
        out[FL] = s->fl_##name;                                                                    \
        out[FR] = s->fr_##name;                                                                    \
        out[RL] = s->rl_##name;                                                                    \
        out[RR] = s->rr_##name;                                                                    \
    }
FOUR(pressure_Pa)
FOUR(in_pressure_Pa)
FOUR(unit_pressure_Pa)
FOUR(unit_pressure_valid)
FOUR(in_inlet_valve)
FOUR(unit_inlet_valve)
FOUR(in_outlet_valve)
FOUR(unit_outlet_valve)
FOUR(spin_radps)

static double pressure_Pa(const struct drive *d, int64_t tick, int wheel)
{
    double p_Pa[WHEELS];
    pressure_Pa_of(&d->record[tick].signals, p_Pa);
    return p_Pa[wheel];
}

/* The largest difference of a wheel's pressures in these ticks. */
static double apart_Pa(const struct drive *a, const struct drive *b, int wheel, int64_t from,
                       int64_t to)
{
    double most = 0.0;
    for (int64_t n = from; n < to; n++)
        most = fmax(most, fabs(pressure_Pa(a, n, wheel) - pressure_Pa(b, n, wheel)));
    return most;
}

static void switched_at(const struct drive *d, int64_t on, int64_t off)
{
    int64_t tick[2] = {-1, -1};
    for (size_t i = 0; i < d->events; i++)
        for (int k = 0; k < 2; k++)
            if (d->event[i].kind == (k ? EVENT_FAULT_OFF : EVENT_FAULT_ON))
                tick[k] = d->event[i].tick;
    assert_int_equal(tick[0], on);
    assert_int_equal(tick[1], off);
}

/* What the unit sent acts: valves at once; pressures by a ramp that is over when the next frame is
 * due. A pulse is the current or nothing. */
static void unit_acts(const struct signals *s, enum interface by)
{
    double in[2][WHEELS], unit[2][WHEELS], valid[WHEELS];
    if (by == PRESSURES) {
        in_pressure_Pa_of(s, in[0]);
        unit_pressure_Pa_of(s, unit[0]);
        unit_pressure_valid_of(s, valid);
        for (int i = 0; i < WHEELS; i++)
            if (valid[i] > 0.5 && s->unit_age_s > 3.5e-3 && s->unit_age_s < 0.02)
                assert_near(in[0][i], unit[0][i], 1.0);
        return;
    }
    in_inlet_valve_of(s, in[0]);
    unit_inlet_valve_of(s, unit[0]);
    in_outlet_valve_of(s, in[1]);
    unit_outlet_valve_of(s, unit[1]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < WHEELS; i++) {
            bool rest = !s->unit_valves_valid || s->unit_age_s > 0.02;
            if (by == VALVES || rest)
                assert_near(in[k][i], rest ? 0.0 : unit[k][i], 0.0);
            else
                assert_true(in[k][i] == 0.0 || in[k][i] == unit[k][i]);
        }
}

/* What makes the pressures is what made them before, in every tick before a safe state; and there
 * is none, unless it is expected. */
static void interface_stays(const struct drive *d, enum interface by, int64_t ticks, bool may_safe)
{
    for (int64_t n = 50; n < ticks; n++) { /* the unit's first frame */
        const struct signals *s = &d->record[n].signals;
        assert_true(may_safe || d->record[n].cause == CAUSE_NONE);
        bool safe = d->record[n].cause != CAUSE_NONE;
        assert_int_equal(s->in_brake, safe ? PLANT_BRAKE_PEDAL : interfaces[by].brake);
        if (interfaces[by].bus && !safe)
            unit_acts(s, by);
    }
}

/* ---- the catalogue */

enum group { SENSOR, HOLDS, SLOWS, HYDRAULIC, SENT, RECEIVED };

struct kind {
    const char *yaml;
    enum group group;
    uint32_t of; /* wheels whose pressure it changes, bits; the first by at least 2 bar */
};

enum { ALL = 0xf, CIRCUIT_FL = 1 << FL | 1 << RR };

static const struct kind kinds[] = {
    {"kind: stuck, sensor: yaw_rate", SENSOR, 0},
    {"kind: offset, sensor: force_y, amount_mps2: 1", SENSOR, 0},
    {"kind: drift, sensor: hand_wheel, amount_deg: 20", SENSOR, 0},
    {"kind: gain, sensor: master, factor: 1.2", SENSOR, 0},
    {"kind: noise, sensor: force_x, amount_mps2: 0.5", SENSOR, 0},
    {"kind: stuck, sensor: brake_switch", SENSOR, 0},
    {"kind: missing_teeth, sensor: wheel_rr, teeth: 2", SENSOR, 0},
    {"kind: no_edges, sensor: wheel_fl", SENSOR, 0},
    {"kind: swapped, wheel: fl, with: rr", SENSOR, 0},
    {"kind: pressure_stuck, wheel: fl", HOLDS, 1 << FL},
    {"kind: pressure_slow, wheel: fl, rate_barps: 10", SLOWS, 1 << FL},
    {"kind: leak, at: fl, share: 0.5", HYDRAULIC, CIRCUIT_FL},
    {"kind: leak, at: circuit_1, share: 0.5", HYDRAULIC, CIRCUIT_FL},
    {"kind: valve_stuck, valve: inlet, at: fl, position: closed", HYDRAULIC, 1 << FL},
    {"kind: valve_stuck, valve: outlet, at: fl, position: open", HYDRAULIC, CIRCUIT_FL},
    {"kind: valve_stuck, valve: separation, at: circuit_1, position: closed", HYDRAULIC,
     CIRCUIT_FL},
    {"kind: valve_stuck, valve: prime, at: circuit_1, position: open", HYDRAULIC, 0},
    {"kind: pump_dead", HYDRAULIC, 0},
    {"kind: frame, frame: drop, every: 2, count: 1", SENT, 0},
    {"kind: frame, frame: delay, ticks: 30", SENT, 0},
    {"kind: frame, frame: duplicate", SENT, 0},
    {"kind: frame, frame: freeze", SENT, 0},
    {"kind: frame, frame: wrong_sum", SENT, 0},
    {"kind: frame, frame: length, length: 5", SENT, 0},
    {"kind: frame, frame: burst", SENT, 0},
    {"kind: frame, frame: silence", SENT, 0},
    {"kind: frame, frame: drop, every: 2, count: 1", RECEIVED, 0},
    {"kind: frame, frame: delay, ticks: 30", RECEIVED, ALL},
    {"kind: frame, frame: duplicate", RECEIVED, ALL},
    {"kind: frame, frame: freeze", RECEIVED, ALL},
    {"kind: frame, frame: wrong_sum", RECEIVED, ALL},
    {"kind: frame, frame: length, length: 5", RECEIVED, ALL},
    {"kind: frame, frame: burst", RECEIVED, ALL},
    {"kind: frame, frame: silence", RECEIVED, ALL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* How far the pressures of the other wheels may be from those of the drive without the fault.
 * Without hydraulics nothing joins the wheels; by pressures the unit passes the driver's on, 0.1
 * bar is a bit of its frame. With hydraulics the master cylinder gives less fluid, or more, so that
 * its pistons are elsewhere and other forces of their springs are left. */
static double other_Pa(enum interface by, enum group group)
{
    if (by == PEDAL)
        return 0.0;
    return by == PRESSURES ? 0.1 * BAR : group == HYDRAULIC ? 1.5 * BAR : 1.0 * BAR;
}

/* Held to the bit; slow by no more than its rate, which is reached. */
static void check_fault_of_pressure(const struct drive *d, const struct kind *k)
{
    double rate_Pa = k->group == HOLDS ? 0.0 : 10.0 * BAR * 1e-3, most_Pa = 0.0;
    for (int64_t n = ON; n < OFF; n++) {
        double change_Pa = fabs(pressure_Pa(d, n, FL) - pressure_Pa(d, n - 1, FL));
        most_Pa = fmax(most_Pa, change_Pa);
    }
    assert_true(most_Pa <= rate_Pa * (1.0 + 1e-9));
    assert_true(most_Pa >= rate_Pa * (1.0 - 1e-9));
}

static void check_pressures(const struct drive *d, const struct drive *none, const struct kind *k,
                            enum interface by)
{
    bool acts = k->group != HYDRAULIC || (by != PEDAL && by != PRESSURES);
    for (int i = 0; i < WHEELS; i++) {
        bool of = k->of >> i & 1u;
        double apart = apart_Pa(d, none, i, 0, TICKS);
        if (!acts)
            assert_near(apart, 0.0, 0.0); /* not by a bit */
        else if (!of)
            assert_true(apart <= other_Pa(by, k->group));
        if (acts && of && (k->group != HYDRAULIC || i == FL))
            assert_above(apart, 2.0 * BAR);
        assert_near(apart_Pa(d, none, i, 0, ON), 0.0, 0.0); /* nothing before it begins */
    }
    if (k->group == HYDRAULIC)
        return;
    check_fault_of_pressure(d, k);
    /* and it ends: half a second later the wheel has what the driver asks for */
    assert_near(pressure_Pa(d, TICKS - 1, FL), pressure_Pa(none, TICKS - 1, FL), 1.0 * BAR);
}

static void check_kind(const struct drive *none, const struct kind *k, enum interface by)
{
    char yaml[300], message[64] = "", said[300];
    if (k->group >= SENT)
        (void)snprintf(message, sizeof message, ", message: %s",
                       k->group == RECEIVED && interfaces[by].message ? interfaces[by].message
                                                                      : "WheelEdgesFront");
    (void)snprintf(yaml, sizeof yaml, "%s%s, start_s: 1, for_s: 0.9", k->yaml, message);
    if (k->group >= SENT && !interfaces[by].bus) { /* nothing to put it into */
        assert_null(load(by, gentle, yaml, said, sizeof said));
        assert_non_null(strstr(said, "frame faults need a bus"));
        return;
    }
    struct drive *d = driven(by, gentle, yaml, TICKS);
    print_message("    %-18s %-72s apart by %6.3f %6.3f %6.3f %6.3f bar%s\n", interfaces[by].name,
                  k->yaml, apart_Pa(d, none, FL, 0, TICKS) / BAR,
                  apart_Pa(d, none, FR, 0, TICKS) / BAR, apart_Pa(d, none, RL, 0, TICKS) / BAR,
                  apart_Pa(d, none, RR, 0, TICKS) / BAR, d->loop.cause ? ", safe" : "");
    switched_at(d, ON, OFF);
    interface_stays(d, by, TICKS, k->group == RECEIVED);
    assert_int_equal(d->loop.cause != CAUSE_NONE, k->group == RECEIVED && k->of);
    if (k->group >= HOLDS && k->group <= HYDRAULIC)
        check_pressures(d, none, k, by);
    if (k->group == SENSOR && !interfaces[by].bus)
        for (int i = 0; i < WHEELS; i++)
            assert_near(apart_Pa(d, none, i, 0, TICKS), 0.0, 0.0); /* nobody reads it */
    if (k->group == SENT)
        assert_int_equal(d->bench->link->violations, 0); /* the unit's to notice */
    drive_close(d);
}

static void check_interface(enum interface by)
{
    struct drive *none = driven(by, gentle, NULL, TICKS);
    interface_stays(none, by, TICKS, false);
    for (int k = 0; k < KINDS; k++)
        check_kind(none, &kinds[k], by);
    drive_close(none);
}

static void by_the_pedal_without_hydraulics(void **unused)
{
    (void)unused;
    check_interface(PEDAL);
}

static void by_the_pedal_with_hydraulics(void **unused)
{
    (void)unused;
    check_interface(PEDAL_HYDRAULIC);
}

static void by_pressures_of_the_unit(void **unused)
{
    (void)unused;
    check_interface(PRESSURES);
}

static void by_valves(void **unused)
{
    (void)unused;
    check_interface(VALVES);
}

static void by_pulses_of_valves(void **unused)
{
    (void)unused;
    check_interface(PULSES);
}

/* ---- the unit goes on */

/* On ice with a front wheel that is stuck at 25 bar, or slow: the others are the unit's. Its
 * anti-lock control works there, and none of them locks for 0.2 s; for half a second at least, by
 * then the unit may have found the fault and left the brakes to the driver. */
static void the_unit_controls_the_other_wheels(void **unused)
{
    (void)unused;
    static const char *const faults[] = {"kind: pressure_stuck, wheel: fl, start_s: 0.56",
                                         "kind: pressure_slow, wheel: fl, rate_barps: 30, "
                                         "start_s: 0.56"};
    for (enum interface by = PRESSURES; by < INTERFACES; by++)
        for (int k = 0; k < 2; k++) {
            struct drive *d = driven(by, ice, faults[k], ICE_TICKS);
            double least_Pa = INFINITY, most_Pa = 0.0;
            int longest = 0, locked[WHEELS] = {0}, abs = 0;
            interface_stays(d, by, ICE_TICKS, false);
            for (int64_t n = ICE_ON + 300; n < ICE_TICKS; n++) {
                const struct signals *s = &d->record[n].signals;
                if (!(by == PRESSURES ? s->fr_unit_pressure_valid : s->unit_valves_valid))
                    break;
                double spin_radps[WHEELS];
                spin_radps_of(s, spin_radps);
                for (int i = FR; i < WHEELS; i++) {
                    bool slides = s->vx_mps > 4.0 && spin_radps[i] * 0.31 < 0.1 * s->vx_mps;
                    locked[i] = slides ? locked[i] + 1 : 0;
                    longest = locked[i] > longest ? locked[i] : longest;
                }
                least_Pa = fmin(least_Pa, s->fr_pressure_Pa);
                most_Pa = fmax(most_Pa, s->fr_pressure_Pa);
                abs += s->fr_unit_abs != 0;
            }
            print_message("    %-10s %-40.40s fr %.1f to %.1f bar, ABS there in %d ticks, locked "
                          "for %d ms\n",
                          interfaces[by].name, faults[k], least_Pa / BAR, most_Pa / BAR, abs,
                          longest);
            assert_true(abs > 500);
            assert_above(most_Pa - least_Pa, 5.0 * BAR);
            assert_true(longest < 200);
            for (int64_t n = ICE_ON; n < ICE_TICKS && k == 0; n++)
                assert_true(pressure_Pa(d, n, FL) == pressure_Pa(d, ICE_ON - 1, FL));
            drive_close(d);
        }
}

/* A caliper that is stuck is so in the safe state as well, whose pedal makes the other pressures.
 */
static void a_stuck_wheel_is_stuck_in_the_safe_state(void **unused)
{
    (void)unused;
    for (enum interface by = PRESSURES; by < INTERFACES; by++) {
        struct drive *d = load(by, gentle, "kind: pressure_stuck, wheel: fl, start_s: 1", NULL, 0);
        assert_non_null(d);
        d->silent_from = 1500;
        drive_on(d, TICKS);
        assert_int_equal(d->loop.cause, CAUSE_SILENT);
        const double held_Pa = pressure_Pa(d, ON - 1, FL);
        assert_above(held_Pa, 5.0 * BAR);
        for (int64_t n = ON; n < TICKS; n++) /* from a pressure to a volume and back */
            assert_near(pressure_Pa(d, n, FL), held_Pa, 1e-9 * held_Pa);
        assert_int_equal(d->record[TICKS - 1].signals.in_brake, PLANT_BRAKE_PEDAL);
        assert_above(pressure_Pa(d, TICKS - 1, FR), held_Pa + 5.0 * BAR);
        drive_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_pedal_without_hydraulics),
        cmocka_unit_test(by_the_pedal_with_hydraulics),
        cmocka_unit_test(by_pressures_of_the_unit),
        cmocka_unit_test(by_valves),
        cmocka_unit_test(by_pulses_of_valves),
        cmocka_unit_test(the_unit_controls_the_other_wheels),
        cmocka_unit_test(a_stuck_wheel_is_stuck_in_the_safe_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

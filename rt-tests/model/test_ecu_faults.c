/* Every fault of the catalogue, put into what the unit receives or into the valves while the sedan
 * drives: found within the stated time, answered by the stated mode, and by no other fault; a
 * tester reads its code and no other. The table is that of docs/ecu.md. */
#include "rt-tests/support/ecu_car.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ecu_car car;

enum how {
    LOST,      /* the frames of a source stop */
    BAD_CRC,   /* they come with a wrong checksum */
    FROZEN,    /* with a counter that stands still */
    SHORT,     /* too short */
    LATE,      /* every frame 40 ms apart instead of 10 */
    EVERY_2ND, /* every second one with a wrong checksum */
    DISTRUST,  /* the sender says that its sensor is broken */
    STUCK,     /* the value stays what it is */
    OFFSET,
    DRIFT,       /* by that much a second */
    NOISE,       /* of that standard deviation */
    SILENT,      /* a wheel sensor counts no more edges */
    TEETH,       /* one tooth of a wheel is missing */
    SWAP,        /* left and right sensor of an axle */
    SUPPLY,      /* that voltage */
    ENGINE_OFF,  /* the engine's torque is off by that */
    VALVE_STUCK, /* the pressure of a wheel stays */
    VALVE_SLOW   /* and moves at a hundredth of its speed */
};

/* What the car does meanwhile. */
enum drive { STRAIGHT, WEAVE, BRAKED, GENTLE, LATER }; /* braking before the fault, or after */

struct fault_case {
    const char *name;
    int how, source; /* source, or wheel */
    double size;
    int drive;
    int fault; /* enum ecu_fault_id */
    int mode;  /* enum ecu_mode */
    double within_s;
};

static const struct fault_case *now;
static uint32_t seen; /* faults whose code was set by a case */
static double began_s, tick_noise;
static struct ecu_rx held; /* as it was when the fault began */

static double pseudo_noise(void)
{
    /* A fixed sequence of unit standard deviation: three incommensurable lines. */
    tick_noise += 1.0;
    return 0.8165 * (sin(2.1 * tick_noise) + sin(4.7 * tick_noise) + sin(2.9 * tick_noise + 1.0));
}

static double *value_of(struct ecu_rx *rx, int source)
{
    switch (source) {
    case ECU_SOURCE_YAW_RATE:
        return &rx->yaw_rate_radps;
    case ECU_SOURCE_ACC:
        return &rx->acc_x_mps2;
    case ECU_SOURCES:
        return &rx->acc_y_mps2; /* stands for the second value of that frame */
    case ECU_SOURCE_STEERING:
        return &rx->hand_wheel_rad;
    default:
        return &rx->master_Pa;
    }
}

/* Frames that are refused: values and stamps as they were. */
static void refuse(struct ecu_rx *rx, int source, uint32_t why)
{
    struct ecu_rx was = held;
    if (source < ECU_WHEELS) {
        rx->edges[source] = was.edges[source];
        rx->edge_us[source] = was.edge_us[source];
    } else if (source < ECU_SOURCE_ENGINE) {
        *value_of(rx, source) = *value_of(&was, source);
    }
    rx->source[source] = was.source[source];
    rx->source[source].faults = why;
}

static void tamper_frames(struct ecu_car *c, struct ecu_rx *rx)
{
    int s = now->source;
    uint64_t cycle = c->tick / ECU_CAR_CYCLE_TICKS;
    switch (now->how) {
    case LOST:
        refuse(rx, s, 0);
        break;
    case BAD_CRC:
        refuse(rx, s, ECU_FRAME_CRC);
        break;
    case FROZEN:
        refuse(rx, s, ECU_FRAME_COUNTER);
        break;
    case SHORT:
        refuse(rx, s, ECU_FRAME_LENGTH);
        break;
    case EVERY_2ND:
        if (cycle % 4 < 2)
            refuse(rx, s, ECU_FRAME_CRC);
        else
            held = *rx;
        break;
    case LATE:
        if (cycle % 16)
            refuse(rx, s, 0);
        else
            held = *rx;
        break;
    default:
        rx->yaw_rate_valid = s == ECU_SOURCE_YAW_RATE ? 0.0 : 1.0;
        rx->master_valid = s == ECU_SOURCE_BRAKE ? 0.0 : 1.0;
        if (s < ECU_WHEELS)
            rx->wheel_valid[s] = 0.0;
    }
}

static double true_before; /* a value without the fault, for OFFSET and the like */

static void tamper_value(struct ecu_car *c, struct ecu_rx *rx)
{
    double *v = value_of(rx, now->source), since_s = ecu_car_time_s(c) - began_s;
    bool fresh = c->tick / ECU_CAR_CYCLE_TICKS % 2 == 0; /* else still what we made of it */
    if (fresh)
        true_before = *v;
    switch (now->how) {
    case STUCK:
        *v = *value_of(&held, now->source);
        break;
    case OFFSET:
        *v = true_before + now->size;
        break;
    case DRIFT:
        *v = true_before + now->size * since_s;
        break;
    default:
        *v = fresh ? true_before + now->size * pseudo_noise() : *v;
        break;
    }
}

static double teeth_seen, teeth_given, given_us, last_edges;

/* Leaves out every 48th edge, count and time. */
static void drop_tooth(struct ecu_rx *rx, int wheel)
{
    double step = rx->edges[wheel] - last_edges;
    last_edges = rx->edges[wheel];
    step += step < 0.0 ? 256.0 : 0.0;
    double pitch_us = 1e6 * wheel_pitch_m(&car.params.car, wheel) / fmax(car.out.vel_mps[0], 1.0);
    for (int n = 0; n < (int)step; n++) {
        double at_us = rx->edge_us[wheel] - (step - 1.0 - n) * pitch_us;
        teeth_seen += 1.0;
        if (fmod(teeth_seen, 48.0) >= 0.5) {
            teeth_given += 1.0;
            given_us = floor(at_us);
        }
    }
    rx->edges[wheel] = fmod(teeth_given, 256.0);
    rx->edge_us[wheel] = fmod(given_us + 65536.0, 65536.0);
}

static void tamper_wheel(struct ecu_rx *rx)
{
    int w = now->source;
    if (now->how == SILENT) {
        rx->edges[w] = held.edges[w];
        rx->edge_us[w] = held.edge_us[w];
    } else if (now->how == TEETH) {
        drop_tooth(rx, w);
    } else {
        double edges = rx->edges[w], us = rx->edge_us[w];
        rx->edges[w] = rx->edges[w + 1];
        rx->edge_us[w] = rx->edge_us[w + 1];
        rx->edges[w + 1] = edges;
        rx->edge_us[w + 1] = us;
    }
}

static void tamper(struct ecu_car *c, struct ecu_rx *rx)
{
    if (ecu_car_time_s(c) < began_s) {
        held = *rx;
        if (now->how == TEETH) {
            last_edges = rx->edges[now->source];
            teeth_given = last_edges;
        }
        return;
    }
    if (now->how <= DISTRUST)
        tamper_frames(c, rx);
    else if (now->how <= NOISE)
        tamper_value(c, rx);
    else if (now->how <= SWAP)
        tamper_wheel(rx);
    else if (now->how == SUPPLY)
        rx->supply_V = now->size;
    else if (now->how == ENGINE_OFF)
        rx->engine_Nm = rx->engine_driver_Nm + now->size;
}

static double valve_was_Pa;

static void valves(struct ecu_car *c, double pressure_Pa[WHEELS])
{
    int w = now->source; /* a wheel only in these cases */
    if (now->how < VALVE_STUCK)
        return;
    double most = now->how == VALVE_STUCK ? 0.0 : c->valve_Paps * 1e-3 * 0.01;
    if (ecu_car_time_s(c) >= began_s)
        pressure_Pa[w] = valve_was_Pa + fmin(fmax(pressure_Pa[w] - valve_was_Pa, -most), most);
    valve_was_Pa = pressure_Pa[w];
}

/* ---- one case */

static void drive(double t)
{
    double v = car.out.vel_mps[0];
    car.in.brake_pedal = 0.0;
    car.in.hand_wheel_rad = 0.0;
    if (now->drive == WEAVE)
        car.in.hand_wheel_rad = 0.45 * sin(1.2 * t);
    if (now->drive >= BRAKED) {
        double full = now->drive == BRAKED ? 0.6 : 0.22, at_s = now->drive == LATER ? 3.2 : 2.8;
        car.in.brake_pedal = fmin(fmax((t - at_s) / 0.15, 0.0), 1.0) * full;
    }
    double push = car.in.brake_pedal > 0.0 ? 0.0 : fmin(fmax(600.0 * (20.0 - v), -400.0), 400.0);
    car.in.wheel_torque_Nm[FL] = car.in.wheel_torque_Nm[FR] = push;
}

static void check_case(const struct fault_case *f)
{
    now = f;
    began_s = f->how >= VALVE_STUCK ? 2.92 : 3.0; /* while the pressure rises */
    tick_noise = teeth_seen = 0.0;
    valve_was_Pa = 0.0;
    car.road.left = car.road.right = f->drive == BRAKED ? 0.3 : 1.0;
    ecu_car_reset(&car, 20.0);
    car.tamper = tamper;
    car.valves = valves;
    double found_s = -1.0;
    double end_s = began_s + f->within_s + 0.3;
    while (ecu_car_time_s(&car) < end_s) {
        drive(ecu_car_time_s(&car));
        ecu_car_step(&car);
        if (ecu_car_time_s(&car) < began_s)
            assert_int_equal(car.unit.faults.stored, 0);
        if (found_s < 0.0 && car.unit.faults.stored >> f->fault & 1u)
            found_s = ecu_car_time_s(&car) - began_s;
    }
    print_message("    %-44s %s after %.3f s, mode %.0f\n", f->name, ecu_fault_table[f->fault].name,
                  found_s, car.tx.mode);
    assert_true(found_s >= 0.0);
    assert_below(found_s, f->within_s);
    assert_int_equal(car.unit.faults.stored, ECU_FAULT_BIT(f->fault)); /* and nothing else */
    struct uds_code code[UDS_CODES];
    assert_int_equal(ecu_car_codes(&car, code, UDS_CODES), 1); /* nor for a tester */
    assert_int_equal(code[0].code, ecu_fault_table[f->fault].code);
    seen |= ECU_FAULT_BIT(f->fault);
    assert_int_equal(code[0].status & (UDS_CONFIRMED | UDS_FAILED_THIS_CYCLE),
                     UDS_CONFIRMED | UDS_FAILED_THIS_CYCLE);
    assert_int_equal((int)car.tx.mode, f->mode);
    assert_int_equal((int)car.tx.control, f->mode != ECU_MODE_PASSIVE);
    assert_int_equal((int)car.tx.lamp_esp, f->mode >= ECU_MODE_NO_MODEL);
    assert_int_equal((int)car.tx.lamp_abs, f->mode >= ECU_MODE_EBD_ONLY);
    assert_int_equal((int)car.tx.lamp_brake, f->mode >= ECU_MODE_PASSIVE);
    if (f->mode >= ECU_MODE_EBD_ONLY)
        assert_int_equal((int)car.tx.abs_active, 0);
}

static void check_all(const struct fault_case *cases, size_t count)
{
    ecu_car_open(&car, "sedan", 1.0, 20.0);
    for (size_t n = 0; n < count; n++)
        check_case(&cases[n]);
    ecu_car_close(&car);
}

#define F(id) ECU_FAULT_##id
#define M(id) ECU_MODE_##id
#define S(id) ECU_SOURCE_##id

static void frames_of_each_source_are_missed(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"no frame: front left wheel", LOST, S(FL), 0, WEAVE, F(FL_FRAME), M(EBD_ONLY), 0.06},
        {"no frame: front right wheel", LOST, S(FR), 0, WEAVE, F(FR_FRAME), M(EBD_ONLY), 0.06},
        {"no frame: rear left wheel", LOST, S(RL), 0, WEAVE, F(RL_FRAME), M(EBD_ONLY), 0.06},
        {"no frame: rear right wheel", LOST, S(RR), 0, BRAKED, F(RR_FRAME), M(EBD_ONLY), 0.06},
        {"no frame: yaw rate", LOST, S(YAW_RATE), 0, WEAVE, F(YAW_FRAME), M(NO_MODEL), 0.1},
        {"no frame: acceleration", LOST, S(ACC), 0, WEAVE, F(ACC_FRAME), M(NO_MODEL), 0.1},
        {"no frame: steering", LOST, S(STEERING), 0, WEAVE, F(STEERING_FRAME), M(NO_MODEL), 0.1},
        {"no frame: brake", LOST, S(BRAKE), 0, BRAKED, F(BRAKE_FRAME), M(PASSIVE), 0.1},
        {"no frame: engine", LOST, S(ENGINE), 0, STRAIGHT, F(ENGINE_FRAME), M(NO_MODEL), 0.15},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

static void wrong_frames_are_found(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"wrong checksum: wheel", BAD_CRC, S(FL), 0, WEAVE, F(FL_FRAME), M(EBD_ONLY), 0.06},
        {"wrong checksum: brake", BAD_CRC, S(BRAKE), 0, BRAKED, F(BRAKE_FRAME), M(PASSIVE), 0.1},
        {"frozen counter: wheel", FROZEN, S(RR), 0, WEAVE, F(RR_FRAME), M(EBD_ONLY), 0.06},
        {"frozen counter: yaw rate", FROZEN, S(YAW_RATE), 0, WEAVE, F(YAW_FRAME), M(NO_MODEL), 0.1},
        {"wrong length: steering", SHORT, S(STEERING), 0, WEAVE, F(STEERING_FRAME), M(NO_MODEL),
         0.1},
        {"half of them wrong: brake", EVERY_2ND, S(BRAKE), 0, BRAKED, F(BRAKE_FRAME), M(PASSIVE),
         0.2},
        {"late, 80 ms apart: acceleration", LATE, S(ACC), 0, WEAVE, F(ACC_FRAME), M(NO_MODEL), 0.2},
        {"distrusted by the sender: yaw rate", DISTRUST, S(YAW_RATE), 0, WEAVE, F(YAW_FRAME),
         M(NO_MODEL), 0.05},
        {"distrusted by the sender: wheel", DISTRUST, S(FR), 0, WEAVE, F(FR_FRAME), M(EBD_ONLY),
         0.05},
        {"distrusted by the sender: brake", DISTRUST, S(BRAKE), 0, BRAKED, F(BRAKE_FRAME),
         M(PASSIVE), 0.05},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

static void broken_sensors_are_found(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"no edges: front left", SILENT, S(FL), 0, STRAIGHT, F(FL_SILENT), M(EBD_ONLY), 1.0},
        {"no edges: rear right, in curves", SILENT, S(RR), 0, WEAVE, F(RR_SILENT), M(EBD_ONLY),
         1.0},
        {"no edges: front right", SILENT, S(FR), 0, STRAIGHT, F(FR_SILENT), M(EBD_ONLY), 1.0},
        {"no edges: rear left", SILENT, S(RL), 0, STRAIGHT, F(RL_SILENT), M(EBD_ONLY), 1.0},
        {"missing tooth: front left", TEETH, S(FL), 0, STRAIGHT, F(FL_TEETH), M(EBD_ONLY), 1.5},
        {"missing tooth: rear right", TEETH, S(RR), 0, STRAIGHT, F(RR_TEETH), M(EBD_ONLY), 1.5},
        {"missing tooth: front right", TEETH, S(FR), 0, STRAIGHT, F(FR_TEETH), M(EBD_ONLY), 1.5},
        {"missing tooth: rear left", TEETH, S(RL), 0, STRAIGHT, F(RL_TEETH), M(EBD_ONLY), 1.5},
        {"swapped: front", SWAP, S(FL), 0, WEAVE, F(SWAPPED), M(EBD_ONLY), 4.0},
        {"swapped: rear", SWAP, S(RL), 0, WEAVE, F(SWAPPED), M(EBD_ONLY), 4.0},
        {"stuck: yaw rate", STUCK, S(YAW_RATE), 0, WEAVE, F(YAW_SENSOR), M(NO_MODEL), 5.0},
        {"offset 8 deg/s: yaw rate", OFFSET, S(YAW_RATE), 0.14, STRAIGHT, F(YAW_SENSOR),
         M(NO_MODEL), 1.5},
        {"drift 2 deg/s2: yaw rate", DRIFT, S(YAW_RATE), 0.035, STRAIGHT, F(YAW_SENSOR),
         M(NO_MODEL), 5.0},
        {"noise 10 deg/s: yaw rate", NOISE, S(YAW_RATE), 0.175, STRAIGHT, F(YAW_SENSOR),
         M(NO_MODEL), 2.0},
        {"offset 5 m/s2: forward acceleration", OFFSET, S(ACC), 5.0, STRAIGHT, F(ACC_X_SENSOR),
         M(NO_MODEL), 1.5},
        {"noise 8 m/s2: forward acceleration", NOISE, S(ACC), 8.0, STRAIGHT, F(ACC_X_SENSOR),
         M(NO_MODEL), 2.0},
        {"stuck: lateral acceleration", STUCK, ECU_SOURCES, 0, WEAVE, F(ACC_Y_SENSOR), M(NO_MODEL),
         6.0},
        {"offset 4 m/s2: lateral acceleration", OFFSET, ECU_SOURCES, 4.0, STRAIGHT, F(ACC_Y_SENSOR),
         M(NO_MODEL), 1.5},
        {"stuck: steering", STUCK, S(STEERING), 0, WEAVE, F(STEERING_SENSOR), M(NO_MODEL), 6.0},
        {"offset 50 deg: steering", OFFSET, S(STEERING), 0.87, STRAIGHT, F(STEERING_SENSOR),
         M(NO_MODEL), 1.5},
        {"noise 20 deg: steering", NOISE, S(STEERING), 0.35, STRAIGHT, F(STEERING_SENSOR),
         M(NO_MODEL), 2.0},
        {"offset 20 bar: master pressure", OFFSET, S(BRAKE), 20e5, STRAIGHT, F(MASTER_SENSOR),
         M(PASSIVE), 0.8},
        {"stuck at 0: master pressure", STUCK, S(BRAKE), 0, LATER, F(MASTER_SENSOR), M(PASSIVE),
         0.8},
        {"noise 20 bar: master pressure", NOISE, S(BRAKE), 20e5, GENTLE, F(MASTER_SENSOR),
         M(PASSIVE), 0.8},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

static void stuck_pressures_are_found(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"stuck valve: front left, in an ABS stop", VALVE_STUCK, FL, 0, BRAKED, F(HYDRAULICS),
         M(PASSIVE), 1.0},
        {"slow valve: front right, in an ABS stop", VALVE_SLOW, FR, 0, BRAKED, F(HYDRAULICS),
         M(PASSIVE), 1.0},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

static void bad_supplies_are_found(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"supply 8 V", SUPPLY, 0, 8.0, WEAVE, F(SUPPLY_LOW), M(EBD_ONLY), 0.25},
        {"supply 19 V", SUPPLY, 0, 19.0, BRAKED, F(SUPPLY_HIGH), M(PASSIVE), 0.25},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

static void bad_engines_and_radars_are_found(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"engine gives 80 Nm that nobody asked for", ENGINE_OFF, 0, 80.0, STRAIGHT,
         F(ENGINE_ANSWER), M(NO_MODEL), 1.2},
        {"engine gives 80 Nm less", ENGINE_OFF, 0, -80.0, STRAIGHT, F(ENGINE_ANSWER), M(NO_MODEL),
         1.2},
        /* the rest works without a radar */
        {"no frame: radar", LOST, S(RADAR), 0, WEAVE, F(RADAR_FRAME), M(READY), 0.3},
        {"wrong checksum: radar", BAD_CRC, S(RADAR), 0, WEAVE, F(RADAR_FRAME), M(READY), 0.1},
    };
    check_all(cases, sizeof cases / sizeof cases[0]);
}

static void every_code_had_its_case(void **unused)
{
    (void)unused;
    for (int id = 0; id < ECU_FAULTS; id++)
        if (!(seen >> id & 1u))
            fail_msg("no case sets %s", ecu_fault_table[id].name);
}

/* ---- what must not be a fault */

static void lose_some(struct ecu_car *c, struct ecu_rx *rx)
{
    /* One frame of ten is lost, one of forty has a wrong checksum; another source each time. */
    uint64_t cycle = c->tick / ECU_CAR_CYCLE_TICKS;
    for (int s = 0; s < ECU_SOURCES; s++) {
        uint64_t n = (cycle / 2 + 7u * (uint64_t)s) % 40;
        if (n % 10 == 0)
            refuse(rx, s, n == 0 ? ECU_FRAME_CRC : 0);
    }
    held = *rx;
}

static void single_bad_frames_are_bridged(void **unused)
{
    (void)unused;
    static const struct fault_case none = {.name = "single frames", .drive = BRAKED};
    ecu_car_open(&car, "sedan", 0.3, 20.0);
    now = &none;
    car.tamper = lose_some;
    ecu_car_reset(&car, 20.0);
    held = car.rx;
    while (ecu_car_time_s(&car) < 8.0) {
        drive(ecu_car_time_s(&car));
        ecu_car_step(&car);
        for (int i = 0; i < WHEELS; i++)
            assert_true(car.out.vel_mps[0] < 4.2 || ecu_car_slip(&car, i) > -0.9);
    }
    struct uds_code code[1];
    assert_int_equal(car.unit.faults.stored, 0);
    assert_int_equal(ecu_car_codes(&car, code, 1), 0);
    assert_below(car.out.vel_mps[0], 10.0); /* and it braked */
    ecu_car_close(&car);
}

/* ---- start-up, healing, two wheels */

static void starts_within_its_time(void **unused)
{
    (void)unused;
    static const struct fault_case none = {.name = "none", .drive = STRAIGHT};
    double ready_s = -1.0, dark_s = -1.0;
    now = &none;
    ecu_car_open(&car, "sedan", 1.0, 20.0);
    for (int n = 0; n < 3000; n++) {
        ecu_car_step(&car);
        if (ready_s < 0.0 && car.tx.mode > 0.5)
            ready_s = ecu_car_time_s(&car);
        if (n == 20) { /* before it is ready: lamps on, the driver's pressure */
            assert_true(car.tx.lamp_abs > 0.5 && car.tx.lamp_brake > 0.5 && car.tx.lamp_esp > 0.5);
            assert_true(car.tx.control < 0.5);
        }
        if (dark_s < 0.0 && car.tx.lamp_abs < 0.5 && n > 20)
            dark_s = ecu_car_time_s(&car);
    }
    assert_near(ready_s, car.params.start.frames_s, 0.012);
    assert_near(dark_s, car.params.start.lamp_s, 0.012);
    assert_int_equal((int)car.tx.self_test, 2);
    ecu_car_close(&car);
}

static void waits_for_every_source(void **unused)
{
    (void)unused;
    static const struct fault_case none = {
        "no frame ever",   LOST, ECU_SOURCE_STEERING, 0, STRAIGHT, ECU_FAULT_STEERING_FRAME,
        ECU_MODE_NO_MODEL, 0};
    ecu_car_open(&car, "sedan", 1.0, 20.0);
    now = &none;
    ecu_rx_reset(&held);
    began_s = 0.0;
    car.tamper = tamper;
    ecu_car_for(&car, 0.9);
    assert_int_equal((int)car.tx.mode, ECU_MODE_START);
    ecu_car_for(&car, 0.3);
    assert_int_equal((int)car.tx.mode, ECU_MODE_NO_MODEL);
    assert_int_equal(car.unit.faults.stored, ECU_FAULT_BIT(ECU_FAULT_STEERING_FRAME));
    assert_int_equal((int)car.tx.self_test, 3);
    ecu_car_close(&car);
}

/* Frames that return heal after a second; the fault stays stored, the lamp goes out. */
static void frames_heal(void **unused)
{
    (void)unused;
    static const struct fault_case lost = {
        "no frame", LOST, ECU_SOURCE_FR, 0, STRAIGHT, ECU_FAULT_FR_FRAME, ECU_MODE_EBD_ONLY, 0.1};
    ecu_car_open(&car, "sedan", 1.0, 20.0);
    now = &lost;
    began_s = 3.0;
    car.tamper = tamper;
    ecu_car_for(&car, 3.5);
    assert_int_equal((int)car.tx.mode, ECU_MODE_EBD_ONLY);
    car.tamper = NULL;
    ecu_car_for(&car, 0.9);
    assert_int_equal((int)car.tx.mode, ECU_MODE_EBD_ONLY);
    ecu_car_for(&car, 0.2);
    assert_int_equal((int)car.tx.mode, ECU_MODE_READY);
    assert_true(car.tx.lamp_abs < 0.5);
    assert_int_equal(car.unit.faults.stored, ECU_FAULT_BIT(ECU_FAULT_FR_FRAME));
    assert_int_equal((int)car.tx.fault_count, 1);
    ecu_car_close(&car);
}

static void lose_rear(struct ecu_car *c, struct ecu_rx *rx)
{
    (void)c;
    if (ecu_car_time_s(c) < 3.0) {
        held = *rx;
        return;
    }
    refuse(rx, ECU_SOURCE_RL, 0);
    refuse(rx, ECU_SOURCE_RR, 0);
}

/* Mid-stop the unit lets go: the driver's pressure returns, and not with a jump. */
static void two_wheels_lost_is_passive(void **unused)
{
    (void)unused;
    static const struct fault_case none = {.name = "rear frames", .drive = BRAKED};
    ecu_car_open(&car, "sedan", 0.3, 20.0);
    now = &none;
    car.tamper = lose_rear;
    while (ecu_car_time_s(&car) < 4.0) {
        drive(ecu_car_time_s(&car));
        ecu_car_step(&car);
    }
    assert_int_equal((int)car.tx.mode, ECU_MODE_PASSIVE);
    assert_true(car.tx.control < 0.5 && car.tx.lamp_brake > 0.5);
    assert_near(car.valve_Pa[FL], 0.6 * lumped15_of(car.vehicle)->brake.pedal_Pa, 1e5);
    ecu_car_close(&car);
}

/* Without the acceleration sensor ABS goes on with wheel speeds alone. */
static void abs_works_without_acceleration(void **unused)
{
    (void)unused;
    static const struct fault_case lost = {
        "no frame", LOST, ECU_SOURCE_ACC, 0, BRAKED, ECU_FAULT_ACC_FRAME, ECU_MODE_NO_MODEL, 0.1};
    static const double frictions[] = {0.8, 0.3};
    for (int k = 0; k < 2; k++) {
        ecu_car_open(&car, "sedan", frictions[k], 20.0);
        now = &lost;
        began_s = 1.0;
        car.tamper = tamper;
        double locked_s = 0.0, most_s = 0.0, v0 = 0.0, t0 = 0.0;
        while (ecu_car_time_s(&car) < 20.0 && car.out.vel_mps[0] > 15.0 / 3.6) {
            drive(ecu_car_time_s(&car));
            ecu_car_step(&car);
            if (ecu_car_time_s(&car) < 3.2) {
                v0 = car.out.vel_mps[0];
                t0 = ecu_car_time_s(&car);
            }
            locked_s = ecu_car_slip(&car, FL) < -0.9 || ecu_car_slip(&car, RR) < -0.9
                           ? locked_s + 1e-3
                           : 0.0;
            most_s = fmax(most_s, locked_s);
        }
        double mean = (v0 - car.out.vel_mps[0]) / (ecu_car_time_s(&car) - t0);
        print_message("    friction %.1f: %.2f m/s2, locked at most %.0f ms\n", frictions[k], mean,
                      1e3 * most_s);
        assert_below(most_s, 0.2);
        assert_above(mean, 0.6 * frictions[k] * 9.81);
        assert_int_equal((int)car.tx.mode, ECU_MODE_NO_MODEL);
        ecu_car_close(&car);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_each_source_are_missed),
        cmocka_unit_test(wrong_frames_are_found),
        cmocka_unit_test(broken_sensors_are_found),
        cmocka_unit_test(stuck_pressures_are_found),
        cmocka_unit_test(bad_supplies_are_found),
        cmocka_unit_test(bad_engines_and_radars_are_found),
        cmocka_unit_test(every_code_had_its_case),
        cmocka_unit_test(single_bad_frames_are_bridged),
        cmocka_unit_test(starts_within_its_time),
        cmocka_unit_test(waits_for_every_source),
        cmocka_unit_test(frames_heal),
        cmocka_unit_test(two_wheels_lost_is_passive),
        cmocka_unit_test(abs_works_without_acceleration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "target/scenario/fault_load.h"

#include "target/scenario/expr_load.h"

#include <math.h>
#include <string.h>

static const char *const sensors[] = {
    "yaw_rate", "roll_rate", "pitch_rate", "force_x",         "force_y", "force_z",
    "level_ax", "level_ay",  "hand_wheel", "hand_wheel_rate", "master",  "brake_switch",
    "wheel_fl", "wheel_fr",  "wheel_rl",   "wheel_rr",        NULL};
static const char *const wheels[] = {"fl", "fr", "rl", "rr", NULL};

/* Units of an amount by sensor: the key's name says it, as everywhere in the files. */
struct amount {
    const char *key;
    double factor; /* to SI */
};

static struct amount sensor_amount(int sensor)
{
    static const double rad = 0.017453292519943295;
    switch (sensor) {
    case FAULT_YAW_RATE:
    case FAULT_ROLL_RATE:
    case FAULT_PITCH_RATE:
    case FAULT_HAND_WHEEL_RATE:
        return (struct amount){"amount_degps", rad};
    case FAULT_HAND_WHEEL:
        return (struct amount){"amount_deg", rad};
    case FAULT_MASTER:
        return (struct amount){"amount_bar", 1e5};
    case FAULT_FORCE_X:
    case FAULT_FORCE_Y:
    case FAULT_FORCE_Z:
    case FAULT_LEVEL_AX:
    case FAULT_LEVEL_AY:
        return (struct amount){"amount_mps2", 1.0};
    default:
        return (struct amount){"amount_radps", 1.0};
    }
}

static int sensor_of(const struct cfg_node *n)
{
    int sensor = 0;
    cfg_need(n, "sensor");
    cfg_choice(n, "sensor", &sensor, sensors);
    return sensor;
}

static void only_wheels(const struct cfg_node *n, const struct fault *f)
{
    if (f->sensor < FAULT_WHEEL)
        cfg_complain(n, "sensor",
                     "this fault is of a wheel: wheel_fl, wheel_fr, wheel_rl, "
                     "wheel_rr");
}

static void sensor_fault(const struct cfg_node *n, struct fault *f)
{
    f->sensor = sensor_of(n);
    if (f->sensor == FAULT_BRAKE_SWITCH && f->kind != FAULT_STUCK)
        cfg_complain(n, "kind", "a switch can only be stuck");
    if (f->kind == FAULT_STUCK || f->kind == FAULT_NO_EDGES) {
        if (f->kind == FAULT_NO_EDGES)
            only_wheels(n, f);
        return;
    }
    if (f->kind == FAULT_MISSING_TEETH) {
        only_wheels(n, f);
        f->amount = 1.0;
        cfg_double(n, "teeth", &f->amount, CFG_BETWEEN(1.0, 20.0));
        f->amount = floor(f->amount);
        return;
    }
    if (f->kind == FAULT_GAIN) {
        cfg_need(n, "factor");
        cfg_double(n, "factor", &f->amount, CFG_BETWEEN(-10.0, 10.0));
        return;
    }
    struct amount a = sensor_amount(f->sensor);
    cfg_need(n, a.key);
    cfg_scaled(n, a.key, &f->amount, a.factor, CFG_ANY);
}

static void actuator_fault(const struct cfg_node *n, struct fault *f)
{
    cfg_need(n, "wheel");
    cfg_choice(n, "wheel", &f->wheel, wheels);
    if (f->kind != FAULT_PRESSURE_SLOW)
        return;
    cfg_need(n, "rate_barps");
    cfg_scaled(n, "rate_barps", &f->amount, 1e5, CFG_POSITIVE);
}

/* A wheel or a circuit. */
static void place_load(const struct cfg_node *n, bool may_be_wheel, bool may_be_circuit,
                       struct fault *f)
{
    static const char *const places[] = {"fl", "fr", "rl", "rr", "circuit_1", "circuit_2", NULL};
    int place = may_be_wheel ? 0 : WHEELS;
    cfg_need(n, "at");
    cfg_choice(n, "at", &place, places);
    if (place < WHEELS ? !may_be_wheel : !may_be_circuit)
        cfg_complain(n, "at",
                     may_be_wheel ? "this valve is of a wheel: fl, fr, rl, rr"
                                  : "this valve is of a circuit: circuit_1, circuit_2");
    f->wheel = place < WHEELS ? place : 0;
    f->circuit = place < WHEELS ? -1 : place - WHEELS;
}

static void leak(const struct cfg_node *n, struct fault *f)
{
    place_load(n, true, true, f);
    cfg_need(n, "share");
    cfg_double(n, "share", &f->amount, CFG_BETWEEN(0.0, 10.0));
}

static void stuck_valve(const struct cfg_node *n, struct fault *f)
{
    enum { INLET, OUTLET, SEPARATION, PRIME };
    static const char *const valves[] = {"inlet", "outlet", "separation", "prime", NULL};
    static const char *const positions[] = {"open", "closed", NULL};
    static const uint32_t bits[][2] = {{PLANT_INLET_OPEN, PLANT_INLET_CLOSED},
                                       {PLANT_OUTLET_OPEN, PLANT_OUTLET_CLOSED},
                                       {PLANT_SEPARATION_OPEN, PLANT_SEPARATION_CLOSED},
                                       {PLANT_PRIME_OPEN, PLANT_PRIME_CLOSED}};
    int valve = 0, position = 0;
    cfg_need(n, "valve");
    cfg_choice(n, "valve", &valve, valves);
    cfg_need(n, "position");
    cfg_choice(n, "position", &position, positions);
    place_load(n, valve < SEPARATION, valve >= SEPARATION, f);
    f->stuck = bits[valve][position] << (unsigned)(valve < SEPARATION ? f->wheel
                                                   : f->circuit >= 0  ? f->circuit
                                                                      : 0);
}

static void swapped_wires(const struct cfg_node *n, struct fault *f)
{
    cfg_need(n, "wheel");
    cfg_need(n, "with");
    f->other = FR;
    cfg_choice(n, "wheel", &f->wheel, wheels);
    cfg_choice(n, "with", &f->other, wheels);
    if (f->wheel == f->other)
        cfg_complain(n, "with", "must be another wheel");
}

/* When: by time, by condition, or neither (only by request). */
static void when_load(const struct cfg_node *n, struct fault *f)
{
    f->start_s = -1.0;
    f->end_s = INFINITY;
    cfg_double(n, "start_s", &f->start_s, CFG_NOT_NEGATIVE);
    cfg_double(n, "for_s", &f->for_s, CFG_POSITIVE);
    if (f->for_s > 0.0)
        f->end_s = f->start_s + f->for_s;
    f->by_condition = expr_load(n, "when", EXPR_CONDITION, NULL, &f->when);
    if (f->by_condition && f->start_s >= 0.0)
        cfg_complain(n, "when", "a fault starts by `when` or by `start_s`, not both");
}

static void fault_one(const struct cfg_node *n, const struct fault_frames *frames, int *frame_count,
                      struct fault *f)
{
    static const char *const kinds[] = {
        "stuck",         "offset",      "drift",     "gain",           "noise",
        "missing_teeth", "no_edges",    "swapped",   "pressure_stuck", "pressure_slow",
        "leak",          "valve_stuck", "pump_dead", "frame",          NULL};
    cfg_need(n, "name");
    cfg_string(n, "name", f->name, sizeof f->name);
    if (strpbrk(f->name, " \t"))
        cfg_complain(n, "name", "no blanks: requests name the fault by this word");
    cfg_need(n, "kind");
    cfg_choice(n, "kind", &f->kind, kinds);
    when_load(n, f);
    if (f->kind == FAULT_FRAME) {
        f->frame = (*frame_count)++;
        if (frames && frames->load)
            frames->load(frames->owner, n, f->frame);
        else
            cfg_complain(n, "kind", "frame faults need a bus: give `can:`");
    } else if (f->kind == FAULT_SWAPPED) {
        swapped_wires(n, f);
    } else if (f->kind == FAULT_LEAK) {
        leak(n, f);
    } else if (f->kind == FAULT_VALVE_STUCK) {
        stuck_valve(n, f);
    } else if (f->kind == FAULT_PUMP_DEAD) {
        f->stuck = PLANT_PUMP_DEAD;
    } else if (f->kind >= FAULT_PRESSURE_STUCK) {
        actuator_fault(n, f);
    } else {
        sensor_fault(n, f);
    }
    cfg_done(n);
}

void fault_load(const struct cfg_node *root, const struct fault_frames *frames,
                struct fault_set *set)
{
    const struct cfg_node *list = cfg_list(root, "faults");
    size_t count = list ? cfg_count(list) : 0;
    int frame_count = 0;
    if (count > FAULTS) {
        cfg_complain(root, "faults", "at most %d are allowed", FAULTS);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct fault *f = &set->fault[set->count];
        const struct cfg_node *n = cfg_item(list, i);
        memset(f, 0, sizeof *f);
        fault_one(n, frames, &frame_count, f);
        for (int k = 0; k < set->count; k++)
            if (strcmp(set->fault[k].name, f->name) == 0)
                cfg_complain(n, "name", "\"%s\" is the name of another fault", f->name);
        set->count++;
    }
}

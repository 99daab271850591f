#include "target/ecu/ecu.h"

#include <math.h>
#include <string.h>

/* Of this cycle only. */
struct cycle {
    uint32_t bad_sources, seen_sources;
    int braking;                      /* the driver's foot */
    int alone;                        /* wheels that are braked beyond it */
    double yaw_rate_radps, steer_rad; /* 0 if not to be trusted */
    double floor_Pa[ECU_WHEELS], bound_Pa[ECU_WHEELS];
    double more_slip[ECU_WHEELS];
    uint32_t braked; /* bit i: a function slows wheel i down */
};

void ecu_rx_reset(struct ecu_rx *rx)
{
    memset(rx, 0, sizeof *rx);
    for (int i = 0; i < ECU_WHEELS; i++)
        rx->wheel_valid[i] = 1.0;
    rx->yaw_rate_valid = rx->acc_x_valid = rx->acc_y_valid = 1.0;
    rx->steering_valid = rx->master_valid = 1.0;
    rx->limit_possible = rx->raise_possible = 1.0;
    rx->terminal = 2.0;
    rx->supply_V = 13.8;
}

void ecu_reset(struct ecu_state *s)
{
    memset(s, 0, sizeof *s);
}

static int is_good(const struct cycle *c, int source)
{
    return !(c->bad_sources >> source & 1u);
}

/* Whether the unit acts at all, or its valves are at rest. */
static int can_control(const struct ecu_state *s)
{
    return s->mode != ECU_MODE_START && s->mode != ECU_MODE_PASSIVE;
}

static int is_present(const struct ecu_state *s, int fault)
{
    return (int)(s->faults.present >> fault & 1u);
}

/* Bit i: the speed of wheel i can be used. */
static uint32_t usable_wheels(const struct ecu_state *s, const struct cycle *c)
{
    uint32_t usable = 0;
    for (int i = 0; i < ECU_WHEELS; i++)
        if (is_good(c, ECU_SOURCE_FL + i) && !is_present(s, ECU_FAULT_FL_SILENT + i) &&
            !is_present(s, ECU_FAULT_FL_TEETH + i))
            usable |= 1u << (unsigned)i;
    return usable;
}

/* Sources whose sender does not trust its own sensor. */
static uint32_t distrusted(const struct ecu_rx *rx)
{
    uint32_t bad = 0;
    for (int i = 0; i < ECU_WHEELS; i++)
        bad |= (uint32_t) !(rx->wheel_valid[i] > 0.5) << (ECU_SOURCE_FL + i);
    bad |= (uint32_t) !(rx->yaw_rate_valid > 0.5) << ECU_SOURCE_YAW_RATE;
    bad |= (uint32_t) !(rx->acc_x_valid > 0.5 && rx->acc_y_valid > 0.5) << ECU_SOURCE_ACC;
    bad |= (uint32_t) !(rx->steering_valid > 0.5) << ECU_SOURCE_STEERING;
    bad |= (uint32_t) !(rx->master_valid > 0.5) << ECU_SOURCE_BRAKE;
    return bad;
}

static void receive(const struct ecu_params *p, struct ecu_state *s, const struct ecu_rx *rx,
                    int64_t t_ns, struct cycle *c)
{
    c->bad_sources = frames_step(&p->frames, rx, t_ns, &s->frames, &c->seen_sources);
    c->bad_sources |= distrusted(rx);
    for (int i = 0; i < ECU_WHEELS; i++)
        wheel_speed_step(&p->wheel_speed, wheel_pitch_m(&p->car, i), &rx->source[i], rx->edges[i],
                         rx->edge_us[i], &s->wheel[i]);
    if (is_good(c, ECU_SOURCE_BRAKE))
        s->driver_Pa = fmax(rx->master_Pa, 0.0);
    c->braking = is_good(c, ECU_SOURCE_BRAKE) &&
                 (rx->brake_switch > 0.5 || rx->master_Pa > p->start.braking_Pa);
    c->alone = 0;
    for (int i = 0; i < ECU_WHEELS; i++)
        c->alone += s->pressure.request_Pa[i] > s->driver_Pa + p->start.braking_Pa;
    int yaw_good = is_good(c, ECU_SOURCE_YAW_RATE) && !is_present(s, ECU_FAULT_YAW_SENSOR);
    int steer_good = is_good(c, ECU_SOURCE_STEERING) && !is_present(s, ECU_FAULT_STEERING_SENSOR);
    c->yaw_rate_radps = yaw_good ? rx->yaw_rate_radps : 0.0;
    c->steer_rad = steer_good ? car_steer_rad(&p->car, rx->hand_wheel_rad) : 0.0;
}

static void refer(const struct ecu_params *p, struct ecu_state *s, const struct ecu_rx *rx,
                  const struct cycle *c)
{
    struct reference_in in = {.yaw_rate_radps = c->yaw_rate_radps,
                              .steer_rad = c->steer_rad,
                              .acc_x_mps2 = rx->acc_x_mps2,
                              .brake_mps2 = pressure_decel_mps2(&p->car, &s->pressure),
                              .wheels = usable_wheels(s, c),
                              .acc_valid = is_good(c, ECU_SOURCE_ACC) &&
                                           !is_present(s, ECU_FAULT_ACC_X_SENSOR),
                              .braking = c->braking || c->alone > 1,
                              .alone = c->alone > 0,
                              .controlled = abs_is_active(&s->abs)};
    for (int i = 0; i < ECU_WHEELS; i++) {
        in.wheel_mps[i] = s->wheel[i].speed_mps;
        in.wheel_mps2[i] = s->wheel[i].accel_mps2;
    }
    reference_step(&p->reference, &p->car, &in, &s->reference);
}

/* Ignition and start-up checks; s has the reference of this cycle, rx is as received. */
static void check_power(const struct ecu_params *p, struct ecu_state *s, const struct ecu_rx *rx,
                        const struct cycle *c)
{
    int stands = usable_wheels(s, c) == 0xfu && s->reference.speed_mps <= 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        stands = stands && s->wheel[i].speed_mps <= 0.0;
    struct power_in in = {.yaw_rate_radps = rx->yaw_rate_radps,
                          .acc_y_mps2 = rx->acc_y_mps2,
                          .reference_mps = s->reference.speed_mps,
                          .sensors_good =
                              is_good(c, ECU_SOURCE_YAW_RATE) && is_good(c, ECU_SOURCE_ACC),
                          .stands = stands,
                          .braking = c->braking,
                          .works = can_control(s)};
    power_check(&p->power, &in, &s->power);
}

/* Supply voltages that do not do. */
static uint32_t supply_faults(const struct power_params *p, double supply_V)
{
    return (supply_V < p->low_V ? ECU_FAULT_BIT(ECU_FAULT_SUPPLY_LOW) : 0u) |
           (supply_V > p->high_V ? ECU_FAULT_BIT(ECU_FAULT_SUPPLY_HIGH) : 0u);
}

/* Sources whose loss is a fault: a radar that was never there is none. */
static uint32_t lost_sources(const struct cycle *c)
{
    const uint32_t radar = 1u << ECU_SOURCE_RADAR;
    return c->bad_sources & ~radar;
}

/* Faults, and what they leave to do. */
static void supervise(const struct ecu_params *p, struct ecu_state *s, const struct ecu_rx *rx,
                      const struct cycle *c)
{
    const uint32_t frame_bits = (1u << ECU_SOURCE_RADAR) - 1u; /* the first, in their order */
    struct plausible_in in = {.rx = rx,
                              .wheel = s->wheel,
                              .reference = &s->reference,
                              .brake_mps2 = pressure_decel_mps2(&p->car, &s->pressure),
                              .bad_sources = c->bad_sources,
                              .braking = c->braking || c->alone,
                              .foot = c->braking,
                              .controlled = abs_is_active(&s->abs)};
    for (int i = 0; i < ECU_WHEELS; i++)
        in.request_Pa[i] =
            fmax(s->pressure.request_Pa[i], valves_left_Pa(&p->valves, &s->valves, i));
    s->since_start_s = fmin(s->since_start_s + ECU_CYCLE_S, 1e6);
    s->good_s = lost_sources(c) ? 0.0 : fmin(s->good_s + ECU_CYCLE_S, 1e6);
    if (s->mode == ECU_MODE_START && s->good_s < p->start.frames_s &&
        s->since_start_s < p->start.give_up_s)
        return;
    uint32_t judged = 0, bad = plausible_step(&p->plausible, &p->car, &in, &s->plausible, &judged);
    const uint32_t supply_bits =
        ECU_FAULT_BIT(ECU_FAULT_SUPPLY_LOW) | ECU_FAULT_BIT(ECU_FAULT_SUPPLY_HIGH);
    bad |= lost_sources(c) | supply_faults(&p->power, rx->supply_V);
    judged |= frame_bits | supply_bits;
    if (c->seen_sources >> ECU_SOURCE_RADAR & 1u) {
        judged |= ECU_FAULT_BIT(ECU_FAULT_RADAR_FRAME);
        bad |= is_good(c, ECU_SOURCE_RADAR) ? 0u : ECU_FAULT_BIT(ECU_FAULT_RADAR_FRAME);
    }
    faults_step(bad, judged, &s->faults);
    if (s->mode == ECU_MODE_START && (lost_sources(c) & ~s->faults.present))
        return; /* what is missing at the end of the wait is about to become a fault */
    s->mode = faults_mode(&s->faults);
}

static void lower(double bound_Pa[ECU_WHEELS], int wheel, double to_Pa)
{
    bound_Pa[wheel] = fmin(bound_Pa[wheel], to_Pa);
}

/* Stability, traction, assists: all of them need every sensor. */
static void control_functions(const struct ecu_params *p, struct ecu_state *s,
                              const struct ecu_rx *rx, struct cycle *c)
{
    struct functions_in in = {.rx = rx,
                              .reference = &s->reference,
                              .wheel = s->wheel,
                              .valves = &p->valves,
                              .yaw_radps = c->yaw_rate_radps,
                              .steer_rad = c->steer_rad,
                              .driver_Pa = s->driver_Pa,
                              .request_Pa = s->pressure.request_Pa,
                              .works = s->mode == ECU_MODE_READY && lost_sources(c) == 0,
                              .braking = c->braking,
                              .controlled = abs_is_active(&s->abs),
                              .split = c->braking && abs_is_split(&s->abs, s->driver_Pa),
                              .engine_good = is_good(c, ECU_SOURCE_ENGINE),
                              .radar_good = is_good(c, ECU_SOURCE_RADAR)};
    struct functions_out out;
    functions_step(&p->functions, &p->car, &in, &s->functions, &out);
    c->braked = out.braked;
    memcpy(c->more_slip, out.more_slip, sizeof c->more_slip);
    memcpy(c->floor_Pa, out.floor_Pa, sizeof c->floor_Pa);
    memcpy(c->bound_Pa, out.bound_Pa, sizeof c->bound_Pa);
    if (s->mode != ECU_MODE_START && out.engine_judged)
        faults_step(out.engine_bad ? ECU_FAULT_BIT(ECU_FAULT_ENGINE_ANSWER) : 0u,
                    ECU_FAULT_BIT(ECU_FAULT_ENGINE_ANSWER), &s->faults);
}

static void control_abs(const struct ecu_params *p, struct ecu_state *s, struct cycle *c)
{
    struct abs_car_in in = {.wheel = s->wheel,
                            .reference = &s->reference,
                            .pressure = &s->pressure,
                            .yaw_rate_radps = c->yaw_rate_radps,
                            .braked = c->braking ? 0xfu : c->braked,
                            .delay = c->braking && !s->functions.esp.active};
    double bound_Pa[ECU_WHEELS];
    if (s->mode != ECU_MODE_READY && s->mode != ECU_MODE_NO_MODEL) {
        abs_stop(&s->abs);
        return;
    }
    for (int i = 0; i < ECU_WHEELS; i++)
        in.asked_Pa[i] = fmax(s->driver_Pa, c->floor_Pa[i]);
    memcpy(in.more_slip, c->more_slip, sizeof in.more_slip);
    abs_step(&p->abs, &p->yaw_delay, &p->car, &in, &s->abs, bound_Pa);
    for (int i = 0; i < ECU_WHEELS; i++)
        lower(c->bound_Pa, i, bound_Pa[i]);
}

/* With a wheel lost its partner stands for the axle. */
static void control_ebd(const struct ecu_params *p, struct ecu_state *s, struct cycle *c)
{
    uint32_t usable = usable_wheels(s, c);
    double behind[ECU_WHEELS];
    if (s->mode == ECU_MODE_START || s->mode == ECU_MODE_PASSIVE) {
        s->ebd.active = 0;
        return;
    }
    for (int i = 0; i < ECU_WHEELS; i++) {
        int use = usable >> i & 1u ? i : i ^ 1;
        behind[i] = s->reference.speed_mps - s->reference.at_centre_mps[use];
    }
    double all_Pa = fmin(fmin(c->floor_Pa[ECU_FL], c->floor_Pa[ECU_FR]),
                         fmin(c->floor_Pa[ECU_RL], c->floor_Pa[ECU_RR]));
    struct ebd_in in = {.reference_mps = s->reference.speed_mps,
                        .accel_mps2 = s->reference.accel_mps2,
                        .front_behind_mps = 0.5 * (behind[ECU_FL] + behind[ECU_FR]),
                        .rear_behind_mps = fmax(behind[ECU_RL], behind[ECU_RR]),
                        .driver_Pa = fmax(s->driver_Pa, all_Pa),
                        .rear_brake_Pa = s->pressure.brake_Pa[ECU_RL],
                        .braking = c->braking || all_Pa > 0.0};
    double rear_Pa = ebd_step(&p->ebd, &in, &s->ebd);
    lower(c->bound_Pa, ECU_RL, rear_Pa);
    lower(c->bound_Pa, ECU_RR, rear_Pa);
}

/* The unit's own model of the hydraulics knows better what acts than the lag of pressure.h. */
static void control_valves(const struct ecu_params *p, struct ecu_state *s)
{
    if (p->valves.interface == VALVES_OFF)
        return;
    valves_step(&p->valves, s->pressure.request_Pa, s->driver_Pa, can_control(s), &s->valves);
    valves_check(&s->valves, power_valve(&p->power, &s->power), power_pump(&p->power, &s->power));
    memcpy(s->pressure.brake_Pa, s->valves.brake_Pa, sizeof s->pressure.brake_Pa);
}

static int first_fault(uint32_t present)
{
    for (int id = 0; id < ECU_FAULTS; id++)
        if (present >> id & 1u)
            return id + 1;
    return 0;
}

static int count_bits(uint32_t bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1u)
        count++;
    return count;
}

static void report_valves(const struct valves_params *p, const struct valves *v, struct ecu_tx *tx)
{
    for (int i = 0; i < ECU_WHEELS; i++) {
        tx->inlet[i] = valves_current(p, v->inlet[i]);
        tx->outlet[i] = valves_current(p, v->outlet[i]);
        tx->inlet_on_s[i] = valves_on_s(p, v->inlet[i]);
        tx->outlet_on_s[i] = valves_on_s(p, v->outlet[i]);
    }
    memcpy(tx->separation, v->separation, sizeof tx->separation);
    memcpy(tx->prime, v->prime, sizeof tx->prime);
    tx->pump = v->pump;
}

static void report(const struct ecu_params *p, const struct ecu_state *s, const struct ecu_rx *rx,
                   int64_t t_ns, struct ecu_tx *tx)
{
    int works = can_control(s);
    int on = s->power.state == ECU_POWER_ON;
    int test = s->mode == ECU_MODE_START || s->since_start_s < p->start.lamp_s;
    int abs_active = abs_is_active(&s->abs);
    memset(tx, 0, sizeof *tx);
    for (int i = 0; i < ECU_WHEELS; i++) {
        tx->pressure_Pa[i] = s->pressure.request_Pa[i];
        tx->phase[i] = abs_phase(&s->abs, i);
        tx->active[i] = abs_phase(&s->abs, i) != ECU_PHASE_OFF;
        tx->wheel_mps[i] = s->wheel[i].speed_mps;
    }
    report_valves(&p->valves, &s->valves, tx);
    tx->edge_echo = rx->edge_counter;
    tx->echo_age_s = 1e-9 * (double)(t_ns - rx->source[ECU_SOURCE_FL].time_ns);
    tx->control = works;
    tx->reference_mps = s->reference.speed_mps;
    tx->abs_active = abs_active;
    tx->ebd_active = s->ebd.active;
    tx->lamp_esp = (test || s->mode >= ECU_MODE_NO_MODEL) && on;
    tx->lamp_abs = (test || s->mode >= ECU_MODE_EBD_ONLY) && on;
    tx->lamp_brake = (test || s->mode >= ECU_MODE_PASSIVE) && on;
    tx->mode = s->mode;
    tx->self_test = s->mode == ECU_MODE_START ? 1.0 : s->mode == ECU_MODE_READY ? 2.0 : 3.0;
    tx->fault_count = count_bits(s->faults.stored);
    tx->fault = first_fault(s->faults.present);
    tx->power = s->power.state;
    tx->check_valve = power_valve(&p->power, &s->power);
    tx->check_pump = power_pump(&p->power, &s->power);
    tx->valves_checked = power_valves_checked(&p->power, &s->power);
    tx->pump_checked = power_pump_checked(&p->power, &s->power);
    tx->zero_learned = s->power.zero_learned > 0;
    tx->supply_V = rx->supply_V;
    tx->friction = abs_active ? s->abs.friction : 1.0;
    functions_report(&s->functions, tx);
    for (int i = 0; i < ECU_WHEELS; i++)
        if (works && s->pressure.request_Pa[i] > s->driver_Pa + p->start.braking_Pa)
            tx->brake_light = 1.0;
}

/* The ignition came: everything begins anew but what is kept over it. */
static void restart(struct ecu_state *s)
{
    struct power kept = s->power;
    ecu_reset(s);
    s->power = kept;
}

void ecu_step(const struct ecu_params *p, struct ecu_state *s, const struct ecu_rx *received,
              struct ecu_tx *tx, int64_t t_ns)
{
    struct cycle c = {.bound_Pa = {INFINITY, INFINITY, INFINITY, INFINITY}};
    struct ecu_rx corrected = *received, *rx = &corrected;
    if (power_step(&p->power, rx->terminal, &s->power))
        restart(s);
    power_correct(&s->power, rx);
    receive(p, s, rx, t_ns, &c);
    refer(p, s, rx, &c);
    if (s->power.state == ECU_POWER_ON) {
        check_power(p, s, received, &c);
        supervise(p, s, rx, &c);
    } else {
        s->mode = ECU_MODE_START;
    }
    control_functions(p, s, rx, &c);
    control_abs(p, s, &c);
    control_ebd(p, s, &c);
    pressure_step(&p->pressure, &p->car, c.floor_Pa, c.bound_Pa, s->driver_Pa, &s->pressure);
    control_valves(p, s);
    report(p, s, rx, t_ns, tx);
    s->cycles++;
}

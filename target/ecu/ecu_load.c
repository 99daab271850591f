#include "target/ecu/ecu_load.h"

#include "target/ecu/valves_load.h"

#include <errno.h>

#define BAR   ECU_BAR_PA
#define DEG   (3.141592653589793238463 / 180.0)
#define KMH   (1.0 / 3.6)
#define MS    1e-3
#define OF(x) offsetof(struct ecu_params, x)

/* One number of a section: the value in the file times factor. */
struct number {
    const char *key;
    size_t at;
    double factor, low, high; /* range of the number in the file */
};

static const struct number car_keys[] = {
    {"mass_kg", OF(car.mass_kg), 1.0, 100.0, 1e5},
    {"wheelbase_m", OF(car.wheelbase_m), 1.0, 0.5, 20.0},
    {"front_axle_to_cg_m", OF(car.front_m), 1.0, 0.0, 20.0},
    {"cg_height_m", OF(car.height_m), 1.0, 0.0, 5.0},
    {"threshold_bar", OF(car.threshold_Pa), BAR, 0.0, 20.0},
    {"lag_ms", OF(car.lag_s), MS, 0.0, 500.0},
    {"pitch_degpg", OF(car.pitch_rad), DEG, 0.0, 20.0},
    {"steering_ratio", OF(car.steering_ratio), 1.0, 1.0, 100.0},
    {"rear_slip_degpg", OF(car.rear_slip_radspm), DEG / ECU_G_MPS2, 0.1, 30.0},
    {"yaw_inertia_kgm2", OF(car.yaw_inertia_kgm2), 1.0, 50.0, 1e6},
    {"roll_degpg", OF(car.roll_rad), DEG, 0.0, 30.0},
    {"front_drive", OF(car.front_drive), 1.0, 0.0, 1.0},
    {"first_ratio", OF(car.first_ratio), 1.0, 1.0, 100.0},
    {"engine_inertia_kgm2", OF(car.engine_kgm2), 1.0, 0.001, 10.0},
    {"understeer_degpg", OF(car.understeer_radspm), DEG / ECU_G_MPS2, -5.0, 20.0},
    {0},
};
static const struct number start_keys[] = {
    {"frames_ms", OF(start.frames_s), MS, 5.0, 5000.0},
    {"give_up_ms", OF(start.give_up_s), MS, 5.0, 60000.0},
    {"lamp_ms", OF(start.lamp_s), MS, 0.0, 10000.0},
    {"braking_bar", OF(start.braking_Pa), BAR, 0.1, 50.0},
    {0},
};
static const struct number power_keys[] = {
    {"low_V", OF(power.low_V), 1.0, 1.0, 50.0},
    {"high_V", OF(power.high_V), 1.0, 1.0, 60.0},
    {"after_run_ms", OF(power.after_run_s), MS, 0.0, 60000.0},
    {"zero_ms", OF(power.zero_s), MS, 50.0, 60000.0},
    {"zero_yaw_rate_degps", OF(power.zero_yaw_radps), DEG, 0.0, 20.0},
    {"zero_acc_mps2", OF(power.zero_acc_mps2), 1.0, 0.0, 5.0},
    {"steady_yaw_rate_degps", OF(power.steady_yaw_radps), DEG, 0.01, 20.0},
    {"pulse_ms", OF(power.pulse_s), MS, 5.0, 1000.0},
    {"pump_kmh", OF(power.pump_mps), KMH, 1.0, 100.0},
    {"pump_ms", OF(power.pump_s), MS, 5.0, 10000.0},
    {0},
};
static const struct number frames_keys[] = {
    {"error_weight", OF(frames.error_weight), 1.0, 0.001, 1.0},
    {"good_weight", OF(frames.good_weight), 1.0, 0.001, 1.0},
    {0},
};
static const struct number wheel_speed_keys[] = {
    {"edge_modulus", OF(wheel_speed.edge_modulus), 1.0, 16.0, 4294967296.0},
    {"time_modulus_us", OF(wheel_speed.time_modulus_us), 1.0, 20000.0, 4294967296.0},
    {"standstill_ms", OF(wheel_speed.standstill_s), MS, 10.0, 2000.0},
    {"filter_ms", OF(wheel_speed.filter_s), MS, 0.0, 200.0},
    {"jump_mps2", OF(wheel_speed.jump_mps2), 1.0, 50.0, 1e5},
    {0},
};
static const struct number reference_keys[] = {
    {"rolling_ms", OF(reference.rolling_s), MS, 5.0, 5000.0},
    {"rolling_mps2", OF(reference.rolling_mps2), 1.0, 0.1, 100.0},
    {"braked_mps2", OF(reference.braked_mps2), 1.0, 0.0, 20.0},
    {"controlled_mps2", OF(reference.controlled_mps2), 1.0, 0.0, 20.0},
    {"pull_up_mps2", OF(reference.pull_up_mps2), 1.0, 0.0, 500.0},
    {"blind_up_mps2", OF(reference.blind_up_mps2), 1.0, 0.0, 500.0},
    {"blind_down_mps2", OF(reference.blind_down_mps2), 1.0, 0.0, 100.0},
    {"calm_mps2", OF(reference.calm_mps2), 1.0, 0.1, 500.0},
    {"offset_ms", OF(reference.offset_s), MS, 50.0, 1e5},
    {"offset_max_mps2", OF(reference.offset_max_mps2), 1.0, 0.0, 9.0},
    {"accel_ms", OF(reference.accel_s), MS, 0.0, 1000.0},
    {"lean_mps2", OF(reference.lean_mps2), 1.0, 0.0, 10.0},
    {0},
};
static const struct number plausible_keys[] = {
    {"moving_kmh", OF(plausible.moving_mps), KMH, 1.0, 100.0},
    {"wheel_share", OF(plausible.wheel_share), 1.0, 0.01, 1.0},
    {"wheel_kmh", OF(plausible.wheel_mps), KMH, 0.1, 50.0},
    {"jumps", OF(plausible.jumps), 1.0, 1.0, 1000.0},
    {"jump_decay_1ps", OF(plausible.jump_decay_1ps), 1.0, 0.0, 1000.0},
    {"yaw_rate_degps", OF(plausible.yaw_radps), DEG, 0.1, 100.0},
    {"yaw_rate_max_degps", OF(plausible.yaw_max_radps), DEG, 1.0, 1000.0},
    {"acc_y_mps2", OF(plausible.acc_y_mps2), 1.0, 0.1, 50.0},
    {"acc_x_mps2", OF(plausible.acc_x_mps2), 1.0, 0.1, 50.0},
    {"acc_max_mps2", OF(plausible.acc_max_mps2), 1.0, 1.0, 500.0},
    {"steering_degps", OF(plausible.steering_radps), DEG, 0.1, 100.0},
    {"steering_max_deg", OF(plausible.steering_max_rad), DEG, 10.0, 2000.0},
    {"pedal_bar", OF(plausible.pedal_Pa), BAR, 0.1, 50.0},
    {"pressed_bar", OF(plausible.pressed_Pa), BAR, 0.0, 50.0},
    {"master_max_bar", OF(plausible.master_max_Pa), BAR, 10.0, 1000.0},
    {"short_mps2", OF(plausible.short_mps2), 1.0, 0.1, 50.0},
    {"noise_yaw_rate_degps", OF(plausible.noise_yaw_radps), DEG, 0.01, 100.0},
    {"noise_acc_mps2", OF(plausible.noise_acc_mps2), 1.0, 0.01, 100.0},
    {"noise_steering_deg", OF(plausible.noise_steering_rad), DEG, 0.01, 100.0},
    {"noise_master_bar", OF(plausible.noise_master_Pa), BAR, 0.01, 100.0},
    {0},
};
static const struct number abs_keys[] = {
    {"enter_kmh", OF(abs.enter_mps), KMH, 1.0, 50.0},
    {"end_kmh", OF(abs.end_mps), KMH, 0.5, 50.0},
    {"slip_low", OF(abs.slip_low), 1.0, 0.001, 0.9},
    {"slip_per_g", OF(abs.slip_per_g), 1.0, 0.0, 0.9},
    {"hold_share", OF(abs.hold_share), 1.0, 0.0, 1.0},
    {"offset_kmh", OF(abs.offset_mps), KMH, 0.0, 10.0},
    {"enter_slip", OF(abs.enter_slip), 1.0, 0.0, 0.5},
    {"enter_offset_kmh", OF(abs.enter_offset_mps), KMH, 0.0, 10.0},
    {"hold_mps2", OF(abs.hold_mps2), 1.0, 0.1, 200.0},
    {"release_mps2", OF(abs.release_mps2), 1.0, 0.1, 500.0},
    {"run_up_mps2", OF(abs.run_up_mps2), 1.0, 0.0, 100.0},
    {"ahead_ms", OF(abs.ahead_s), MS, 0.0, 200.0},
    {"settle_ms", OF(abs.settle_s), MS, 0.0, 500.0},
    {"deep_slip", OF(abs.deep_slip), 1.0, 0.05, 1.0},
    {"deep_offset_kmh", OF(abs.deep_offset_mps), KMH, 0.0, 50.0},
    {"trust_ms", OF(abs.trust_s), MS, 0.0, 1000.0},
    {"floor_share", OF(abs.floor_share), 1.0, 0.0, 1.0},
    {"release_barps", OF(abs.release_Paps), BAR, 10.0, 1e4},
    {"first_step", OF(abs.first_step), 1.0, 0.0, 1.2},
    {"first_barps", OF(abs.first_Paps), BAR, 10.0, 1e4},
    {"step_ms", OF(abs.step_s), MS, 5.0, 200.0},
    {"build_share_1ps", OF(abs.build_share_1ps), 1.0, 0.0, 20.0},
    {"build_min_barps", OF(abs.build_min_Paps), BAR, 0.1, 1000.0},
    {"grow_ms", OF(abs.grow_s), MS, 0.0, 5000.0},
    {"grow_1ps", OF(abs.grow_1ps), 1.0, 0.0, 1000.0},
    {"build_max_barps", OF(abs.build_max_Paps), BAR, 1.0, 1e4},
    {"leave_ms", OF(abs.leave_s), MS, 5.0, 5000.0},
    {0},
};
static const struct number yaw_delay_keys[] = {
    {"start_bar", OF(yaw_delay.start_Pa), BAR, 0.0, 200.0},
    {"rate_barps", OF(yaw_delay.rate_Paps), BAR, 1.0, 5000.0},
    {"yaw_rate_degps", OF(yaw_delay.yaw_radps), DEG, 0.1, 90.0},
    {"free_below_kmh", OF(yaw_delay.speed_mps), KMH, 0.0, 100.0},
    {0},
};
static const struct number ebd_keys[] = {
    {"decel_mps2", OF(ebd.decel_mps2), 1.0, 0.0, 10.0},
    {"slip", OF(ebd.slip), 1.0, 0.0, 0.5},
    {"reduce_slip", OF(ebd.reduce_slip), 1.0, 0.0, 0.5},
    {"offset_kmh", OF(ebd.offset_mps), KMH, 0.0, 10.0},
    {"reduce_barps", OF(ebd.reduce_Paps), BAR, 1.0, 1e4},
    {"build_barps", OF(ebd.build_Paps), BAR, 1.0, 1e4},
    {"leave_ms", OF(ebd.leave_s), MS, 5.0, 5000.0},
    {"end_kmh", OF(ebd.end_mps), KMH, 0.0, 50.0},
    {0},
};
static const struct number pressure_keys[] = {
    {"slew_barps", OF(pressure.slew_Paps), BAR, 10.0, 1e4},
    {"return_barps", OF(pressure.return_Paps), BAR, 10.0, 1e4},
    {"build_barps", OF(pressure.build_Paps), BAR, 10.0, 1e4},
    {"fall_barps", OF(pressure.fall_Paps), BAR, 10.0, 1e4},
    {0},
};

static const struct number motion_keys[] = {
    {"friction_max", OF(functions.motion.friction_max), 1.0, 0.1, 2.0},
    {"friction_min", OF(functions.motion.friction_min), 1.0, 0.01, 1.0},
    {"friction_margin", OF(functions.motion.friction_margin), 1.0, 0.0, 1.0},
    {"friction_fall_ms", OF(functions.motion.friction_fall_s), MS, 5.0, 1e4},
    {"friction_rise_ms", OF(functions.motion.friction_rise_s), MS, 5.0, 1e5},
    {"limit_degps", OF(functions.motion.limit_radps), DEG, 0.1, 90.0},
    {"sideslip_free_ms", OF(functions.motion.sideslip_free_s), MS, 5.0, 1e5},
    {"sideslip_limit_ms", OF(functions.motion.sideslip_limit_s), MS, 5.0, 1e5},
    {"backed_degps", OF(functions.motion.backed_radps), DEG, 0.0, 90.0},
    {"backed_share", OF(functions.motion.backed_share), 1.0, 0.0, 1.0},
    {"easy_mps2", OF(functions.motion.easy_mps2), 1.0, 0.1, 20.0},
    {"start_kmh", OF(functions.motion.start_mps), KMH, 1.0, 100.0},
    {0},
};
static const struct number esp_keys[] = {
    {"start_kmh", OF(functions.esp.start_mps), KMH, 1.0, 100.0},
    {"over_degps", OF(functions.esp.over_radps), DEG, 0.1, 90.0},
    {"under_degps", OF(functions.esp.under_radps), DEG, 0.1, 90.0},
    {"share", OF(functions.esp.share), 1.0, 0.0, 1.0},
    {"split_degps", OF(functions.esp.split_radps), DEG, 0.0, 90.0},
    {"skid_degps", OF(functions.esp.skid_radps), DEG, 0.0, 90.0},
    {"skid_deg", OF(functions.esp.skid_rad), DEG, 0.0, 45.0},
    {"alone_ms", OF(functions.esp.alone_s), MS, 0.0, 1e4},
    {"proven_ms", OF(functions.esp.proven_s), MS, 0.0, 1e4},
    {"over_1ps", OF(functions.esp.over_1ps), 1.0, 0.0, 500.0},
    {"under_1ps", OF(functions.esp.under_1ps), 1.0, 0.0, 500.0},
    {"sideslip_deg", OF(functions.esp.sideslip_rad), DEG, 0.1, 45.0},
    {"sideslip_1ps2", OF(functions.esp.sideslip_1ps2), 1.0, 0.0, 1000.0},
    {"least_radps2", OF(functions.esp.least_radps2), 1.0, 0.0, 100.0},
    {"end_ms", OF(functions.esp.end_s), MS, 5.0, 5000.0},
    {"more_slip", OF(functions.esp.more_slip), 1.0, 0.0, 1.0},
    {"ready_bar", OF(functions.esp.ready_Pa), BAR, 0.0, 100.0},
    {"over_max_bar", OF(functions.esp.over_max_Pa), BAR, 0.0, 300.0},
    {"under_max_bar", OF(functions.esp.under_max_Pa), BAR, 0.0, 300.0},
    {"relief", OF(functions.esp.relief), 1.0, 0.0, 1.0},
    {"relief_radps2", OF(functions.esp.relief_radps2), 1.0, 0.01, 100.0},
    {"torque_1ps2", OF(functions.esp.torque_1ps2), 1.0, 0.0, 100.0},
    {"torque_back_1ps", OF(functions.esp.torque_back_1ps), 1.0, 0.01, 100.0},
    {0},
};
static const struct number traction_keys[] = {
    {"slip", OF(functions.traction.slip), 1.0, 0.001, 1.0},
    {"start_kmh", OF(functions.traction.start_mps), KMH, 0.1, 20.0},
    {"wait_ms", OF(functions.traction.wait_s), MS, 0.0, 2000.0},
    {"side_kmh", OF(functions.traction.side_mps), KMH, 0.0, 20.0},
    {"brake_barpmps", OF(functions.traction.brake_Papmps), BAR, 0.0, 1000.0},
    {"brake_barpm", OF(functions.traction.brake_Papm), BAR, 0.0, 1000.0},
    {"brake_fall_barps", OF(functions.traction.brake_fall_Paps), BAR, 1.0, 1e4},
    {"brake_max_bar", OF(functions.traction.brake_max_Pa), BAR, 0.0, 300.0},
    {"brake_end_kmh", OF(functions.traction.brake_end_mps), KMH, 0.0, 300.0},
    {"alone_kmh", OF(functions.traction.alone_mps), KMH, 0.1, 100.0},
    {"engine_Nmpm", OF(functions.traction.engine_Nmpm), 1.0, 0.0, 1e4},
    {"engine_first", OF(functions.traction.engine_first), 1.0, 0.0, 1.0},
    {"engine_back_Nmps", OF(functions.traction.engine_back_Nmps), 1.0, 1.0, 1e4},
    {"accelerator", OF(functions.traction.accelerator), 1.0, 0.0, 1.0},
    {0},
};
static const struct number drag_keys[] = {
    {"slip", OF(functions.drag.slip), 1.0, 0.001, 1.0},
    {"offset_kmh", OF(functions.drag.offset_mps), KMH, 0.0, 20.0},
    {"Nmpmps", OF(functions.drag.Nmpmps), 1.0, 0.0, 1e4},
    {"Nmpm", OF(functions.drag.Nmpm), 1.0, 0.0, 1e5},
    {"ahead_ms", OF(functions.drag.ahead_s), MS, 0.0, 1000.0},
    {"share", OF(functions.drag.share), 1.0, 0.0, 1.0},
    {"accelerator", OF(functions.drag.accelerator), 1.0, 0.0, 1.0},
    {"start_kmh", OF(functions.drag.start_mps), KMH, 0.0, 100.0},
    {0},
};
static const struct number assist_keys[] = {
    {"rise_barps", OF(functions.assist.rise_Paps), BAR, 1.0, 1e5},
    {"least_bar", OF(functions.assist.least_Pa), BAR, 0.0, 300.0},
    {"start_kmh", OF(functions.assist.start_mps), KMH, 0.0, 200.0},
    {"full_bar", OF(functions.assist.full_Pa), BAR, 0.0, 300.0},
    {"back_share", OF(functions.assist.back_share), 1.0, 0.0, 1.0},
    {"end_kmh", OF(functions.assist.end_mps), KMH, 0.0, 200.0},
    {0},
};
static const struct number distance_keys[] = {
    {"start_kmh", OF(functions.distance.start_mps), KMH, 0.0, 200.0},
    {"closing_kmh", OF(functions.distance.closing_mps), KMH, 0.1, 200.0},
    {"warn_ms", OF(functions.distance.warn_s), MS, 0.0, 1e5},
    {"partial_ms", OF(functions.distance.partial_s), MS, 0.0, 1e5},
    {"partial_mps2", OF(functions.distance.partial_mps2), 1.0, 0.0, 20.0},
    {"full_ms", OF(functions.distance.full_s), MS, 0.0, 1e5},
    {"full_mps2", OF(functions.distance.full_mps2), 1.0, 0.1, 20.0},
    {"gap_m", OF(functions.distance.gap_m), 1.0, 0.0, 100.0},
    {"path_m", OF(functions.distance.path_m), 1.0, 0.1, 10.0},
    {"override", OF(functions.distance.override), 1.0, 0.0, 2.0},
    {"seen_ms", OF(functions.distance.seen_s), MS, 0.0, 1e4},
    {0},
};
static const struct number hold_keys[] = {
    {"slope", OF(functions.hold.slope), 1.0, 0.0, 1.0},
    {"still_ms", OF(functions.hold.still_s), MS, 0.0, 1e5},
    {"least_bar", OF(functions.hold.least_Pa), BAR, 0.0, 300.0},
    {"max_bar", OF(functions.hold.max_Pa), BAR, 0.0, 300.0},
    {"time_out_ms", OF(functions.hold.time_out_s), MS, 0.0, 1e6},
    {"margin", OF(functions.hold.margin), 1.0, 0.1, 10.0},
    {"release_barps", OF(functions.hold.release_Paps), BAR, 1.0, 1e4},
    {"end_barps", OF(functions.hold.end_Paps), BAR, 1.0, 1e4},
    {0},
};
static const struct number torque_keys[] = {
    {"answer_ms", OF(functions.torque.answer_s), MS, 5.0, 1e5},
    {"off_Nm", OF(functions.torque.off_Nm), 1.0, 0.1, 1e4},
    {0},
};

static const struct {
    const char *name;
    const struct number *keys;
} sections[] = {
    {"start", start_keys},
    {"power", power_keys},
    {"wheel_speed", wheel_speed_keys},
    {"reference", reference_keys},
    {"plausible", plausible_keys},
    {"abs", abs_keys},
    {"yaw_delay", yaw_delay_keys},
    {"ebd", ebd_keys},
    {"pressure", pressure_keys},
    {"motion", motion_keys},
    {"esp", esp_keys},
    {"traction", traction_keys},
    {"drag", drag_keys},
    {"assist", assist_keys},
    {"distance", distance_keys},
    {"hold", hold_keys},
    {"torque", torque_keys},
};

static void load_numbers(const struct cfg_node *map, const struct number *keys,
                         struct ecu_params *p)
{
    for (; keys->key; keys++)
        cfg_scaled(map, keys->key, (double *)(void *)((char *)p + keys->at), keys->factor,
                   CFG_BETWEEN(keys->low, keys->high));
}

/* A number for front and rear wheels. */
static void load_axles(const struct cfg_node *map, const char *key, double factor, double low,
                       double high, double value[ECU_WHEELS])
{
    double axle[2] = {value[ECU_FL] / factor, value[ECU_RL] / factor};
    cfg_need(map, key);
    cfg_doubles(map, key, axle, 2, CFG_BETWEEN(low, high));
    for (int i = 0; i < ECU_WHEELS; i++)
        value[i] = factor * axle[i < ECU_RL ? 0 : 1];
}

/* The car has no defaults: a unit with another car's numbers would work, but wrongly. */
static void load_car(const struct cfg_node *map, struct ecu_params *p)
{
    struct car_params *car = &p->car;
    for (const struct number *n = car_keys; n->key; n++)
        cfg_need(map, n->key);
    load_numbers(map, car_keys, p);
    load_axles(map, "radius_m", 1.0, 0.05, 2.0, car->radius_m);
    load_axles(map, "wheel_inertia_kgm2", 1.0, 0.01, 100.0, car->inertia_kgm2);
    load_axles(map, "brake_Nmpbar", 1.0 / BAR, 0.1, 1000.0, car->brake_NmpPa);
    load_axles(map, "teeth", 1.0, 1.0, 10000.0, car->teeth);
    cfg_need(map, "track_m");
    cfg_doubles(map, "track_m", car->track_m, 2, CFG_BETWEEN(0.5, 5.0));
    if (!(car->front_m < car->wheelbase_m))
        cfg_complain(map, "front_axle_to_cg_m", "must be less than wheelbase_m (%g)",
                     car->wheelbase_m);
    cfg_done(map);
}

static void load_frames(const struct cfg_node *map, struct ecu_params *p)
{
    static const char *const words[ECU_SOURCES] = {"fl",  "fr",       "rl",    "rr",     "yaw_rate",
                                                   "acc", "steering", "brake", "engine", "radar"};
    const struct cfg_node *timeouts = cfg_map(map, "timeout_ms");
    for (int i = 0; i < ECU_SOURCES; i++)
        cfg_scaled(timeouts, words[i], &p->frames.timeout_s[i], MS, CFG_BETWEEN(5.0, 10000.0));
    cfg_done(timeouts);
    load_numbers(map, frames_keys, p);
    cfg_done(map);
}

/* Pairs that must be in order, whichever of the two the file gave. */
static void check_order(const struct cfg_node *root, const struct ecu_params *p)
{
    if (!(p->abs.end_mps < p->abs.enter_mps))
        cfg_complain(cfg_map(root, "abs"), "end_kmh", "must be below enter_kmh (%g)",
                     p->abs.enter_mps / KMH);
    if (!(p->abs.hold_mps2 <= p->abs.release_mps2))
        cfg_complain(cfg_map(root, "abs"), "hold_mps2", "must not exceed release_mps2 (%g)",
                     p->abs.release_mps2);
    if (!(p->ebd.slip <= p->ebd.reduce_slip))
        cfg_complain(cfg_map(root, "ebd"), "slip", "must not exceed reduce_slip (%g)",
                     p->ebd.reduce_slip);
    if (!(p->power.low_V < p->power.high_V))
        cfg_complain(cfg_map(root, "power"), "low_V", "must be below high_V (%g)", p->power.high_V);
    if (!(p->start.frames_s <= p->start.give_up_s))
        cfg_complain(cfg_map(root, "start"), "give_up_ms", "must be at least frames_ms (%g)",
                     p->start.frames_s / MS);
}

static int load_root(struct cfg_doc *doc, struct ecu_params *p, char name[ECU_NAME])
{
    static const char *const kinds[] = {"ecu", NULL};
    const struct cfg_node *root = cfg_root(doc), *map;
    char unused[ECU_NAME];
    int kind = 0;
    ecu_defaults(p);
    valves_defaults(&p->valves);
    cfg_need(root, "kind");
    cfg_choice(root, "kind", &kind, kinds);
    cfg_need(root, "name");
    cfg_string(root, "name", name ? name : unused, ECU_NAME);
    load_car(cfg_need_map(root, "car"), p);
    if ((map = cfg_map(root, "frames")) != NULL)
        load_frames(map, p);
    for (size_t n = 0; n < sizeof sections / sizeof sections[0]; n++) {
        if ((map = cfg_map(root, sections[n].name)) == NULL)
            continue;
        load_numbers(map, sections[n].keys, p);
        cfg_done(map);
    }
    if ((map = cfg_map(root, "valves")) != NULL)
        valves_load(map, &p->valves);
    check_order(root, p);
    cfg_done(root);
    return cfg_ok(doc) ? 0 : -EINVAL;
}

int ecu_load(const char *path, struct ecu_params *p, char name[ECU_NAME], struct cfg_doc **doc)
{
    int bad = cfg_open(path, doc);
    return bad ? bad : load_root(*doc, p, name);
}

int ecu_load_text(const char *file, const char *text, size_t length, struct ecu_params *p,
                  char name[ECU_NAME], struct cfg_doc **doc)
{
    int bad = cfg_open_text(file, text, length, doc);
    return bad ? bad : load_root(*doc, p, name);
}

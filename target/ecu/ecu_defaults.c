/* The parameters of a mid-size car; config/ecu has one file a car on top of them. */
#include "target/ecu/ecu.h"

#include <math.h>

#define BAR ECU_BAR_PA

static const struct car_params car = {
    .mass_kg = 1500.0,
    .wheelbase_m = 2.70,
    .front_m = 1.22,
    .height_m = 0.54,
    .track_m = {1.54, 1.53},
    .radius_m = {0.31, 0.31, 0.31, 0.31},
    .inertia_kgm2 = {1.05, 1.05, 1.05, 1.05},
    .brake_NmpPa = {18.0 / BAR, 18.0 / BAR, 7.5 / BAR, 7.5 / BAR},
    .threshold_Pa = 0.5 * BAR,
    .lag_s = 0.030,
    .pitch_rad = 0.044,
    .steering_ratio = 15.5,
    .understeer_radspm = 0.003,
    .teeth = {48.0, 48.0, 48.0, 48.0},
};

static const struct plausible_params plausible = {
    .moving_mps = 4.0,
    .wheel_share = 0.15,
    .wheel_mps = 1.5,
    .jumps = 5.0,
    .jump_decay_1ps = 1.0,
    .yaw_radps = 0.09,
    .yaw_max_radps = 5.0,
    .acc_y_mps2 = 2.5,
    .acc_x_mps2 = 3.5,
    .acc_max_mps2 = 40.0,
    .steering_radps = 0.12,
    .steering_max_rad = 15.0,
    .pedal_Pa = 6.0 * BAR,
    .pressed_Pa = 0.5 * BAR,
    .master_max_Pa = 250.0 * BAR,
    .short_mps2 = 3.0,
    .noise_yaw_radps = 0.06,
    .noise_acc_mps2 = 3.0,
    .noise_steering_rad = 0.15,
    .noise_master_Pa = 8.0 * BAR,
};

static const struct abs_params abs_of_car = {
    .enter_mps = 2.2,
    .end_mps = 1.3,
    .slip_low = 0.024,
    .slip_per_g = 0.13,
    .hold_share = 0.6,
    .offset_mps = 0.17,
    .enter_slip = 0.055,
    .enter_offset_mps = 0.3,
    .hold_mps2 = 10.0,
    .release_mps2 = 28.0,
    .run_up_mps2 = 1.0,
    .ahead_s = 0.023,
    .settle_s = 0.09,
    .deep_slip = 0.33,
    .deep_offset_mps = 1.5,
    .trust_s = 0.05,
    .floor_share = 0.85,
    .release_Paps = 1500.0 * BAR,
    .first_step = 1.0,
    .first_Paps = 1000.0 * BAR,
    .step_s = 0.015,
    .build_share_1ps = 0.35,
    .build_min_Paps = 5.0 * BAR,
    .grow_s = 0.35,
    .grow_1ps = 12.0,
    .build_max_Paps = 300.0 * BAR,
    .leave_s = 0.2,
};

static const struct frames_params frames = {
    .timeout_s = {0.030, 0.030, 0.030, 0.030, 0.060, 0.060, 0.060, 0.060, 0.100},
    .error_weight = 0.20,
    .good_weight = 0.10,
};

void ecu_defaults(struct ecu_params *p)
{
    *p = (struct ecu_params){
        .car = car,
        .start = {.frames_s = 0.1, .give_up_s = 1.0, .lamp_s = 2.0, .braking_Pa = 3.0 * BAR},
        .frames = frames,
        .wheel_speed = {.edge_modulus = 256.0,
                        .time_modulus_us = 65536.0,
                        .standstill_s = 0.1,
                        .filter_s = 0.010,
                        .jump_mps2 = 500.0},
        .reference = {.rolling_s = 0.1,
                      .rolling_mps2 = 5.0,
                      .braked_mps2 = 0.3,
                      .controlled_mps2 = 0.05,
                      .pull_up_mps2 = 3.0,
                      .blind_up_mps2 = 15.0,
                      .blind_down_mps2 = 2.0,
                      .calm_mps2 = 6.0,
                      .offset_s = 2.0,
                      .offset_max_mps2 = 3.0,
                      .accel_s = 0.02,
                      .lean_mps2 = 0.5},
        .plausible = plausible,
        .abs = abs_of_car,
        .yaw_delay = {.start_Pa = 15.0 * BAR,
                      .rate_Paps = 50.0 * BAR,
                      .yaw_radps = 0.10,
                      .speed_mps = 4.0},
        .ebd = {.decel_mps2 = 1.5,
                .slip = 0.010,
                .reduce_slip = 0.025,
                .offset_mps = 0.10,
                .reduce_Paps = 150.0 * BAR,
                .build_Paps = 40.0 * BAR,
                .leave_s = 0.3,
                .end_mps = 2.0},
        .pressure = {.slew_Paps = 1500.0 * BAR, .return_Paps = 200.0 * BAR},
    };
}

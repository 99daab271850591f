#include "target/safe.h"

#include "target/model/math/scalar.h"

#include <string.h>

void safe_inputs(const struct plant_out *now, double brake_pedal, struct plant_in *in)
{
    memset(in, 0, sizeof *in);
    in->hand_wheel_rad = now->hand_wheel_rad;
    in->steer = PLANT_STEER_ANGLE;
    in->brake_pedal = brake_pedal;
    in->clutch_pedal = 1.0;
    in->gear = PLANT_GEAR_NEUTRAL;
}

void safe_sensors(const struct sensors_out *last, double elapsed_s, double stop_s,
                  double gravity_mps2, struct sensors_out *out)
{
    double left = 1.0 - clamp01(elapsed_s / stop_s);
    *out = *last;
    for (int i = 0; i < WHEELS; i++)
        out->wheel_radps[i] = left * last->wheel_radps[i];
    out->roll_rate_radps = left * last->roll_rate_radps;
    out->pitch_rate_radps = left * last->pitch_rate_radps;
    out->yaw_rate_radps = left * last->yaw_rate_radps;
    for (int k = 0; k < 2; k++) {
        out->force_mps2[k] = left * last->force_mps2[k];
        out->level_acc_mps2[k] = left * last->level_acc_mps2[k];
    }
    out->force_mps2[2] = gravity_mps2 + left * (last->force_mps2[2] - gravity_mps2);
    out->hand_wheel_radps = 0.0;
}

#include "target/safe.h"

#include "target/model/math/scalar.h"

#include <math.h>
#include <string.h>

static const double pi = 3.141592653589793;

void safe_inputs(const struct plant_out *now, double brake_pedal, struct plant_in *in)
{
    memset(in, 0, sizeof *in);
    in->hand_wheel_rad = now->hand_wheel_rad;
    in->steer = PLANT_STEER_ANGLE;
    in->brake_pedal = brake_pedal;
    in->clutch_pedal = 1.0;
    in->gear = PLANT_GEAR_NEUTRAL;
}

/* Edges of a ring whose speed w(t) = w0 (1 - t/T) falls to zero: angle w0 (t - t^2 / 2T). The edge
 * number n after the last good values is where teeth/2pi * angle = n, so t = T (1 - sqrt(1 - 2
 * a/T)) with a = 2 pi n / (teeth w0). */
static void stop_edges(const struct safe_stop *stop, const struct sensors_out *last,
                       double elapsed_s, int i, struct sensors_out *out)
{
    double w0_radps = last->wheel_radps[i], whole_s = stop->stop_s;
    double t_s = elapsed_s < whole_s ? elapsed_s : whole_s;
    double per_rad = stop->teeth[i] / (2.0 * pi);
    double edges = floor(per_rad * w0_radps * (t_s - 0.5 * t_s * t_s / whole_s));
    if (!(edges >= 1.0) || !(edges < 1e9))
        return;
    double a_s = edges / (per_rad * w0_radps);
    double left = 1.0 - 2.0 * a_s / whole_s;
    double edge_s = whole_s * (1.0 - sqrt(left > 0.0 ? left : 0.0));
    out->wheel_edges[i] = last->wheel_edges[i] + (uint32_t)edges;
    out->wheel_edge_ns[i] = stop->last_ns + (int64_t)(1e6 * edge_s) * 1000;
}

void safe_sensors(const struct safe_stop *stop, const struct sensors_out *last, double elapsed_s,
                  struct sensors_out *out)
{
    double left = 1.0 - clamp01(elapsed_s / stop->stop_s);
    *out = *last;
    for (int i = 0; i < WHEELS; i++) {
        out->wheel_radps[i] = left * last->wheel_radps[i];
        stop_edges(stop, last, elapsed_s, i, out);
    }
    out->roll_rate_radps = left * last->roll_rate_radps;
    out->pitch_rate_radps = left * last->pitch_rate_radps;
    out->yaw_rate_radps = left * last->yaw_rate_radps;
    for (int k = 0; k < 2; k++) {
        out->force_mps2[k] = left * last->force_mps2[k];
        out->level_acc_mps2[k] = left * last->level_acc_mps2[k];
    }
    out->force_mps2[2] = stop->gravity_mps2 + left * (last->force_mps2[2] - stop->gravity_mps2);
    out->hand_wheel_radps = 0.0;
}

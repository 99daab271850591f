#include "target/ecu/reference.h"

#include <math.h>

static double clip(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* Takes turning out of the wheel speeds: v_wheel = (v -+ r b/2) cos d + r l_f sin d, d small. */
static void to_centre(const struct car_params *car, const struct reference_in *in,
                      double at_centre_mps[ECU_WHEELS])
{
    double yaw = in->yaw_rate_radps, d = clip(in->steer_rad, -0.6, 0.6);
    double cosine = 1.0 - 0.5 * d * d, sine = d * (1.0 - d * d / 6.0);
    for (int i = 0; i < ECU_WHEELS; i++) {
        int front = i < ECU_RL, left = i == ECU_FL || i == ECU_RL;
        double side_mps = yaw * 0.5 * car->track_m[front ? 0 : 1];
        double v = in->wheel_mps[i];
        if (front)
            v = (v - yaw * car->front_m * sine) / cosine;
        at_centre_mps[i] = v > 0.0 ? v + (left ? side_mps : -side_mps) : 0.0;
    }
}

static double fastest_mps(const double mps[ECU_WHEELS], uint32_t wheels)
{
    double most = 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        if (wheels >> i & 1u)
            most = fmax(most, mps[i]);
    return most;
}

/* Wheels that neither dive nor run up; one that runs up may swing beyond the speed of the car. */
static uint32_t calm_wheels(const struct reference_params *p, const struct reference_in *in,
                            double car_mps2)
{
    uint32_t calm = 0;
    for (int i = 0; i < ECU_WHEELS; i++)
        if (fabs(in->wheel_mps2[i] - car_mps2) < p->calm_mps2)
            calm |= in->wheels & 1u << (unsigned)i;
    return calm;
}

/* The second slowest: neither a spinning axle nor one dragging wheel moves it. */
static double middle_mps(const double mps[ECU_WHEELS], uint32_t wheels)
{
    double low = INFINITY, second = INFINITY;
    for (int i = 0; i < ECU_WHEELS; i++) {
        if (!(wheels >> i & 1u))
            continue;
        if (mps[i] < low) {
            second = low;
            low = mps[i];
        } else if (mps[i] < second) {
            second = mps[i];
        }
    }
    return second < INFINITY ? second : low < INFINITY ? low : 0.0;
}

/* What the sensor shows beyond the change of the reference: its offset and the slope of the road.
 * Learned while the wheels roll. */
static void learn_offset(const struct reference_params *p, const struct reference_in *in,
                         double change_mps2, struct reference *r)
{
    if (!in->acc_valid || in->braking || in->alone)
        return;
    double is_mps2 = in->acc_x_mps2 - change_mps2;
    r->offset_mps2 += ECU_CYCLE_S / p->offset_s * (is_mps2 - r->offset_mps2);
    r->offset_mps2 = clip(r->offset_mps2, -p->offset_max_mps2, p->offset_max_mps2);
}

/* Wheels without brakes. Those that the engine holds back are slow, but not the two others; of
 * these a function may brake one. */
static double rolling_mps(const struct car_params *car, const struct reference_in *in,
                          const double mps[ECU_WHEELS])
{
    double slow = INFINITY, fast = 0.0;
    for (int i = 0; i < ECU_WHEELS; i++) {
        if (car_drives(car, i) || !(in->wheels >> i & 1u))
            continue;
        slow = fmin(slow, mps[i]);
        fast = fmax(fast, mps[i]);
    }
    double free_mps = in->alone || !(slow < INFINITY) ? fast : slow;
    return fmax(middle_mps(mps, in->wheels), free_mps);
}

static double correction_mps2(const struct reference_params *p, const struct car_params *car,
                              const struct reference_in *in, double predicted_mps,
                              const struct reference *r)
{
    if (!in->braking) {
        double ahead = rolling_mps(car, in, r->at_centre_mps) - predicted_mps;
        return clip(ahead / p->rolling_s, -p->rolling_mps2, p->rolling_mps2);
    }
    uint32_t calm = calm_wheels(p, in, r->accel_mps2);
    double ahead = fastest_mps(r->at_centre_mps, in->wheels) - predicted_mps;
    if (ahead > 0.0)
        ahead = fmax(fastest_mps(r->at_centre_mps, calm) - predicted_mps, 0.0);
    double up = in->acc_valid ? p->pull_up_mps2 : p->blind_up_mps2;
    double down = in->controlled ? p->controlled_mps2 : p->braked_mps2;
    if (!in->acc_valid && calm == in->wheels) /* all agree: it is the reference that is wrong */
        down = p->blind_down_mps2;
    return clip(ahead / ECU_CYCLE_S, -down, up);
}

void reference_step(const struct reference_params *p, const struct car_params *car,
                    const struct reference_in *in, struct reference *r)
{
    to_centre(car, in, r->at_centre_mps);
    if (!r->started) {
        r->speed_mps = middle_mps(r->at_centre_mps, in->wheels);
        r->started = r->speed_mps > 0.0;
        return;
    }
    double carried_mps2 = -(in->brake_mps2 + p->lean_mps2);
    if (in->acc_valid)
        carried_mps2 = (in->acc_x_mps2 - r->offset_mps2) / (1.0 + car->pitch_rad);
    else if (!in->braking)
        carried_mps2 = 0.0;
    double predicted = r->speed_mps + carried_mps2 * ECU_CYCLE_S;
    double corrected_mps2 = correction_mps2(p, car, in, predicted, r);
    double next = fmax(predicted + corrected_mps2 * ECU_CYCLE_S, 0.0);
    double change_mps2 = (next - r->speed_mps) / ECU_CYCLE_S;
    double shown_mps2 = in->acc_valid ? carried_mps2 : change_mps2;
    r->accel_mps2 += ECU_CYCLE_S / (ECU_CYCLE_S + p->accel_s) * (shown_mps2 - r->accel_mps2);
    learn_offset(p, in, change_mps2, r);
    r->speed_mps = next;
}

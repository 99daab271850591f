#include "rt-tests/support/ecu_sine.h"

#include <math.h>
#include <string.h>

#define DEG      (3.14159265358979 / 180.0)
#define START_S  2.5 /* the unit has begun to work */
#define DWELL_S  0.5
#define SPEED    (80.0 / 3.6)
#define PERIOD_S (1.0 / 0.7)

/* Holds the speed by the accelerator. */
static void hold_speed(struct ecu_car *c, double *integral)
{
    double error = SPEED - c->out.vel_mps[0];
    *integral = fmin(fmax(*integral + 1e-3 * 0.05 * error, 0.0), 0.6);
    c->in.throttle = fmin(fmax(*integral + 0.15 * error, 0.0), 1.0);
}

struct sine_slow sine_slow_steer(struct ecu_car *c)
{
    struct sine_slow r = {0};
    double integral = 0.08, filtered_mps2 = 0.0;
    c->gear = 4;
    ecu_car_reset(c, SPEED);
    while (ecu_car_time_s(c) < 20.0) {
        double t = ecu_car_time_s(c) - START_S;
        hold_speed(c, &integral);
        c->in.hand_wheel_rad = fmax(t, 0.0) * 13.5 * DEG;
        ecu_car_step(c);
        const struct plant_out *o = &c->out;
        filtered_mps2 += 1e-3 / 0.05 * (o->level_acc_mps2[1] - filtered_mps2);
        if (filtered_mps2 > 0.2 * ECU_G_MPS2 && !(r.understeer_rad > 0.0)) {
            double ay = filtered_mps2, v = o->vel_mps[0], yaw = o->rate_radps[2];
            const struct car_params *p = &c->params.car;
            double front_rad = o->hand_wheel_rad / p->steering_ratio;
            r.understeer_rad = (front_rad - p->wheelbase_m * yaw / v) / ay;
            double rear_m = p->wheelbase_m - p->front_m;
            r.rear_slip_rad = -(o->vel_mps[1] - rear_m * yaw) / v / ay;
            r.roll_rad = o->roll_rad / ay;
        }
        if (filtered_mps2 > 0.3 * ECU_G_MPS2) {
            r.A_rad = o->hand_wheel_rad;
            break;
        }
    }
    return r;
}

/* Of time since begin of steer. */
static double sine_with_dwell(double t)
{
    const double turn = 2.0 * 3.14159265358979 / PERIOD_S, peak_s = 0.75 * PERIOD_S;
    if (t < 0.0 || t > PERIOD_S + DWELL_S)
        return 0.0;
    if (t < peak_s)
        return sin(turn * t);
    return t < peak_s + DWELL_S ? -1.0 : sin(turn * (t - DWELL_S));
}

static void look(const struct ecu_car *c, double t, double sign, double begin_m,
                 struct sine_result *r)
{
    const struct plant_out *o = &c->out;
    const double end_s = PERIOD_S + DWELL_S;
    double back_radps = -sign * o->rate_radps[2]; /* towards the second turn */
    if (t > 0.5 * PERIOD_S && t <= end_s)
        r->peak_radps = fmax(r->peak_radps, back_radps);
    if (t <= end_s)
        r->speed_mps = o->vel_mps[0];
    if (t <= end_s + 1.0)
        r->after_100 = back_radps;
    r->after_175 = back_radps;
    if (t <= 1.07)
        r->aside_m = sign * (o->pos_m[1] - begin_m);
    r->sideslip_rad = fmax(r->sideslip_rad, fabs(o->sideslip_rad));
    r->active = r->active || c->tx.esp_active > 0.5;
    r->roll_rad = fmax(r->roll_rad, fabs(o->roll_rad));
}

struct sine_result sine_run(struct ecu_car *c, double amplitude_rad, int gear)
{
    struct sine_result r;
    double sign = amplitude_rad < 0.0 ? -1.0 : 1.0, begin_m = 0.0;
    double integral = 0.08;
    memset(&r, 0, sizeof r);
    c->gear = 4;
    ecu_car_reset(c, SPEED + 0.3);
    for (;;) {
        double t = ecu_car_time_s(c) - START_S;
        if (t < 0.0)
            hold_speed(c, &integral);
        else
            c->in.throttle = 0.0;
        c->in.gear = t < 0.0 ? 4 : gear;
        if (t > PERIOD_S + DWELL_S + 1.75)
            break;
        c->in.hand_wheel_rad = amplitude_rad * sine_with_dwell(t);
        if (t <= 0.0)
            begin_m = c->out.pos_m[1];
        ecu_car_step(c);
        if (t >= 0.0)
            look(c, t, sign, begin_m, &r);
    }
    r.after_100 /= r.peak_radps;
    r.after_175 /= r.peak_radps;
    r.faults = c->unit.faults.stored;
    return r;
}

bool sine_passes(const struct sine_result *r, bool far)
{
    return r->after_100 <= 0.35 && r->after_175 <= 0.20 && (!far || r->aside_m >= 1.83) &&
           r->roll_rad < 30.0 * DEG;
}

double sine_last_rad(double A_rad)
{
    return fmin(fmax(6.5 * A_rad, 270.0 * DEG), 300.0 * DEG);
}

#include "target/ecu/motion.h"

#include <math.h>

#define FILTER_S 0.03

static double clip(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

static void follow(double *value, double to, double time_s)
{
    *value += ECU_CYCLE_S / (ECU_CYCLE_S + time_s) * (to - *value);
}

/* At the limit the road gives what the car uses; else nobody knows, and the road is taken for
 * better little by little. */
static void judge_friction(const struct motion_params *p, const struct motion_in *in,
                           struct motion *m)
{
    double apart = fabs(in->yaw_radps - m->linear.yaw_radps);
    int limit = in->controlled || apart > p->limit_radps + 0.15 * fabs(m->linear.yaw_radps);
    double shown = clip(m->used + p->friction_margin, p->friction_min, p->friction_max);
    if (limit && shown < m->friction)
        follow(&m->friction, shown, p->friction_fall_s);
    else if (!limit)
        follow(&m->friction, p->friction_max, p->friction_rise_s);
    m->friction = fmax(m->friction, shown);
}

/* (E-6): d beta / dt = a_y / v - r, led back to the model. */
static void observe_sideslip(const struct motion_params *p, const struct motion_in *in,
                             struct motion *m)
{
    if (in->speed_mps < p->start_mps) {
        m->sideslip_rad = m->linear.sideslip_rad;
        return;
    }
    int easy = fabs(m->acc_y_mps2) < p->easy_mps2 &&
               fabs(in->yaw_radps - m->linear.yaw_radps) < p->limit_radps;
    double back_s = easy ? p->sideslip_free_s : p->sideslip_limit_s;
    double rate = m->acc_y_mps2 / in->speed_mps - in->yaw_radps;
    m->sideslip_rad += ECU_CYCLE_S * rate;
    follow(&m->sideslip_rad, m->target.sideslip_rad, back_s);
    m->sideslip_rad = clip(m->sideslip_rad, -1.5, 1.5);
}

/* A car that turns shows it in more than one place: in the wheels of an axle that rolls, or in the
 * lateral acceleration. If an axle rolls and neither shows it, the sensor is wrong. */
static void judge_yaw(const struct motion_params *p, const struct motion_in *in, struct motion *m)
{
    double near = p->backed_radps + p->backed_share * fabs(in->yaw_radps);
    double by_acc = m->acc_y_mps2 / fmax(in->speed_mps, p->start_mps);
    int backed = fabs(by_acc - in->yaw_radps) < near || !(in->axle_rolls[0] || in->axle_rolls[1]);
    for (int k = 0; k < 2; k++)
        backed |= in->axle_rolls[k] && fabs(in->axle_radps[k] - in->yaw_radps) < near;
    m->alone_s = backed ? 0.0 : fmin(m->alone_s + ECU_CYCLE_S, 10.0);
}

void motion_step(const struct motion_params *p, const struct car_params *car,
                 const struct motion_in *in, struct motion *m)
{
    if (!(m->friction > 0.0))
        m->friction = p->friction_max;
    double acc_y = in->acc_y_mps2 / (1.0 + car->roll_rad);
    follow(&m->acc_y_mps2, acc_y, FILTER_S);
    follow(&m->used, sqrt(in->acc_x_mps2 * in->acc_x_mps2 + acc_y * acc_y) / ECU_G_MPS2, FILTER_S);
    single_track_step(car, in->speed_mps, in->steer_rad, 1e3, &m->linear);
    judge_yaw(p, in, m);
    judge_friction(p, in, m);
    single_track_step(car, in->speed_mps, in->steer_rad, m->friction, &m->target);
    observe_sideslip(p, in, m);
}

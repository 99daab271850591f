#include "target/driver/position.h"

#include "target/driver/pedals.h"
#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <math.h> /* fabs only */
#include <string.h>

static const double slow_s = 0.1, twist_s = 0.05; /* of what is filtered */

void position_reset(const struct position_model *m, struct position_state *s)
{
    (void)m;
    memset(s, 0, sizeof *s);
    s->shift.gear = 1;
}

/* What the tyres do to the body, forward and left. */
struct forces {
    double front_N[2], rear_N[2];
    double front_load_N, friction;
    double steer_rad; /* mean of the front wheels */
};

static void sum_forces(const struct plant_out *now, struct forces *f)
{
    memset(f, 0, sizeof *f);
    for (int i = 0; i < WHEELS; i++) {
        double sine, cosine, *axle = i < RL ? f->front_N : f->rear_N;
        vm_sincos(now->steer_rad[i], &sine, &cosine);
        axle[0] += cosine * now->long_N[i] - sine * now->lat_N[i];
        axle[1] += sine * now->long_N[i] + cosine * now->lat_N[i];
    }
    f->front_load_N = now->load_N[FL] + now->load_N[FR];
    f->friction = 0.5 * (now->friction[FL] + now->friction[FR]);
    f->steer_rad = 0.5 * (now->steer_rad[FL] + now->steer_rad[FR]);
}

/* Where the set point is, and how the car stands to it. */
static void move_set_point(const struct position_model *m, struct position_state *s,
                           const struct plant_out *now, double dt_s, struct path_point *set)
{
    double along_m =
        path_nearest(m->path, now->pos_m[0], now->pos_m[1], &s->car_piece, &s->offset_m);
    along_m = path_unwrap(m->path, along_m, s->along_m);
    s->along_m = along_m;
    if (!s->is_started) {
        s->is_started = 1;
        s->set_m = along_m;
    }
    path_at(m->path, s->set_m, &s->set_piece, set);
    s->set_m = between(s->set_m + set->speed_mps * dt_s, along_m - m->set.leash_m,
                       along_m + m->set.leash_m);
    path_at(m->path, s->set_m, &s->set_piece, set);
}

/* (D-1), (D-2): the acceleration that brings the centre of gravity to the set point, body axes. */
static void wanted_acc(const struct position_model *m, struct position_state *s,
                       const struct plant_out *now, const struct path_point *set, double acc[2])
{
    const struct position_settings *g = &m->set;
    struct path_point ahead;
    int32_t piece = s->set_piece;
    path_at(m->path, s->set_m + set->speed_mps * g->lead_s, &piece, &ahead);
    double sine, cosine, tx = set->at.tangent[0], ty = set->at.tangent[1];
    vm_sincos(now->yaw_rad, &sine, &cosine);
    double vx = cosine * now->vel_mps[0] - sine * now->vel_mps[1];
    double vy = sine * now->vel_mps[0] + cosine * now->vel_mps[1];
    double dx = set->at.x_m - now->pos_m[0], dy = set->at.y_m - now->pos_m[1];
    double along_m = dx * tx + dy * ty, across_m = dy * tx - dx * ty;
    double along_mps = set->speed_mps - (vx * tx + vy * ty), across_mps = vx * ty - vy * tx;
    double k = g->lateral_radps;
    double a_t =
        set->accel_mps2 + 2.0 * g->along_1ps * along_mps + g->along_1ps * g->along_1ps * along_m;
    double a_n = set->speed_mps * set->speed_mps * ahead.at.curvature_1pm +
                 2.0 * g->lateral_damping * k * across_mps + k * k * across_m;
    double ax = a_t * tx - a_n * ty, ay = a_t * ty + a_n * tx;
    acc[0] = cosine * ax + sine * ay;
    acc[1] = -sine * ax + cosine * ay;
}

/* (D-3): what acts beside the tyres (slope, banking, air), as the difference of what is seen. */
static void observe(const struct position_model *m, struct position_state *s,
                    const struct plant_out *now, const struct forces *f, double dt_s)
{
    double share = dt_s / (slow_s + dt_s);
    for (int k = 0; k < 2; k++) {
        double rest_N = m->car->total_kg * now->acc_mps2[k] - f->front_N[k] - f->rear_N[k];
        s->disturb_N[k] += share * (rest_N - s->disturb_N[k]);
    }
    double twist_rad = now->hand_wheel_rad - steering_inverse_at(&m->car->steering, f->steer_rad);
    s->twist_rad += dt_s / (twist_s + dt_s) * (twist_rad - s->twist_rad);
}

/* (D-5), (D-6): the angle of the front wheels for a lateral force of their axle, body axes. */
static double steer_for(const struct position_model *m, const struct plant_out *now,
                        const struct forces *f, double lateral_N)
{
    double sine, cosine;
    vm_sincos(f->steer_rad, &sine, &cosine);
    /* The longitudinal force of the front wheels, turned by their angle, helps or hinders. */
    double long_N = cosine * f->front_N[0] + sine * f->front_N[1];
    double wheel_N = (lateral_N - sine * long_N) / at_least(cosine, 0.3);
    double peak_N = at_least(m->peak * f->friction * f->front_load_N, 1.0);
    double share = between(wheel_N / peak_N, -m->set.grip, m->set.grip);
    double unit = m->peak * f->friction / m->stiff_1prad;
    double slip = look_up01(m->slip, POSITION_SLIP, fabs(share)) * unit;
    double moving = vm_atan2(now->vel_mps[1] + m->front_m * now->rate_radps[2],
                             at_least(fabs(now->vel_mps[0]), 1.0));
    return moving + vm_atan(share < 0.0 ? -slip : slip);
}

void position_step(const struct position_model *m, struct position_state *s,
                   const struct plant_out *now, double dt_s, struct plant_in *in)
{
    struct forces f;
    struct path_point set;
    double acc[2];
    sum_forces(now, &f);
    move_set_point(m, s, now, dt_s, &set);
    wanted_acc(m, s, now, &set, acc);
    observe(m, s, now, &f, dt_s);
    /* (D-4): the single-track model, decoupled: the rear axle does what it does. */
    double need_N[2];
    for (int k = 0; k < 2; k++)
        need_N[k] = m->car->total_kg * acc[k] - s->disturb_N[k];
    double steer_rad = steer_for(m, now, &f, need_N[1] - f.rear_N[1]);
    double hand_rad = steering_inverse_at(&m->car->steering, steer_rad) + s->twist_rad;
    double most_rad = m->set.hand_wheel_radps * dt_s;
    if (now->time_s <= 0.0)
        s->hand_rad = now->hand_wheel_rad;
    s->hand_rad += between(hand_rad - s->hand_rad, -most_rad, most_rad);
    in->hand_wheel_rad = s->hand_rad;
    in->steer = PLANT_STEER_ANGLE;
    pedals_step(m, s, now, need_N[0], dt_s, in);
}

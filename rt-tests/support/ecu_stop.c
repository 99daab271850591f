#include "rt-tests/support/ecu_stop.h"

#include <math.h>
#include <string.h>

struct stop_plan stop_plan(void)
{
    return (struct stop_plan){.from_mps = KMH(90.0),
                              .pedal = 0.8,
                              .fast_mps = KMH(80.0),
                              .slow_mps = KMH(15.0),
                              .end_mps = 0.5,
                              .limit_s = 40.0};
}

double stop_steer_rad(const struct ecu_car *c, double hand_rad)
{
    const struct plant_out *o = &c->out;
    /* A preview point 0.6 s ahead shall be on the line; the hands turn at most 500 deg/s. */
    double v = fmax(o->vel_mps[0], 2.0);
    double ahead_m = o->pos_m[1] + 0.6 * v * (o->yaw_rad + o->sideslip_rad);
    double want = -(0.8 * ahead_m + 1.0 * o->yaw_rad + 0.45 * o->rate_radps[2]) *
                  c->params.car.steering_ratio * 0.12;
    double most = 8.7 * 1e-3;
    return hand_rad + fmin(fmax(want - hand_rad, -most), most);
}

static void look(const struct ecu_car *c, const struct stop_plan *plan, double lock_s[WHEELS],
                 struct stop_result *r)
{
    const struct plant_out *o = &c->out;
    double hand = fabs(o->hand_wheel_rad);
    for (int i = 0; i < WHEELS; i++) {
        /* "Locked" is a wheel that turns at less than a tenth of the car's speed. */
        bool locked = o->vel_mps[0] > KMH(15.0) && ecu_car_slip(c, i) < -0.9;
        lock_s[i] = locked ? lock_s[i] + 1e-3 : 0.0;
        r->locked_s[i] = fmax(r->locked_s[i], lock_s[i]);
    }
    if (ecu_car_time_s(c) < 2.5)
        r->hand_early_rad = fmax(r->hand_early_rad, hand);
    r->hand_rad = fmax(r->hand_rad, hand);
    r->yaw_rate_radps = fmax(r->yaw_rate_radps, fabs(o->rate_radps[2]));
    r->yaw_rad = fmax(r->yaw_rad, fabs(o->yaw_rad));
    r->side_m = fmax(r->side_m, fabs(o->pos_m[1]));
    r->worked = r->worked || c->tx.abs_active > 0.5;
    (void)plan;
}

struct stop_result stop_run(struct ecu_car *c, const struct stop_plan *plan)
{
    struct stop_result r;
    double lock_s[WHEELS] = {0.0}, fast_s = -1.0, slow_s = -1.0, fast_m = 0.0;
    memset(&r, 0, sizeof r);
    while (ecu_car_time_s(c) < plan->limit_s && !r.stopped) {
        double t = ecu_car_time_s(c);
        c->in.brake_pedal = fmin(fmax((t - 0.5) / 0.1, 0.0), 1.0) * plan->pedal;
        if (plan->steered)
            c->in.hand_wheel_rad = stop_steer_rad(c, c->in.hand_wheel_rad);
        ecu_car_step(c);
        look(c, plan, lock_s, &r);
        double v = c->out.vel_mps[0];
        if (fast_s < 0.0 && v < plan->fast_mps) {
            fast_s = t;
            fast_m = c->out.pos_m[0];
        }
        if (slow_s < 0.0 && v < plan->slow_mps) {
            slow_s = t;
            r.way_m = c->out.pos_m[0] - fast_m;
            r.mean_mps2 = (plan->fast_mps - plan->slow_mps) / (slow_s - fast_s);
        }
        r.stopped = v < plan->end_mps;
    }
    r.time_s = ecu_car_time_s(c);
    r.faults = c->unit.faults.stored;
    return r;
}

#include "rt-tests/support/ecu_drive.h"

#include <math.h>

static double uniform(struct ecu_driver *d, double low, double high)
{
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return low + (high - low) * (double)(d->random >> 11) / 9007199254740992.0;
}

void ecu_driver_start(struct ecu_driver *d, uint64_t seed)
{
    *d = (struct ecu_driver){.random = seed * 2654435761u + 88172645463325252u};
}

/* A stop now and then, else 15 to 130 km/h; curves as sharp as ordinary drivers take them. */
static void choose(struct ecu_driver *d, struct ecu_car *c, double now_s)
{
    double kind = uniform(d, 0.0, 1.0);
    d->speed_mps = kind < 0.12 ? 0.0 : uniform(d, 4.0, 36.0);
    d->lateral_mps2 = uniform(d, 0.0, 1.0) < 0.5 ? 0.0 : uniform(d, -3.5, 3.5);
    d->until_s = now_s + uniform(d, 3.0, 12.0);
    bool bumpy = uniform(d, 0.0, 1.0) < 0.3;
    c->road.bump_m = bumpy ? uniform(d, 0.002, 0.008) : 0.0;
    c->road.bump_every_m = uniform(d, 2.0, 12.0);
}

static double towards(double from, double to, double most)
{
    return from + fmin(fmax(to - from, -most), most);
}

void ecu_driver_step(struct ecu_driver *d, struct ecu_car *c)
{
    const struct car_params *p = &c->params.car;
    double now_s = ecu_car_time_s(c), v = c->out.vel_mps[0];
    if (now_s >= d->until_s)
        choose(d, c, now_s);
    double error = d->speed_mps - v;
    /* Less throttle in curves: an ordinary driver does not slide. */
    double most = 0.55 - 0.1 * fabs(d->lateral_mps2);
    double throttle = error > 0.0 ? fmin(0.08 + 0.06 * error, most) : 0.0;
    /* Brakes up to 4 m/s2, and holds the car at a stop. */
    double brake = error < -1.0 ? fmin(0.03 + 0.02 * -error, 0.18) : 0.0;
    if (d->speed_mps < 1.0)
        brake = fmax(brake, 0.08);
    d->throttle = towards(d->throttle, throttle, 2e-3);
    d->brake = towards(d->brake, brake, 1e-3);
    double ground = fmax(v, 3.0), rate = d->lateral_mps2 / fmax(ground, 6.0);
    double steer = rate * (p->wheelbase_m / ground + p->understeer_radspm * ground);
    double hand = fmin(fmax(steer * p->steering_ratio, -4.0), 4.0);
    d->hand_rad = towards(d->hand_rad, hand, 3e-3 * fmin(20.0 / ground, 2.0));
    c->in.hand_wheel_rad = d->hand_rad;
    c->in.throttle = d->throttle;
    c->in.brake_pedal = d->brake;
    c->in.gear = PLANT_GEAR_AUTO;
}

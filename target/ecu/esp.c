#include "target/ecu/esp.h"

#include <math.h>

static double beyond(double x, double dead)
{
    return x > dead ? x - dead : x < -dead ? x + dead : 0.0;
}

/* The tail goes: the car turns faster than its path bends. Otherwise a wrong steering angle would
 * look like it. */
static int skids(const struct esp_params *p, const struct esp_in *in)
{
    double path = in->motion->acc_y_mps2 / in->speed_mps, r = in->yaw_radps;
    double more = r > 0.0 ? r - path : path - r;
    return more > p->skid_radps || fabs(in->motion->sideslip_rad) > p->skid_rad;
}

/* Yaw acceleration that brings the car back, (E-7). */
static double demand_radps2(const struct esp_params *p, const struct esp_in *in, struct esp *s)
{
    double target = in->motion->target.yaw_radps, off = in->yaw_radps - target;
    int over = off * in->yaw_radps > 0.0; /* turns too much, or still the other way */
    double dead = (over ? p->over_radps : p->under_radps) + p->share * fabs(target) +
                  (in->split ? p->split_radps : 0.0);
    double demand = -(over ? p->over_1ps : p->under_1ps) * beyond(off, dead);
    if (over ? !skids(p, in) : in->split)
        demand = 0.0;
    /* A tail that goes out: sideslip against the turn. Steering back does not help it any more. */
    double slip = in->motion->sideslip_rad;
    if (slip * in->yaw_radps < 0.0)
        demand += p->sideslip_1ps2 * beyond(slip, p->sideslip_rad);
    s->over = demand * in->yaw_radps < 0.0;
    return demand;
}

/* Pressure of a wheel for a yaw acceleration: its force on half the track. */
static double pressure_Pa(const struct car_params *car, int wheel, double radps2)
{
    double lever_m = 0.5 * car->track_m[wheel < ECU_RL ? 0 : 1];
    double force_N = car->yaw_inertia_kgm2 * fabs(radps2) / lever_m;
    return car->threshold_Pa + force_N * car->radius_m[wheel] / car->brake_NmpPa[wheel];
}

static void ask(const struct esp_params *p, const struct car_params *car, const struct esp_in *in,
                const struct esp *s, struct esp_out *out)
{
    /* Braking on the left turns to the left. */
    int left = s->demand_radps2 > 0.0;
    int wheel = s->over ? (left ? ECU_FL : ECU_FR) : (left ? ECU_RL : ECU_RR);
    double most_Pa = s->over ? p->over_max_Pa : p->under_max_Pa;
    double more_Pa = fmin(pressure_Pa(car, wheel, s->demand_radps2), most_Pa);
    out->wheel = wheel;
    out->floor_Pa[wheel] = fmin(in->driver_Pa + more_Pa, fmax(most_Pa, in->driver_Pa));
    if (!in->braking)
        return;
    double share = p->relief * fmin(fabs(s->demand_radps2) / p->relief_radps2, 1.0);
    int across_front = left ? ECU_FR : ECU_FL, across_rear = left ? ECU_RR : ECU_RL;
    out->bound_Pa[across_front] = (1.0 - share) * in->driver_Pa;
    out->bound_Pa[across_rear] = (1.0 - share) * in->driver_Pa;
}

void esp_reset(struct esp *s)
{
    *s = (struct esp){.torque_share = 1.0};
}

void esp_step(const struct esp_params *p, const struct car_params *car, const struct esp_in *in,
              struct esp *s, struct esp_out *out)
{
    out->wheel = -1;
    for (int i = 0; i < ECU_WHEELS; i++) {
        out->floor_Pa[i] = 0.0;
        out->bound_Pa[i] = INFINITY;
    }
    double alone_s = s->proven ? p->proven_s : p->alone_s;
    if (!in->works || in->speed_mps < p->start_mps || in->motion->alone_s > alone_s) {
        esp_reset(s);
        return;
    }
    s->demand_radps2 = demand_radps2(p, in, s);
    double size = fabs(s->demand_radps2);
    if (size > p->least_radps2)
        s->active = 1;
    s->quiet_s = size > 0.25 * p->least_radps2 ? 0.0 : s->quiet_s + ECU_CYCLE_S;
    if (s->quiet_s > p->end_s)
        s->active = 0;
    s->proven = s->active && (s->proven || !(in->motion->alone_s > 0.0));
    double change = s->active && size > 0.0 ? -p->torque_1ps2 * size : p->torque_back_1ps;
    s->torque_share = fmin(fmax(s->torque_share + change * ECU_CYCLE_S, 0.0), 1.0);
    /* Where the driver steers to, the tail may go out next: that brake is filled. */
    if (s->active && !in->braking && skids(p, in))
        out->floor_Pa[in->motion->target.yaw_radps > 0.0 ? ECU_FR : ECU_FL] =
            p->ready_Pa * in->motion->friction;
    if (s->active && size > 0.0)
        ask(p, car, in, s, out);
}

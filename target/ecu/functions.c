#include "target/ecu/functions.h"

#include <math.h>

static void brake(struct functions_out *out, int wheel, double to_Pa)
{
    out->floor_Pa[wheel] = fmax(out->floor_Pa[wheel], to_Pa);
    out->braked |= (to_Pa > 0.0 ? 1u : 0u) << (unsigned)wheel;
}

static void raise_all(struct functions_out *out, double to_Pa)
{
    for (int i = 0; i < ECU_WHEELS; i++)
        brake(out, i, to_Pa);
}

/* By the difference of its wheels, each at half the track. */
static double axle_radps(const struct car_params *car, const struct functions_in *in, int left)
{
    return (in->wheel[left + 1].speed_mps - in->wheel[left].speed_mps) /
           car->track_m[left == ECU_FL ? 0 : 1];
}

/* Neither braked nor spinning, and no wheel of it may be in the air: of the car's weight the inside
 * carries 1/2 - a_y h / (g b). */
static int axle_rolls(const struct car_params *car, const struct functions_in *in, int left)
{
    double v = in->reference->speed_mps, most_mps = 0.3 + 0.04 * v;
    double track_m = car->track_m[left == ECU_FL ? 0 : 1];
    if (fabs(in->rx->acc_y_mps2) * car->height_m > 0.3 * ECU_G_MPS2 * track_m)
        return 0;
    for (int i = left; i <= left + 1; i++)
        if (in->request_Pa[i] > 1.0 * ECU_BAR_PA ||
            fabs(in->reference->at_centre_mps[i] - v) > most_mps)
            return 0;
    return 1;
}

static void move(const struct functions_params *p, const struct car_params *car,
                 const struct functions_in *in, struct functions *s)
{
    struct motion_in m = {.speed_mps = in->reference->speed_mps,
                          .steer_rad = in->steer_rad,
                          .yaw_radps = in->yaw_radps,
                          .axle_radps = {axle_radps(car, in, ECU_FL), axle_radps(car, in, ECU_RL)},
                          .axle_rolls = {axle_rolls(car, in, ECU_FL), axle_rolls(car, in, ECU_RL)},
                          .acc_x_mps2 = in->rx->acc_x_mps2 - in->reference->offset_mps2,
                          .acc_y_mps2 = in->rx->acc_y_mps2,
                          .controlled = in->controlled || s->traction.limits || s->drag.raises};
    motion_step(&p->motion, car, &m, &s->motion);
}

static void stabilise(const struct functions_params *p, const struct car_params *car,
                      const struct functions_in *in, struct functions *s, struct functions_out *out)
{
    struct esp_in e = {.motion = &s->motion,
                       .speed_mps = in->reference->speed_mps,
                       .yaw_radps = in->yaw_radps,
                       .driver_Pa = in->driver_Pa,
                       .works = in->works && !(in->rx->gear < 0.0),
                       .braking = in->braking,
                       .split = in->split};
    struct esp_out wish;
    esp_step(&p->esp, car, &e, &s->esp, &wish);
    if (wish.wheel >= 0)
        out->more_slip[wish.wheel] = p->esp.more_slip;
    for (int i = 0; i < ECU_WHEELS; i++) {
        brake(out, i, wish.floor_Pa[i]);
        out->bound_Pa[i] = fmin(out->bound_Pa[i], wish.bound_Pa[i]);
    }
}

static void drive(const struct functions_params *p, const struct car_params *car,
                  const struct functions_in *in, struct functions *s, struct functions_out *out)
{
    const struct ecu_rx *rx = in->rx;
    struct traction_in t = {.speed_mps = in->reference->speed_mps,
                            .wheel_mps = in->reference->at_centre_mps,
                            .engine_Nm = rx->engine_Nm,
                            .driver_Nm = rx->engine_driver_Nm,
                            .accelerator = rx->accelerator,
                            .works = in->works,
                            .braking = in->braking};
    double floor_Pa[ECU_WHEELS];
    traction_step(&p->traction, car, &t, &s->traction, floor_Pa);
    for (int i = 0; i < ECU_WHEELS; i++)
        out->floor_Pa[i] = fmax(out->floor_Pa[i], floor_Pa[i]);
    double gain_mps2[ECU_WHEELS];
    for (int i = 0; i < ECU_WHEELS; i++)
        gain_mps2[i] = in->wheel[i].accel_mps2 - in->reference->accel_mps2;
    struct drag_in d = {.speed_mps = in->reference->speed_mps,
                        .wheel_mps = in->reference->at_centre_mps,
                        .wheel_mps2 = gain_mps2,
                        .engine_Nm = rx->engine_Nm,
                        .least_Nm = rx->engine_least_Nm,
                        .most_Nm = rx->engine_most_Nm,
                        .accelerator = rx->accelerator,
                        .works = in->works && !(rx->gear <= 0.0),
                        .braking = in->braking};
    drag_step(&p->drag, car, &d, &s->drag);
}

static void assist(const struct functions_params *p, const struct car_params *car,
                   const struct functions_in *in, struct functions *s, struct functions_out *out)
{
    const struct ecu_rx *rx = in->rx;
    raise_all(out, assist_step(&p->assist, in->driver_Pa, in->reference->speed_mps,
                               in->works && rx->brake_switch > 0.5, &s->assist));
    struct distance_in d = {.speed_mps = in->reference->speed_mps,
                            .yaw_radps = in->yaw_radps,
                            .object_m = rx->object_m,
                            .object_mps = rx->object_mps,
                            .object_left_m = rx->object_left_m,
                            .accelerator = rx->accelerator,
                            .seen = in->radar_good && rx->object_seen > 0.5,
                            .works = in->works};
    if (d.seen)
        d.build_s =
            valves_build_s(in->valves, car_pressure_Pa(car, distance_full_mps2(&p->distance)));
    double decel_mps2 = distance_step(&p->distance, &d, &s->distance);
    if (decel_mps2 > 0.0)
        raise_all(out, car_pressure_Pa(car, decel_mps2));
    struct hold_in h = {.speed_mps = in->reference->speed_mps,
                        .acc_x_mps2 = rx->acc_x_mps2,
                        .driver_Pa = in->driver_Pa,
                        .engine_Nm = rx->engine_Nm,
                        .engine_radps = rx->engine_radps,
                        .accelerator = rx->accelerator,
                        .gear = rx->gear,
                        .works = in->works,
                        .braking = in->braking};
    raise_all(out, hold_step(&p->hold, car, &h, &s->hold));
}

static void talk(const struct functions_params *p, const struct functions_in *in,
                 struct functions *s, struct functions_out *out)
{
    const struct ecu_rx *rx = in->rx;
    struct torque_in t = {.limit_Nm = INFINITY,
                          .raise_Nm = -INFINITY,
                          .engine_Nm = rx->engine_Nm,
                          .driver_Nm = rx->engine_driver_Nm,
                          .least_Nm = rx->engine_least_Nm,
                          .most_Nm = rx->engine_most_Nm,
                          .limit_possible = rx->limit_possible > 0.5,
                          .raise_possible = rx->raise_possible > 0.5,
                          .engine_good = in->engine_good};
    if (in->works && s->esp.torque_share < 1.0)
        t.limit_Nm = s->esp.torque_share * fmax(rx->engine_driver_Nm, 0.0);
    if (in->works && s->traction.limits)
        t.limit_Nm = fmin(t.limit_Nm, s->traction.limit_Nm);
    if (in->works && s->distance.stage >= DISTANCE_PARTIAL)
        t.limit_Nm = fmin(t.limit_Nm, 0.0);
    if (in->works && s->drag.raises)
        t.raise_Nm = s->drag.raise_Nm;
    out->engine_bad = torque_step(&p->torque, &t, &s->torque, &out->engine_judged);
}

void functions_step(const struct functions_params *p, const struct car_params *car,
                    const struct functions_in *in, struct functions *s, struct functions_out *out)
{
    for (int i = 0; i < ECU_WHEELS; i++) {
        out->floor_Pa[i] = 0.0;
        out->bound_Pa[i] = INFINITY;
        out->more_slip[i] = 0.0;
    }
    out->braked = 0;
    move(p, car, in, s);
    stabilise(p, car, in, s, out);
    drive(p, car, in, s, out);
    assist(p, car, in, s, out);
    talk(p, in, s, out);
}

void functions_report(const struct functions *s, struct ecu_tx *tx)
{
    tx->esp_active = s->esp.active;
    tx->tc_active = s->traction.brakes || s->traction.limits || s->drag.raises;
    tx->assist_active = s->assist.active;
    tx->hold_active = hold_acts(&s->hold);
    tx->distance_stage = s->distance.stage;
    tx->limit_active = s->torque.limit;
    tx->limit_Nm = s->torque.limit_Nm;
    tx->raise_active = s->torque.raise;
    tx->raise_Nm = s->torque.raise_Nm;
    tx->sideslip_rad = s->motion.sideslip_rad;
    tx->target_radps = s->motion.target.yaw_radps;
}

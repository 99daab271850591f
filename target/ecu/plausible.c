#include "target/ecu/plausible.h"

#include "target/ecu/faults.h"

#include <math.h>

static const double easy_mps2 = 4.0; /* aside: below it the motion of the car is simple */

/* What one cycle finds. */
struct finding {
    uint32_t bad, judged;
};

static void put(struct finding *f, int fault, int judged, int bad)
{
    if (judged)
        f->judged |= ECU_FAULT_BIT(fault);
    if (judged && bad)
        f->bad |= ECU_FAULT_BIT(fault);
}

static int good(const struct plausible_in *in, int source)
{
    return !(in->bad_sources >> source & 1u);
}

/* ---- wheel sensors */

static int wheels_good(const struct plausible_in *in)
{
    return (in->bad_sources & 0xfu) == 0;
}

/* The engine holds both wheels of an axle back: that is no sensor. */
static int dragged(const struct plausible_params *p, const struct car_params *car,
                   const struct plausible_in *in, int i)
{
    double v = in->reference->speed_mps;
    double partner_mps = in->reference->at_centre_mps[i ^ 1] - v;
    return car_drives(car, i) && in->rx->engine_Nm < 0.5 * in->rx->engine_most_Nm &&
           in->rx->gear > 0.5 && partner_mps < -0.3 * (p->wheel_share * v + p->wheel_mps);
}

static void judge_wheels(const struct plausible_params *p, const struct car_params *car,
                         const struct plausible_in *in, struct plausible *s, struct finding *f)
{
    double v = in->reference->speed_mps;
    int coasting = good(in, ECU_SOURCE_ENGINE) && in->rx->accelerator < 0.02 &&
                   in->rx->engine_Nm <= fmax(in->rx->engine_driver_Nm, 0.0) + 10.0;
    for (int i = 0; i < ECU_WHEELS; i++) {
        uint32_t new_jumps = in->wheel[i].jumps - s->jumps[i];
        s->jumps[i] = in->wheel[i].jumps;
        s->jump_level[i] = fmax(s->jump_level[i] - p->jump_decay_1ps * ECU_CYCLE_S, 0.0);
        s->jump_level[i] += (double)new_jumps;
        put(f, ECU_FAULT_FL_TEETH + i, 1, s->jump_level[i] >= p->jumps);

        /* Slower than the car without brakes; or edges that ended all at once; or faster without an
         * engine that pulls. */
        double ahead = in->reference->at_centre_mps[i] - v,
               band = p->wheel_share * v + p->wheel_mps;
        int silent =
            (!in->braking && !dragged(p, car, in, i) && ahead < -band) || in->wheel[i].vanished;
        int fast = coasting && !in->braking && ahead > band;
        put(f, ECU_FAULT_FL_SILENT + i, v > p->moving_mps && good(in, ECU_SOURCE_FL + i),
            silent || fast);
    }
}

/* ---- comparisons of motion */

/* Yaw rate by the wheel speeds of an axle. */
static double axle_yaw_radps(const struct car_params *car, const struct plausible_in *in, int left,
                             double steer_rad)
{
    double cosine = 1.0 - 0.5 * steer_rad * steer_rad;
    double track_m = car->track_m[left == ECU_FL ? 0 : 1] * (left == ECU_FL ? cosine : 1.0);
    return (in->wheel[left + 1].speed_mps - in->wheel[left].speed_mps) / track_m;
}

/* No wheel of the axle is braked by a function. */
static int axle_rolls(const struct plausible_in *in, int left)
{
    return in->request_Pa[left] < 1.0 * ECU_BAR_PA && in->request_Pa[left + 1] < 1.0 * ECU_BAR_PA;
}

/* The driver does not brake, and one axle rolls, for half a second. */
static int is_settled(const struct plausible_params *p, const struct plausible_in *in,
                      struct plausible *s)
{
    int rolls = wheels_good(in) && !in->foot && in->reference->speed_mps > p->moving_mps &&
                (axle_rolls(in, ECU_FL) || axle_rolls(in, ECU_RL));
    s->rolled_s = rolls ? fmin(s->rolled_s + ECU_CYCLE_S, 100.0) : 0.0;
    return s->rolled_s > 0.5;
}

static void judge_yaw(const struct plausible_params *p, const struct car_params *car,
                      const struct plausible_in *in, int settled, struct finding *f)
{
    const struct ecu_rx *rx = in->rx;
    double yaw = rx->yaw_rate_radps, v = in->reference->speed_mps;
    double steer = car_steer_rad(car, good(in, ECU_SOURCE_STEERING) ? rx->hand_wheel_rad : 0.0);
    double front = axle_yaw_radps(car, in, ECU_FL, steer);
    double rear = axle_yaw_radps(car, in, ECU_RL, 0.0);
    double wheels = !axle_rolls(in, ECU_FL)   ? rear
                    : !axle_rolls(in, ECU_RL) ? front
                                              : 0.5 * (front + rear);
    /* In a skid wheels slide or are in the air and show no turn, but the acceleration does. */
    int skids = good(in, ECU_SOURCE_ACC) && fabs(rx->acc_y_mps2) > easy_mps2 &&
                fabs(yaw) > p->yaw_radps && rx->acc_y_mps2 * yaw > 0.0;
    int easy = settled && fabs(v * wheels) < easy_mps2 && !skids;
    /* One axle shows the turn the other way round than its partner and the sensor do. */
    double least = 0.5 * p->yaw_radps;
    int front_turned = front * yaw < 0.0 && front * rear < 0.0 && fabs(front) > least &&
                       fabs(front + yaw) < 0.4 * fabs(yaw);
    int rear_turned = rear * yaw < 0.0 && front * rear < 0.0 && fabs(rear) > least &&
                      fabs(rear + yaw) < 0.4 * fabs(yaw);
    int turned = front_turned || rear_turned;
    int stands = v <= 0.0;
    if (!good(in, ECU_SOURCE_YAW_RATE))
        return;
    put(f, ECU_FAULT_SWAPPED, settled && !in->braking, turned);
    int off = fabs(yaw - wheels) > p->yaw_radps + 0.15 * fabs(wheels) && !turned;
    put(f, ECU_FAULT_YAW_SENSOR, easy || stands || fabs(yaw) > p->yaw_max_radps,
        fabs(yaw) > p->yaw_max_radps || (easy && off) || (stands && fabs(yaw) > p->yaw_radps));
    if (good(in, ECU_SOURCE_ACC)) {
        double expected = v * yaw;
        int sure = easy && !off && !turned;
        int wide = fabs(rx->acc_y_mps2) > p->acc_max_mps2;
        put(f, ECU_FAULT_ACC_Y_SENSOR, sure || stands || wide,
            wide || fabs(rx->acc_y_mps2 - (stands ? 0.0 : expected)) > p->acc_y_mps2);
    }
    if (good(in, ECU_SOURCE_STEERING)) {
        double model = v * steer / (car->wheelbase_m + car->understeer_radspm * v * v);
        /* A slippery road gives less than the angle asks for, but it does turn the car that way. */
        int slides = model * yaw > 0.0 && fabs(model) > fabs(yaw) && fabs(v * yaw) > 1.0;
        int sure = easy && !off && !turned && !slides && fabs(v * yaw) < 3.0;
        int wide = fabs(rx->hand_wheel_rad) > p->steering_max_rad;
        put(f, ECU_FAULT_STEERING_SENSOR, sure || wide,
            wide || (sure && fabs(model - yaw) > p->steering_radps + 0.2 * fabs(yaw)));
    }
}

/* The wheels' mean acceleration against the sensor; gravity on a slope is within the limit. */
static void judge_acc_x(const struct plausible_params *p, const struct plausible_in *in,
                        int settled, struct plausible *s, struct finding *f)
{
    double mean_mps = 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        mean_mps += 0.25 * in->wheel[i].speed_mps;
    double before = s->wheels_mps;
    s->wheels_mps += 0.05 * (mean_mps - s->wheels_mps);
    s->wheels_mps2 += 0.05 * ((s->wheels_mps - before) / ECU_CYCLE_S - s->wheels_mps2);
    if (!good(in, ECU_SOURCE_ACC))
        return;
    double acc = in->rx->acc_x_mps2;
    int wide = fabs(acc) > p->acc_max_mps2;
    int easy = settled && !in->braking && fabs(s->wheels_mps2) < 3.0 && s->rolled_s > 1.0;
    put(f, ECU_FAULT_ACC_X_SENSOR, easy || wide,
        wide || fabs(acc - s->wheels_mps2) > p->acc_x_mps2);
}

/* ---- brakes */

static void judge_brakes(const struct plausible_params *p, const struct plausible_in *in,
                         struct finding *f)
{
    if (!good(in, ECU_SOURCE_BRAKE))
        return;
    double master = in->rx->master_Pa;
    int pressed = in->rx->brake_switch > 0.5;
    int wrong = pressed ? master < p->pressed_Pa : master > p->pedal_Pa;
    put(f, ECU_FAULT_MASTER_SENSOR, 1, wrong || master > p->master_max_Pa || master < -p->pedal_Pa);
    /* Without ABS the wheels carry what the brakes ask: the car must slow down by it. With ABS a
     * wheel whose brake was let go must run up, unless it may be in the air. */
    double v = in->reference->speed_mps;
    int weak = !in->controlled && in->foot && good(in, ECU_SOURCE_ACC) &&
               in->brake_mps2 + in->reference->accel_mps2 > p->short_mps2;
    int level = fabs(v * in->rx->yaw_rate_radps) < 3.0, stuck = 0;
    for (int i = 0; i < ECU_WHEELS; i++)
        stuck |= in->controlled && level && in->request_Pa[i] < 1.0 * ECU_BAR_PA &&
                 !in->wheel[i].vanished && in->reference->at_centre_mps[i] < 0.5 * v;
    put(f, ECU_FAULT_HYDRAULICS, in->foot && v > p->moving_mps, weak || stuck);
}

/* ---- noise */

static void judge_noise(const struct plausible_params *p, const struct plausible_in *in,
                        struct plausible *s, struct finding *f)
{
    const struct ecu_rx *rx = in->rx;
    const double now[PLAUSIBLE_NOISY] = {rx->yaw_rate_radps, rx->acc_x_mps2, rx->acc_y_mps2,
                                         rx->hand_wheel_rad, rx->master_Pa};
    const double most[PLAUSIBLE_NOISY] = {p->noise_yaw_radps, p->noise_acc_mps2, p->noise_acc_mps2,
                                          p->noise_steering_rad, p->noise_master_Pa};
    static const int fault[PLAUSIBLE_NOISY] = {ECU_FAULT_YAW_SENSOR, ECU_FAULT_ACC_X_SENSOR,
                                               ECU_FAULT_ACC_Y_SENSOR, ECU_FAULT_STEERING_SENSOR,
                                               ECU_FAULT_MASTER_SENSOR};
    for (int n = 0; n < PLAUSIBLE_NOISY; n++) {
        double change = s->started ? fabs(now[n] - s->last[n]) : 0.0;
        s->change[n] += ECU_CYCLE_S / 0.3 * (fmin(change, 10.0 * most[n]) - s->change[n]);
        s->last[n] = now[n];
        if (s->change[n] > most[n])
            put(f, fault[n], 1, 1);
    }
    s->started = 1;
}

uint32_t plausible_step(const struct plausible_params *p, const struct car_params *car,
                        const struct plausible_in *in, struct plausible *s, uint32_t *judged)
{
    struct finding f = {0, 0};
    int settled = is_settled(p, in, s);
    judge_wheels(p, car, in, s, &f);
    judge_yaw(p, car, in, settled, &f);
    judge_acc_x(p, in, settled, s, &f);
    judge_brakes(p, in, &f);
    judge_noise(p, in, s, &f);
    *judged = f.judged;
    return f.bad;
}

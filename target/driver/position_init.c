/* What the position controller knows of its car. */
#include "target/driver/position.h"
#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <math.h> /* fabs only */
#include <string.h>

void position_defaults(struct position_settings *s)
{
    *s = (struct position_settings){.lateral_radps = 4.0,
                                    .lateral_damping = 0.9,
                                    .along_1ps = 2.0,
                                    .lead_s = 0.08,
                                    .leash_m = 1.0,
                                    .hand_wheel_radps = 17.5,
                                    .grip = 0.98,
                                    .pedal_1ps = 10.0};
}

static double mean_toe_rad(const struct kinematics_model *k, double rack_m)
{
    struct kinematics_out left, right;
    kinematics_at(k, 0.0, rack_m, 1.0, &left);
    kinematics_at(k, 0.0, rack_m, -1.0, &right);
    return 0.5 * (left.f[KIN_TOE] + right.f[KIN_TOE]);
}

/* The inverse of hand wheel -> mean angle of the front wheels, by halving. */
static void steer_table(struct position_model *m)
{
    const struct steering_model *st = &m->car->steering;
    const struct kinematics_model *k = &m->car->axle[FRONT].kin;
    double stop_m = 0.97 * st->rack_stop_m;
    double end_rad = mean_toe_rad(k, stop_m), start_rad = mean_toe_rad(k, -stop_m);
    double sign = end_rad > start_rad ? 1.0 : -1.0;
    m->steer_max_rad = at_most(fabs(end_rad), fabs(start_rad));
    for (int i = 0; i < POSITION_STEER; i++) {
        double want_rad = m->steer_max_rad * (2.0 * i / (POSITION_STEER - 1) - 1.0);
        double low_m = -stop_m, high_m = stop_m;
        for (int n = 0; n < 40; n++) {
            double middle_m = 0.5 * (low_m + high_m);
            if (sign * mean_toe_rad(k, middle_m) < sign * want_rad)
                low_m = middle_m;
            else
                high_m = middle_m;
        }
        m->hand_rad[i] = 0.5 * (low_m + high_m) / st->pinion_mprad;
    }
}

/* Lateral force of the front axle at rest loads over tan(slip), in shares of its peak. */
static double front_share(const struct position_model *m, const double load_N[WHEELS],
                          double tan_alpha, double *stiff_N, double *peak_N)
{
    struct tyre_in in;
    struct tyre_out out;
    memset(&in, 0, sizeof in);
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = load_N[i];
        in.tan_alpha[i] = -tan_alpha;
        in.vx_mps[i] = 15.0;
        in.pressure_Pa[i] = m->car->inflation_Pa[i];
        in.friction[i] = 1.0;
    }
    tyre_forces(&m->car->tyres, &in, &out);
    *stiff_N = out.stiff_y_N[FL] + out.stiff_y_N[FR];
    *peak_N = out.peak_y_N[FL] + out.peak_y_N[FR];
    return (out.fy_N[FL] + out.fy_N[FR]) / *peak_N;
}

/* (D-6): the slip that gives a share of the peak, in units of peak over stiffness. */
static void slip_table(struct position_model *m, const double load_N[WHEELS])
{
    double stiff_N, peak_N;
    (void)front_share(m, load_N, 0.0, &stiff_N, &peak_N);
    m->stiff_1prad = stiff_N / (load_N[FL] + load_N[FR]);
    m->peak = peak_N / (load_N[FL] + load_N[FR]);
    double unit = peak_N / stiff_N;
    for (int i = 0; i < POSITION_SLIP; i++) {
        double want = (double)i / (POSITION_SLIP - 1), low = 0.0, high = 6.0 * unit, s, p;
        /* The curve falls behind its peak: search below it only. */
        for (int n = 0; n < 60 && front_share(m, load_N, high, &s, &p) <
                                      front_share(m, load_N, 0.95 * high, &s, &p);
             n++)
            high *= 0.95;
        for (int n = 0; n < 40; n++) {
            double middle = 0.5 * (low + high);
            if (front_share(m, load_N, middle, &s, &p) < want)
                low = middle;
            else
                high = middle;
        }
        m->slip[i] = i ? 0.5 * (low + high) / unit : 0.0;
    }
}

void position_init(struct position_model *m, const struct position_settings *set,
                   const struct lumped15_model *car, const struct path *path)
{
    double load_N[WHEELS], radius_m[WHEELS];
    const double still[WHEELS] = {0.0, 0.0, 0.0, 0.0};
    struct kinematics_out front, rear;
    memset(m, 0, sizeof *m);
    m->set = *set;
    m->path = path;
    m->car = car;
    kinematics_at(&car->axle[FRONT].kin, 0.0, 0.0, 1.0, &front);
    kinematics_at(&car->axle[REAR].kin, 0.0, 0.0, 1.0, &rear);
    m->front_m = front.f[KIN_HUB_X] - car->cg_m.x;
    m->rear_m = car->cg_m.x - rear.f[KIN_HUB_X];
    double weight_N = car->total_kg * car->gravity_mps2, base_m = m->front_m + m->rear_m;
    load_N[FL] = load_N[FR] = 0.5 * weight_N * m->rear_m / base_m;
    load_N[RL] = load_N[RR] = 0.5 * weight_N * m->front_m / base_m;
    tyre_rolling_radius(&car->tyres, load_N, still, car->inflation_Pa, radius_m);
    m->radius_m = 0.25 * (radius_m[FL] + radius_m[FR] + radius_m[RL] + radius_m[RR]);
    for (int i = 0; i < WHEELS; i++)
        m->brake_N += car->brake.gain_NmpPa[i] * car->brake.pedal_Pa / radius_m[i];
    steer_table(m);
    slip_table(m, load_N);
}

#include "target/model/steering.h"

#include "target/model/math/scalar.h"

#include <math.h>

static double assist_share(const struct steering_model *m, double speed_mps)
{
    double x = (fabs(speed_mps) - m->assist_low_mps) / (m->assist_high_mps - m->assist_low_mps);
    double fade = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
    return 1.0 + fade * (m->assist_high - 1.0);
}

/* docs/model.md (L-1) to (L-4); slope: of the assist over the torque in the bar. */
static inline void forces(const struct steering_model *m, double rack_m, double rack_mps,
                          double hand_rad, double hand_radps, double share,
                          struct steering_now *now, double *slope_1pm)
{
    double twist_rad = hand_rad - rack_m / m->pinion_mprad;
    double twist_radps = hand_radps - rack_mps / m->pinion_mprad;
    double bar_Nm = m->column_Nmprad * twist_rad;
    double assist_N = share * table1_at(&m->assist_N, fabs(bar_Nm), slope_1pm);
    if (bar_Nm * m->pinion_mprad < 0.0)
        assist_N = -assist_N;
    double over_m = rack_m > m->rack_stop_m    ? rack_m - m->rack_stop_m
                    : rack_m < -m->rack_stop_m ? rack_m + m->rack_stop_m
                                               : 0.0;
    now->column_Nm = bar_Nm + m->column_Nmsprad * twist_radps;
    now->force_N = now->column_Nm / m->pinion_mprad + assist_N - m->rack_stop_Npm * over_m -
                   m->rack_Nspm * rack_mps;
    now->damping_Nspm = m->rack_Nspm + m->column_Nmsprad / (m->pinion_mprad * m->pinion_mprad);
}

void steering_forces(const struct steering_model *m, double rack_m, double rack_mps,
                     double hand_rad, double hand_radps, double speed_mps, struct steering_now *now)
{
    double unused;
    forces(m, rack_m, rack_mps, hand_rad, hand_radps, assist_share(m, speed_mps), now, &unused);
}

void steering_forces_held(const struct steering_model *m, double rack_m, double hand_rad,
                          double hand_radps, double speed_mps, struct steering_now *now,
                          double *stiffness_Npm)
{
    double share = assist_share(m, speed_mps), slope_1pm, per_rad = 1.0 / fabs(m->pinion_mprad);
    forces(m, rack_m, 0.0, hand_rad, hand_radps, share, now, &slope_1pm);
    double bar_Npm = m->column_Nmprad * per_rad * (per_rad + share * slope_1pm);
    *stiffness_Npm =
        at_least(bar_Npm, 0.0) + (fabs(rack_m) > m->rack_stop_m ? m->rack_stop_Npm : 0.0);
}

double steering_hand_acc(const struct steering_model *m, double hand_radps, double driver_Nm,
                         double column_Nm, double dt_s)
{
    double per = dt_s / m->hand_inertia_kgm2;
    double free_radps = hand_radps + per * (driver_Nm - column_Nm);
    return (shrink(free_radps, per * m->hand_friction_Nm) - hand_radps) / dt_s;
}

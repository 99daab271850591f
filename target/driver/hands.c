#include "target/driver/hands.h"

#include "target/model/math/scalar.h"

#include <math.h> /* fabs only */

double hands_look_up(const double *table, int count, double u)
{
    double x = between(u, 0.0, 1.0) * (double)(count - 1);
    int i = (int)x < count - 1 ? (int)x : count - 2;
    return table[i] + (x - (double)i) * (table[i + 1] - table[i]);
}

double hands_of(const struct hands *h, double steer_rad)
{
    return hands_look_up(h->hand_rad, HANDS_POINTS, 0.5 + 0.5 * steer_rad / h->steer_max_rad);
}

static double mean_toe_rad(const struct kinematics_model *k, double rack_m)
{
    struct kinematics_out left, right;
    kinematics_at(k, 0.0, rack_m, 1.0, &left);
    kinematics_at(k, 0.0, rack_m, -1.0, &right);
    return 0.5 * (left.f[KIN_TOE] + right.f[KIN_TOE]);
}

/* By halving. */
void hands_init(struct hands *h, const struct lumped15_model *car)
{
    const struct steering_model *st = &car->steering;
    const struct kinematics_model *k = &car->axle[FRONT].kin;
    double stop_m = 0.97 * st->rack_stop_m;
    double end_rad = mean_toe_rad(k, stop_m), start_rad = mean_toe_rad(k, -stop_m);
    double sign = end_rad > start_rad ? 1.0 : -1.0;
    h->steer_max_rad = at_most(fabs(end_rad), fabs(start_rad));
    for (int i = 0; i < HANDS_POINTS; i++) {
        double want_rad = h->steer_max_rad * (2.0 * i / (HANDS_POINTS - 1) - 1.0);
        double low_m = -stop_m, high_m = stop_m;
        for (int n = 0; n < 40; n++) {
            double middle_m = 0.5 * (low_m + high_m);
            if (sign * mean_toe_rad(k, middle_m) < sign * want_rad)
                low_m = middle_m;
            else
                high_m = middle_m;
        }
        h->hand_rad[i] = 0.5 * (low_m + high_m) / st->pinion_mprad;
    }
}

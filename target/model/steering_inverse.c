#include "target/model/steering_inverse.h"

#include "target/model/math/scalar.h"

#include <math.h> /* fabs only */

double steering_inverse_at(const struct steering_inverse *s, double steer_rad)
{
    return look_up01(s->hand_rad, STEERING_INVERSE_POINTS,
                     0.5 + 0.5 * steer_rad / s->steer_max_rad);
}

/* By halving. */
void steering_inverse_fit(struct steering_inverse *s,
                          double (*mean_rad)(const void *car, double rack_m), const void *car,
                          double stop_m, double pinion_mprad)
{
    double end_rad = mean_rad(car, stop_m), start_rad = mean_rad(car, -stop_m);
    double sign = end_rad > start_rad ? 1.0 : -1.0;
    s->steer_max_rad = at_most(fabs(end_rad), fabs(start_rad));
    for (int i = 0; i < STEERING_INVERSE_POINTS; i++) {
        double want_rad = s->steer_max_rad * (2.0 * i / (STEERING_INVERSE_POINTS - 1) - 1.0);
        double low_m = -stop_m, high_m = stop_m;
        for (int n = 0; n < 40; n++) {
            double middle_m = 0.5 * (low_m + high_m);
            if (sign * mean_rad(car, middle_m) < sign * want_rad)
                low_m = middle_m;
            else
                high_m = middle_m;
        }
        s->hand_rad[i] = 0.5 * (low_m + high_m) / pinion_mprad;
    }
}

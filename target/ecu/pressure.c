#include "target/ecu/pressure.h"

#include <math.h>

/* Towards the highest of driver and floor: what the driver's foot gives is there at once, the pump
 * needs its time. */
static double raised_Pa(const struct pressure_params *p, double floor_Pa, double driver_Pa,
                        double now_Pa)
{
    if (floor_Pa > driver_Pa)
        return fmin(floor_Pa, fmax(driver_Pa, now_Pa) + p->build_Paps * ECU_CYCLE_S);
    if (now_Pa > driver_Pa)
        return fmax(driver_Pa, now_Pa - p->fall_Paps * ECU_CYCLE_S);
    return driver_Pa;
}

void pressure_step(const struct pressure_params *p, const struct car_params *car,
                   const double floor_Pa[ECU_WHEELS], const double bound_Pa[ECU_WHEELS],
                   double driver_Pa, struct pressure *s)
{
    double follow = ECU_CYCLE_S / (car->lag_s + ECU_CYCLE_S);
    for (int i = 0; i < ECU_WHEELS; i++) {
        uint32_t bit = 1u << (unsigned)i;
        double now_Pa = s->request_Pa[i];
        double most_Pa = raised_Pa(p, floor_Pa[i], driver_Pa, now_Pa);
        double want_Pa = fmax(fmin(most_Pa, bound_Pa[i]), 0.0);
        if (want_Pa < most_Pa)
            s->returning |= bit;
        else if (s->returning & bit)
            want_Pa = fmin(most_Pa, now_Pa + p->return_Paps * ECU_CYCLE_S);
        if (want_Pa >= most_Pa)
            s->returning &= ~bit;
        double slew_Pa = p->slew_Paps * ECU_CYCLE_S;
        want_Pa = fmin(fmax(want_Pa, now_Pa - slew_Pa), now_Pa + slew_Pa);
        want_Pa = fmin(want_Pa, most_Pa);
        /* The brake has followed what was sent in the last but one cycle. */
        s->brake_Pa[i] += follow * (s->before_Pa[i] - s->brake_Pa[i]);
        s->before_Pa[i] = now_Pa;
        s->request_Pa[i] = want_Pa;
    }
}

double pressure_decel_mps2(const struct car_params *car, const struct pressure *s)
{
    double force_N = 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        force_N +=
            car->brake_NmpPa[i] * fmax(s->brake_Pa[i] - car->threshold_Pa, 0.0) / car->radius_m[i];
    return force_N / car->mass_kg;
}

#include "target/ecu/pressure.h"

#include <math.h>

void pressure_step(const struct pressure_params *p, const struct car_params *car,
                   const double bound_Pa[ECU_WHEELS], double driver_Pa, struct pressure *s)
{
    double follow = ECU_CYCLE_S / (car->lag_s + ECU_CYCLE_S);
    for (int i = 0; i < ECU_WHEELS; i++) {
        uint32_t bit = 1u << (unsigned)i;
        double want_Pa = fmax(fmin(driver_Pa, bound_Pa[i]), 0.0);
        if (want_Pa < driver_Pa)
            s->returning |= bit;
        else if (s->returning & bit)
            want_Pa = fmin(driver_Pa, s->request_Pa[i] + p->return_Paps * ECU_CYCLE_S);
        if (want_Pa >= driver_Pa)
            s->returning &= ~bit;
        double most_Pa = p->slew_Paps * ECU_CYCLE_S;
        want_Pa = fmin(fmax(want_Pa, s->request_Pa[i] - most_Pa), s->request_Pa[i] + most_Pa);
        want_Pa = fmin(want_Pa, driver_Pa);
        /* The brake has followed what was sent in the last but one cycle. */
        s->brake_Pa[i] += follow * (s->before_Pa[i] - s->brake_Pa[i]);
        s->before_Pa[i] = s->request_Pa[i];
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

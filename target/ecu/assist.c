#include "target/ecu/assist.h"

#include <math.h>

#define FILTER_S 0.015

double assist_step(const struct assist_params *p, double driver_Pa, double speed_mps, int works,
                   struct assist *s)
{
    double rate_Paps = (driver_Pa - s->last_Pa) / ECU_CYCLE_S;
    s->last_Pa = driver_Pa;
    s->rise_Paps += ECU_CYCLE_S / (ECU_CYCLE_S + FILTER_S) * (rate_Paps - s->rise_Paps);
    if (!works || speed_mps < p->end_mps) {
        s->active = 0;
        return 0.0;
    }
    if (!s->active) {
        s->peak_Pa = driver_Pa;
        s->active =
            s->rise_Paps > p->rise_Paps && driver_Pa > p->least_Pa && speed_mps > p->start_mps;
    }
    s->peak_Pa = fmax(s->peak_Pa, driver_Pa);
    if (driver_Pa < p->back_share * s->peak_Pa)
        s->active = 0;
    return s->active ? p->full_Pa : 0.0;
}

#include "target/ecu/ebd.h"

#include "target/ecu/car.h"

#include <math.h>

double ebd_step(const struct ebd_params *p, const struct ebd_in *in, struct ebd *e)
{
    double more_mps = in->rear_behind_mps - in->front_behind_mps;
    int keep = more_mps > p->slip * in->reference_mps + p->offset_mps;
    int reduce = more_mps > p->reduce_slip * in->reference_mps + p->offset_mps;
    if (!in->braking || in->reference_mps < p->end_mps) {
        e->active = 0;
        return INFINITY;
    }
    if (!e->active) {
        if (!keep || in->accel_mps2 > -p->decel_mps2)
            return INFINITY;
        e->active = 1;
        e->limit_Pa = fmin(in->driver_Pa, in->rear_brake_Pa);
        e->full_s = 0.0;
    }
    if (reduce)
        e->limit_Pa = fmax(e->limit_Pa - p->reduce_Paps * ECU_CYCLE_S, 0.0);
    else if (!keep)
        e->limit_Pa += p->build_Paps * ECU_CYCLE_S;
    if (e->limit_Pa < in->driver_Pa) {
        e->full_s = 0.0;
        return e->limit_Pa;
    }
    e->limit_Pa = in->driver_Pa;
    e->full_s += ECU_CYCLE_S;
    e->active = e->full_s < p->leave_s;
    return e->active ? e->limit_Pa : INFINITY;
}

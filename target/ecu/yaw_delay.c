#include "target/ecu/yaw_delay.h"

#include "target/ecu/car.h"

#include <math.h>

void yaw_delay_step(const struct yaw_delay_params *p, const double limit_Pa[2], int controlled,
                    double turn_radps, double speed_mps, double bound_Pa[2], struct yaw_delay *y)
{
    bound_Pa[0] = bound_Pa[1] = INFINITY;
    if (!controlled || speed_mps < p->speed_mps) {
        y->allowed_Pa = p->start_Pa;
        y->active = 0;
        return;
    }
    int low = limit_Pa[0] < limit_Pa[1] ? 0 : 1, high = 1 - low;
    /* The car turns to the side that brakes more: left is positive. */
    double towards = high == 0 ? turn_radps : -turn_radps;
    double bound = limit_Pa[low] + y->allowed_Pa;
    y->active = limit_Pa[high] > bound;
    bound_Pa[high] = bound;
    if (y->active) {
        if (towards < p->yaw_radps)
            y->allowed_Pa += p->rate_Paps * ECU_CYCLE_S;
    } else {
        y->allowed_Pa = fmax(y->allowed_Pa - p->rate_Paps * ECU_CYCLE_S, p->start_Pa);
    }
}

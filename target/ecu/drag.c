#include "target/ecu/drag.h"

#include <math.h>
#include <string.h>

void drag_step(const struct drag_params *p, const struct car_params *car, const struct drag_in *in,
               struct drag *s)
{
    double let_mps = in->speed_mps * (1.0 - p->slip) - p->offset_mps;
    double behind_mps = -INFINITY, coming_mps = -INFINITY;
    if (!in->works || in->braking || in->accelerator > p->accelerator ||
        in->speed_mps < p->start_mps) {
        memset(s, 0, sizeof *s);
        return;
    }
    for (int i = 0; i < ECU_WHEELS; i++) {
        if (!car_drives(car, i))
            continue;
        behind_mps = fmax(behind_mps, let_mps - in->wheel_mps[i]);
        coming_mps = fmax(coming_mps, let_mps - in->wheel_mps[i] - p->ahead_s * in->wheel_mps2[i]);
    }
    if (!s->raises) {
        if (!(behind_mps > 0.0))
            return;
        s->raises = 1;
        s->base_Nm = fmin(in->engine_Nm, 0.0);
        s->grown_Nm = 0.0;
    }
    double most_Nm = p->share * in->most_Nm;
    s->grown_Nm += p->Nmpm * coming_mps * ECU_CYCLE_S;
    s->grown_Nm = fmin(fmax(s->grown_Nm, 0.0), most_Nm - s->base_Nm);
    s->raise_Nm = fmin(s->base_Nm + s->grown_Nm + p->Nmpmps * coming_mps, most_Nm);
    s->raises = behind_mps > 0.0 || s->grown_Nm > 0.0;
}

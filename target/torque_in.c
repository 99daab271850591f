#include "target/torque_in.h"

#include <math.h>

static int take(bool asked, double asked_Nm, bool young, double *torque_Nm)
{
    bool acts = asked && young && isfinite(asked_Nm);
    *torque_Nm = acts ? asked_Nm : 0.0;
    return acts;
}

void torque_take(const struct torque_request *r, struct plant_in *in)
{
    bool young = r->age_s >= 0.0 && r->age_s <= TORQUE_AGE_MOST_S;
    in->engine_limit = take(r->limit, r->limit_Nm, young, &in->engine_limit_Nm);
    in->engine_raise = take(r->raise, r->raise_Nm, young, &in->engine_raise_Nm);
}

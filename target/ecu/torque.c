#include "target/ecu/torque.h"

#include <math.h>

/* What the engine should give: requests between its own bounds. */
static double expected_Nm(const struct torque_in *in, const struct torque *s)
{
    double torque_Nm = in->driver_Nm;
    if (s->raise)
        torque_Nm = fmax(torque_Nm, fmin(s->raise_Nm, in->most_Nm));
    if (s->limit)
        torque_Nm = fmin(torque_Nm, fmax(s->limit_Nm, in->least_Nm));
    return torque_Nm;
}

int torque_step(const struct torque_params *p, const struct torque_in *in, struct torque *s,
                int *judged)
{
    double before_Nm = expected_Nm(in, s);
    s->limit = in->engine_good && in->limit_possible && in->limit_Nm < in->driver_Nm;
    s->raise = in->engine_good && in->raise_possible && in->raise_Nm > in->driver_Nm && !s->limit;
    s->limit_Nm = s->limit ? in->limit_Nm : 0.0;
    s->raise_Nm = s->raise ? in->raise_Nm : 0.0;
    /* Judged is a request that stays about the same for the time of an answer. */
    int steady = fabs(expected_Nm(in, s) - before_Nm) < 0.02 * p->off_Nm;
    s->steady_s = steady ? fmin(s->steady_s + ECU_CYCLE_S, 100.0) : 0.0;
    *judged = in->engine_good && s->steady_s > p->answer_s;
    return *judged && fabs(in->engine_Nm - before_Nm) > p->off_Nm;
}

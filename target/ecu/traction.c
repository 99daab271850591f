#include "target/ecu/traction.h"

#include <math.h>
#include <string.h>

struct spin {
    double ahead_mps[ECU_WHEELS]; /* of what is let be; driven wheels only */
    double most_mps, least_mps;   /* of them */
};

static struct spin see(const struct traction_params *p, const struct car_params *car,
                       const struct traction_in *in)
{
    struct spin s = {.most_mps = -INFINITY, .least_mps = INFINITY};
    double let_mps = in->speed_mps + fmax(p->start_mps, p->slip * in->speed_mps);
    for (int i = 0; i < ECU_WHEELS; i++) {
        s.ahead_mps[i] = in->wheel_mps[i] - let_mps;
        if (!car_drives(car, i))
            continue;
        s.most_mps = fmax(s.most_mps, s.ahead_mps[i]);
        s.least_mps = fmin(s.least_mps, s.ahead_mps[i]);
    }
    return s;
}

static double brake_Pa(const struct traction_params *p, const struct traction_in *in,
                       const struct spin *spin, int i, struct traction *s)
{
    double apart_mps = in->wheel_mps[i] - in->wheel_mps[i ^ 1] - p->side_mps;
    double more_mps = fmin(spin->ahead_mps[i], apart_mps), first_Pa = 0.0;
    if (more_mps > 0.0) {
        s->grown_Pa[i] += p->brake_Papm * more_mps * ECU_CYCLE_S;
        first_Pa = p->brake_Papmps * more_mps;
    } else {
        s->grown_Pa[i] -= p->brake_fall_Paps * ECU_CYCLE_S;
    }
    s->grown_Pa[i] = fmin(fmax(s->grown_Pa[i], 0.0), p->brake_max_Pa);
    return fmin(s->grown_Pa[i] + first_Pa, p->brake_max_Pa);
}

static void limit_engine(const struct traction_params *p, const struct traction_in *in,
                         const struct spin *spin, struct traction *s)
{
    /* Both spin, or one alone very much. */
    double over_mps = fmax(spin->least_mps, spin->most_mps - p->alone_mps);
    if (!s->limits) {
        if (!(over_mps > 0.0))
            return;
        s->limits = 1;
        s->limit_Nm = p->engine_first * fmax(in->engine_Nm, 0.0);
    }
    double change_Nmps = over_mps > 0.0 ? -p->engine_Nmpm * over_mps : p->engine_back_Nmps;
    s->limit_Nm = fmax(s->limit_Nm + change_Nmps * ECU_CYCLE_S, 0.0);
    s->limits = s->limit_Nm < in->driver_Nm;
}

static int any_pressure(const struct traction *s)
{
    double most_Pa = 0.0;
    for (int i = 0; i < ECU_WHEELS; i++)
        most_Pa = fmax(most_Pa, s->grown_Pa[i]);
    return most_Pa > 0.0;
}

void traction_step(const struct traction_params *p, const struct car_params *car,
                   const struct traction_in *in, struct traction *s, double floor_Pa[ECU_WHEELS])
{
    for (int i = 0; i < ECU_WHEELS; i++)
        floor_Pa[i] = 0.0;
    if (!in->works || in->braking || in->accelerator < p->accelerator) {
        memset(s, 0, sizeof *s);
        return;
    }
    struct spin spin = see(p, car, in);
    s->brakes = 0;
    if (!s->limits && !any_pressure(s)) {
        s->spun_s = spin.most_mps > 0.0 ? s->spun_s + ECU_CYCLE_S : 0.0;
        if (s->spun_s < p->wait_s)
            return;
    }
    limit_engine(p, in, &spin, s);
    for (int i = 0; i < ECU_WHEELS; i++) {
        if (!car_drives(car, i) || in->speed_mps > p->brake_end_mps) {
            s->grown_Pa[i] = 0.0;
            continue;
        }
        floor_Pa[i] = brake_Pa(p, in, &spin, i, s);
        if (floor_Pa[i] > 0.0)
            s->brakes |= 1u << (unsigned)i;
    }
}

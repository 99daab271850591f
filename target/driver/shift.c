#include "target/driver/shift.h"

#include "target/model/math/scalar.h"

#include <math.h> /* fabs only */

static const double shift_s = 0.3;

double shift_ratio(const struct driveline_model *d, int32_t gear)
{
    return gear > 0 && gear <= d->gears ? d->ratio[gear - 1] : d->ratio[0];
}

/* A gearbox without automatic: up and down by the car's own shift speeds. */
static void shift(const struct driveline_model *d, struct shift_state *s,
                  const struct plant_out *now, double throttle, double dt_s)
{
    if (s->clutch_s > 0.0) {
        s->clutch_s -= dt_s;
        return;
    }
    int32_t g = s->gear;
    const double *up = d->up_radps[g - 1], *down = d->down_radps[g - 1];
    if (g < d->gears && now->engine_radps > up[0] + throttle * (up[1] - up[0]))
        s->gear++;
    else if (g > 1 && now->engine_radps < down[0] + throttle * (down[1] - down[0]))
        s->gear--;
    if (s->gear != g)
        s->clutch_s = shift_s;
}

/* Open while shifting, slipping while the engine would stall. */
static double clutch_for(const struct driveline_model *d, const struct shift_state *s,
                         const struct plant_out *now)
{
    if (s->clutch_s > 0.0)
        return 1.0;
    double bite = (now->engine_radps - d->idle_radps) / (0.8 * d->idle_radps);
    double rolling = fabs(now->vel_mps[0]) * shift_ratio(d, s->gear) / 0.3;
    return rolling > 1.3 * d->idle_radps ? 0.0 : 1.0 - between(bite, 0.0, 1.0);
}

void shift_step(const struct driveline_model *d, int32_t keep_gear, struct shift_state *s,
                const struct plant_out *now, double throttle, double dt_s, struct plant_in *in)
{
    in->gear = keep_gear > 0 ? keep_gear : PLANT_GEAR_AUTO;
    in->clutch_pedal = 0.0;
    if (!d->present || d->clutch != CLUTCH_PEDAL)
        return;
    if (keep_gear > 0)
        s->gear = keep_gear;
    else
        shift(d, s, now, throttle, dt_s);
    in->gear = s->gear;
    in->clutch_pedal = clutch_for(d, s, now);
}

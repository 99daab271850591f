#include "target/driver/pedals.h"

#include "target/model/math/scalar.h"

#include <math.h> /* fabs only */

static const double shift_s = 0.3;

static double ratio_of(const struct driveline_model *d, int32_t gear)
{
    return gear > 0 && gear <= d->gears ? d->ratio[gear - 1] : d->ratio[0];
}

/* (D-7): the pedal at which the engine gives a torque: its map is monotone in the pedal. */
static double pedal_for(const struct driveline_model *d, double engine_radps, double torque_Nm)
{
    double low = 0.0, high = 1.0;
    if (driveline_engine_Nm(d, engine_radps, 1.0) <= torque_Nm)
        return 1.0;
    for (int n = 0; n < 12; n++) {
        double middle = 0.5 * (low + high);
        if (driveline_engine_Nm(d, engine_radps, middle) < torque_Nm)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* A gearbox without automatic: up and down by the car's own shift speeds. */
static void shift(const struct driveline_model *d, struct position_state *s,
                  const struct plant_out *now, double dt_s)
{
    if (s->clutch_s > 0.0) {
        s->clutch_s -= dt_s;
        return;
    }
    int32_t g = s->gear;
    const double *up = d->up_radps[g - 1], *down = d->down_radps[g - 1];
    if (g < d->gears && now->engine_radps > up[0] + s->throttle * (up[1] - up[0]))
        s->gear++;
    else if (g > 1 && now->engine_radps < down[0] + s->throttle * (down[1] - down[0]))
        s->gear--;
    if (s->gear != g)
        s->clutch_s = shift_s;
}

/* (D-8): open while shifting, slipping while the engine would stall. */
static double clutch_for(const struct driveline_model *d, const struct position_state *s,
                         const struct plant_out *now)
{
    if (s->clutch_s > 0.0)
        return 1.0;
    double bite = (now->engine_radps - d->idle_radps) / (0.8 * d->idle_radps);
    double rolling = fabs(now->vel_mps[0]) * ratio_of(d, s->gear) / 0.3;
    return rolling > 1.3 * d->idle_radps ? 0.0 : 1.0 - between(bite, 0.0, 1.0);
}

void pedals_step(const struct position_model *m, struct position_state *s,
                 const struct plant_out *now, double need_N, double dt_s, struct plant_in *in)
{
    const struct driveline_model *d = &m->car->driveline;
    double throttle = 0.0, brake = 0.0, most = m->set.pedal_1ps * dt_s;
    if (d->present) {
        double ratio = ratio_of(d, now->gear);
        double drag_N = driveline_engine_Nm(d, now->engine_radps, 0.0) * ratio / m->radius_m;
        if (need_N > drag_N)
            throttle = pedal_for(d, now->engine_radps, need_N * m->radius_m / ratio);
        else if (now->vel_mps[0] > 0.0)
            brake = (drag_N - need_N) / m->brake_N;
    } else if (need_N < 0.0) {
        brake = -need_N / m->brake_N;
    }
    s->throttle += between(clamp01(throttle) - s->throttle, -most, most);
    s->brake += between(clamp01(brake) - s->brake, -most, most);
    in->throttle = s->throttle;
    in->brake_pedal = s->brake;
    in->gear = PLANT_GEAR_AUTO;
    in->clutch_pedal = 0.0;
    if (m->set.gear > 0)
        in->gear = m->set.gear;
    if (d->present && d->clutch == CLUTCH_PEDAL) {
        if (m->set.gear > 0)
            s->gear = m->set.gear;
        else
            shift(d, s, now, dt_s);
        in->gear = s->gear;
        in->clutch_pedal = clutch_for(d, s, now);
    }
}

#include "target/driver/pedals.h"

#include "target/model/math/scalar.h"

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

void pedals_step(const struct position_model *m, struct position_state *s,
                 const struct plant_out *now, double need_N, double dt_s, struct plant_in *in)
{
    const struct driveline_model *d = m->car->driveline;
    double throttle = 0.0, brake = 0.0, most = m->set.pedal_1ps * dt_s;
    if (d->present) {
        double ratio = shift_ratio(d, now->gear);
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
    shift_step(d, m->set.gear, &s->shift, now, s->throttle, dt_s, in);
}

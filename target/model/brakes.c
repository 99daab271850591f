#include "target/model/brakes.h"

void brakes_step(const struct brake_model *b, const struct hydraulics_model *h,
                 const struct plant_in *in, double dt_s, struct hydraulics_state *s,
                 double pressure_Pa[WHEELS])
{
    if (brakes_hydraulic(h, in)) {
        hydraulics_step(h, s, in, dt_s);
        hydraulics_caliper_Pa(h, s, pressure_Pa);
        return;
    }
    brake_step(b, in, dt_s, pressure_Pa);
    if (h->on)
        hydraulics_fill(h, s, pressure_Pa);
}

void brakes_see(const struct brake_model *b, const struct hydraulics_model *h,
                const struct hydraulics_state *s, const struct plant_in *in,
                struct brakes_seen *seen)
{
    bool on = brakes_hydraulic(h, in);
    for (int c = 0; c < CIRCUITS; c++)
        seen->master_Pa[c] =
            on ? hydraulics_master_Pa(h, s, c) : brake_master_Pa(b, in->brake_pedal);
    seen->pedal_m = on ? hydraulics_pedal_m(h, s) : 0.0;
    seen->pedal_N = on ? hydraulics_pedal_N(h, s) : 0.0;
}

void brakes_rates(const struct brake_model *b, const struct hydraulics_model *h,
                  const struct hydraulics_state *s, const struct plant_in *in, double least_s,
                  double pressure_Pa[WHEELS], double rate_Paps[WHEELS], struct hydraulics_state *ds)
{
    if (!brakes_hydraulic(h, in)) {
        brake_deriv(b, in, least_s, pressure_Pa, rate_Paps);
        return;
    }
    for (int i = 0; i < WHEELS; i++)
        rate_Paps[i] = 0.0;
    hydraulics_caliper_Pa(h, s, pressure_Pa);
    hydraulics_deriv(h, s, in, ds);
}

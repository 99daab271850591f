#include "target/model/brake.h"

#include "target/model/math/scalar.h"

#include <stdbool.h>

double brake_master_Pa(const struct brake_model *m, double pedal)
{
    double p = pedal > 0.0 ? (pedal < 1.0 ? pedal : 1.0) : 0.0;
    return p * m->pedal_Pa;
}

void brake_target(const struct brake_model *m, const struct plant_in *in, double target_Pa[WHEELS])
{
    double master_Pa = brake_master_Pa(m, in->brake_pedal);
    double over_Pa = master_Pa - m->rear_knee_Pa;
    double rear_Pa = over_Pa > 0.0 ? m->rear_knee_Pa + m->rear_slope * over_Pa : master_Pa;
    for (int i = 0; i < WHEELS; i++) {
        bool asked = in->brake == PLANT_BRAKE_PRESSURES && !(in->pressure_driver >> i & 1u);
        double p = asked ? in->wheel_pressure_Pa[i] : i < RL ? master_Pa : rear_Pa;
        target_Pa[i] = p > 0.0 ? p : 0.0;
    }
}

/* Where a wheel gets in a step, with the faults that hold its pressure or slow it down. */
static double reached_Pa(const struct plant_in *in, int i, double now_Pa, double next_Pa,
                         double dt_s)
{
    double most_Pa = in->slow_Paps[i] * dt_s;
    if (in->hold >> i & 1u)
        return now_Pa;
    return most_Pa > 0.0 ? between(next_Pa, now_Pa - most_Pa, now_Pa + most_Pa) : next_Pa;
}

void brake_step(const struct brake_model *m, const struct plant_in *in, double dt_s,
                double pressure_Pa[WHEELS])
{
    double target_Pa[WHEELS];
    brake_target(m, in, target_Pa);
    /* Implicit in the lag, so that no lag at all is the same formula. */
    double keep = m->lag_s / (m->lag_s + dt_s);
    for (int i = 0; i < WHEELS; i++) {
        double next_Pa = target_Pa[i] + keep * (pressure_Pa[i] - target_Pa[i]);
        pressure_Pa[i] = reached_Pa(in, i, pressure_Pa[i], next_Pa, dt_s);
    }
}

void brake_deriv(const struct brake_model *m, const struct plant_in *in, double least_s,
                 double pressure_Pa[WHEELS], double rate_Paps[WHEELS])
{
    double target_Pa[WHEELS];
    brake_target(m, in, target_Pa);
    for (int i = 0; i < WHEELS; i++) {
        double slow_Paps = in->slow_Paps[i];
        rate_Paps[i] = 0.0;
        if (in->hold >> i & 1u)
            continue;
        if (!(m->lag_s > 0.0) && !(slow_Paps > 0.0)) {
            pressure_Pa[i] = target_Pa[i];
            continue;
        }
        double rate = (target_Pa[i] - pressure_Pa[i]) / (m->lag_s > 0.0 ? m->lag_s : least_s);
        rate_Paps[i] = slow_Paps > 0.0 ? between(rate, -slow_Paps, slow_Paps) : rate;
    }
}

void brake_capacity(const struct brake_model *m, const double pressure_Pa[WHEELS],
                    double capacity_Nm[WHEELS])
{
    for (int i = 0; i < WHEELS; i++) {
        double p = pressure_Pa[i] - m->threshold_Pa;
        capacity_Nm[i] = p > 0.0 ? m->gain_NmpPa[i] * p : 0.0;
    }
}

#include "target/model/brake.h"

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
        double p = in->brake == PLANT_BRAKE_PRESSURES ? in->wheel_pressure_Pa[i]
                   : i < RL                           ? master_Pa
                                                      : rear_Pa;
        target_Pa[i] = p > 0.0 ? p : 0.0;
    }
}

void brake_step(const struct brake_model *m, const struct plant_in *in, double dt_s,
                double pressure_Pa[WHEELS])
{
    double target_Pa[WHEELS];
    brake_target(m, in, target_Pa);
    /* Implicit in the lag, so that no lag at all is the same formula. */
    double keep = m->lag_s / (m->lag_s + dt_s);
    for (int i = 0; i < WHEELS; i++)
        pressure_Pa[i] = target_Pa[i] + keep * (pressure_Pa[i] - target_Pa[i]);
}

void brake_capacity(const struct brake_model *m, const double pressure_Pa[WHEELS],
                    double capacity_Nm[WHEELS])
{
    for (int i = 0; i < WHEELS; i++) {
        double p = pressure_Pa[i] - m->threshold_Pa;
        capacity_Nm[i] = p > 0.0 ? m->gain_NmpPa[i] * p : 0.0;
    }
}

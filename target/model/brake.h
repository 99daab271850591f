/* Brakes: pressures from the pedal or from the unit, friction capacity from the pressures. */
#ifndef SKIDPAD_MODEL_BRAKE_H
#define SKIDPAD_MODEL_BRAKE_H

#include "target/model/plant.h"

struct brake_model {
    double gain_NmpPa[WHEELS]; /* friction torque per pressure above the threshold */
    double threshold_Pa;       /* pads touch the disc */
    double pedal_Pa;           /* master cylinder pressure at full pedal */
    double rear_knee_Pa;       /* proportioning valve: above it the rear rises less */
    double rear_slope;         /* by this factor; 1: no valve */
    double lag_s;              /* first order, lines and calipers; 0: none */
};

/* Master cylinder pressure of a pedal position. */
double brake_master_Pa(const struct brake_model *m, double pedal);
/* Pressures the wheels tend to. */
void brake_target(const struct brake_model *m, const struct plant_in *in, double target_Pa[WHEELS]);
/* Pressures after a step; in->hold and in->slow_Paps act behind the lag. */
void brake_step(const struct brake_model *m, const struct plant_in *in, double dt_s,
                double pressure_Pa[WHEELS]);
/* Rates of the pressures, for the reference solver. Without lag a pressure is at its target, and is
 * set there, unless a fault slows it down: then it goes there as if the lag were least_s. */
void brake_deriv(const struct brake_model *m, const struct plant_in *in, double least_s,
                 double pressure_Pa[WHEELS], double rate_Paps[WHEELS]);
/* The largest torque each brake can hold or drag with. */
void brake_capacity(const struct brake_model *m, const double pressure_Pa[WHEELS],
                    double capacity_Nm[WHEELS]);

#endif

/* The best a car could do on its tyres, by statics: every wheel at the peak of its own friction
 * curve, at the load that the deceleration itself makes. */
#ifndef SKIDPAD_TESTS_ECU_OPTIMUM_H
#define SKIDPAD_TESTS_ECU_OPTIMUM_H

#include "target/model/lumped15/lumped15.h"

/* Deceleration at a speed, air drag included; friction of the left and right side. */
double optimum_mps2(const struct lumped15_model *m, double left, double right, double speed_mps);
/* Mean deceleration between two speeds: their difference over the time it takes. */
double optimum_mean_mps2(const struct lumped15_model *m, double friction, double from_mps,
                         double to_mps);

#endif

/* The [UNITS] section of a .tir file: what its numbers are multiplied by to be SI. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_UNITS_H
#define SKIDPAD_MODEL_TYRE_TYRE_UNITS_H

#include "target/model/tyre/tir.h"

#include <stdbool.h>

struct tyre_units {
    double length_m, force_N, angle_rad, mass_kg, time_s, pressure_Pa;
};

/* Fills all factors; a unit that is not known becomes a message. Absent units are SI. */
void tyre_units_read(struct tir *tir, struct tyre_units *units, struct tir_report *report);

/* Factor to SI of a key of tyre_model.h; 1 for dimensionless coefficients. */
double tyre_units_scale(const struct tyre_units *units, const char *key);
bool tyre_units_dimensional(const char *key);

#endif

/* The section `brake: hydraulics:` of a vehicle file, docs/vehicle-file.md. */
#ifndef SKIDPAD_MODEL_HYDRAULICS_LOAD_H
#define SKIDPAD_MODEL_HYDRAULICS_LOAD_H

#include "shared/config/config.h"
#include "target/model/hydraulics.h"

/* A mid-size car with a diagonal split. */
void hydraulics_defaults(struct hydraulics_model *m);
/* Kinematic viscosity by Walther's equation through the values at -40 and 100 degC. */
double hydraulics_viscosity(const double at_m2ps[2], double degC);
/* n is NULL where the car has none. */
void hydraulics_load(const struct cfg_node *n, struct hydraulics_model *m);

#endif

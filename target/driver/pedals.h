/* Pedals, clutch and gear for a longitudinal force, docs/driver.md (D-7), (D-8). */
#ifndef SKIDPAD_DRIVER_PEDALS_H
#define SKIDPAD_DRIVER_PEDALS_H

#include "target/driver/position.h"

/* need_N is what the tyres shall give in all. */
void pedals_step(const struct position_model *m, struct position_state *s,
                 const struct plant_out *now, double need_N, double dt_s, struct plant_in *in);

#endif

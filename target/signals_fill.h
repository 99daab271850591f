/* The record of all signals, filled from what the loop holds. */
#ifndef SKIDPAD_TARGET_SIGNALS_FILL_H
#define SKIDPAD_TARGET_SIGNALS_FILL_H

#include "shared/wire/signals.h"
#include "target/model/plant.h"
#include "target/model/sensors.h"

void signals_fill(struct signals *record, const struct plant_in *in, const struct plant_out *p,
                  const struct sensors_out *s);

/* The inputs of a recorded tick. */
void signals_inputs(const struct signals *record, struct plant_in *in);

#endif

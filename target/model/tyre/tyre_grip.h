/* What a tyre can do at its load, whatever its slip: the car needs it before it knows the slips. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_GRIP_H
#define SKIDPAD_MODEL_TYRE_TYRE_GRIP_H

#include "target/model/tyre/tyre.h"

struct tyre_grip {
    double stiff_x_N[WHEELS], stiff_y_N[WHEELS];
    double relax_x_m[WHEELS], relax_y_m[WHEELS];
    double peak_x_N[WHEELS], peak_y_N[WHEELS];
};

/* Of in, the slips do not matter. */
void tyre_grip(const struct tyre_set *set, const struct tyre_in *in, struct tyre_grip *out);

#endif

/* Torque requests of the unit on their way into the plant: the engine follows one while its frame
 * is young. Pure; the real-time thread calls it. */
#ifndef SKIDPAD_TARGET_TORQUE_IN_H
#define SKIDPAD_TARGET_TORQUE_IN_H

#include "target/model/plant.h"

#include <stdbool.h>

/* An engine control lets go of a request that is not repeated: ten cycles of a usual frame. */
#define TORQUE_AGE_MOST_S 0.1

struct torque_request {
    double limit_Nm, raise_Nm;
    bool limit, raise;
    double age_s; /* of the frame; negative: none has come */
};

/* Into in->engine_...; a request that is old, or no number, is none. */
void torque_take(const struct torque_request *r, struct plant_in *in);

#endif

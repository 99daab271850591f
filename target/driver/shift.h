/* Gear and clutch of a driver, docs/driver.md (D-8). */
#ifndef SKIDPAD_DRIVER_SHIFT_H
#define SKIDPAD_DRIVER_SHIFT_H

#include "target/model/driveline.h"

struct shift_state {
    double clutch_s; /* time until the clutch is closed again */
    int32_t gear;
    int32_t reserved;
};

/* Writes gear and clutch of *in. keep_gear: this one always; 0: shifts. */
void shift_step(const struct driveline_model *d, int32_t keep_gear, struct shift_state *s,
                const struct plant_out *now, double throttle, double dt_s, struct plant_in *in);
/* Of a forward gear; the first one's for any other. */
double shift_ratio(const struct driveline_model *d, int32_t gear);

#endif

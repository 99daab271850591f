/* Where the pressures of a car come from: its hydraulics if it has them and they are asked for,
 * else the simple brake. docs/hydraulics.md */
#ifndef SKIDPAD_MODEL_BRAKES_H
#define SKIDPAD_MODEL_BRAKES_H

#include "target/model/brake.h"
#include "target/model/hydraulics.h"

#include <stdbool.h>

/* What pedal and master cylinder show; pedal_* are 0 without hydraulics. */
struct brakes_seen {
    double master_Pa[CIRCUITS], pedal_m, pedal_N;
};

/* Whether the hydraulics make the pressures. */
static inline bool brakes_hydraulic(const struct hydraulics_model *h, const struct plant_in *in)
{
    return h->on && in->brake != PLANT_BRAKE_PRESSURES;
}

/* Pressures at the end of the step; without them in the loop the calipers stay filled for them. */
void brakes_step(const struct brake_model *b, const struct hydraulics_model *h,
                 const struct plant_in *in, double dt_s, struct hydraulics_state *s,
                 double pressure_Pa[WHEELS]);
void brakes_see(const struct brake_model *b, const struct hydraulics_model *h,
                const struct hydraulics_state *s, const struct plant_in *in,
                struct brakes_seen *seen);
/* Rates for a reference solver, as brake_deriv(); *ds is written with hydraulics only. */
void brakes_rates(const struct brake_model *b, const struct hydraulics_model *h,
                  const struct hydraulics_state *s, const struct plant_in *in, double least_s,
                  double pressure_Pa[WHEELS], double rate_Paps[WHEELS],
                  struct hydraulics_state *ds);

#endif

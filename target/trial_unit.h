/* Which control unit drives along with a car. */
#ifndef SKIDPAD_TARGET_TRIAL_UNIT_H
#define SKIDPAD_TARGET_TRIAL_UNIT_H

#include "target/scenario/scenario_load.h"
#include "target/trial_loop.h"

/* The first of them that says something counts; if none does: the car's unit, where there is one.
 * The car's unit is ecu/NAME.yaml beside the folder of its file NAME.yaml, its bus
 * can/skidpad_chassis.yaml there. Returns 0, or -ENOENT after a message if a unit that was asked
 * for is not there. */
int trial_unit_choose(const struct scenario_unit *first, const struct scenario_unit *second,
                      const char *vehicle, struct trial_unit_files *files);

#endif

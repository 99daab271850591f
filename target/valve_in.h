/* Currents of valves and pump from the unit on their way into the plant. Each frame gives for every
 * coil a current and, with pulses, how long it is on from the frame's arrival; then it is off until
 * the next one. Pure; the real-time thread calls it. */
#ifndef SKIDPAD_TARGET_VALVE_IN_H
#define SKIDPAD_TARGET_VALVE_IN_H

#include "target/model/plant.h"

#include <stdbool.h>

/* What the unit asks for, as received. */
struct valve_request {
    struct plant_valves current; /* shares of full; beyond 0..1 they are limited */
    double inlet_on_s[WHEELS], outlet_on_s[WHEELS];
};

/* What acts at an age of the frame. An old one, beyond age_most_s, or one that the unit does not
 * stand by (valid false) leaves all valves at rest. Returns whether they are. */
bool valve_take(const struct valve_request *r, bool pulses, bool valid, double age_s,
                double age_most_s, struct plant_valves *out);

#endif

/* Pressures from the unit on their way into the plant: each is checked for its age, its range and
 * how fast it changes. Pure; the real-time thread calls it. */
#ifndef SKIDPAD_TARGET_PRESSURE_IN_H
#define SKIDPAD_TARGET_PRESSURE_IN_H

#include "target/model/wheels.h"

#include <stdbool.h>
#include <stdint.h>

struct pressure_rule {
    double most_Pa;   /* beyond is taken for wrong and limited */
    double rise_Paps; /* the ramp that acts, up and down; steps from frame to frame that are steeper
                         are violations */
    double age_most_s; /* older ones are held and counted */
};

/* What was wrong, for each wheel counted. */
enum pressure_violation { PRESSURE_OLD, PRESSURE_RANGE, PRESSURE_RAMP, PRESSURE_VIOLATIONS };

struct pressure_state {
    double held_Pa[WHEELS];  /* to act now; of the driver's wheels: what acted in the tick before */
    double asked_Pa[WHEELS]; /* by the last frame */
    double age_s, since_s;   /* of that frame; between it and the one before */
    uint32_t count[PRESSURE_VIOLATIONS][WHEELS];
    uint32_t now[PRESSURE_VIOLATIONS]; /* bit i: wheel i, in this tick */
    uint32_t driver;                   /* bit i: the unit leaves wheel i to the driver */
};

void pressure_defaults(struct pressure_rule *r);
void pressure_reset(struct pressure_state *s, const double now_Pa[WHEELS]);
/* Takes what the unit asks for into s->held_Pa. Where the unit does not control (valid is its own
 * word for each wheel) its valves are at rest: the driver makes the pressure, s->driver says so.
 * When the unit takes such a wheel, it goes on from acting_Pa, the pressures that act. Returns the
 * kinds of violations that began in this tick, a bit each. */
uint32_t pressure_take(const struct pressure_rule *r, struct pressure_state *s,
                       const double asked_Pa[WHEELS], const bool valid[WHEELS],
                       const double acting_Pa[WHEELS], double age_s, double step_s);
const char *pressure_violation_name(int kind);

#endif

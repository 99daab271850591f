/* Supply and ignition of the unit under test over a run, as its bench file says: steps in their
 * order, each for a time or until something has happened. What they set are inputs like a pedal:
 * recorded in the log, sent to the unit in a frame. docs/diagnosis.md has the keys. */
#ifndef SKIDPAD_SCENARIO_SEQUENCE_H
#define SKIDPAD_SCENARIO_SEQUENCE_H

#include "target/scenario/expr.h"

enum { SEQUENCE_STEPS = 32 };

/* Terminals as the frame Power has them. */
enum sequence_terminal { TERMINAL_OFF, TERMINAL_ACCESSORY, TERMINAL_ON, TERMINAL_START };

struct sequence_step {
    int32_t terminal;  /* enum sequence_terminal */
    int32_t has_until; /* lasts until the condition holds, but no longer than for_s */
    double supply_V;
    double for_s; /* <= 0: for ever */
    struct expr until;
};

/* Const once loaded. */
struct sequence {
    int count; /* at least 1 */
    struct sequence_step step[SEQUENCE_STEPS];
};

struct sequence_state {
    double in_step_s;
    int32_t step, reserved;
};

/* Ignition on from the start, 13.8 V. */
void sequence_default(struct sequence *q);

const char *sequence_terminal_name(int terminal);

/* Once a tick, before the frames are sent: what holds in this tick goes into the signals
 * power_terminal and power_supply_V; the other signals are those of the tick before. Returns
 * whether a step began, the first one included. */
bool sequence_update(const struct sequence *q, struct sequence_state *s, double step_s,
                     struct signals *now);

#endif

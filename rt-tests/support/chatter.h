/* Does a numerical oscillation go from tick to tick? An unstable or badly damped step shows as
 * second differences that change their sign at every tick; a car's own motion does not. */
#ifndef SKIDPAD_TESTS_CHATTER_H
#define SKIDPAD_TESTS_CHATTER_H

#include "target/model/lumped15/lumped15.h"

enum { CHATTER_SIGNALS = 2 * WHEELS + 1 }; /* spins, loads, rack */

struct chatter {
    double last[CHATTER_SIGNALS], before[CHATTER_SIGNALS], bend[CHATTER_SIGNALS];
    int ticks, run[CHATTER_SIGNALS];
    int longest;      /* ticks in a row with a changing sign */
    const char *what; /* the signal of the longest */
};

void chatter_begin(struct chatter *c);
/* After each step. Changes below 0.02 rad/s, 20 N and 0.5 mm/s are not counted. */
void chatter_add(struct chatter *c, const struct lumped15_state *s);

#endif

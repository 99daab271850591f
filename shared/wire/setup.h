/* The set-up of a car that a person may change while it drives, made from setup.def. */
#ifndef SKIDPAD_WIRE_SETUP_H
#define SKIDPAD_WIRE_SETUP_H

#include "shared/wire/signals.h"

enum setup_id {
#define SETUP(name, unit, neutral, low, high, meaning) SETUP_##name,
#include "shared/wire/setup.def"
#undef SETUP
    SETUP_COUNT
};

struct setup {
    double value[SETUP_COUNT]; /* by enum setup_id */
};

struct setup_info {
    const char *name, *unit, *meaning;
    double neutral, low, high;
};

extern const struct setup_info setup_table[SETUP_COUNT];

/* The car as its file has it. */
extern const struct setup setup_neutral;

/* Index of a name, or -1. */
int setup_find(const char *name);
/* To and from the signals setup_NAME. */
void setup_to_signals(const struct setup *s, struct signals *to);
void setup_of_signals(const struct signals *from, struct setup *s);

#endif

/* The set-up of a car that drives: builds the changed car outside real time; the tick that takes
 * the request goes on with it. One change at a time (prepare.h). */
#ifndef SKIDPAD_TARGET_TUNE_H
#define SKIDPAD_TARGET_TUNE_H

#include "shared/base/err.h"
#include "target/offline.h"

struct tune {
    const struct offline *car;
    struct setup now;     /* that of the driving car */
    struct setup wanted;  /* that of the car built last */
    struct vehicle *like; /* the car of the start, to see whether its files have changed; owned */
};

/* Before the loop runs. Returns 0 or -ENOMEM. */
int tune_open(struct tune *t, const struct offline *car);
/* The car with one value changed, by its name without the "setup_"; malloc'ed. Returns 0 or a
 * negative errno with a message. */
int tune_build(struct tune *t, const char *name, double value, struct vehicle **out, struct err *e);
/* The car built last drives now. */
void tune_commit(struct tune *t);
void tune_close(struct tune *t);

#endif

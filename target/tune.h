/* Changes the set-up of a car that drives: builds the changed car outside real time and hands it to
 * the loop, which goes on with it from the next tick. One thread only, but for
 * tune_set_one() and tune_tend(). */
#ifndef SKIDPAD_TARGET_TUNE_H
#define SKIDPAD_TARGET_TUNE_H

#include "shared/base/err.h"
#include "target/loop.h"

#include <pthread.h>

struct tune {
    struct loop *loop;
    struct setup now;     /* as asked for last */
    pthread_mutex_t lock; /* of tune_set_one() and tune_tend() */
    struct vehicle *like; /* the car of the start, to see whether its files have changed; owned */
};

/* Before the loop runs. Returns 0 or -ENOMEM. */
int tune_open(struct tune *t, struct loop *loop);
/* Several values at once; the others stay. Returns 0 or a negative errno with a message. */
int tune_set(struct tune *t, const struct setup *wanted, struct err *e);
/* One value, by its name without the "setup_". */
int tune_set_one(struct tune *t, const char *name, double value, struct err *e);
/* Now and then: frees what the loop is done with, so that it can take what was asked for last. */
void tune_tend(struct tune *t);
/* After the loop has ended. */
void tune_close(struct tune *t);

#endif

/* Runs a log again: same car, same recorded inputs, so the same bits, or the first place where not.
 */
#ifndef SKIDPAD_TARGET_REPLAY_H
#define SKIDPAD_TARGET_REPLAY_H

#include "shared/base/err.h"
#include "shared/wire/mdf_read.h"
#include "target/offline.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_TEXT = 64 };

struct replay_result {
    uint64_t ticks, steps;                      /* compared */
    bool differs;                               /* then: */
    int64_t tick;                               /* the first one that differs, */
    const char *signal;                         /* the first signal of the table that does, */
    char logged[REPLAY_TEXT], now[REPLAY_TEXT]; /* and both values */
    bool cut;                                   /* records were lost: compared up to there */
    uint64_t hash;                              /* of the state at the end */
};

/* The car and scenario that the log names; scenario and vehicle, if not NULL, instead. Messages of
 * the files go to stderr. Returns 0 or a negative errno with a message. */
int replay_open(struct mdf_reader *log, const char *scenario, const char *vehicle,
                struct offline *car, struct err *e);
/* Sees the car after each tick; NULL functions are not called. */
struct replay_viewer {
    void (*tick)(void *self, const struct offline *car);
    void *self;
};

/* Compares every record. Returns 0 or a negative errno with a message. */
int replay_run(struct mdf_reader *log, struct offline *car, const struct replay_viewer *viewer,
               struct replay_result *result, struct err *e);

#endif

/* What was published lately, so that a host that missed some can have it again: the newest records
 * in memory, older ones from the run's log. For the publish thread. */
#ifndef SKIDPAD_TARGET_PUBLISH_HISTORY_H
#define SKIDPAD_TARGET_PUBLISH_HISTORY_H

#include "shared/wire/mdf_read.h"
#include "target/loop.h"

struct publish_history {
    struct loop_sample *kept; /* slot number % capacity */
    size_t capacity;
    int64_t every;           /* ticks between published records */
    const char *log;         /* path; "": none */
    struct mdf_reader *file; /* the log, read up to here: */
    uint64_t number;         /* the next published record in it */
    int64_t due_tick;
    uint64_t gone; /* numbers below are not to be had: the log lost records, or there is none */
};

/* log must stay. Returns 0 or -ENOMEM. */
int publish_history_init(struct publish_history *h, int64_t every, const char *log);
void publish_history_free(struct publish_history *h);
void publish_history_put(struct publish_history *h, const struct loop_sample *s);
/* Whether the record is to be had. */
bool publish_history_get(struct publish_history *h, uint64_t number, struct loop_record *out);

#endif

/* What was published lately, so that a host that missed some can have it again: the newest records
 * in memory, older ones from the run's log. For the publish thread. */
#ifndef SKIDPAD_TARGET_PUBLISH_HISTORY_H
#define SKIDPAD_TARGET_PUBLISH_HISTORY_H

#include "shared/wire/mdf_read.h"
#include "target/loop.h"

/* HISTORY_AGAIN: records read from the log that stay at hand, since an answer may be lost, too.
 * HISTORY_READ: records read in one call at most, so that a long log does not hold up what is
 * published meanwhile. HISTORY_DRY: calls that wait for a record which the log does not have yet.
 */
enum { HISTORY_AGAIN = 256, HISTORY_READ = 8192, HISTORY_DRY = 100 };

struct publish_history {
    struct loop_sample *kept; /* slot number % capacity */
    size_t capacity;
    struct loop_sample *again; /* the last ones from the log: slot number % HISTORY_AGAIN */
    int64_t every;             /* ticks between published records */
    const char *log;           /* path; "": none */
    struct mdf_reader *file;   /* the log, read up to here: */
    uint64_t number;           /* the next published record in it */
    int64_t due_tick;
    int dry;       /* calls in a row that found the end of the log */
    uint64_t gone; /* numbers below are not to be had: the log lost records, or there is none */
};

/* log must stay. Returns 0 or -ENOMEM; to be freed in both cases. */
int publish_history_init(struct publish_history *h, int64_t every, const char *log);
void publish_history_free(struct publish_history *h);
void publish_history_put(struct publish_history *h, const struct loop_sample *s);

enum publish_found { PUBLISH_GONE, PUBLISH_LATER, PUBLISH_FOUND };
/* PUBLISH_LATER: it is looked for, and the same question again goes on with that. */
enum publish_found publish_history_get(struct publish_history *h, uint64_t number,
                                       struct loop_record *out);

#endif

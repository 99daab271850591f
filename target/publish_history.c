#include "target/publish_history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_BYTES = 4 << 20 }; /* locked memory: a few seconds at 1 kHz */

/* All numbers as high as no record's. */
static struct loop_sample *samples(size_t count)
{
    struct loop_sample *s = malloc(count * sizeof *s);
    if (s)
        memset(s, 0xff, count * sizeof *s);
    return s;
}

int publish_history_init(struct publish_history *h, int64_t every, const char *log)
{
    memset(h, 0, sizeof *h);
    h->capacity = HISTORY_BYTES / sizeof *h->kept;
    h->kept = samples(h->capacity);
    h->again = samples(HISTORY_AGAIN);
    h->every = every;
    h->log = log;
    return h->kept && h->again ? 0 : -ENOMEM;
}

void publish_history_free(struct publish_history *h)
{
    free(h->kept);
    free(h->again);
    mdf_read_close(h->file);
    memset(h, 0, sizeof *h);
}

void publish_history_put(struct publish_history *h, const struct loop_sample *s)
{
    h->kept[s->number % h->capacity] = *s;
}

static int open_log(struct publish_history *h)
{
    struct err e;
    mdf_read_close(h->file);
    h->number = 0;
    h->due_tick = 0;
    return mdf_read_open(h->log, &h->file, &e);
}

/* Goes on in the log to the record of that number, by the rule that the loop publishes by. */
static enum publish_found walk(struct publish_history *h, uint64_t number)
{
    const struct mdf_read_group *group = NULL;
    const void *record = NULL;
    struct err e;
    for (int n = 0; n < HISTORY_READ; n++) {
        int rc = mdf_read_next(h->file, &group, &record, &e);
        if (rc < 0)
            return PUBLISH_GONE;
        if (rc == 0) {
            if (mdf_read_grow(h->file))
                continue;
            /* The log writes a tenth of a second later than the loop publishes. */
            return ++h->dry > HISTORY_DRY ? PUBLISH_GONE : PUBLISH_LATER;
        }
        struct loop_sample *s = &h->again[h->number % HISTORY_AGAIN];
        if (group != &mdf_read_file(h->file)->groups[0] || group->data_bytes != sizeof s->record)
            continue;
        int64_t tick;
        uint32_t dropped;
        memcpy(&tick, record, sizeof tick);
        memcpy(&dropped, (const char *)record + offsetof(struct loop_record, dropped),
               sizeof dropped);
        if (dropped > 0)
            return PUBLISH_GONE; /* which record has which number is not known from here on */
        if (tick < h->due_tick)
            continue;
        h->due_tick = tick + h->every;
        memcpy(&s->record, record, sizeof s->record);
        s->number = h->number++;
        h->dry = 0;
        if (s->number == number)
            return PUBLISH_FOUND;
    }
    return PUBLISH_LATER;
}

enum publish_found publish_history_get(struct publish_history *h, uint64_t number,
                                       struct loop_record *out)
{
    const struct loop_sample *kept = &h->kept[number % h->capacity];
    const struct loop_sample *again = &h->again[number % HISTORY_AGAIN];
    if (kept->number != number)
        kept = again;
    enum publish_found found = kept->number == number ? PUBLISH_FOUND : PUBLISH_GONE;
    if (found != PUBLISH_FOUND && number >= h->gone && h->log[0] != '\0' &&
        ((h->file && number >= h->number) || open_log(h) == 0))
        found = walk(h, number);
    if (found == PUBLISH_FOUND)
        *out = kept->record;
    else if (found == PUBLISH_GONE && number >= h->gone)
        h->gone = number + 1;
    return found;
}

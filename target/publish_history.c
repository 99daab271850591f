#include "target/publish_history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_BYTES = 4 << 20 }; /* locked memory: a few seconds at 1 kHz */

int publish_history_init(struct publish_history *h, int64_t every, const char *log)
{
    memset(h, 0, sizeof *h);
    h->capacity = HISTORY_BYTES / sizeof *h->kept;
    h->kept = malloc(h->capacity * sizeof *h->kept);
    h->every = every;
    h->log = log;
    if (!h->kept)
        return -ENOMEM;
    memset(h->kept, 0xff, h->capacity * sizeof *h->kept); /* no number is that high */
    return 0;
}

void publish_history_free(struct publish_history *h)
{
    free(h->kept);
    mdf_read_close(h->file);
    memset(h, 0, sizeof *h);
}

void publish_history_put(struct publish_history *h, const struct loop_sample *s)
{
    h->kept[s->number % h->capacity] = *s;
}

static void close_log(struct publish_history *h)
{
    mdf_read_close(h->file);
    h->file = NULL;
    h->number = 0;
    h->due_tick = 0;
}

/* Goes on in the log to the record of that number, by the rule that the loop publishes by. 1:
 * found, 0: not in what was there when the log was opened, negative: the log cannot help. */
static int walk(struct publish_history *h, uint64_t number, struct loop_record *out)
{
    const struct mdf_read_group *group = NULL;
    const void *record = NULL;
    struct err e;
    int rc;
    while ((rc = mdf_read_next(h->file, &group, &record, &e)) > 0) {
        if (group != &mdf_read_file(h->file)->groups[0] || group->data_bytes != sizeof *out)
            continue;
        memcpy(out, record, sizeof *out);
        if (out->dropped > 0)
            return -ENODATA; /* which record has which number is not known from here on */
        if (out->tick < h->due_tick)
            continue;
        h->due_tick = out->tick + h->every;
        if (h->number++ == number)
            return 1;
    }
    return rc;
}

bool publish_history_get(struct publish_history *h, uint64_t number, struct loop_record *out)
{
    const struct loop_sample *kept = &h->kept[number % h->capacity];
    struct err e;
    if (kept->number == number) {
        *out = kept->record;
        return true;
    }
    if (number < h->gone)
        return false;
    for (int again = 0; again < 2 && h->log[0] != '\0'; again++) {
        if (h->file && number < h->number)
            close_log(h);
        if (!h->file && mdf_read_open(h->log, &h->file, &e)) {
            h->file = NULL;
            break;
        }
        int rc = walk(h, number, out);
        if (rc > 0)
            return true;
        close_log(h); /* it has grown since: once more from its beginning */
        if (rc < 0)
            break;
    }
    h->gone = number + 1;
    return false;
}

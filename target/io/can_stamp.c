#include "target/io/can_stamp.h"

#include "shared/base/time.h"

#include <stdlib.h>

/* The two clocks run at one rate: their difference changes only when the time of day is set. Two
 * readings of it differ by less than this, unless something came in between. */
static const int64_t reading_ns = 100 * NS_PER_US;
/* Reading the queue takes a little time after the moment it is said to happen at. */
static const int64_t ahead_most_ns = NS_PER_MS;
/* A stamp is made before the frame is queued, and a busy kernel takes its time in between. */
static const int64_t queueing_ns = 100 * NS_PER_MS;

int64_t can_stamp_ahead_ns(int64_t (*clock_ns)(clockid_t clock))
{
    enum { tries = 3 };
    static const int64_t narrow_ns = 2 * NS_PER_US; /* undisturbed */
    int64_t best_ns = INT64_MAX, ahead_ns = 0;
    /* The narrowest of a few: an interruption between the readings would spoil it. */
    for (int i = 0; i < tries && best_ns > narrow_ns; i++) {
        const int64_t before_ns = clock_ns(CLOCK_MONOTONIC);
        const int64_t day_ns = clock_ns(CLOCK_REALTIME);
        const int64_t took_ns = clock_ns(CLOCK_MONOTONIC) - before_ns;
        if (took_ns < best_ns) {
            best_ns = took_ns;
            ahead_ns = day_ns - before_ns - took_ns / 2;
        }
    }
    return ahead_ns;
}

void can_stamp_begin(struct can_stamp *s, int64_t now_ns, int64_t ahead_ns)
{
    *s = (struct can_stamp){.since_ns = now_ns,
                            .since_ahead_ns = ahead_ns,
                            .looked_ns = now_ns,
                            .look_ahead_ns = ahead_ns,
                            .read_ahead_ns = ahead_ns};
}

void can_stamp_look(struct can_stamp *s, int64_t now_ns, int64_t ahead_ns)
{
    if (s->empty) {
        s->since_ns = s->looked_ns;
        s->since_ahead_ns = s->look_ahead_ns;
    }
    s->empty = false;
    s->looked_ns = now_ns;
    s->look_ahead_ns = ahead_ns;
    s->read_ahead_ns = ahead_ns;
}

void can_stamp_looked(struct can_stamp *s, int64_t ahead_ns, bool empty)
{
    s->read_ahead_ns = ahead_ns;
    s->empty = empty;
}

bool can_stamp_of(const struct can_stamp *s, int64_t day_ns, int64_t *time_ns)
{
    const int64_t ns = day_ns - s->read_ahead_ns;
    *time_ns = s->looked_ns;
    if (llabs(s->read_ahead_ns - s->since_ahead_ns) > reading_ns)
        return false; /* the time of day was set, before or after the stamp */
    if (ns > s->looked_ns + ahead_most_ns || ns < s->since_ns - queueing_ns)
        return false;
    *time_ns = ns > s->since_ns ? ns : s->since_ns;
    return true;
}

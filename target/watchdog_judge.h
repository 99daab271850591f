/* Whether a run has stopped ticking. Pure. */
#ifndef SKIDPAD_TARGET_WATCHDOG_JUDGE_H
#define SKIDPAD_TARGET_WATCHDOG_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

struct watchdog_judge {
    int64_t timeout_ns;
    int64_t every_ns; /* between two looks */
    int64_t looked_ns, tick;
    int64_t silent_ns; /* watched without a new tick */
    bool started;
};

/* How often to look, so that silence is noticed within a quarter of the time-out after it. */
int64_t watchdog_judge_every_ns(int64_t timeout_ns);

/* A look at the tick counter. Returns true once no tick has come for the time-out. Time in which
 * the watchdog did not look (the whole machine stood still) counts as one look only: the run did
 * not get to run either. */
bool watchdog_judge_look(struct watchdog_judge *j, int64_t tick, int64_t now_ns);

#endif

/* The run's side of the watchdog: starts skidpad-watchdog, which outlives the run, and says when
 * the run has ended in order. docs/watchdog.md. Not for the real-time thread, which only writes
 * into the shared memory (watchdog_page.h). */
#ifndef SKIDPAD_TARGET_WATCHDOG_H
#define SKIDPAD_TARGET_WATCHDOG_H

#include "shared/base/err.h"
#include "target/can_link.h"

struct watchdog {
    struct watchdog_page *page; /* NULL: there is none */
    int descriptor;             /* of that memory */
    pid_t pid;                  /* 0: not started */
    uint64_t looks;             /* of the watchdog, when it was last seen to look */
    int64_t looked_ns;          /* then */
    bool lost;                  /* it ended before the run, or stood still */
};

/* The shared memory, before the buses are opened: their ports look there. Returns 0 or a negative
 * errno with a message. */
int watchdog_prepare(struct watchdog *w, const struct watchdog_plan *plan, struct err *e);
/* Starts it, with the buses open, and waits until it is ready. */
int watchdog_start(struct watchdog *w, struct can_link *link, struct err *e);
/* The first tick comes now: from here on ticks are expected. */
void watchdog_arm(struct watchdog *w);
/* Now and then: false once, if it has ended by itself. */
bool watchdog_tend(struct watchdog *w);
/* No more ticks. failed: not in order, so that the watchdog acts. */
void watchdog_release(struct watchdog *w, bool failed);
/* Waits for its end, unless it has acted; one that hangs is killed and counts as lost. */
void watchdog_finish(struct watchdog *w);
void watchdog_close(struct watchdog *w);

#endif

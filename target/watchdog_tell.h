/* What a watchdog says, in a thread of its own: a terminal that was stopped, or a disk that does
 * not answer, must not keep safe frames from being sent. */
#ifndef SKIDPAD_TARGET_WATCHDOG_TELL_H
#define SKIDPAD_TARGET_WATCHDOG_TELL_H

#include "target/watchdog_page.h"

#include <pthread.h>
#include <semaphore.h>

/* What it did and found. Filled by the thread that acts, before watchdog_tell(). */
struct watchdog_deed {
    bool killed;           /* the run's process is gone */
    int64_t tick;          /* the last one */
    int64_t silent_ns;     /* without a tick */
    uint32_t in_gateway;   /* the run's frames that were still in its gateway */
    int64_t socket_bytes;  /* and in the socket, of datagrams; < 0: not known */
    char interface[32];    /* whose queue is looked at; empty: none */
    uint64_t sent, failed; /* at the end: safe frames that left, and that did not */
    int64_t for_ns;        /* at the end: over this time */
};

struct watchdog_teller {
    const struct watchdog_plan *plan;
    struct watchdog_deed deed[2]; /* when it acts, and at the end */
    int told;
    sem_t wake, done;
    pthread_t thread;
};

/* Starts the thread. Before the caller becomes a real-time thread. Returns 0 or an errno. */
int watchdog_teller_start(struct watchdog_teller *t, const struct watchdog_plan *plan);
/* Hands on, at once; the first time when it acts, the second time at the end. */
void watchdog_tell(struct watchdog_teller *t, const struct watchdog_deed *deed);
/* Gives it a second to get everything out. */
void watchdog_teller_finish(struct watchdog_teller *t);

#endif

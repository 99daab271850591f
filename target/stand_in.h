/* Starts the stand-in unit, skidpad-ecu, as a process beside a run. */
#ifndef SKIDPAD_TARGET_STAND_IN_H
#define SKIDPAD_TARGET_STAND_IN_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stand_in {
    pid_t pid;  /* 0: none */
    bool ended; /* by itself or killed, before stand_in_stop() */
    int status; /* then: of waitpid() */
    int held;   /* a byte into this lets it begin; 0: it has begun */
};

/* The unit's end of the bus whose bench end this is: UDP with the ports exchanged, the same
 * interface (two sockets of one interface hear each other), the other one of two virtual
 * controllers of RT-Socket-CAN, or the default. fd: there are FD frames on it. */
int stand_in_transport(const char *bench_end, bool fd, char *text, size_t size, struct err *e);

/* What the process is started with. */
struct stand_in_setup {
    const char *params, *bus;
    const char *can; /* the unit's end of the bus */
    int priority;    /* SCHED_FIFO; 0: an ordinary process */
    bool held;       /* begins with stand_in_release() only */
};

/* Before the real-time thread and its locked memory exist. The process ends with this one. */
int stand_in_start(struct stand_in *s, const struct stand_in_setup *setup, struct err *e);
/* Switches on a unit that was held. */
void stand_in_release(struct stand_in *s);
/* Whether it still runs. */
int stand_in_alive(struct stand_in *s);
/* How one that ended did so: "ended with status 2", "killed by signal 9 (Killed)". */
void stand_in_end_text(const struct stand_in *s, char *text, size_t size);
void stand_in_stop(struct stand_in *s);

#endif

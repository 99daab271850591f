/* A real-time run from start to summary: the threads around the loop. */
#ifndef SKIDPAD_TARGET_RUN_H
#define SKIDPAD_TARGET_RUN_H

#include "target/bench_load.h"
#include "target/control.h"
#include "target/log_parameters.h"
#include "target/monitor.h"
#include "target/publish.h"
#include "target/run_log.h"
#include "target/serve.h"
#include "target/stand_in.h"
#include "target/watchdog.h"

#include <semaphore.h>

/* RUN_MISSED: something is missing, deadlines or records. */
enum { RUN_CLEAN = 0, RUN_MISSED = 1, RUN_BAD_INPUT = 2, RUN_FAULT = 3, RUN_WHY = 512 };

struct run {
    struct bench *bench;
    const struct rt_ops *core; /* set before run_open() */
    struct serve *serve;       /* likewise; NULL: this run is the only one */
    struct offline car;
    struct loop loop;
    struct rt rt;
    struct rt_thread thread;
    struct run_log log;
    struct publish publish;
    struct control control;
    struct commands commands;
    struct stand_in stand_in;
    struct watchdog watchdog;
    struct monitor monitor;
    /* Trouble codes of the stand-in: what they mean, and which there are (describe.h); NULL:
     * unknown. */
    const char *(*code_name)(uint32_t code);
    uint32_t (*code_at)(int index);
    struct err start_error; /* of the real-time thread */
    int start_status;
    int signals;          /* descriptor that tells of SIGINT, SIGTERM, SIGHUP */
    bool strict_syscalls; /* the filter of rt_filter.h */
    sem_t go;             /* everything is there: the real-time thread may begin */
    bool memory_locked;
    bool interrupted;                /* by a signal */
    char parameters[LOG_PARAMETERS]; /* of the scenario, for log and host */
    double wall_s;                   /* from the first tick to the end */
    atomic_bool ended;               /* the loop has returned */
    bool hangs; /* the start of the real-time thread never ends; start_error says why */
};

/* Everything up to the first tick. Messages go to stderr. Returns 0 or RUN_BAD_INPUT; to be closed
 * in both cases. */
int run_open(struct run *r, struct bench *bench, const char *bench_path);
/* Until the end, SIGINT or SIGTERM; a status line on a terminal. Returns the exit status. */
int run_wait(struct run *r);
/* The exit status of a run that has ended, and in a line why it is not RUN_CLEAN; why may be NULL.
 */
int run_status(const struct run *r, char *why, size_t size);
/* Whether it was in a safe state of that cause, enum loop_cause, at any time. */
bool run_had_cause(const struct run *r, uint32_t cause);
/* Whether it missed more deadlines than the bench allows, or left real time. */
bool run_was_late(const struct run *r);
/* Whether its stand-in unit ended before it, and nobody had interrupted both. */
bool run_unit_ended(const struct run *r);
/* Whether its log or its log of frames is not complete. */
bool run_lost_records(const struct run *r);
void run_print_summary(const struct run *r, FILE *to);
/* Also ends the threads of a run that did not get as far as run_wait(). */
void run_close(struct run *r);

#endif

/* Manoeuvres in real time: each drive is a run of a bench, judged by its log. */
#ifndef SKIDPAD_TARGET_TRIAL_ON_BENCH_H
#define SKIDPAD_TARGET_TRIAL_ON_BENCH_H

#include "target/trial.h"

struct trial_on_bench {
    struct trial_bench bench;        /* first */
    const char *path;                /* of the bench file */
    const char *logs;                /* folder of the logs */
    const struct trial_units *units; /* of runs on the simulated clock */
    int core;                        /* enum bench_core; -1: as the bench says */
    bool allow_nonrt;                /* then deadlines are told, not judged */
    int drives;                      /* so far; numbers the logs */
    bool interrupted;                /* by a signal: no more drives */
    bool lost;                       /* the last drive was not recorded completely */
    int64_t over_tick; /* of the last drive: its first tick that is none of the manoeuvre */
};

void trial_on_bench_init(struct trial_on_bench *b);

#endif

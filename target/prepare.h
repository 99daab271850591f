/* What a request needs before the tick can carry it out, and what takes time: a car built with
 * another set-up, a scenario loaded to see whether it can be. A thread of its own does it, since
 * files may lie on a disk that hangs, and nobody's stop may wait for that. One job at a time. */
#ifndef SKIDPAD_TARGET_PREPARE_H
#define SKIDPAD_TARGET_PREPARE_H

#include "target/serve.h"
#include "target/tune.h"

enum prepare_state { PREPARE_IDLE, PREPARE_WANTED, PREPARE_READY };

struct prepare {
    struct tune *tune;   /* NULL: the set-up cannot be changed */
    struct serve *serve; /* NULL: no other scenario */
    pthread_t thread;
    bool started; /* without a thread the job is done where it is asked for */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool made, finish;
    enum prepare_state state;
    /* the job: a value of the set-up, or a scenario */
    bool is_scenario;
    char name[SERVE_NAME];
    double value;
    /* its result */
    int bad; /* 0, or a negative errno with what is wrong */
    struct err error;
    struct vehicle *vehicle; /* with the new set-up */
    char path[BENCH_PATH];   /* of the scenario */
};

/* Returns 0 or a negative errno with a message; to be closed in both cases. */
int prepare_open(struct prepare *p, struct tune *tune, struct serve *serve, bool thread,
                 struct err *e);
void prepare_close(struct prepare *p);

/* Returns 0, or -EBUSY: another job is not over yet. */
int prepare_begin(struct prepare *p, bool is_scenario, const char *name, double value);
/* Whether the job is ready. The results stay, and the next one waits, until prepare_end(). */
bool prepare_is_ready(struct prepare *p);
void prepare_end(struct prepare *p);

#endif

/* A bench that stays: one run after the other, each waits for its start; a person chooses the
 * scenario in between. Every run is a process of its own, so that it begins with clean memory,
 * locks and threads, whatever the one before went through. */
#ifndef SKIDPAD_TARGET_SERVE_H
#define SKIDPAD_TARGET_SERVE_H

#include "shared/base/err.h"
#include "target/bench_load.h"

#include <pthread.h>
#include <stdbool.h>

enum {
    SERVE_SCENARIOS = 100,
    SERVE_NAME = 64,
    SERVE_STATUSES = 4,
    SERVE_LISTED = 8,
    SERVE_NUMBER = 12, /* bytes that serve_number() may add */
};

/* The scenarios to choose from: those beside the bench file's own. */
struct serve_list {
    char folder[BENCH_PATH];
    int count;
    char name[SERVE_SCENARIOS][SERVE_NAME]; /* without .yaml, sorted */
};

/* What a run tells the one that starts the next. */
struct serve_next {
    char scenario[BENCH_PATH]; /* empty: the same again */
    bool leave;                /* a signal ended it: no further run */
    bool driven;               /* it had ticks: its log stays */
    bool refused;              /* it could not begin; its messages have said why */
};

struct serve {
    struct serve_list list;
    pthread_mutex_t lock;
    struct serve_next next;
};

/* Lists the scenarios beside path. */
void serve_list_of(const char *path, struct serve_list *list);

/* The path of a scenario by its name, if it can be loaded; reads files. Returns 0 or a negative
 * errno with a message. */
int serve_check(const struct serve *s, const char *name, char *path, size_t size, struct err *e);
/* The next run has that one. Any thread but the loop's. */
void serve_commit(struct serve *s, const char *path);

/* "out/a.mf4" of run 3 is "out/a-3.mf4"; the first one keeps its name. */
void serve_number(char *path, size_t size, int run);

/* How the runs of a bench ended, by their status. */
struct serve_tally {
    int runs; /* driven, or failed before that */
    struct {
        int count;
        int run[SERVE_LISTED]; /* the first ones, by number */
    } ended[SERVE_STATUSES];
};

void serve_count(struct serve_tally *t, int run, int status);
/* The worst status. */
int serve_worst(const struct serve_tally *t);
/* "of 3 runs 1 ended with status 1 (run 2)", "3 runs, all clean". */
void serve_tally_text(const struct serve_tally *t, char *text, size_t size);

/* Runs until a signal; one_run() is called in a process of its own with the bench of that run, and
 * returns its exit status. Returns the worst one. A scenario that was chosen and cannot be driven
 * on this bench leads back to the bench's own and does not count; if that one cannot, all ends. */
int serve_runs(struct bench *bench, int (*one_run)(struct bench *bench, struct serve *s),
               struct serve_tally *tally);

#endif

/* The local log of a run: an ordinary thread drains the loop's rings into an MDF file, a text file
 * of missed deadlines and one of all other events. */
#ifndef SKIDPAD_TARGET_RUN_LOG_H
#define SKIDPAD_TARGET_RUN_LOG_H

#include "shared/wire/log_texts.h"
#include "shared/wire/mdf_write.h"
#include "shared/wire/telemetry.h"
#include "target/loop.h"
#include "target/run_info.h"

#include <pthread.h>

enum { RUN_LOG_PATH = 1100 };

/* Who else wants to see what is drained; called by the log's thread. */
struct run_log_tap {
    void *self;
    void (*records)(void *self, const struct loop_record *records, size_t count);
    void (*event)(void *self, const struct loop_event *event, const char *text);
};

/* Something else that this thread writes, in turn with the log. */
struct run_log_also {
    void *self;
    void (*drain)(void *self); /* NULL: nothing */
    int (*sync)(void *self);   /* asks the disk to store it; another thread. 0 or -errno */
};

/* What the thread that stores the log on the disk has met. */
struct run_log_sync {
    pthread_t thread;
    bool started;
    int64_t every_ns; /* 0: off */
    uint64_t count;
    int64_t longest_ns, sum_ns; /* how long the disk took */
    int64_t exposed_ns;         /* the longest time that something written was not yet stored */
};

struct run_log {
    struct loop *loop;
    const struct run_log_tap *tap; /* NULL: nobody */
    struct mdf_writer *mdf;        /* NULL: no log, the rings are drained all the same */
    struct log_texts texts;
    char path[RUN_LOG_PATH];
    pthread_t thread;
    bool started;
    bool kept;                    /* the files have their names */
    atomic_int error;             /* the first of the disk, a negative errno; 0: none */
    atomic_bool finish;           /* the loop has ended: drain and stop */
    uint64_t records, events;     /* taken from the rings */
    uint64_t lost;                /* of both: what the disk did not take */
    char stopped_by[REQUEST_WHO]; /* who asked for the safe state; empty: nobody, or not known */
    struct run_log_also also;
    struct run_log_sync sync;
    int64_t flushed_ns; /* when the last flush ended */
    /* Whatever came before is in the kernel; 0: no log. Others may look at it. */
    _Atomic int64_t covered_ns;
    int64_t gap_ns; /* the longest time that a record was in this process only */
};

/* What the log says about the run, besides the configuration files. */
struct run_log_about {
    struct run_info_about info;
    const struct run_log_tap *tap; /* NULL: none; must outlive the log */
    struct run_log_also also;
    int64_t sync_ns; /* how often the disk is asked to store; 0: never */
};

/* Every so often what has come is handed to the kernel; when the process dies, no more than this is
 * lost, as long as the thread is not kept from running: log->gap_ns says what was kept. */
extern const int64_t run_log_bound_ns;

/* Creates the files (path empty: none), with their folder if that is missing, locked; older ones
 * stay until run_log_start(). Returns 0 or a negative errno with a message. */
int run_log_open(struct run_log *log, struct loop *loop, const char *path,
                 const struct run_log_about *about, struct err *e);
/* Gives the files their names and starts the thread. */
int run_log_start(struct run_log *log, struct err *e);
/* Writes what is left and closes; files that were never started leave nothing behind. */
void run_log_finish(struct run_log *log);

#endif

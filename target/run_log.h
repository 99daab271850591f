/* The local log of a run: an ordinary thread drains the loop's rings into an MDF file, a text file
 * of missed deadlines and one of all other events. */
#ifndef SKIDPAD_TARGET_RUN_LOG_H
#define SKIDPAD_TARGET_RUN_LOG_H

#include "shared/wire/log_texts.h"
#include "shared/wire/mdf_write.h"
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

struct run_log {
    struct loop *loop;
    const struct run_log_tap *tap; /* NULL: nobody */
    struct mdf_writer *mdf;        /* NULL: no log, the rings are drained all the same */
    struct log_texts texts;
    char path[RUN_LOG_PATH];
    pthread_t thread;
    bool started;
    bool told;                /* that the disk ended the log */
    atomic_bool finish;       /* the loop has ended: drain and stop */
    uint64_t records, events; /* taken from the rings */
    uint64_t lost;            /* of both: what the disk did not take */
};

/* What the log says about the run, besides the configuration files. */
struct run_log_about {
    struct run_info_about info;
    const struct run_log_tap *tap; /* NULL: none; must outlive the log */
};

/* Creates the files (path empty: none), with their folder if that is missing, and starts the
 * thread. Returns 0 or a negative errno with a message. */
int run_log_start(struct run_log *log, struct loop *loop, const char *path,
                  const struct run_log_about *about, struct err *e);
/* Writes what is left and closes. */
void run_log_finish(struct run_log *log);

#endif

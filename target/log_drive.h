/* A log of `skidpad run` as a drive: its record, its deadlines, and what it says about itself. */
#ifndef SKIDPAD_TARGET_LOG_DRIVE_H
#define SKIDPAD_TARGET_LOG_DRIVE_H

#include "target/log_end.h"
#include "target/trial.h"

struct log_drive {
    struct drive_record record;
    struct trial_deadlines deadlines;
    uint32_t cause;         /* of the safe state, enum loop_cause */
    double cause_s;         /* when it was entered */
    uint64_t dropped;       /* records that the log has lost */
    char end[LOG_END_TEXT]; /* where a log that is not finished ends; empty: it is */
    char scenario[TRIAL_PATH], vehicle[TRIAL_PATH], car[VEHICLE_NAME], unit[TRIAL_PATH];
    struct parameters given; /* of the scenario, in that run */
    char *scenario_text;     /* the file as it was then, owned; NULL: the log has it not */
    size_t scenario_bytes;
};

/* Returns 0 or a negative errno with a message; to be freed in both cases. Records from until_tick
 * on are no part of the drive (a tester asks the unit afterwards); < 0: all are. */
int log_drive_read(const char *path, int64_t until_tick, struct log_drive *d, struct err *e);
void log_drive_free(struct log_drive *d);

#endif

/* The records of a log of `skidpad run`, as the loop filled them. */
#ifndef SKIDPAD_TARGET_LOG_SIGNALS_H
#define SKIDPAD_TARGET_LOG_SIGNALS_H

#include "shared/base/err.h"
#include "shared/wire/mdf_read.h"
#include "shared/wire/signals.h"

enum { LOG_SIGNALS_MAX = 512 };

/* Where each signal and the tick's own numbers are in a record. */
struct log_columns {
    const struct mdf_read_channel *signal[LOG_SIGNALS_MAX]; /* NULL: the log has it not */
    const struct mdf_read_channel *tick, *release, *wake, *end, *steps, *skipped, *cause, *dropped;
    const char *missing; /* the first one that the log lacks and nothing stands for; NULL: none */
};

/* Returns 0, or -EINVAL with a message if the log is none of a run. */
int log_columns_find(const struct mdf_read_group *ticks, struct log_columns *c, struct err *e);
/* Signals that the log lacks get their neutral value, or 0. */
void log_signals(const struct log_columns *c, const void *record, struct signals *out);

#endif

/* The text files beside the log of a run: NAME.deadlines.txt has a line for each missed deadline,
 * NAME.events.txt one for every other event. For the target's own and for the host's. */
#ifndef SKIDPAD_WIRE_LOG_TEXTS_H
#define SKIDPAD_WIRE_LOG_TEXTS_H

#include "shared/base/err.h"
#include "shared/base/out_file.h"
#include "shared/wire/record.h"

#include <stdio.h>

enum { LOG_TEXT_PATH = 1120 };

struct log_texts {
    struct out_file misses_file, story_file;
    FILE *misses, *story; /* of them; NULL: not open */
    char misses_path[LOG_TEXT_PATH], story_path[LOG_TEXT_PATH];
};

/* Creates both for a log at path, whose ending is cut off. Returns 0 or a negative errno with a
 * message; to be closed in both cases. */
int log_texts_open(struct log_texts *t, const char *log, struct err *e);
/* Whether a log may have this path: 0, or a negative errno with a message. */
int log_texts_check(const char *log, struct err *e);
/* The same in two steps: what was there before stays until the second. */
int log_texts_prepare(struct log_texts *t, const char *log, struct err *e);
int log_texts_keep(struct log_texts *t, struct err *e);
/* The line or lines of an event; text says what its numbers do not. */
void log_texts_put(struct log_texts *t, const struct loop_event *e, const char *text);
/* Hands what has come to the kernel. Return 0, or a negative errno and which file could not be
 * written. */
int log_texts_flush(struct log_texts *t, const char **path);
int log_texts_close(struct log_texts *t, const char **path);
/* Asks the disk to store what the kernel has. Any thread, while they are open. */
int log_texts_sync(const struct log_texts *t);
/* Closes; files that were not kept leave nothing behind. */
void log_texts_drop(struct log_texts *t);

#endif

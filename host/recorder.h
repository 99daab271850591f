/* Records a run at the host: an MDF 4.1 log like the target's own, the deadline log and the events
 * as text. Records arrive in order and complete; a thread writes them, so that a slow disk holds up
 * nobody: a full ring is told to the caller, who has the target keep what does not fit. */
#ifndef SKIDPAD_HOST_RECORDER_H
#define SKIDPAD_HOST_RECORDER_H

#include "host/description.h"
#include "shared/wire/telemetry.h"

struct recorder;

struct recorder_setup {
    const char *folder, *target; /* the file's name is made of target, time and run */
    const struct description *description;
    const char *files; /* JSON of the configuration files */
    size_t files_bytes;
};

/* Creates the files and starts the thread. Returns 0 or a negative errno with a message. */
int recorder_open(struct recorder **out, const struct recorder_setup *setup, struct err *e);
/* One thread calls these. False: no room now, nothing was taken. */
bool recorder_put(struct recorder *r, const void *record);
bool recorder_put_event(struct recorder *r, const struct telemetry_event *event);
/* Has the thread write what is left and finish the files; returns at once. */
void recorder_finish(struct recorder *r);
/* Whether that is done. */
bool recorder_is_done(const struct recorder *r);
/* Waits for it, which on a disk that stands still takes as long as that does, and frees. Returns 0
 * or the error that ended the recording. */
int recorder_close(struct recorder *r);
/* Any thread: that error, while it goes on; 0: there is none. */
int recorder_error(const struct recorder *r);

const char *recorder_path(const struct recorder *r);

#endif

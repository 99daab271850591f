/* Records a run at the host: an MDF 4.1 log like the target's own, the deadline log and the events
 * as text. Records arrive in order and complete; a thread opens the files, writes and finishes
 * them, so that a slow disk holds up nobody: a full ring is told to the caller, who has the target
 * keep what does not fit. Nothing here but recorder_wait() and recorder_free() waits for a disk. */
#ifndef SKIDPAD_HOST_RECORDER_H
#define SKIDPAD_HOST_RECORDER_H

#include "host/description.h"
#include "shared/wire/telemetry.h"

struct recorder;

struct recorder_setup {
    const char *folder, *target; /* the file's name is made of target, time and run */
    struct description *description;
    char *files; /* JSON of the configuration files; the recorder's from now on, also on errors */
    size_t files_bytes;
};

/* Starts the thread, which creates the files. Returns 0 or a negative errno with a message. */
int recorder_open(struct recorder **out, const struct recorder_setup *setup, struct err *e);
/* One thread calls these. False: no room now, nothing was taken. */
bool recorder_put(struct recorder *r, const void *record);
bool recorder_put_event(struct recorder *r, const struct telemetry_event *event);
/* Has the thread write what is left and finish the files; returns at once. */
void recorder_finish(struct recorder *r);
/* Whether that is done. */
bool recorder_is_done(const struct recorder *r);
/* Does the same and waits for it: on a disk that stands still as long as that does. */
void recorder_wait(struct recorder *r);
void recorder_free(struct recorder *r);

/* Any thread: the error that ended the recording, and what there is to say about it; 0: none. */
int recorder_error(const struct recorder *r, struct err *e);
/* Any thread: where the recording is; empty: the files are not there yet. */
const char *recorder_path(const struct recorder *r);

#endif

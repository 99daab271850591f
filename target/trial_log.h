/* A log of `skidpad run`, judged by the criteria of the scenario that it holds. */
#ifndef SKIDPAD_TARGET_TRIAL_LOG_H
#define SKIDPAD_TARGET_TRIAL_LOG_H

#include "target/log_drive.h"

/* The trial of one log; *d is its drive, for charts of several. Returns 0 or a negative errno after
 * messages on stderr; the caller frees both. A scenario without criteria, or one that cannot be
 * read any more, leaves the trial unjudged. */
int trial_from_log(struct trial *t, const char *path, bool with_charts, struct log_drive *d);

#endif

/* What a log holds, as text for people, for `skidpad export --info`. */
#ifndef SKIDPAD_TARGET_EXPORT_INFO_H
#define SKIDPAD_TARGET_EXPORT_INFO_H

#include "shared/wire/mdf_read.h"

#include <stdio.h>

/* Reads through the whole log to count its records, then prints. Returns 0, or a negative errno
 * with a message after what could be printed. */
int export_info(const char *path, struct mdf_reader *log, FILE *f, struct err *e);

#endif

/* Where a log ends whose run was killed, or still drives. */
#ifndef SKIDPAD_TARGET_LOG_END_H
#define SKIDPAD_TARGET_LOG_END_H

#include "shared/wire/mdf_read.h"

enum { LOG_END_TEXT = 96 };

/* "log is not finished: ends at t = 3.210000 s"; empty for a finished log. Reads to the end; to be
 * rewound before it is read again. Damage on the way is told by whoever reads the records. */
void log_end_text(struct mdf_reader *log, char text[LOG_END_TEXT]);

#endif

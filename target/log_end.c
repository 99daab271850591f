#include "target/log_end.h"

#include <math.h>
#include <stdio.h>

static const struct mdf_read_channel *master_of(const struct mdf_read_group *group)
{
    for (size_t i = 0; i < group->channel_count; i++)
        if (group->channels[i].master)
            return &group->channels[i];
    return NULL;
}

void log_end_text(struct mdf_reader *log, char text[LOG_END_TEXT])
{
    const struct mdf_read_group *group, *last = NULL;
    const struct mdf_read_channel *master = NULL;
    const void *record;
    double end_s = -INFINITY;
    text[0] = '\0';
    if (!mdf_read_file(log)->unfinished)
        return;
    mdf_read_rewind(log);
    while (mdf_read_next(log, &group, &record, NULL) > 0) {
        if (group != last)
            master = master_of(group);
        last = group;
        if (master)
            end_s = fmax(end_s, mdf_read_number(master, record));
    }
    if (isfinite(end_s))
        (void)snprintf(text, LOG_END_TEXT, "log is not finished: ends at t = %.6f s", end_s);
    else
        (void)snprintf(text, LOG_END_TEXT, "log is not finished: ends before its first record");
}

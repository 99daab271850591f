/* Records of a log as a table of comma-separated values, for `skidpad export`. */
#ifndef SKIDPAD_TARGET_EXPORT_CSV_H
#define SKIDPAD_TARGET_EXPORT_CSV_H

#include "shared/wire/mdf_read.h"

#include <stdio.h>

struct export_csv {
    const char *path; /* "-" is standard output */
    FILE *file;
    const struct mdf_read_group *group;
    const struct mdf_read_channel **columns;
    size_t column_count;
    uint64_t every; /* one row for this many records */
    uint64_t rows;
};

/* Sets the columns: the channels named in the list "a,b,c", or all of the group if it is NULL.
 * Return 0, or a negative errno with a message. */
int export_csv_columns(struct export_csv *x, const struct mdf_read_group *group,
                       const char *signals, struct err *e);
/* Opens the file, writes the names and one row for each record of the group in the log. The rows
 * before an error stay. */
int export_csv_write(struct export_csv *x, struct mdf_reader *log, struct err *e);
void export_csv_free(struct export_csv *x);

/* A text as a cell: in quotes if it needs them. */
void export_csv_text(FILE *f, const char *text, size_t length);

#endif

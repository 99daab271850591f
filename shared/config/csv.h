/* Tables of numbers in CSV files: kinematics, recorded and scripted inputs.
 *
 * The first line names the columns, every other line is a row with one number for each:
 *
 *     # steering wheel of a step steer
 *     time_s, angle_rad
 *     0.0,    0.0
 *     1.0,    0.8
 *
 * Columns are separated by commas; blanks around names and numbers, empty lines and lines that
 * start with # do not count. Numbers are decimal with a point (shared/config/number.h). There are
 * no quotes and no empty fields. Not for the real-time thread. */
#ifndef SKIDPAD_CONFIG_CSV_H
#define SKIDPAD_CONFIG_CSV_H

#include "shared/base/err.h"

#include <stddef.h>

enum {
    CSV_MAX_BYTES = 64 << 20, /* of a file */
    CSV_MAX_COLUMNS = 256,
    CSV_MAX_NAME = 63, /* bytes of a column's name */
};

struct csv {
    size_t columns, rows; /* at least one each */
    char (*names)[CSV_MAX_NAME + 1];
    double *values; /* row-major: values[row * columns + column] */
};

/* Reads a file. Returns 0, or a negative errno and a message "file:line:column: column name: what
 * is wrong, what is allowed"; *out is then empty. The caller calls csv_free(). */
int csv_read(const char *path, struct csv *out, struct err *e);
/* The same for text in memory, which needs no NUL behind it; name stands for the path in messages.
 */
int csv_parse(const char *name, const char *text, size_t length, struct csv *out, struct err *e);

/* The column with this name, or -1. */
int csv_column(const struct csv *csv, const char *name);

void csv_free(struct csv *csv); /* of an empty table too; leaves an empty one */

#endif

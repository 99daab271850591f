/* Records of a log as a MATLAB file (version 5, as MATLAB, Octave and SciPy read it), for
 * `skidpad export --mat`: one column vector for each signal, named as it; texts as rows of
 * characters. */
#ifndef SKIDPAD_TARGET_EXPORT_MAT_H
#define SKIDPAD_TARGET_EXPORT_MAT_H

#include "target/export_csv.h"

/* Takes group, columns and `every` of x and writes to x->path; sets x->rows. The log is read once
 * for the count and once for each batch of columns that fits into memory. Returns 0 or a negative
 * errno with a message. */
int export_mat_write(struct export_csv *x, struct mdf_reader *log, struct err *e);

#endif

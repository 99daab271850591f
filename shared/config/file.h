/* Whole files in memory. */
#ifndef SKIDPAD_CONFIG_FILE_H
#define SKIDPAD_CONFIG_FILE_H

#include <stddef.h>

/* Reads a file of at most limit bytes; a NUL that *length does not count stands behind them.
 * Returns 0 or a negative errno, -EFBIG if the file is larger. The caller frees *text. */
int file_read_whole(const char *path, size_t limit, char **text, size_t *length);

#endif

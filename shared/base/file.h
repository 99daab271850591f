/* Files that are read. Nothing here waits for somebody to open the other end of a pipe; folders and
 * sockets are refused. */
#ifndef SKIDPAD_BASE_FILE_H
#define SKIDPAD_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

/* Reads a file of at most limit bytes; a NUL that *length does not count stands behind them. A pipe
 * is read to its end, if somebody writes into it. Returns 0 or a negative errno: -EFBIG if the file
 * is larger, -EPIPE if it is a pipe into which nobody writes, -ETIMEDOUT if its writer is silent.
 * The caller frees *text. */
int file_read_whole(const char *path, size_t limit, char **text, size_t *length);

/* Opens for reading from the beginning on; of a pipe somebody must write into it, however slowly.
 * Returns 0 or a negative errno as above. The caller closes *stream. */
int file_open_stream(const char *path, FILE **stream);

/* What a negative errno of these functions means, for people. */
const char *file_why(int error);

#endif

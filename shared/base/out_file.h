/* A file that is written: never over one that another process is writing, and not in place of an
 * older one before it is worth that.
 *
 *     struct out_file f;
 *     if (out_file_open(&f, path, &e)) ...      locked; the old file is still there
 *     write(f.fd, ...)  or  fprintf(out_file_stream(&f), ...)
 *     if (out_file_keep(&f, &e)) ...            now it has its name and the old one is gone
 *     if (out_file_close(&f, &e)) ...           whether everything was written
 *
 * Until out_file_keep() the file is called PATH.part; a file that is dropped leaves nothing behind.
 * out_file_close() keeps a file that was not kept yet, if every write succeeded. What is no regular
 * file (a device, a pipe) is written as it is. The lock is one of flock(): it is gone with the
 * process, and other programs need not care. */
#ifndef SKIDPAD_BASE_OUT_FILE_H
#define SKIDPAD_BASE_OUT_FILE_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stdio.h>

struct out_file {
    int fd;       /* to be written */
    FILE *stream; /* of the same, once asked for */
    char *path;   /* where it is kept, links followed; NULL: not open, as in a struct of zeros */
    char *part;   /* its name until then; NULL: it has its own already */
    int lock;     /* the file at `path` before that, locked; -1: none */
    bool made;    /* which was not there before */
};

/* Opens for writing, with the rights and owner of an older file. Returns 0 or a negative errno with
 * a message; -EBUSY: another process writes it. */
int out_file_open(struct out_file *f, const char *path, struct err *e);
/* The stream to write to; NULL if memory is out. */
FILE *out_file_stream(struct out_file *f);
/* The same at once: f->stream is there to be written. */
int out_file_open_stream(struct out_file *f, const char *path, struct err *e);
/* Closes and keeps it, or drops it if bad, what was to be written in it, is not 0. Returns 0 or a
 * negative errno with a message. */
int out_file_finish(struct out_file *f, int bad, struct err *e);
/* Gives it its name. Returns 0 or a negative errno with a message. */
int out_file_keep(struct out_file *f, struct err *e);
/* Stores its name on the disk, so that a power cut cannot take that. 0 or a negative errno. */
int out_file_sync_name(const struct out_file *f);
/* Flushes, keeps and closes. Returns 0, or a negative errno with a message if something could not
 * be written, or is no longer there: then a file that was not kept is dropped. A file that is not
 * open: 0. */
int out_file_close(struct out_file *f, struct err *e);
/* Closes, and removes a file that was not kept. May be called at any time. */
void out_file_drop(struct out_file *f);

#endif

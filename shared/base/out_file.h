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
 * file (a terminal, /dev/null, a pipe that somebody reads) is written as it is; folders, sockets,
 * disks and pipes without a reader are refused at once, as are the inputs and other outputs of this
 * command (shared/base/used_files.h). The lock is one of flock(): it is gone with
 * the process, and other programs need not care.
 *
 * Files that somebody removes, renames, replaces, truncates or writes into meanwhile are noticed,
 * at the latest by out_file_close(). The descriptor appends, so that after a truncation nothing
 * fills the gap: the file stays shorter than what was written, whenever one looks. */
#ifndef SKIDPAD_BASE_OUT_FILE_H
#define SKIDPAD_BASE_OUT_FILE_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct out_file {
    int fd;       /* to be written */
    FILE *stream; /* of the same, once asked for */
    char *path;   /* where it is kept, links followed; NULL: not open, as in a struct of zeros */
    char *part;   /* its name until then; NULL: it has its own already */
    int lock;     /* the file at `path` before that, locked; -1: none */
    bool made;    /* which was not there before */
    bool special; /* no regular file: nothing is known of its size */
    int error;    /* of the stream, the first one: a negative errno */
    uint64_t written; /* bytes handed to the kernel by out_file_write() and the stream */
};

/* Opens for writing, with the rights and owner of an older file. Returns 0 or a negative errno with
 * a message; -EBUSY: another process writes it. */
int out_file_open(struct out_file *f, const char *path, struct err *e);
/* Writes all of it; *done: how much of it came to the kernel. Returns 0 or a negative errno. */
int out_file_write(struct out_file *f, const void *bytes, size_t count, size_t *done);
/* Whether somebody has cut off what was written, or added to it: 0 or a negative errno. */
int out_file_harm(const struct out_file *f);
/* What others have written into it on our behalf, a library or a program that was started, counts
 * as written. Returns 0 or a negative errno. */
int out_file_count(struct out_file *f);
/* Cuts off the end of it oneself. Returns 0 or a negative errno. */
int out_file_shorten(struct out_file *f, uint64_t bytes);
/* From now on pwrite() writes where it is told to; before, all writes append. 0 or -errno. */
int out_file_end_append(const struct out_file *f);
/* What a negative errno of these functions means, for people. */
const char *out_file_why(int error);
/* The stream to write to, for as long as *f stays where it is; NULL if memory is out. */
FILE *out_file_stream(struct out_file *f);
/* The same at once: f->stream is there to be written. */
int out_file_open_stream(struct out_file *f, const char *path, struct err *e);
/* Hands what the stream has to the kernel. Returns 0, or the negative errno of the first write of
 * the stream that failed, whenever that was. */
int out_file_flush(struct out_file *f);
/* Closes and keeps it, or drops it if bad, what was to be written in it, is not 0. Returns 0 or a
 * negative errno with a message. */
int out_file_finish(struct out_file *f, int bad, struct err *e);
/* Gives it its name. Returns 0 or a negative errno with a message. */
int out_file_keep(struct out_file *f, struct err *e);
/* Gives a file that is kept another name on the same disk, in place of what has it. Returns 0 or a
 * negative errno with a message. */
int out_file_rename(struct out_file *f, const char *path, struct err *e);
/* Stores its name on the disk, so that a power cut cannot take that. 0 or a negative errno. */
int out_file_sync_name(const struct out_file *f);
/* Flushes, keeps and closes. Returns 0, or a negative errno with a message if something could not
 * be written, or is no longer there, or was cut: then a file that was not kept is dropped. A file
 * that is not open: 0. */
int out_file_close(struct out_file *f, struct err *e);
/* Closes, and removes a file that was not kept. May be called at any time. */
void out_file_drop(struct out_file *f);

#endif

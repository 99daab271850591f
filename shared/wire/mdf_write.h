/* Writes logs as MDF 4.1 (ASAM's measurement data format), streaming.
 *
 *     static const struct mdf_channel channels[] = {
 *         {.name = "t", .unit = "s", .type = MDF_I64, .offset = offsetof(struct rec, time_ns),
 *          .master = true, .factor = 1e-9},
 *         {.name = "v", .unit = "m/s", .type = MDF_F64, .offset = offsetof(struct rec, v_mps)},
 *     };
 *     const struct mdf_group groups[] = {{.name = "signals", .record_bytes = sizeof(struct rec),
 *                                         .channels = channels, .channel_count = 2}, ...};
 *     const struct mdf_file file = {.path = "run.mf4", .groups = groups, .group_count = 2, ...};
 *     struct mdf_writer *w;
 *     if (mdf_open(&w, &file, &e)) ...
 *     mdf_write(w, 0, records, count);         records of group 0, as they lie in memory
 *     mdf_close(w);
 *
 * How the file is laid out, and why. All descriptions come first; the one data block is the last
 * block of the file and grows at its end, nothing before it is touched until the file is closed.
 * Until then the file is in the format's unfinished mode ("UnFinMF ", flags "cycle counters" and
 * "length of the last data block"), so a crash at any moment leaves a file of which a reader takes
 * every complete record up to the end. One group: plain records, a sorted file. Several groups:
 * they share the data block, and each record begins with one byte that names its group (an unsorted
 * file, as loggers write). Lists of data blocks would give each group its own blocks, but they need
 * links to be patched while the file grows, and common readers do not repair a chain of lists that
 * a crash left behind. Record numbers begin at 1: zeros that a file system left at the end after a
 * power cut are not records.
 *
 * mdf_close() writes record counts and the length, and last of all the identification of a finished
 * file.
 *
 * For an ordinary thread: these functions block on the disk. One thread per writer. */
#ifndef SKIDPAD_WIRE_MDF_WRITE_H
#define SKIDPAD_WIRE_MDF_WRITE_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MDF_GROUPS_MAX = 16, MDF_BLOCK_BYTES_DEFAULT = 262144 };

/* All little-endian. MDF_TEXT is UTF-8 in a field of fixed size that ends with a zero byte: a text
 * that fills its field is cut by a character, and bytes that are not UTF-8 become '?'. The same
 * holds for the texts of the descriptions. */
enum mdf_type { MDF_F64, MDF_I64, MDF_U64, MDF_I32, MDF_U32, MDF_TEXT };

struct mdf_channel {
    const char *name, *unit, *comment; /* unit and comment may be NULL */
    enum mdf_type type;
    uint32_t offset;    /* of the value in the record */
    uint32_t bytes;     /* of a MDF_TEXT field; unused for numbers */
    bool master;        /* the time of the record, in seconds since start_ns; one per group */
    double factor, add; /* value = factor * stored + add; factor 0: as stored */
};

struct mdf_group {
    const char *name, *comment; /* comment may be NULL */
    uint32_t record_bytes;
    const struct mdf_channel *channels;
    size_t channel_count;
};

struct mdf_property {
    const char *name, *value;
};

/* A file carried inside the log, e.g. the configuration of the run. */
struct mdf_attachment {
    const char *name, *mime; /* mime: NULL is text/plain */
    const void *data;
    size_t bytes;
};

/* What mdf_open() needs. It keeps nothing of it. */
struct mdf_file {
    const char *path;    /* created; an older file is replaced, unless another process writes it */
    bool hold;           /* not before mdf_keep(); until then the older file stays */
    const char *comment; /* one line for people; may be NULL */
    int64_t start_ns;    /* UTC, since 1970: the zero of the master channels */
    const struct mdf_property *properties;
    size_t property_count;
    const struct mdf_attachment *attachments;
    size_t attachment_count;
    const struct mdf_group *groups;
    size_t group_count;
    /* Records are handed to the kernel in blocks of at most this size (0: the default; never less
     * than one record). When the process dies, what was not yet handed over is lost: at most one
     * block, or what came since mdf_flush(). */
    size_t block_bytes;
    /* Ask the disk to store what it has whenever this much was written, and before the file is
     * declared finished: bounds the loss in a power cut. 0: left to the kernel. */
    size_t sync_bytes;
};

struct mdf_writer;

/* Creates the file and writes all descriptions. Returns 0, or a negative errno with a message; then
 * nothing is left behind. */
int mdf_open(struct mdf_writer **writer, const struct mdf_file *file, struct err *e);
/* Gives a file that was opened with `hold` its name. Returns as mdf_open(). */
int mdf_keep(struct mdf_writer *w, struct err *e);
/* Gives a file that is kept another name on the same disk. Returns as mdf_open(). */
int mdf_rename(struct mdf_writer *w, const char *path, struct err *e);
/* Gives up a file that was not kept: frees the writer and leaves nothing behind. */
void mdf_drop(struct mdf_writer *w);

/* Appends records that lie side by side. Returns 0 or a negative errno. An error of the disk ends
 * the log: it is returned once, by the call that met it; after that records are counted as lost and
 * the result is 0. */
int mdf_write(struct mdf_writer *w, size_t group, const void *records, size_t count);

/* Hands the buffered records to the kernel now. Errors as mdf_write(). */
int mdf_flush(struct mdf_writer *w);

/* Asks the disk to store what the kernel has; blocks as long as that takes. Any thread, also while
 * another one writes. Returns 0 or a negative errno. */
int mdf_sync(const struct mdf_writer *w);

/* Writes what is left, finishes the file and frees the writer, whatever happens. After an error of
 * the disk the file ends with its last complete record. Returns 0, or the first error that no call
 * has returned yet. */
int mdf_close(struct mdf_writer *w);

/* The error that ended the log, 0 if there was none; records lost by it; bytes of the file. */
int mdf_error(const struct mdf_writer *w);
uint64_t mdf_lost(const struct mdf_writer *w);
uint64_t mdf_file_bytes(const struct mdf_writer *w);

#endif

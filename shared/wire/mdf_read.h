/* Reads logs in MDF 4.x (ASAM's measurement data format), streaming, however large the file is.
 *
 *     struct mdf_reader *reader;
 *     if (mdf_read_open("run.mf4", &reader, &e)) ...
 *     const struct mdf_read_file *file = mdf_read_file(reader);    groups, channels, properties
 *     const struct mdf_read_group *group;
 *     const void *record;
 *     int rc;
 *     while ((rc = mdf_read_next(reader, &group, &record, &e)) > 0)
 *         if (group == &file->groups[0])
 *             use(mdf_read_number(&group->channels[3], record));
 *     mdf_read_close(reader);
 *
 * Written from the standard's list of blocks and independent of mdf_write.c, as a check of it; the
 * blocks stand in mdf_read_layout.h. Understood are data groups with one or several channel groups,
 * ##DT blocks and lists of them, texts, properties, linear conversions, embedded attachments, and
 * unfinished files: the log of a run that crashed or still runs gives every complete record. Not
 * understood, and said so: compressed data, the column-oriented data of 4.2, values of variable
 * length, arrays, members of structures.
 *
 * A damaged file gets a message "FILE: at byte N: ..." and a negative errno: -EBADMSG damaged,
 * -ENOTSUP valid but not understood, -EFBIG beyond the limits below. The reader allocates when it
 * opens a file and not later. For an ordinary thread; one thread per reader. */
#ifndef SKIDPAD_WIRE_MDF_READ_H
#define SKIDPAD_WIRE_MDF_READ_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MDF_READ_MEMORY_MAX = 64 << 20, /* of all names, comments and properties of a file */
    MDF_READ_RECORD_MAX = 16 << 20, /* bytes of one record */
};

enum mdf_read_type {
    MDF_READ_TYPE_UNSIGNED, /* 1 to 64 bits, at any bit */
    MDF_READ_TYPE_SIGNED,   /* two's complement, the same */
    MDF_READ_TYPE_FLOAT,    /* IEEE 754, 32 or 64 bits */
    MDF_READ_TYPE_TEXT,     /* UTF-8 or Latin-1, ended by a zero byte if shorter than its field */
    MDF_READ_TYPE_RAW,      /* something else: bytes */
};

enum mdf_read_conversion {
    MDF_READ_AS_STORED,
    MDF_READ_LINEAR,
    MDF_READ_UNKNOWN, /* a table, a formula, ...: numbers are given as stored */
};

/* Texts are "" if the file has none. */
struct mdf_read_channel {
    const char *name, *unit, *comment;
    enum mdf_read_type type;
    uint32_t byte_offset, bit_offset, bit_count; /* in the record */
    bool master;                                 /* the time of the record, in seconds */
    enum mdf_read_conversion conversion;
    double factor, add; /* of a linear one: value = factor * stored + add */
    double divisor;     /* 10^n if factor is the double nearest to 10^-n and add is 0, else 0 */
    bool never_valid, has_invalid_bit;
    uint32_t invalid_bit; /* behind the data of the record */
    uint32_t data_bytes;  /* of the record */
};

struct mdf_read_group {
    const char *name, *comment;
    const struct mdf_read_channel *channels;
    size_t channel_count;
    uint32_t data_bytes, invalid_bytes; /* of a record, which is as long as both */
    uint64_t record_id;
    uint64_t cycles; /* records as the file counts them; unfinished files may say 0 */
    bool variable;   /* records of variable length: passed over */
};

struct mdf_read_property {
    const char *name, *value;
};

struct mdf_read_attachment {
    const char *name, *mime, *comment;
    uint64_t bytes; /* of the attached file */
    bool embedded;  /* else only its name is here */
    bool compressed;
    uint64_t at; /* where its bytes are in the log */
};

/* What a file says about itself. */
struct mdf_read_file {
    char version[9], program[9]; /* "4.10", name of the program that wrote it */
    bool unfinished;             /* the program that wrote it crashed or still runs */
    int64_t start_ns;            /* since 1970, UTC, or local time if so marked */
    bool local_time;
    uint64_t bytes; /* when it was opened; for what is appended later see mdf_read_grow() */
    const char *comment;
    const struct mdf_read_property *properties; /* of the header's comment */
    size_t property_count;
    const struct mdf_read_attachment *attachments;
    size_t attachment_count;
    const struct mdf_read_group *groups;
    size_t group_count;
};

struct mdf_reader;

/* Reads all descriptions. Return 0, or a negative errno with a message; *reader is NULL then. The
 * second one reads a file that lies in memory, which must stay there; name is for messages. */
int mdf_read_open(const char *path, struct mdf_reader **reader, struct err *e);
int mdf_read_open_bytes(const char *name, const void *bytes, size_t size,
                        struct mdf_reader **reader, struct err *e);
void mdf_read_close(struct mdf_reader *reader); /* NULL is allowed */

const struct mdf_read_file *mdf_read_file(const struct mdf_reader *reader);

/* The next record, in the order of the file; those of different groups come as they were written.
 * Returns 1, 0 at the end, or a negative errno with a message, and the same again if called again.
 * The record is valid until the next call. In a finished file an incomplete last record and a
 * count that does not agree with the file's own are errors, reported after the last record. */
int mdf_read_next(struct mdf_reader *reader, const struct mdf_read_group **group,
                  const void **record, struct err *e);
void mdf_read_rewind(struct mdf_reader *reader);
/* At the end of a file that was unfinished when it was opened: goes on with what has been appended
 * to its last block of data since. Returns whether something has. */
bool mdf_read_grow(struct mdf_reader *reader);

/* Records of a group that mdf_read_next() has returned since the start. */
uint64_t mdf_read_count(const struct mdf_reader *reader, const struct mdf_read_group *group);
/* Bytes at the end of an unfinished file that are no complete record; known at the end. */
uint64_t mdf_read_left_over(const struct mdf_reader *reader);

/* NULL if there is none. */
const struct mdf_read_group *mdf_read_group_find(const struct mdf_reader *reader, const char *name);
const struct mdf_read_channel *mdf_read_channel_find(const struct mdf_read_group *group,
                                                     const char *name);
const char *mdf_read_property(const struct mdf_reader *reader, const char *name);

/* Copies count bytes of an embedded attachment from an offset on. Returns 0 or a negative errno
 * with a message. */
int mdf_read_attachment_bytes(const struct mdf_reader *reader, const struct mdf_read_attachment *at,
                              uint64_t offset, void *to, size_t count, struct err *e);

/* Values of a record of the channel's group. A number is the physical value; NaN for text and raw
 * bytes. Where the factor stands for 10^-n the stored value is divided by 10^n, which is rounded
 * once: 150000 ns are 0.00015 s, not 0.00015000000000000001. The integers are the stored ones, for
 * channels of an integer type (else 0): exact, without conversion. */
double mdf_read_number(const struct mdf_read_channel *c, const void *record);
int64_t mdf_read_int64(const struct mdf_read_channel *c, const void *record);
uint64_t mdf_read_uint64(const struct mdf_read_channel *c, const void *record);
/* The bytes of a text or raw channel; a text ends before its first zero byte. */
const void *mdf_read_raw(const struct mdf_read_channel *c, const void *record, size_t *bytes);
/* Does the record hold a value of this channel, by its invalidation bits? */
bool mdf_read_valid(const struct mdf_read_channel *c, const void *record);

#endif

/* The latest value of something, from one thread to one other: a triple buffer. The writer always
 * has a slot of its own, the reader always has one, the third changes hands by a single atomic
 * exchange. Neither side waits or tries again, no value is torn, and values that come faster than
 * they are read are replaced by newer ones.
 *
 *     latest_init(&l, sizeof(struct input), NULL, NULL);         set-up
 *     latest_write(&l, &input, now_ns);                          writer
 *
 *     struct latest_info info;                                   reader
 *     const struct input *in = latest_read(&l, &info);
 *     if (latest_age_ns(&info, now_ns) > limit_ns)
 *         ...
 *
 * Exactly one thread writes and exactly one reads; either may be real-time. */
#ifndef SKIDPAD_BASE_LATEST_H
#define SKIDPAD_BASE_LATEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two lines of 64 bytes: CPUs fetch lines in pairs. */
enum { LATEST_LINE_BYTES = 128 };

struct latest {
    unsigned char *slots; /* three, each a header and a value, in whole lines */
    size_t value_bytes;
    size_t slot_bytes;
    bool owned; /* slots were allocated here */
    unsigned char gap_a[LATEST_LINE_BYTES];

    /* the writer's own */
    unsigned int write_slot;
    uint64_t sequence;
    unsigned char gap_b[LATEST_LINE_BYTES];

    /* the slot between them, and whether its value has not been read yet */
    atomic_uint shared;
    unsigned char gap_c[LATEST_LINE_BYTES];

    /* the reader's own */
    unsigned int read_slot;
    unsigned char gap_d[LATEST_LINE_BYTES];
};

struct latest_info {
    uint64_t sequence; /* 1 for the first value written, and so on; 0: none was written yet */
    int64_t stamp_ns;  /* as given by the writer; 0 before the first value */
    bool fresh;        /* not returned by an earlier read */
};

/* ---- set-up; no other thread may use it meanwhile */

/* Bytes of memory for values of that size, or 0 if it is not allowed. */
size_t latest_memory_bytes(size_t value_bytes);
/* The memory must be latest_memory_bytes() long, aligned to 16 bytes (better to LATEST_LINE_BYTES)
 * and outlive the struct; NULL: allocated here. initial is what a reader gets before the first
 * value; NULL: zeros. All of the memory is written, so that its pages exist. Returns 0, -EINVAL or
 * -ENOMEM. */
int latest_init(struct latest *l, size_t value_bytes, void *memory, const void *initial);
void latest_free(struct latest *l);

/* ---- the writer */

/* Copies a value in and publishes it. The stamp is the caller's: the time the value was made. */
void latest_write(struct latest *l, const void *value, int64_t stamp_ns);
/* The same without a copy: write the whole value in place (what is found there is an older one),
 * then publish it. */
void *latest_begin(struct latest *l);
void latest_publish(struct latest *l, int64_t stamp_ns);

/* ---- the reader */

/* The newest value. It stays as it is until this thread reads again. info may be NULL. */
const void *latest_read(struct latest *l, struct latest_info *info);
/* Time since the value was stamped; INT64_MAX if none was written yet. */
int64_t latest_age_ns(const struct latest_info *info, int64_t now_ns);

#endif

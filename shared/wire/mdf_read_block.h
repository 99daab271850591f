/* The file as bytes, as blocks and as texts, for the MDF reader; every position and length is
 * checked here. Private to mdf_read*.c. */
#ifndef SKIDPAD_WIRE_MDF_READ_BLOCK_H
#define SKIDPAD_WIRE_MDF_READ_BLOCK_H

#include "shared/base/err.h"
#include "shared/wire/mdf_read_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the bytes come from: fd, or memory if fd is negative. */
struct mdf_read_source {
    const char *name; /* for messages */
    int fd;
    const uint8_t *bytes;
    uint64_t size;
    uint32_t unfinished; /* MDF_READ_UNFINISHED_* */
};

/* Where a link stands and where it leads; to 0: nowhere. */
struct mdf_read_link {
    uint64_t at, to;
};

struct mdf_read_block {
    enum mdf_read_block_kind kind;
    uint64_t at, length, link_count;
    uint8_t links[MDF_READ_LINKS_MAX * MDF_READ_LINK_BYTES];
    uint8_t data[MDF_READ_FIXED_MAX];
};

/* Memory that is freed as a whole, at most MDF_READ_MEMORY_MAX. */
struct mdf_read_chunk;
struct mdf_read_arena {
    struct mdf_read_chunk *chunks;
    size_t left, total; /* in the newest chunk; of all */
};

/* Notices that a chain of links is a ring: is the block again the one remembered, which is moved
 * on after 1, 2, 4, ... steps? Starts as {0}. */
struct mdf_read_walk {
    uint64_t seen, steps, until;
};

/* A set of kinds, for what a link may lead to. */
#define MDF_READ_SET(kind) (1U << MDF_READ_##kind)

/* "FILE: at byte N: ..." */
int mdf_read_complain(const struct mdf_read_source *s, int code, uint64_t at, struct err *e,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

int mdf_read_bytes(const struct mdf_read_source *s, uint64_t at, void *to, size_t count,
                   struct err *e);
uint64_t mdf_read_little(const uint8_t *bytes, size_t count);

/* The block at the end of a link that must not be 0. Its length is within the file, except that of
 * a ##DT in a file whose last one is unfinished: see mdf_read_block_check(). */
int mdf_read_block_load(const struct mdf_read_source *s, struct mdf_read_link link, uint32_t kinds,
                        struct mdf_read_block *b, struct err *e);
int mdf_read_block_check(const struct mdf_read_source *s, const struct mdf_read_block *b,
                         struct err *e);
uint64_t mdf_read_block_field(const struct mdf_read_block *b, enum mdf_read_field_name field);
struct mdf_read_link mdf_read_block_link(const struct mdf_read_block *b, uint32_t number);
/* Position and size of the data section. */
uint64_t mdf_read_block_data_at(const struct mdf_read_block *b);
uint64_t mdf_read_block_data_bytes(const struct mdf_read_block *b);

int mdf_read_walk_step(const struct mdf_read_source *s, struct mdf_read_walk *w,
                       struct mdf_read_link link, struct err *e);

/* Zeroed, for objects of any type; NULL if there is no more. */
void *mdf_read_alloc(struct mdf_read_arena *a, size_t count, size_t size);
int mdf_read_no_memory(const struct mdf_read_source *s, uint64_t at, struct err *e);
void mdf_read_arena_free(struct mdf_read_arena *a);

/* The text that a link leads to, "" if it leads nowhere; kinds: which of ##TX and ##MD may be.
 * *xml tells which it was; may be NULL. */
int mdf_read_text_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                       struct mdf_read_link link, uint32_t kinds, const char **text, bool *xml,
                       struct err *e);

#endif

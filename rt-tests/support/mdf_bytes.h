/* Looks at the bytes of an MDF file for the tests of the writer: values at offsets, and a walk
 * along the links with the block sizes of the standard. Knows only what our files contain;
 * assertions are cmocka's. */
#ifndef SKIDPAD_SUPPORT_MDF_BYTES_H
#define SKIDPAD_SUPPORT_MDF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mdf_bytes {
    unsigned char *bytes;
    size_t size;
};

/* The whole file; mdf_bytes_free() when done. */
struct mdf_bytes mdf_bytes_load(const char *path);
void mdf_bytes_free(struct mdf_bytes *b);

/* Little-endian values at an offset, which must lie in the file. */
uint64_t mdf_u(const struct mdf_bytes *b, uint64_t at, size_t bytes);
double mdf_f64(const struct mdf_bytes *b, uint64_t at);
/* Link number `index` of the block; asserts that the block has that many. */
uint64_t mdf_link(const struct mdf_bytes *b, uint64_t block, size_t index);
/* Text of a TX or MD block; "" for link 0. */
const char *mdf_text(const struct mdf_bytes *b, uint64_t block);
/* Asserts id ("HD"), length (0: at least the head) and number of links of a block, and that it lies
 * in the file at a multiple of 8. */
void mdf_expect_block(const struct mdf_bytes *b, uint64_t at, const char *id, uint64_t length,
                      uint64_t links);

enum { MDF_WALK_GROUPS = 16 };

struct mdf_walk {
    bool finished;
    size_t record_id_bytes;
    uint64_t data_at, data_end; /* of the records */
    size_t group_count;
    struct {
        uint64_t at, record_id, cycle_count, record_bytes, first_channel;
        size_t channel_count;
        uint64_t complete; /* records found in the data */
    } group[MDF_WALK_GROUPS];
    uint64_t left_over; /* bytes after the last complete record */
};

/* Follows all links from the header on and counts the complete records. */
void mdf_walk(const struct mdf_bytes *b, struct mdf_walk *walk);

#endif

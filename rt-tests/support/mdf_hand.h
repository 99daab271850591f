/* MDF files put together by hand, block by block, as the standard describes them: for tests of the
 * reader with what our writer never writes, and with what nobody should. */
#ifndef SKIDPAD_TESTS_MDF_HAND_H
#define SKIDPAD_TESTS_MDF_HAND_H

#include "shared/wire/mdf_read.h"

#include <stddef.h>
#include <stdint.h>

enum { HAND_HD = 64 }; /* where the header block is */

struct hand {
    uint8_t bytes[32768];
    size_t used;
};

/* A channel; links and the rarer fields are set afterwards. */
struct hand_channel {
    const char *name;
    int type, sync, data_type, bit_offset;
    uint32_t byte_offset, bit_count;
};

/* Identification and an empty header. */
void hand_begin(struct hand *h);
/* Says "UnFinMF " with these flags instead. */
void hand_unfinished(struct hand *h, int flags, int custom);

/* Appends a block with empty links and the given data, at the next multiple of 8. Returns where. */
uint64_t hand_block(struct hand *h, const char *id, size_t links, const void *data, size_t bytes);
uint64_t hand_text(struct hand *h, const char *id, const char *text);
/* Appends bytes as they are, behind the last block. */
void hand_raw(struct hand *h, const void *data, size_t bytes);

/* Sets a link of a block; a number in its data section; a number anywhere. */
void hand_link(struct hand *h, uint64_t block, size_t number, uint64_t to);
void hand_field(struct hand *h, uint64_t block, size_t at, uint64_t value, size_t bytes);
void hand_set(struct hand *h, uint64_t at, uint64_t value, size_t bytes);
uint64_t hand_get(const struct hand *h, uint64_t at, size_t bytes);

/* Blocks that every file has. They append themselves to the lists of the ones named. */
uint64_t hand_data_group(struct hand *h, int id_bytes, uint64_t data);
uint64_t hand_group(struct hand *h, uint64_t data_group, const char *name, uint64_t id,
                    uint32_t data_bytes, uint64_t cycles);
uint64_t hand_channel(struct hand *h, uint64_t group, const struct hand_channel *c);
uint64_t hand_linear(struct hand *h, double add, double factor);
/* A ##DL with these blocks. */
uint64_t hand_list(struct hand *h, size_t count, const uint64_t *blocks);

/* What the reader makes of it; cmocka's test fails if it is not what is expected. The next record
 * must be of this group. The end is 0 or an error with this text; it closes the reader. */
struct mdf_reader *hand_open(const struct hand *h);
void hand_expect_refused(const struct hand *h, int code, const char *text);
const void *hand_expect_record(struct mdf_reader *r, size_t group);
void hand_expect_end(struct mdf_reader *r, int code, const char *text);

#endif

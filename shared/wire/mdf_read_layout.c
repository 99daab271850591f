#include "shared/wire/mdf_read_layout.h"

#include <assert.h>

const struct mdf_read_block_layout mdf_read_blocks[] = {
#define BLOCK(block, links, bytes) [MDF_READ_##block] = {"##" #block, links, bytes},
    MDF_READ_BLOCKS(BLOCK)
#undef BLOCK
};

const struct mdf_read_field_layout mdf_read_fields[] = {
#define FIELD(block, name, at, bytes) [MDF_READ_##block##_##name] = {MDF_READ_##block, at, bytes},
    MDF_READ_FIELDS(FIELD)
#undef FIELD
};

/* Every block fits the buffers of struct mdf_read_block, every link and field its block. */
enum {
#define SIZES(block, links, bytes) LINKS_##block = (links), BYTES_##block = (bytes),
    MDF_READ_BLOCKS(SIZES)
#undef SIZES
};
#define BLOCK(block, links, bytes)                                                                 \
    static_assert((links) <= MDF_READ_LINKS_MAX && (bytes) <= MDF_READ_FIXED_MAX, #block);
MDF_READ_BLOCKS(BLOCK)
#define LINK(block, name, number) static_assert((number) < LINKS_##block, #block #name);
MDF_READ_LINKS(LINK)
#define FIELD(block, name, at, bytes) static_assert((at) + (bytes) <= BYTES_##block, #block #name);
MDF_READ_FIELDS(FIELD)

/* The blocks of ASAM MDF 4.1 that the reader understands, in one table. Private to mdf_read*.c.
 *
 * Every block begins with 24 bytes: four letters ("##DG"), four reserved bytes, its length (u64,
 * these 24 bytes included) and the number of its links (u64). Then come the links, each the u64
 * position of another block in the file or 0 for none, then the data section. A block begins at a
 * multiple of 8. Later versions append links and data, so what is listed here is the least that a
 * block holds; all positions below count from the first link or from the first data byte.
 *
 * The file begins with the identification, 64 bytes that are not such a block:
 *   0 "MDF     " or "UnFinMF "   8 version as text   16 program   28 u16 version times 100
 *   60 u16 what is unfinished, MDF_READ_UNFINISHED_*   62 u16 the same, of the program's own making
 * The header block ##HD follows at byte 64. All numbers are little-endian. */
#ifndef SKIDPAD_WIRE_MDF_READ_LAYOUT_H
#define SKIDPAD_WIRE_MDF_READ_LAYOUT_H

#include <stdint.h>

enum {
    MDF_READ_ID_BYTES = 64,
    MDF_READ_HEAD_BYTES = 24,
    MDF_READ_LINK_BYTES = 8,
    MDF_READ_LINKS_MAX = 8,  /* of a block in the table */
    MDF_READ_FIXED_MAX = 72, /* bytes of data of a block in the table */
};

/* What a program that stopped early has left undone. */
enum {
    MDF_READ_UNFINISHED_CYCLES = 0x01,    /* records are not counted in ##CG */
    MDF_READ_UNFINISHED_LAST_DT = 0x04,   /* the last ##DT goes on to the end of the file */
    MDF_READ_UNFINISHED_LAST_LIST = 0x10, /* the last ##DL has links that are still empty */
    MDF_READ_UNFINISHED_KNOWN = 0x7f,     /* the others concern blocks that are not read */
};

/* X(block, links, data bytes): the least of each. */
#define MDF_READ_BLOCKS(X)                                                                         \
    X(HD, 6, 32) /* header of the file */                                                          \
    X(DG, 4, 8)  /* data group: channel groups that share data */                                  \
    X(CG, 6, 32) /* channel group: one kind of record */                                           \
    X(CN, 8, 72) /* channel: one field of the record */                                            \
    X(CC, 4, 24) /* conversion from stored to physical value */                                    \
    X(TX, 0, 0)  /* text, UTF-8, ended by a zero byte */                                           \
    X(MD, 0, 0)  /* the same, XML */                                                               \
    X(AT, 4, 40) /* attached file */                                                               \
    X(DT, 0, 0)  /* records */                                                                     \
    X(DL, 1, 8)  /* list of ##DT: the records of all, one behind the other */                      \
    X(HL, 1, 8)  /* list of compressed data */                                                     \
    X(DZ, 0, 24) /* compressed data */                                                             \
    X(DV, 0, 0)  /* records without invalidation bytes, 4.2 */                                     \
    X(LD, 1, 8)  /* list of ##DV, 4.2 */

/* X(block, name, number of the link) */
#define MDF_READ_LINKS(X)                                                                          \
    X(HD, FIRST_DG, 0)                                                                             \
    X(HD, FIRST_AT, 3)                                                                             \
    X(HD, COMMENT, 5)                                                                              \
    X(DG, NEXT, 0)                                                                                 \
    X(DG, FIRST_CG, 1)                                                                             \
    X(DG, DATA, 2)                                                                                 \
    X(CG, NEXT, 0)                                                                                 \
    X(CG, FIRST_CN, 1)                                                                             \
    X(CG, NAME, 2)                                                                                 \
    X(CG, COMMENT, 5)                                                                              \
    X(CN, NEXT, 0)                                                                                 \
    X(CN, COMPOSITION, 1)                                                                          \
    X(CN, NAME, 2)                                                                                 \
    X(CN, CONVERSION, 4)                                                                           \
    X(CN, UNIT, 6)                                                                                 \
    X(CN, COMMENT, 7)                                                                              \
    X(CC, UNIT, 1)                                                                                 \
    X(AT, NEXT, 0)                                                                                 \
    X(AT, NAME, 1)                                                                                 \
    X(AT, MIME, 2)                                                                                 \
    X(AT, COMMENT, 3)                                                                              \
    X(DL, NEXT, 0)

/* X(block, name, position in the data section, bytes) */
#define MDF_READ_FIELDS(X)                                                                         \
    X(HD, START_NS, 0, 8)                                                                          \
    X(HD, TIME_FLAGS, 12, 1)                                                                       \
    X(DG, ID_BYTES, 0, 1) /* of the record id before each record: 0, 1, 2, 4, 8 */                 \
    X(CG, RECORD_ID, 0, 8)                                                                         \
    X(CG, CYCLES, 8, 8)                                                                            \
    X(CG, FLAGS, 16, 2)                                                                            \
    X(CG, DATA_BYTES, 24, 4)                                                                       \
    X(CG, INVALID_BYTES, 28, 4)                                                                    \
    X(CN, TYPE, 0, 1)                                                                              \
    X(CN, SYNC, 1, 1) /* what kind of master */                                                    \
    X(CN, DATA_TYPE, 2, 1)                                                                         \
    X(CN, BIT_OFFSET, 3, 1)                                                                        \
    X(CN, BYTE_OFFSET, 4, 4)                                                                       \
    X(CN, BIT_COUNT, 8, 4)                                                                         \
    X(CN, FLAGS, 12, 4)                                                                            \
    X(CN, INVALID_BIT, 16, 4)                                                                      \
    X(CC, TYPE, 0, 1)                                                                              \
    X(CC, VALUE_COUNT, 6, 2)                                                                       \
    X(AT, FLAGS, 0, 2)                                                                             \
    X(AT, FULL_BYTES, 24, 8)                                                                       \
    X(AT, EMBEDDED_BYTES, 32, 8)                                                                   \
    X(DL, COUNT, 4, 4)

/* Values of the fields. */
enum {
    MDF_READ_GROUP_VARIABLE = 1, /* CG_FLAGS: each record is a u32 length and as many bytes */
    MDF_READ_CHANNEL_VALUE = 0,  /* CN_TYPE, of 0 to 6 */
    MDF_READ_CHANNEL_MASTER = 2,
    MDF_READ_CHANNEL_SYNC = 4,
    MDF_READ_SYNC_TIME = 1,   /* CN_SYNC */
    MDF_READ_UNSIGNED_LE = 0, /* CN_DATA_TYPE, of 0 to 17 */
    MDF_READ_SIGNED_LE = 2,
    MDF_READ_FLOAT_LE = 4,
    MDF_READ_LATIN1 = 6,
    MDF_READ_UTF8 = 7,
    MDF_READ_NEVER_VALID = 1, /* CN_FLAGS */
    MDF_READ_HAS_INVALID_BIT = 2,
    MDF_READ_CONVERSION_NONE = 0,   /* CC_TYPE, of 0 to 11 */
    MDF_READ_CONVERSION_LINEAR = 1, /* two f64 behind the fields: value = second * stored + first */
    MDF_READ_ATTACHED_EMBEDDED = 1, /* AT_FLAGS */
    MDF_READ_ATTACHED_COMPRESSED = 2,
    MDF_READ_TIME_LOCAL = 1, /* HD_TIME_FLAGS: START_NS is local time, not UTC */
};

enum mdf_read_block_kind {
#define MDF_READ_KIND(block, links, bytes) MDF_READ_##block,
    MDF_READ_BLOCKS(MDF_READ_KIND)
#undef MDF_READ_KIND
        MDF_READ_KINDS
};

enum mdf_read_link_name {
#define MDF_READ_LINK(block, name, number) MDF_READ_##block##_##name##_LINK = (number),
    MDF_READ_LINKS(MDF_READ_LINK)
#undef MDF_READ_LINK
};

enum mdf_read_field_name {
#define MDF_READ_FIELD(block, name, at, bytes) MDF_READ_##block##_##name,
    MDF_READ_FIELDS(MDF_READ_FIELD)
#undef MDF_READ_FIELD
        MDF_READ_FIELD_NAMES
};

struct mdf_read_block_layout {
    char id[5];           /* "##HD" */
    uint8_t links, bytes; /* at least */
};

struct mdf_read_field_layout {
    uint8_t block, at, bytes;
};

extern const struct mdf_read_block_layout mdf_read_blocks[MDF_READ_KINDS];
extern const struct mdf_read_field_layout mdf_read_fields[MDF_READ_FIELD_NAMES];

#endif

/* The blocks of MDF 4.1 that we write, as they lie in the file: little-endian, each at a multiple
 * of 8. Every field is aligned to its size, so a struct is the layout; the table at the end names
 * and proves sizes and link counts. A link is the offset of another block, or 0. */
#ifndef SKIDPAD_WIRE_MDF_WRITE_LAYOUT_H
#define SKIDPAD_WIRE_MDF_WRITE_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records go to the file as they are");

enum {
    MDF_ALIGN = 8,
    MDF_VERSION = 410,

    /* id.unfinished: what a reader has to repair */
    MDF_UNFINISHED_COUNTS = 0x01,
    MDF_UNFINISHED_DATA_LENGTH = 0x04,

    /* cn.type, cn.sync, cn.data_type */
    MDF_CN_VALUE = 0,
    MDF_CN_MASTER = 2,
    MDF_SYNC_NONE = 0,
    MDF_SYNC_TIME = 1,
    MDF_DATA_UNSIGNED = 0,
    MDF_DATA_SIGNED = 2,
    MDF_DATA_REAL = 4,
    MDF_DATA_UTF8 = 7,
    MDF_PRECISION_ANY = 255,

    MDF_CC_LINEAR = 1,
    MDF_AT_EMBEDDED = 0x01,
    MDF_TIME_OFFSETS_VALID = 0x02, /* of the time zone; both 0: UTC */
};

/* At offset 0, without the head that all others have. */
struct mdf_id {
    char file[8];    /* "MDF     " or "UnFinMF " */
    char version[8]; /* "4.10    " */
    char program[8];
    uint8_t reserved_a[4];
    uint16_t version_number;
    uint8_t reserved_b[30];
    uint16_t unfinished, unfinished_custom;
};
static_assert(sizeof(struct mdf_id) == 64, "identification block");

struct mdf_head {
    char id[4];
    uint32_t reserved;
    uint64_t length; /* with this head */
    uint64_t link_count;
};
static_assert(sizeof(struct mdf_head) == 24, "head of a block");

/* Header of the file, at offset 64. */
struct mdf_hd {
    struct mdf_head head;
    uint64_t dg_first, fh_first, ch_first, at_first, ev_first, comment;
    uint64_t start_ns;
    int16_t zone_min, summer_min;
    uint8_t time_flags, time_class, flags, reserved;
    double start_angle_rad, start_distance_m;
};

/* File history: who wrote it. */
struct mdf_fh {
    struct mdf_head head;
    uint64_t fh_next, comment;
    uint64_t time_ns;
    int16_t zone_min, summer_min;
    uint8_t time_flags, reserved[3];
};

/* Data group: channel groups that share a data block. */
struct mdf_dg {
    struct mdf_head head;
    uint64_t dg_next, cg_first, data, comment;
    uint8_t record_id_bytes, reserved[7];
};

/* Channel group: records of one kind. */
struct mdf_cg {
    struct mdf_head head;
    uint64_t cg_next, cn_first, name, source, sr_first, comment;
    uint64_t record_id, cycle_count;
    uint16_t flags, path_separator;
    uint32_t reserved, data_bytes, invalid_bytes;
};

/* Channel: a field of the record. */
struct mdf_cn {
    struct mdf_head head;
    uint64_t cn_next, composition, name, source, conversion, data, unit, comment;
    uint8_t type, sync, data_type, bit_offset;
    uint32_t byte_offset, bit_count, flags, invalid_bit;
    uint8_t precision, reserved;
    uint16_t attachment_count;
    double range_min, range_max, limit_min, limit_max, limit_ext_min, limit_ext_max;
};

/* Conversion, the linear one: value = offset + factor * stored. */
struct mdf_cc {
    struct mdf_head head;
    uint64_t name, unit, comment, inverse;
    uint8_t type, precision;
    uint16_t flags, ref_count, value_count;
    double range_min, range_max;
    double offset, factor;
};

/* Attachment; the embedded file follows. */
struct mdf_at {
    struct mdf_head head;
    uint64_t at_next, file_name, mime, comment;
    uint16_t flags, creator;
    uint32_t reserved;
    uint8_t md5[16];
    uint64_t original_bytes, embedded_bytes;
};

/* Text, XML text and data follow the head. */
struct mdf_tx {
    struct mdf_head head;
};
struct mdf_md {
    struct mdf_head head;
};
struct mdf_dt {
    struct mdf_head head;
};

/* name, id in the file, bytes, links, and where the data after the links begins */
#define MDF_BLOCKS(X)                                                                              \
    X(hd, "##HD", 104, 6, offsetof(struct mdf_hd, start_ns))                                       \
    X(fh, "##FH", 56, 2, offsetof(struct mdf_fh, time_ns))                                         \
    X(dg, "##DG", 64, 4, offsetof(struct mdf_dg, record_id_bytes))                                 \
    X(cg, "##CG", 104, 6, offsetof(struct mdf_cg, record_id))                                      \
    X(cn, "##CN", 160, 8, offsetof(struct mdf_cn, type))                                           \
    X(cc, "##CC", 96, 4, offsetof(struct mdf_cc, type))                                            \
    X(at, "##AT", 96, 4, offsetof(struct mdf_at, flags))                                           \
    X(tx, "##TX", 24, 0, sizeof(struct mdf_tx))                                                    \
    X(md, "##MD", 24, 0, sizeof(struct mdf_md))                                                    \
    X(dt, "##DT", 24, 0, sizeof(struct mdf_dt))

#define MDF_KIND(name, id, bytes, links, data) MDF_KIND_##name,
enum mdf_kind { MDF_BLOCKS(MDF_KIND) MDF_KINDS };
#undef MDF_KIND

#define MDF_PROOF(name, id, bytes, links, data)                                                    \
    static_assert(sizeof(struct mdf_##name) == (bytes), "size of " id);                            \
    static_assert((data) == sizeof(struct mdf_head) + (links) * sizeof(uint64_t), "links of " id);
MDF_BLOCKS(MDF_PROOF)
#undef MDF_PROOF

#endif

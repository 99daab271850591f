/* Channels of an MDF file: how a value lies in its record, and the value itself. */
#include "shared/wire/mdf_read_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* 10^n if the factor is the double nearest to 10^-n, else 0. */
static double decimal_divisor(double factor, double add)
{
    static const double fractions[] = {1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8, 1e-9,
                                       1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17};
    double power = 10.0; /* exact up to 1e22 */
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
        if (factor == fractions[i] && add == 0.0)
            return power;
        power *= 10.0;
    }
    return 0.0;
}

static int conversion_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                           struct mdf_read_link link, struct mdf_read_channel *c, struct err *e)
{
    struct mdf_read_block cc;
    const uint64_t fixed = mdf_read_blocks[MDF_READ_CC].bytes;
    uint8_t values[16];
    int rc = mdf_read_block_load(s, link, MDF_READ_SET(CC), &cc, e);
    if (!rc && c->unit[0] == '\0')
        rc = mdf_read_comment_load(s, a, mdf_read_block_link(&cc, MDF_READ_CC_UNIT_LINK), &c->unit,
                                   e);
    if (rc)
        return rc;
    uint64_t type = mdf_read_block_field(&cc, MDF_READ_CC_TYPE);
    if (type != MDF_READ_CONVERSION_LINEAR) {
        c->conversion = type == MDF_READ_CONVERSION_NONE ? MDF_READ_AS_STORED : MDF_READ_UNKNOWN;
        return 0;
    }
    if (mdf_read_block_field(&cc, MDF_READ_CC_VALUE_COUNT) < 2 ||
        mdf_read_block_data_bytes(&cc) < fixed + sizeof values)
        return mdf_read_complain(s, -EBADMSG, cc.at, e, "a linear conversion needs two values");
    rc = mdf_read_bytes(s, mdf_read_block_data_at(&cc) + fixed, values, sizeof values, e);
    if (rc)
        return rc;
    uint64_t add = mdf_read_little(values, 8), factor = mdf_read_little(values + 8, 8);
    memcpy(&c->add, &add, sizeof c->add);
    memcpy(&c->factor, &factor, sizeof c->factor);
    /* 1 * x + 0 would turn -0 into 0. */
    bool same = c->factor == 1.0 && c->add == 0.0;
    c->conversion = same ? MDF_READ_AS_STORED : MDF_READ_LINEAR;
    c->divisor = decimal_divisor(c->factor, c->add);
    return 0;
}

static enum mdf_read_type type_of(const struct mdf_read_block *cn, const struct mdf_read_channel *c)
{
    uint64_t type = mdf_read_block_field(cn, MDF_READ_CN_TYPE);
    bool number = c->bit_count >= 1 && c->bit_count <= 64;
    bool bytes = c->bit_offset == 0 && c->bit_count % 8 == 0;
    if ((type != MDF_READ_CHANNEL_VALUE && type != MDF_READ_CHANNEL_MASTER &&
         type != MDF_READ_CHANNEL_SYNC) ||
        mdf_read_block_link(cn, MDF_READ_CN_COMPOSITION_LINK).to != 0)
        return MDF_READ_TYPE_RAW;
    switch (mdf_read_block_field(cn, MDF_READ_CN_DATA_TYPE)) {
    case MDF_READ_UNSIGNED_LE:
        return number ? MDF_READ_TYPE_UNSIGNED : MDF_READ_TYPE_RAW;
    case MDF_READ_SIGNED_LE:
        return number ? MDF_READ_TYPE_SIGNED : MDF_READ_TYPE_RAW;
    case MDF_READ_FLOAT_LE:
        return bytes && (c->bit_count == 32 || c->bit_count == 64) ? MDF_READ_TYPE_FLOAT
                                                                   : MDF_READ_TYPE_RAW;
    case MDF_READ_LATIN1:
    case MDF_READ_UTF8:
        return bytes ? MDF_READ_TYPE_TEXT : MDF_READ_TYPE_RAW;
    default:
        return MDF_READ_TYPE_RAW;
    }
}

/* Where the value lies, which must be within the record. */
static int place_load(const struct mdf_read_source *s, const struct mdf_read_block *cn,
                      const struct mdf_read_group *group, struct mdf_read_channel *c, struct err *e)
{
    c->type = MDF_READ_TYPE_RAW;
    if (group->variable)
        return 0;
    c->byte_offset = (uint32_t)mdf_read_block_field(cn, MDF_READ_CN_BYTE_OFFSET);
    c->bit_offset = (uint32_t)mdf_read_block_field(cn, MDF_READ_CN_BIT_OFFSET);
    c->bit_count = (uint32_t)mdf_read_block_field(cn, MDF_READ_CN_BIT_COUNT);
    c->data_bytes = group->data_bytes;
    uint64_t end = c->byte_offset + ((uint64_t)c->bit_offset + c->bit_count + 7) / 8;
    if (c->bit_offset > 7 || end > group->data_bytes)
        return mdf_read_complain(
            s, -EBADMSG, cn->at, e,
            "channel of %u bits at byte %u, bit %u is not within its record of "
            "%u bytes",
            c->bit_count, c->byte_offset, c->bit_offset, group->data_bytes);
    c->type = type_of(cn, c);
    uint64_t flags = mdf_read_block_field(cn, MDF_READ_CN_FLAGS);
    c->never_valid = flags & MDF_READ_NEVER_VALID;
    c->has_invalid_bit = !c->never_valid && flags & MDF_READ_HAS_INVALID_BIT;
    c->invalid_bit = (uint32_t)mdf_read_block_field(cn, MDF_READ_CN_INVALID_BIT);
    if (c->has_invalid_bit && c->invalid_bit / 8 >= group->invalid_bytes)
        return mdf_read_complain(s, -EBADMSG, cn->at, e,
                                 "invalidation bit %u is not within the %u bytes for such bits",
                                 c->invalid_bit, group->invalid_bytes);
    return 0;
}

static int channel_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                        const struct mdf_read_block *cn, const struct mdf_read_group *group,
                        struct mdf_read_channel *c, struct err *e)
{
    struct mdf_read_link conversion = mdf_read_block_link(cn, MDF_READ_CN_CONVERSION_LINK);
    int rc = place_load(s, cn, group, c, e);
    if (!rc)
        rc = mdf_read_text_load(s, a, mdf_read_block_link(cn, MDF_READ_CN_NAME_LINK),
                                MDF_READ_SET(TX), &c->name, NULL, e);
    if (!rc)
        rc = mdf_read_comment_load(s, a, mdf_read_block_link(cn, MDF_READ_CN_UNIT_LINK), &c->unit,
                                   e);
    if (!rc)
        rc = mdf_read_comment_load(s, a, mdf_read_block_link(cn, MDF_READ_CN_COMMENT_LINK),
                                   &c->comment, e);
    if (rc)
        return rc;
    c->master = mdf_read_block_field(cn, MDF_READ_CN_TYPE) == MDF_READ_CHANNEL_MASTER &&
                mdf_read_block_field(cn, MDF_READ_CN_SYNC) == MDF_READ_SYNC_TIME;
    return conversion.to ? conversion_load(s, a, conversion, c, e) : 0;
}

int mdf_read_channels_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                           const struct mdf_read_block *cg, struct mdf_read_group *group,
                           struct err *e)
{
    struct mdf_read_list list = {.source = s, .kind = MDF_READ_CN};
    struct mdf_read_block cn;
    size_t count = 0;
    list.link = mdf_read_block_link(cg, MDF_READ_CG_FIRST_CN_LINK);
    int rc = mdf_read_list_count(list, sizeof(struct mdf_read_channel), &count, e);
    if (rc)
        return rc;
    struct mdf_read_channel *channels = mdf_read_alloc(a, count, sizeof *channels);
    if (!channels)
        return mdf_read_no_memory(s, cg->at, e);
    for (size_t i = 0; i < count; i++) {
        rc = mdf_read_list_take(&list, &cn, e);
        if (!rc)
            rc = channel_load(s, a, &cn, group, &channels[i], e);
        if (rc)
            return rc;
    }
    group->channels = channels;
    group->channel_count = count;
    return 0;
}

/* The bits of an integer: up to 64, which may touch nine bytes. */
uint64_t mdf_read_uint64(const struct mdf_read_channel *c, const void *record)
{
    if (c->type != MDF_READ_TYPE_UNSIGNED && c->type != MDF_READ_TYPE_SIGNED)
        return 0;
    const uint8_t *bytes = (const uint8_t *)record + c->byte_offset;
    size_t count = (c->bit_offset + c->bit_count + 7) / 8;
    uint64_t value = mdf_read_little(bytes, count < 8 ? count : 8) >> c->bit_offset;
    if (count > 8)
        value |= (uint64_t)bytes[8] << (64 - c->bit_offset);
    if (c->bit_count < 64)
        value &= (UINT64_C(1) << c->bit_count) - 1;
    if (c->type == MDF_READ_TYPE_SIGNED && value >> (c->bit_count - 1) & 1)
        value |= ~UINT64_C(0) << (c->bit_count - 1);
    return value;
}

int64_t mdf_read_int64(const struct mdf_read_channel *c, const void *record)
{
    return (int64_t)mdf_read_uint64(c, record);
}

static double stored_float(const struct mdf_read_channel *c, const void *record)
{
    const uint8_t *bytes = (const uint8_t *)record + c->byte_offset;
    uint64_t bits = mdf_read_little(bytes, c->bit_count / 8);
    double number;
    if (c->bit_count == 32) {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    memcpy(&number, &bits, sizeof number);
    return number;
}

double mdf_read_number(const struct mdf_read_channel *c, const void *record)
{
    double stored = NAN;
    if (c->type == MDF_READ_TYPE_FLOAT)
        stored = stored_float(c, record);
    else if (c->type == MDF_READ_TYPE_UNSIGNED)
        stored = (double)mdf_read_uint64(c, record);
    else if (c->type == MDF_READ_TYPE_SIGNED)
        stored = (double)mdf_read_int64(c, record);
    if (c->conversion != MDF_READ_LINEAR)
        return stored;
    return c->divisor != 0.0 ? stored / c->divisor : c->factor * stored + c->add;
}

const void *mdf_read_raw(const struct mdf_read_channel *c, const void *record, size_t *bytes)
{
    const uint8_t *from = (const uint8_t *)record + c->byte_offset;
    size_t room = (size_t)(((uint64_t)c->bit_offset + c->bit_count + 7) / 8);
    const uint8_t *end = c->type == MDF_READ_TYPE_TEXT && room ? memchr(from, '\0', room) : NULL;
    *bytes = end ? (size_t)(end - from) : room;
    return from;
}

bool mdf_read_valid(const struct mdf_read_channel *c, const void *record)
{
    const uint8_t *bits = (const uint8_t *)record + c->data_bytes;
    if (c->never_valid)
        return false;
    return !c->has_invalid_bit || !(bits[c->invalid_bit / 8] >> (c->invalid_bit % 8) & 1);
}

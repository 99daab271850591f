#include "shared/wire/mdf_write_head.h"

#include "shared/base/utf8.h"
#include "shared/wire/mdf_write_xml.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    char id[5];
    size_t bytes, links;
} kinds[] = {
#define KIND(name, id, bytes, links, data) {id, bytes, links},
    MDF_BLOCKS(KIND)
#undef KIND
};

static const struct {
    uint8_t data_type;
    uint32_t bytes; /* 0: the channel says */
} types[] = {
    [MDF_F64] = {MDF_DATA_REAL, 8},     [MDF_I64] = {MDF_DATA_SIGNED, 8},
    [MDF_U64] = {MDF_DATA_UNSIGNED, 8}, [MDF_I32] = {MDF_DATA_SIGNED, 4},
    [MDF_U32] = {MDF_DATA_UNSIGNED, 4}, [MDF_TEXT] = {MDF_DATA_UTF8, 0},
};
enum { TYPES = sizeof types / sizeof types[0] };

static uint32_t channel_bytes(const struct mdf_channel *c)
{
    return types[c->type].bytes ? types[c->type].bytes : c->bytes;
}

/* ---- checks */

static int check_channel(const struct mdf_group *g, const struct mdf_channel *c, struct err *e)
{
    if (!c->name || !c->name[0])
        return err_set(e, -EINVAL, "log group '%s': a channel has no name", g->name);
    if ((unsigned int)c->type >= TYPES)
        return err_set(e, -EINVAL, "log channel '%s': unknown type", c->name);
    const uint32_t bytes = channel_bytes(c);
    if (bytes == 0 || bytes > UINT32_MAX / 8 || bytes > g->record_bytes ||
        c->offset > g->record_bytes - bytes)
        return err_set(e, -EINVAL, "log channel '%s': its %u bytes at %u are not in a record of %u",
                       c->name, bytes, c->offset, g->record_bytes);
    if (!isfinite(c->factor) || !isfinite(c->add))
        return err_set(e, -EINVAL, "log channel '%s': factor and add must be finite", c->name);
    if (c->master && c->type == MDF_TEXT)
        return err_set(e, -EINVAL, "log channel '%s': text cannot be the time", c->name);
    return 0;
}

static int check_group(const struct mdf_group *g, struct err *e)
{
    if (!g->name || !g->name[0])
        return err_set(e, -EINVAL, "a log group has no name");
    if (g->channel_count == 0)
        return err_set(e, -EINVAL, "log group '%s' has no channels", g->name);
    size_t masters = 0;
    for (size_t i = 0; i < g->channel_count; i++) {
        int rc = check_channel(g, &g->channels[i], e);
        if (rc)
            return rc;
        masters += g->channels[i].master;
    }
    if (masters > 1)
        return err_set(e, -EINVAL, "log group '%s' has more than one time channel", g->name);
    return 0;
}

int mdf_check(const struct mdf_file *file, struct err *e)
{
    if (file->group_count == 0 || file->group_count > MDF_GROUPS_MAX)
        return err_set(e, -EINVAL, "a log has 1 to %d groups, not %zu", MDF_GROUPS_MAX,
                       file->group_count);
    for (size_t i = 0; i < file->group_count; i++) {
        int rc = check_group(&file->groups[i], e);
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- blocks into the image; a link to a block that could not be added is never used */

static bool make_room(struct mdf_image *image, size_t bytes)
{
    if (image->failed || bytes > SIZE_MAX / 4 - image->used) {
        image->failed = true;
        return false;
    }
    if (image->used + bytes <= image->size)
        return true;
    const size_t size = 2 * (image->used + bytes) + 65536;
    unsigned char *larger = realloc(image->bytes, size);
    if (!larger) {
        image->failed = true;
        return false;
    }
    image->bytes = larger;
    image->size = size;
    return true;
}

/* Appends bytes and zeros up to the next block; returns where they begin. */
static uint64_t put(struct mdf_image *image, const void *bytes, size_t count)
{
    if (count > SIZE_MAX / 8 || !make_room(image, count + MDF_ALIGN)) {
        image->failed = true;
        return 0;
    }
    const size_t at = image->used;
    const size_t padding = (MDF_ALIGN - count % MDF_ALIGN) % MDF_ALIGN;
    if (count)
        memcpy(image->bytes + at, bytes, count);
    memset(image->bytes + at + count, 0, padding);
    image->used = at + count + padding;
    return at;
}

static struct mdf_head head_of(enum mdf_kind kind, size_t more_bytes)
{
    struct mdf_head head = {.length = kinds[kind].bytes + more_bytes,
                            .link_count = kinds[kind].links};
    memcpy(head.id, kinds[kind].id, sizeof head.id);
    return head;
}

/* A block of which the head is filled in here; `more` bytes that follow it belong to it. */
static uint64_t put_block(struct mdf_image *image, enum mdf_kind kind, void *block,
                          const void *more, size_t more_bytes)
{
    struct mdf_head head = head_of(kind, more_bytes);
    memcpy(block, &head, sizeof head);
    uint64_t at = put(image, block, kinds[kind].bytes);
    if (more_bytes)
        (void)put(image, more, more_bytes);
    return at;
}

/* Text ends with a zero byte, and the zeros up to the next block belong to it. No text: no link. */
static uint64_t put_text(struct mdf_image *image, enum mdf_kind kind, const char *text)
{
    if (!text || !text[0])
        return 0;
    const size_t length = strlen(text);
    struct mdf_head head = head_of(kind, (length / MDF_ALIGN + 1) * MDF_ALIGN);
    uint64_t at = put(image, &head, sizeof head);
    uint64_t text_at = put(image, text, length + 1);
    if (!image->failed)
        utf8_repair_field((char *)image->bytes + text_at, length + 1);
    return at;
}

/* ---- comments */

static uint64_t put_xml(struct mdf_image *image, const struct mdf_file *file,
                        void (*fill)(FILE *to, const struct mdf_file *file))
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) {
        image->failed = true;
        return 0;
    }
    fill(to, file);
    if (fclose(to) != 0)
        image->failed = true;
    uint64_t at = image->failed ? 0 : put_text(image, MDF_KIND_md, text);
    free(text);
    return at;
}

/* ---- the parts; the last of a list is made first, so that the link to the next one is known */

static uint64_t put_conversion(struct mdf_image *image, const struct mdf_channel *c)
{
    const bool as_stored = c->factor == 0.0 || (c->factor == 1.0 && c->add == 0.0);
    if (as_stored)
        return 0;
    struct mdf_cc cc = {.type = MDF_CC_LINEAR,
                        .precision = MDF_PRECISION_ANY,
                        .value_count = 2,
                        .offset = c->add,
                        .factor = c->factor};
    return put_block(image, MDF_KIND_cc, &cc, NULL, 0);
}

static uint64_t put_channel(struct mdf_image *image, const struct mdf_channel *c, uint64_t next)
{
    struct mdf_cn cn = {.cn_next = next,
                        .name = put_text(image, MDF_KIND_tx, c->name),
                        .conversion = put_conversion(image, c),
                        .unit = put_text(image, MDF_KIND_tx, c->unit),
                        .comment = put_text(image, MDF_KIND_tx, c->comment),
                        .type = c->master ? MDF_CN_MASTER : MDF_CN_VALUE,
                        .sync = c->master ? MDF_SYNC_TIME : MDF_SYNC_NONE,
                        .data_type = types[c->type].data_type,
                        .byte_offset = c->offset,
                        .bit_count = channel_bytes(c) * 8,
                        .precision = MDF_PRECISION_ANY};
    return put_block(image, MDF_KIND_cn, &cn, NULL, 0);
}

static uint64_t put_group(struct mdf_image *image, const struct mdf_file *file, size_t index,
                          uint64_t next)
{
    const struct mdf_group *g = &file->groups[index];
    uint64_t channel = 0;
    for (size_t i = g->channel_count; i-- > 0;)
        channel = put_channel(image, &g->channels[i], channel);
    struct mdf_cg cg = {.cg_next = next,
                        .cn_first = channel,
                        .name = put_text(image, MDF_KIND_tx, g->name),
                        .comment = put_text(image, MDF_KIND_tx, g->comment),
                        .record_id = mdf_record_id_bytes(file->group_count) ? index + 1 : 0,
                        .data_bytes = g->record_bytes};
    image->cg_at[index] = put_block(image, MDF_KIND_cg, &cg, NULL, 0);
    return image->cg_at[index];
}

static uint64_t put_attachments(struct mdf_image *image, const struct mdf_file *file)
{
    uint64_t next = 0;
    for (size_t i = file->attachment_count; i-- > 0;) {
        const struct mdf_attachment *a = &file->attachments[i];
        struct mdf_at at = {.at_next = next,
                            .file_name = put_text(image, MDF_KIND_tx, a->name),
                            .mime = put_text(image, MDF_KIND_tx, a->mime ? a->mime : "text/plain"),
                            .flags = MDF_AT_EMBEDDED,
                            .original_bytes = a->bytes,
                            .embedded_bytes = a->bytes};
        next = put_block(image, MDF_KIND_at, &at, a->data, a->bytes);
    }
    return next;
}

static uint64_t put_history(struct mdf_image *image, const struct mdf_file *file)
{
    struct mdf_fh fh = {.comment = put_xml(image, file, mdf_xml_history),
                        .time_ns = (uint64_t)file->start_ns,
                        .time_flags = MDF_TIME_OFFSETS_VALID};
    return put_block(image, MDF_KIND_fh, &fh, NULL, 0);
}

size_t mdf_record_id_bytes(size_t group_count)
{
    return group_count > 1 ? 1 : 0;
}

struct mdf_id mdf_identification(bool finished)
{
    struct mdf_id id = {.version_number = MDF_VERSION};
    memcpy(id.file, finished ? "MDF     " : "UnFinMF ", sizeof id.file);
    memcpy(id.version, "4.10    ", sizeof id.version);
    memcpy(id.program, "skidpad ", sizeof id.program);
    if (!finished)
        id.unfinished = MDF_UNFINISHED_COUNTS | MDF_UNFINISHED_DATA_LENGTH;
    return id;
}

int mdf_image_make(struct mdf_image *image, const struct mdf_file *file)
{
    memset(image, 0, sizeof *image);
    struct mdf_id id = mdf_identification(false);
    struct mdf_hd hd = {.head = head_of(MDF_KIND_hd, 0),
                        .start_ns = (uint64_t)file->start_ns,
                        .time_flags = MDF_TIME_OFFSETS_VALID};
    (void)put(image, &id, sizeof id);
    const uint64_t hd_at = put(image, &hd, sizeof hd); /* its links are not known yet */
    hd.comment = put_xml(image, file, mdf_xml_header);
    hd.fh_first = put_history(image, file);
    hd.at_first = put_attachments(image, file);

    uint64_t group = 0;
    for (size_t i = file->group_count; i-- > 0;)
        group = put_group(image, file, i, group);
    struct mdf_dg dg = {.cg_first = group,
                        .record_id_bytes = (uint8_t)mdf_record_id_bytes(file->group_count)};
    /* The data block comes last, right behind its group. */
    dg.data = image->used + sizeof dg;
    hd.dg_first = put_block(image, MDF_KIND_dg, &dg, NULL, 0);
    struct mdf_dt dt;
    image->data_at = put_block(image, MDF_KIND_dt, &dt, NULL, 0);
    if (image->failed)
        return -ENOMEM;
    memcpy(image->bytes + hd_at, &hd, sizeof hd);
    return 0;
}

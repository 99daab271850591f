#include "shared/wire/mdf_read_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int refuse(const struct mdf_read_source *s, const struct mdf_read_block *b, struct err *e)
{
    bool packed = b->kind == MDF_READ_HL || b->kind == MDF_READ_DZ;
    return mdf_read_complain(
        s, -ENOTSUP, b->at, e, "%s: %s; save the file again %s", mdf_read_blocks[b->kind].id,
        packed ? "compressed data is not supported" : "data by column is not supported",
        packed ? "without compression" : "as MDF 4.1");
}

static const uint32_t refused =
    MDF_READ_SET(HL) | MDF_READ_SET(DZ) | MDF_READ_SET(DV) | MDF_READ_SET(LD);

int mdf_read_chain_begin(const struct mdf_read_source *s, struct mdf_read_chain *c,
                         struct mdf_read_link data, struct err *e)
{
    struct mdf_read_block b;
    *c = (struct mdf_read_chain){0};
    if (data.to == 0)
        return 0;
    int rc = mdf_read_block_load(s, data, MDF_READ_SET(DT) | MDF_READ_SET(DL) | refused, &b, e);
    if (rc)
        return rc;
    if (refused & 1U << b.kind)
        return refuse(s, &b, e);
    if (b.kind == MDF_READ_DT)
        c->only = data;
    else
        c->next_list = data;
    return 0;
}

/* Goes on to the list that c->next_list leads to. */
static int list_begin(const struct mdf_read_source *s, struct mdf_read_chain *c, struct err *e)
{
    struct mdf_read_block b;
    int rc = mdf_read_walk_step(s, &c->walk, c->next_list, e);
    if (!rc)
        rc = mdf_read_block_load(s, c->next_list, MDF_READ_SET(DL), &b, e);
    if (rc)
        return rc;
    uint64_t count = mdf_read_block_field(&b, MDF_READ_DL_COUNT), links = b.link_count - 1;
    /* The count of a list that was not finished may be that of the links made in advance. */
    if (count != links && !(s->unfinished & MDF_READ_UNFINISHED_LAST_LIST))
        return mdf_read_complain(s, -EBADMSG, b.at, e,
                                 "##DL counts %" PRIu64 " data blocks and links to %" PRIu64, count,
                                 links);
    c->link_at = mdf_read_block_link(&b, 0).at + MDF_READ_LINK_BYTES;
    c->links_left = links;
    c->next_list = mdf_read_block_link(&b, MDF_READ_DL_NEXT_LINK);
    return 0;
}

/* The next link of the lists, in *link; 0: no more. */
static int next_link(const struct mdf_read_source *s, struct mdf_read_chain *c,
                     struct mdf_read_link *link, struct err *e)
{
    uint8_t bytes[MDF_READ_LINK_BYTES];
    *link = c->only;
    c->only.to = 0;
    while (link->to == 0) {
        while (c->links_left == 0) {
            if (c->next_list.to == 0)
                return 0;
            int rc = list_begin(s, c, e);
            if (rc)
                return rc;
        }
        int rc = mdf_read_bytes(s, c->link_at, bytes, sizeof bytes, e);
        if (rc)
            return rc;
        *link = (struct mdf_read_link){c->link_at, mdf_read_little(bytes, sizeof bytes)};
        c->link_at += sizeof bytes;
        c->links_left--;
        if (link->to == 0 && !(s->unfinished & MDF_READ_UNFINISHED_LAST_LIST))
            return mdf_read_complain(s, -EBADMSG, link->at, e, "##DL has an empty link");
    }
    return 0;
}

int mdf_read_chain_next(const struct mdf_read_source *s, struct mdf_read_chain *c,
                        struct mdf_read_block *dt, struct err *e)
{
    struct mdf_read_link link;
    int rc = next_link(s, c, &link, e);
    if (rc || link.to == 0)
        return rc;
    rc = mdf_read_block_load(s, link, MDF_READ_SET(DT) | refused, dt, e);
    if (rc)
        return rc;
    return dt->kind == MDF_READ_DT ? 1 : refuse(s, dt, e);
}

int mdf_read_stream_begin(struct mdf_read_stream *s, struct mdf_read_link data, struct err *e)
{
    s->begin = s->end = 0;
    s->block_left = s->block_dt = 0;
    return mdf_read_chain_begin(s->source, &s->chain, data, e);
}

/* Goes on to the next block. Returns 1, 0 at the end, or a negative errno. */
static int block_begin(struct mdf_read_stream *s, struct err *e)
{
    const struct mdf_read_source *source = s->source;
    struct mdf_read_block dt = {0};
    int rc = mdf_read_chain_next(source, &s->chain, &dt, e);
    if (rc <= 0)
        return rc;
    if (dt.at == s->last_dt)
        dt.length = source->size - dt.at;
    rc = mdf_read_block_check(source, &dt, e);
    if (rc)
        return rc;
    s->block_dt = dt.at;
    s->block_begin = s->block_at = mdf_read_block_data_at(&dt);
    s->block_left = mdf_read_block_data_bytes(&dt);
    if (s->block_left > source->size - s->total)
        return mdf_read_complain(
            source, -EBADMSG, dt.at, e,
            "the data blocks up to here hold more than the file: they overlap");
    s->total += s->block_left;
    return 1;
}

int mdf_read_stream_need(struct mdf_read_stream *s, size_t count, size_t *have, struct err *e)
{
    *have = s->end - s->begin;
    if (*have >= count)
        return 0;
    if (*have > 0)
        memmove(s->window, s->window + s->begin, *have);
    s->begin = 0;
    s->end = *have;
    while (s->end < count) {
        if (s->block_left == 0) {
            int rc = block_begin(s, e);
            if (rc < 0)
                return rc;
            if (rc == 0)
                break;
        }
        size_t room = s->size - s->end;
        size_t bytes = s->block_left < room ? (size_t)s->block_left : room;
        int rc = mdf_read_bytes(s->source, s->block_at, s->window + s->end, bytes, e);
        if (rc)
            return rc;
        s->block_at += bytes;
        s->block_left -= bytes;
        s->end += bytes;
    }
    *have = s->end;
    return 0;
}

int mdf_read_stream_skip(struct mdf_read_stream *s, uint64_t count, uint64_t *missing,
                         struct err *e)
{
    size_t held = s->end - s->begin;
    if (count <= held) {
        s->begin += (size_t)count;
        count = 0;
    } else {
        s->begin = s->end = 0;
        count -= held;
    }
    while (count > 0) {
        if (s->block_left == 0) {
            int rc = block_begin(s, e);
            if (rc < 0)
                return rc;
            if (rc == 0)
                break;
        }
        uint64_t bytes = s->block_left < count ? s->block_left : count;
        s->block_at += bytes;
        s->block_left -= bytes;
        count -= bytes;
    }
    *missing = count;
    return 0;
}

/* Exact unless the window began in an earlier block: then the beginning of the current one. */
uint64_t mdf_read_stream_at(const struct mdf_read_stream *s)
{
    size_t held = s->end - s->begin;
    uint64_t from_block = s->block_at - s->block_begin;
    return held <= from_block ? s->block_at - held : s->block_begin;
}

#include "shared/wire/mdf_read_block.h"

#include "shared/wire/mdf_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { CHUNK_BYTES = 65536 };

struct mdf_read_chunk {
    struct mdf_read_chunk *next;
    size_t size;
    max_align_t memory[];
};

int mdf_read_complain(const struct mdf_read_source *s, int code, uint64_t at, struct err *e,
                      const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(e, code, "%s: at byte %" PRIu64 ": %s", s->name, at, text);
}

int mdf_read_bytes(const struct mdf_read_source *s, uint64_t at, void *to, size_t count,
                   struct err *e)
{
    if (at > s->size || count > s->size - at)
        return mdf_read_complain(s, -EBADMSG, at, e,
                                 "%zu bytes are needed, but the file ends at byte %" PRIu64, count,
                                 s->size);
    if (s->fd < 0) {
        if (count > 0)
            memcpy(to, s->bytes + at, count);
        return 0;
    }
    for (size_t done = 0; done < count;) {
        ssize_t got = pread(s->fd, (uint8_t *)to + done, count - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mdf_read_complain(s, -errno, at + done, e, "%s", strerror(errno));
        if (got == 0)
            return mdf_read_complain(s, -EBADMSG, at + done, e,
                                     "the file has become shorter while it is read");
        done += (size_t)got;
    }
    return 0;
}

uint64_t mdf_read_little(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Which block the four letters name; MDF_READ_KINDS: none that is known. */
static enum mdf_read_block_kind kind_of(const uint8_t *head)
{
    enum mdf_read_block_kind kind = MDF_READ_HD;
    while (kind < MDF_READ_KINDS && memcmp(head, mdf_read_blocks[kind].id, 4) != 0)
        kind++;
    return kind;
}

/* "##DG or ##CG, not ##XY"; what is not a letter becomes a question mark. */
static int complain_kind(const struct mdf_read_source *s, const struct mdf_read_block *b,
                         uint32_t kinds, const uint8_t *head, struct err *e)
{
    char wanted[128] = "", found[5] = "";
    size_t used = 0;
    for (int kind = 0; kind < MDF_READ_KINDS; kind++) {
        if (!(kinds & 1U << kind) || used + 10 > sizeof wanted)
            continue;
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s%s", used ? " or " : "",
                                 mdf_read_blocks[kind].id);
    }
    for (size_t i = 0; i < 4; i++)
        found[i] = (char)(head[i] > ' ' && head[i] < 0x7f ? head[i] : '?');
    return mdf_read_complain(s, -EBADMSG, b->at, e, "%s must be here, not '%s'", wanted, found);
}

int mdf_read_block_check(const struct mdf_read_source *s, const struct mdf_read_block *b,
                         struct err *e)
{
    const struct mdf_read_block_layout *layout = &mdf_read_blocks[b->kind];
    if (b->length > s->size - b->at)
        return mdf_read_complain(s, -EBADMSG, b->at, e,
                                 "%s is %" PRIu64 " bytes long, but the file ends at byte %" PRIu64,
                                 layout->id, b->length, s->size);
    if (b->link_count < layout->links)
        return mdf_read_complain(s, -EBADMSG, b->at, e,
                                 "%s has %" PRIu64 " links, at least %u needed", layout->id,
                                 b->link_count, layout->links);
    if (b->link_count > b->length / MDF_READ_LINK_BYTES ||
        b->length < MDF_READ_HEAD_BYTES + b->link_count * MDF_READ_LINK_BYTES + layout->bytes)
        return mdf_read_complain(s, -EBADMSG, b->at, e,
                                 "%s of %" PRIu64 " bytes is too short for %" PRIu64
                                 " links and its data",
                                 layout->id, b->length, b->link_count);
    return 0;
}

int mdf_read_block_load(const struct mdf_read_source *s, struct mdf_read_link link, uint32_t kinds,
                        struct mdf_read_block *b, struct err *e)
{
    uint8_t head[MDF_READ_HEAD_BYTES] = {0};
    *b = (struct mdf_read_block){.at = link.to};
    if (link.to % 8 != 0)
        return mdf_read_complain(s, -EBADMSG, link.at, e,
                                 "link to byte %" PRIu64 ", which is not a multiple of 8", link.to);
    if (link.to < MDF_READ_ID_BYTES || s->size < sizeof head || link.to > s->size - sizeof head)
        return mdf_read_complain(s, -EBADMSG, link.at, e,
                                 "link to byte %" PRIu64 ", where no block can be: the file ends "
                                 "at byte %" PRIu64,
                                 link.to, s->size);
    int rc = mdf_read_bytes(s, link.to, head, sizeof head, e);
    if (rc)
        return rc;
    b->kind = kind_of(head);
    if (b->kind == MDF_READ_KINDS || !(kinds & 1U << b->kind))
        return complain_kind(s, b, kinds, head, e);
    const struct mdf_read_block_layout *layout = &mdf_read_blocks[b->kind];
    b->length = mdf_read_little(head + 8, 8);
    b->link_count = mdf_read_little(head + 16, 8);
    if (b->kind == MDF_READ_DT && s->unfinished & MDF_READ_UNFINISHED_LAST_DT)
        return 0;
    rc = mdf_read_block_check(s, b, e);
    if (!rc)
        rc = mdf_read_bytes(s, b->at + sizeof head, b->links,
                            (size_t)layout->links * MDF_READ_LINK_BYTES, e);
    return rc ? rc : mdf_read_bytes(s, mdf_read_block_data_at(b), b->data, layout->bytes, e);
}

uint64_t mdf_read_block_field(const struct mdf_read_block *b, enum mdf_read_field_name field)
{
    return mdf_read_little(b->data + mdf_read_fields[field].at, mdf_read_fields[field].bytes);
}

struct mdf_read_link mdf_read_block_link(const struct mdf_read_block *b, uint32_t number)
{
    uint32_t offset = number * MDF_READ_LINK_BYTES;
    return (struct mdf_read_link){b->at + MDF_READ_HEAD_BYTES + offset,
                                  mdf_read_little(b->links + offset, MDF_READ_LINK_BYTES)};
}

uint64_t mdf_read_block_data_at(const struct mdf_read_block *b)
{
    return b->at + MDF_READ_HEAD_BYTES + b->link_count * MDF_READ_LINK_BYTES;
}

uint64_t mdf_read_block_data_bytes(const struct mdf_read_block *b)
{
    return b->at + b->length - mdf_read_block_data_at(b);
}

int mdf_read_walk_step(const struct mdf_read_source *s, struct mdf_read_walk *w,
                       struct mdf_read_link link, struct err *e)
{
    if (link.to != 0 && link.to == w->seen)
        return mdf_read_complain(
            s, -EBADMSG, link.at, e,
            "link to byte %" PRIu64 ", where this list has been: it never ends", link.to);
    if (w->steps++ == w->until) {
        w->seen = link.to;
        w->until = 2 * w->until + 1;
    }
    return 0;
}

void *mdf_read_alloc(struct mdf_read_arena *a, size_t count, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    if (count > MDF_READ_MEMORY_MAX / size)
        return NULL;
    size_t bytes = (count * size + unit - 1) / unit * unit;
    if (bytes > a->left) {
        size_t wanted = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        if (wanted > MDF_READ_MEMORY_MAX - a->total)
            return NULL;
        struct mdf_read_chunk *chunk = calloc(1, sizeof *chunk + wanted);
        if (!chunk)
            return NULL;
        chunk->next = a->chunks;
        chunk->size = wanted;
        a->chunks = chunk;
        a->left = wanted;
        a->total += wanted;
    }
    a->left -= bytes;
    return (uint8_t *)a->chunks->memory + (a->chunks->size - a->left - bytes);
}

int mdf_read_no_memory(const struct mdf_read_source *s, uint64_t at, struct err *e)
{
    return mdf_read_complain(s, -EFBIG, at, e,
                             "the descriptions in this file need more than %d MiB of memory",
                             MDF_READ_MEMORY_MAX >> 20);
}

void mdf_read_arena_free(struct mdf_read_arena *a)
{
    while (a->chunks) {
        struct mdf_read_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
    *a = (struct mdf_read_arena){0};
}

int mdf_read_text_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                       struct mdf_read_link link, uint32_t kinds, const char **text, bool *xml,
                       struct err *e)
{
    struct mdf_read_block b;
    *text = "";
    if (xml)
        *xml = false;
    if (link.to == 0)
        return 0;
    int rc = mdf_read_block_load(s, link, kinds, &b, e);
    if (rc)
        return rc;
    uint64_t bytes = mdf_read_block_data_bytes(&b);
    char *copy = bytes < MDF_READ_MEMORY_MAX ? mdf_read_alloc(a, (size_t)bytes + 1, 1) : NULL;
    if (!copy)
        return mdf_read_no_memory(s, b.at, e);
    rc = mdf_read_bytes(s, mdf_read_block_data_at(&b), copy, (size_t)bytes, e);
    if (rc)
        return rc;
    if (!memchr(copy, '\0', (size_t)bytes))
        return mdf_read_complain(s, -EBADMSG, b.at, e, "the text in %s has no zero byte at its end",
                                 mdf_read_blocks[b.kind].id);
    *text = copy;
    if (xml)
        *xml = b.kind == MDF_READ_MD;
    return 0;
}

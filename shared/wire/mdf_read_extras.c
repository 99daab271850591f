/* Comments, properties and attachments of an MDF file. */
#include "shared/wire/mdf_read_tree.h"
#include "shared/wire/mdf_read_xml.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static struct mdf_read_span span_of(const char *text)
{
    return (struct mdf_read_span){text, strlen(text)};
}

/* What the first element TX of an XML comment says, "" if there is none. */
static int main_text(const struct mdf_read_source *s, struct mdf_read_arena *a, uint64_t at,
                     const char *xml, const char **text, struct err *e)
{
    struct mdf_read_span rest = span_of(xml);
    struct mdf_read_element tx;
    *text = "";
    if (!mdf_read_xml_find(&rest, "TX", &tx))
        return 0;
    char *copy = mdf_read_alloc(a, tx.content.length + 1, 1);
    if (!copy)
        return mdf_read_no_memory(s, at, e);
    mdf_read_xml_text(tx.content, copy);
    *text = copy;
    return 0;
}

int mdf_read_comment_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                          struct mdf_read_link link, const char **text, struct err *e)
{
    bool xml = false;
    int rc = mdf_read_text_load(s, a, link, MDF_READ_SET(TX) | MDF_READ_SET(MD), text, &xml, e);
    return rc || !xml ? rc : main_text(s, a, link.to, *text, text, e);
}

/* The next <e name="...">...</e>. */
static bool next_property(struct mdf_read_span *rest, struct mdf_read_element *found,
                          struct mdf_read_span *name)
{
    while (mdf_read_xml_find(rest, "e", found))
        if (mdf_read_xml_attribute(found->attributes, "name", name))
            return true;
    return false;
}

static int properties_load(const struct mdf_read_source *s, struct mdf_read_arena *a, uint64_t at,
                           const char *xml, struct mdf_read_file *file, struct err *e)
{
    struct mdf_read_span rest = span_of(xml), name;
    struct mdf_read_element common, element;
    size_t count = 0;
    if (!mdf_read_xml_find(&rest, "common_properties", &common))
        return 0;
    rest = common.content;
    while (next_property(&rest, &element, &name))
        count++;
    struct mdf_read_property *p = mdf_read_alloc(a, count, sizeof *p);
    if (!p)
        return mdf_read_no_memory(s, at, e);
    rest = common.content;
    for (size_t i = 0; next_property(&rest, &element, &name); i++) {
        char *copy = mdf_read_alloc(a, name.length + 1, 1);
        char *value = mdf_read_alloc(a, element.content.length + 1, 1);
        if (!copy || !value)
            return mdf_read_no_memory(s, at, e);
        mdf_read_xml_value(name, copy);
        mdf_read_xml_text(element.content, value);
        p[i] = (struct mdf_read_property){copy, value};
    }
    file->properties = p;
    file->property_count = count;
    return 0;
}

static int attachment_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                           const struct mdf_read_block *b, struct mdf_read_attachment *at,
                           struct err *e)
{
    uint64_t flags = mdf_read_block_field(b, MDF_READ_AT_FLAGS);
    uint64_t embedded = mdf_read_block_field(b, MDF_READ_AT_EMBEDDED_BYTES);
    int rc = mdf_read_text_load(s, a, mdf_read_block_link(b, MDF_READ_AT_NAME_LINK),
                                MDF_READ_SET(TX), &at->name, NULL, e);
    if (!rc)
        rc = mdf_read_text_load(s, a, mdf_read_block_link(b, MDF_READ_AT_MIME_LINK),
                                MDF_READ_SET(TX), &at->mime, NULL, e);
    if (!rc)
        rc = mdf_read_comment_load(s, a, mdf_read_block_link(b, MDF_READ_AT_COMMENT_LINK),
                                   &at->comment, e);
    if (rc)
        return rc;
    at->bytes = mdf_read_block_field(b, MDF_READ_AT_FULL_BYTES);
    at->embedded = flags & MDF_READ_ATTACHED_EMBEDDED;
    at->compressed = flags & MDF_READ_ATTACHED_COMPRESSED;
    at->at = mdf_read_block_data_at(b) + mdf_read_blocks[MDF_READ_AT].bytes;
    if (at->embedded && embedded > b->at + b->length - at->at)
        return mdf_read_complain(s, -EBADMSG, b->at, e,
                                 "%" PRIu64 " attached bytes do not fit into ##AT of %" PRIu64
                                 " bytes",
                                 embedded, b->length);
    if (at->embedded && !at->compressed && at->bytes != embedded)
        return mdf_read_complain(s, -EBADMSG, b->at, e,
                                 "%" PRIu64 " bytes are attached, %" PRIu64 " were meant to be",
                                 embedded, at->bytes);
    return 0;
}

static int attachments_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                            const struct mdf_read_block *hd, struct mdf_read_file *file,
                            struct err *e)
{
    struct mdf_read_list list = {.source = s, .kind = MDF_READ_AT};
    struct mdf_read_block b;
    size_t count = 0;
    list.link = mdf_read_block_link(hd, MDF_READ_HD_FIRST_AT_LINK);
    int rc = mdf_read_list_count(list, sizeof(struct mdf_read_attachment), &count, e);
    if (rc)
        return rc;
    struct mdf_read_attachment *at = mdf_read_alloc(a, count, sizeof *at);
    if (!at)
        return mdf_read_no_memory(s, hd->at, e);
    for (size_t i = 0; i < count; i++) {
        rc = mdf_read_list_take(&list, &b, e);
        if (!rc)
            rc = attachment_load(s, a, &b, &at[i], e);
        if (rc)
            return rc;
    }
    file->attachments = at;
    file->attachment_count = count;
    return 0;
}

int mdf_read_extras_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                         const struct mdf_read_block *hd, struct mdf_read_file *file, struct err *e)
{
    struct mdf_read_link comment = mdf_read_block_link(hd, MDF_READ_HD_COMMENT_LINK);
    bool xml = false;
    int rc = mdf_read_text_load(s, a, comment, MDF_READ_SET(TX) | MDF_READ_SET(MD), &file->comment,
                                &xml, e);
    if (!rc && xml) {
        rc = properties_load(s, a, comment.to, file->comment, file, e);
        if (!rc)
            rc = main_text(s, a, comment.to, file->comment, &file->comment, e);
    }
    return rc ? rc : attachments_load(s, a, hd, file, e);
}

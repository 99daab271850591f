#include "shared/wire/mdf_read_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int mdf_read_list_next(struct mdf_read_list *list, struct mdf_read_block *b, struct err *e)
{
    *b = (struct mdf_read_block){0};
    if (list->link.to == 0)
        return 0;
    int rc = mdf_read_walk_step(list->source, &list->walk, list->link, e);
    if (!rc)
        rc = mdf_read_block_load(list->source, list->link, 1U << list->kind, b, e);
    if (rc)
        return rc;
    list->link = mdf_read_block_link(b, 0); /* the first link of every list leads to the next */
    return 1;
}

int mdf_read_list_take(struct mdf_read_list *list, struct mdf_read_block *b, struct err *e)
{
    int rc = mdf_read_list_next(list, b, e);
    if (rc == 0)
        return mdf_read_complain(list->source, -EBADMSG, list->link.at, e,
                                 "the file changes while it is read");
    return rc < 0 ? rc : 0;
}

int mdf_read_list_count(struct mdf_read_list list, size_t size, size_t *count, struct err *e)
{
    struct mdf_read_block b;
    int rc;
    *count = 0;
    while ((rc = mdf_read_list_next(&list, &b, e)) > 0)
        if (++*count > MDF_READ_MEMORY_MAX / size)
            return mdf_read_no_memory(list.source, b.at, e);
    return rc;
}

/* Copies printable letters and drops the blanks at the end. */
static void copy_word(const uint8_t *from, char *to)
{
    size_t length = 0;
    for (size_t i = 0; i < 8 && from[i] != '\0'; i++) {
        to[i] = (char)(from[i] >= ' ' && from[i] < 0x7f ? from[i] : '?');
        if (from[i] != ' ')
            length = i + 1;
    }
    to[length] = '\0';
}

static int identification_load(struct mdf_read_source *s, struct mdf_read_file *file, struct err *e)
{
    uint8_t id[MDF_READ_ID_BYTES];
    int rc = mdf_read_bytes(s, 0, id, sizeof id, e);
    if (rc)
        return rc;
    copy_word(id + 8, file->version);
    copy_word(id + 16, file->program);
    file->bytes = s->size;
    file->unfinished = memcmp(id, "UnFinMF ", 8) == 0;
    if (!file->unfinished && memcmp(id, "MDF     ", 8) != 0)
        return mdf_read_complain(s, -EBADMSG, 0, e, "this is not an MDF file");
    uint64_t version = mdf_read_little(id + 28, 2);
    if (version / 100 != 4)
        return mdf_read_complain(s, -ENOTSUP, 28, e,
                                 "MDF version %" PRIu64 ".%02" PRIu64
                                 " is not supported; allowed: 4.00 to 4.99",
                                 version / 100, version % 100);
    if (!file->unfinished)
        return 0;
    s->unfinished = (uint32_t)mdf_read_little(id + 60, 2);
    uint64_t custom = mdf_read_little(id + 62, 2);
    if (custom != 0 || s->unfinished & ~(uint32_t)MDF_READ_UNFINISHED_KNOWN)
        return mdf_read_complain(s, -ENOTSUP, 60, e,
                                 "unfinished in a way (flags 0x%x, 0x%x) that only the program "
                                 "that wrote it (%s) can repair",
                                 s->unfinished, (unsigned)custom, file->program);
    return 0;
}

static int group_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                      const struct mdf_read_block *cg, struct mdf_read_group *group, struct err *e)
{
    int rc = mdf_read_text_load(s, a, mdf_read_block_link(cg, MDF_READ_CG_NAME_LINK),
                                MDF_READ_SET(TX), &group->name, NULL, e);
    if (!rc)
        rc = mdf_read_comment_load(s, a, mdf_read_block_link(cg, MDF_READ_CG_COMMENT_LINK),
                                   &group->comment, e);
    if (rc)
        return rc;
    group->record_id = mdf_read_block_field(cg, MDF_READ_CG_RECORD_ID);
    group->cycles = mdf_read_block_field(cg, MDF_READ_CG_CYCLES);
    if (s->unfinished & MDF_READ_UNFINISHED_CYCLES)
        group->cycles = 0;
    if (mdf_read_block_field(cg, MDF_READ_CG_FLAGS) & MDF_READ_GROUP_VARIABLE) {
        group->variable = true; /* the sizes mean something else then */
    } else {
        group->data_bytes = (uint32_t)mdf_read_block_field(cg, MDF_READ_CG_DATA_BYTES);
        group->invalid_bytes = (uint32_t)mdf_read_block_field(cg, MDF_READ_CG_INVALID_BYTES);
    }
    uint64_t bytes = (uint64_t)group->data_bytes + group->invalid_bytes;
    if (bytes > MDF_READ_RECORD_MAX)
        return mdf_read_complain(s, -EFBIG, cg->at, e,
                                 "records of %" PRIu64 " bytes; at most %d are supported", bytes,
                                 MDF_READ_RECORD_MAX);
    return mdf_read_channels_load(s, a, cg, group, e);
}

static int by_record_id(const void *left, const void *right)
{
    const struct mdf_read_group *const *l = left, *const *r = right;
    return ((*l)->record_id > (*r)->record_id) - ((*l)->record_id < (*r)->record_id);
}

/* Sorts the groups by id, for the search, and checks the ids. */
static int ids_check(const struct mdf_read_source *s, const struct mdf_read_block *dg,
                     const struct mdf_read_data_group *d, struct err *e)
{
    const struct mdf_read_group **by_id = d->by_id;
    if (d->id_bytes > 8 || (d->id_bytes & (d->id_bytes - 1)) != 0)
        return mdf_read_complain(s, -EBADMSG, dg->at, e,
                                 "record ids of %zu bytes; allowed: 0, 1, 2, 4, 8", d->id_bytes);
    if (d->id_bytes == 0 && d->count > 1)
        return mdf_read_complain(s, -EBADMSG, dg->at, e, "%zu groups share data without record ids",
                                 d->count);
    qsort(by_id, d->count, sizeof(const struct mdf_read_group *), by_record_id);
    for (size_t i = 0; d->id_bytes > 0 && i < d->count; i++) {
        uint64_t id = by_id[i]->record_id;
        if (i > 0 && id == by_id[i - 1]->record_id)
            return mdf_read_complain(s, -EBADMSG, dg->at, e,
                                     "two groups have the record id %" PRIu64, id);
        if (d->id_bytes < 8 && id >> (8 * d->id_bytes) != 0)
            return mdf_read_complain(s, -EBADMSG, dg->at, e,
                                     "record id %" PRIu64 " does not fit into %zu bytes", id,
                                     d->id_bytes);
    }
    return 0;
}

static int data_group_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                           const struct mdf_read_block *dg, struct mdf_read_data_group *d,
                           struct mdf_read_group *groups, struct err *e)
{
    struct mdf_read_list list = {.source = s, .kind = MDF_READ_CG};
    struct mdf_read_block cg;
    int rc = 0;
    list.link = mdf_read_block_link(dg, MDF_READ_DG_FIRST_CG_LINK);
    d->data = mdf_read_block_link(dg, MDF_READ_DG_DATA_LINK);
    d->id_bytes = (size_t)mdf_read_block_field(dg, MDF_READ_DG_ID_BYTES);
    d->by_id = mdf_read_alloc(a, d->count, sizeof(const struct mdf_read_group *));
    if (!d->by_id)
        return mdf_read_no_memory(s, dg->at, e);
    for (size_t i = 0; i < d->count; i++) {
        rc = mdf_read_list_take(&list, &cg, e);
        if (!rc)
            rc = group_load(s, a, &cg, &groups[i], e);
        if (rc)
            return rc;
        d->by_id[i] = &groups[i];
    }
    return ids_check(s, dg, d, e);
}

/* How many groups each data group has. */
static int groups_count(const struct mdf_read_source *s, struct mdf_read_list list,
                        struct mdf_read_data_group *d, size_t count, size_t *total, struct err *e)
{
    struct mdf_read_block dg;
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        int rc = mdf_read_list_take(&list, &dg, e);
        struct mdf_read_list groups = {.source = s, .kind = MDF_READ_CG};
        if (!rc) {
            groups.link = mdf_read_block_link(&dg, MDF_READ_DG_FIRST_CG_LINK);
            rc = mdf_read_list_count(groups, sizeof(struct mdf_read_group), &d[i].count, e);
        }
        if (rc)
            return rc;
        d[i].first = *total;
        *total += d[i].count;
        if (*total > MDF_READ_MEMORY_MAX / sizeof(struct mdf_read_group))
            return mdf_read_no_memory(s, dg.at, e);
    }
    return 0;
}

static int data_groups_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                            const struct mdf_read_block *hd, struct mdf_read_tree *tree,
                            struct err *e)
{
    struct mdf_read_list list = {.source = s, .kind = MDF_READ_DG};
    struct mdf_read_block dg;
    size_t count = 0, total = 0;
    list.link = mdf_read_block_link(hd, MDF_READ_HD_FIRST_DG_LINK);
    int rc = mdf_read_list_count(list, sizeof(struct mdf_read_data_group), &count, e);
    if (rc)
        return rc;
    struct mdf_read_data_group *d = mdf_read_alloc(a, count, sizeof *d);
    if (!d)
        return mdf_read_no_memory(s, hd->at, e);
    rc = groups_count(s, list, d, count, &total, e);
    if (rc)
        return rc;
    struct mdf_read_group *groups = mdf_read_alloc(a, total, sizeof *groups);
    if (!groups)
        return mdf_read_no_memory(s, hd->at, e);
    for (size_t i = 0; i < count; i++) {
        rc = mdf_read_list_take(&list, &dg, e);
        if (!rc)
            rc = data_group_load(s, a, &dg, &d[i], groups + d[i].first, e);
        if (rc)
            return rc;
    }
    tree->data_groups = d;
    tree->data_group_count = count;
    tree->file.groups = groups;
    tree->file.group_count = total;
    return 0;
}

int mdf_read_tree_load(struct mdf_read_source *s, struct mdf_read_arena *a,
                       struct mdf_read_tree *tree, struct err *e)
{
    const struct mdf_read_link header = {0, MDF_READ_ID_BYTES};
    struct mdf_read_block hd;
    int rc = identification_load(s, &tree->file, e);
    if (!rc)
        rc = mdf_read_block_load(s, header, MDF_READ_SET(HD), &hd, e);
    if (rc)
        return rc;
    tree->file.start_ns = (int64_t)mdf_read_block_field(&hd, MDF_READ_HD_START_NS);
    tree->file.local_time = mdf_read_block_field(&hd, MDF_READ_HD_TIME_FLAGS) & MDF_READ_TIME_LOCAL;
    rc = mdf_read_extras_load(s, a, &hd, &tree->file, e);
    return rc ? rc : data_groups_load(s, a, &hd, tree, e);
}

#include "shared/wire/mdf_read.h"

#include "shared/base/used_files.h"
#include "shared/wire/mdf_read_stream.h"
#include "shared/wire/mdf_read_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW_BYTES = 1 << 20, ID_BYTES_MAX = 8, LENGTH_BYTES = 4 };

struct mdf_reader {
    struct mdf_read_source source;
    struct mdf_read_arena arena;
    struct mdf_read_tree tree;
    struct mdf_read_stream stream;
    size_t next_data_group;                 /* its records come next */
    const struct mdf_read_data_group *data; /* whose records come now, or NULL */
    uint64_t *counts;                       /* records of each group so far */
    uint64_t left_over;
    int failed; /* the error that ended the file, with its message */
    struct err why;
};

/* Refuses data that cannot be read, before anything is read, and finds the ##DT that goes on to
 * the end of an unfinished file: the last one of all. */
static int data_survey(struct mdf_reader *r, struct err *e)
{
    const struct mdf_read_source *s = &r->source;
    bool open_end = s->unfinished & MDF_READ_UNFINISHED_LAST_DT;
    for (size_t i = 0; i < r->tree.data_group_count; i++) {
        struct mdf_read_chain chain;
        struct mdf_read_block dt;
        int rc = mdf_read_chain_begin(s, &chain, r->tree.data_groups[i].data, e);
        while (!rc && open_end && (rc = mdf_read_chain_next(s, &chain, &dt, e)) > 0) {
            r->stream.last_dt = dt.at > r->stream.last_dt ? dt.at : r->stream.last_dt;
            rc = 0;
        }
        if (rc)
            return rc;
    }
    return 0;
}

/* Memory for the window, large enough for every record, and for the counts. */
static int window_make(struct mdf_reader *r, struct err *e)
{
    size_t bytes = r->source.size < WINDOW_BYTES ? (size_t)r->source.size : WINDOW_BYTES;
    for (size_t i = 0; i < r->tree.file.group_count; i++) {
        const struct mdf_read_group *g = &r->tree.file.groups[i];
        size_t record = (size_t)g->data_bytes + g->invalid_bytes;
        bytes = bytes > record ? bytes : record;
    }
    r->stream.source = &r->source;
    r->stream.size = bytes + ID_BYTES_MAX + LENGTH_BYTES;
    r->stream.window = malloc(r->stream.size);
    r->counts = calloc(r->tree.file.group_count + 1, sizeof *r->counts);
    return r->stream.window && r->counts ? 0
                                         : err_set(e, -ENOMEM, "%s: out of memory", r->source.name);
}

static int reader_make(const char *name, int fd, const void *bytes, uint64_t size,
                       struct mdf_reader **reader, struct err *e)
{
    struct mdf_reader *r = calloc(1, sizeof *r);
    *reader = NULL;
    if (!r) {
        if (fd >= 0)
            (void)close(fd);
        return err_set(e, -ENOMEM, "%s: out of memory", name);
    }
    r->source = (struct mdf_read_source){.name = name, .fd = fd, .bytes = bytes, .size = size};
    char *copy = mdf_read_alloc(&r->arena, strlen(name) + 1, 1);
    int rc = copy ? 0 : err_set(e, -ENOMEM, "%s: out of memory", name);
    if (copy) {
        memcpy(copy, name, strlen(name) + 1);
        r->source.name = copy;
        rc = mdf_read_tree_load(&r->source, &r->arena, &r->tree, e);
    }
    if (!rc)
        rc = data_survey(r, e);
    if (!rc)
        rc = window_make(r, e);
    if (rc)
        mdf_read_close(r);
    else
        *reader = r;
    return rc;
}

int mdf_read_open(const char *path, struct mdf_reader **reader, struct err *e)
{
    struct stat status;
    *reader = NULL;
    /* Not to wait for the writer of a named pipe. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0) {
        int rc = -errno;
        if (fd >= 0)
            (void)close(fd);
        return err_set(e, rc, "%s: %s", path, strerror(-rc));
    }
    if (!S_ISREG(status.st_mode)) {
        (void)close(fd);
        return err_set(e, -EINVAL, "%s: is not a regular file: give the name of a log", path);
    }
    used_files_note(fd, path, USED_AS_INPUT);
    return reader_make(path, fd, NULL, (uint64_t)status.st_size, reader, e);
}

int mdf_read_open_bytes(const char *name, const void *bytes, size_t size,
                        struct mdf_reader **reader, struct err *e)
{
    return reader_make(name, -1, bytes, size, reader, e);
}

void mdf_read_close(struct mdf_reader *reader)
{
    if (!reader)
        return;
    if (reader->source.fd >= 0)
        (void)close(reader->source.fd); /* nothing was written, so nothing can be lost */
    free(reader->stream.window);
    free(reader->counts);
    mdf_read_arena_free(&reader->arena);
    free(reader);
}

const struct mdf_read_file *mdf_read_file(const struct mdf_reader *reader)
{
    return &reader->tree.file;
}

void mdf_read_rewind(struct mdf_reader *reader)
{
    reader->next_data_group = 0;
    reader->data = NULL;
    reader->stream.total = 0;
    reader->left_over = 0;
    reader->failed = 0;
    memset(reader->counts, 0, reader->tree.file.group_count * sizeof *reader->counts);
}

bool mdf_read_grow(struct mdf_reader *reader)
{
    struct mdf_read_source *source = &reader->source;
    struct mdf_read_stream *s = &reader->stream;
    struct stat now;
    bool at_end = !reader->data && !reader->failed &&
                  reader->next_data_group == reader->tree.data_group_count &&
                  reader->next_data_group > 0;
    if (!at_end || source->fd < 0 || s->last_dt == 0 || s->block_dt != s->last_dt ||
        fstat(source->fd, &now) || (uint64_t)now.st_size <= source->size)
        return false;
    uint64_t grown = (uint64_t)now.st_size - source->size;
    source->size += grown;
    s->block_left += grown;
    s->total += grown;
    reader->left_over = 0; /* half a record at the end is still in the window */
    reader->data = &reader->tree.data_groups[reader->next_data_group - 1];
    return true;
}

static int damaged(const struct mdf_reader *r, struct err *e, const char *what)
{
    return mdf_read_complain(&r->source, -EBADMSG, mdf_read_stream_at(&r->stream), e, "%s", what);
}

/* The data of the group ends with bytes that are no record. Returns 0 to go on. */
static int end_early(struct mdf_reader *r, uint64_t bytes, const char *what, struct err *e)
{
    r->data = NULL;
    if (!r->tree.file.unfinished)
        return damaged(r, e, what);
    r->left_over += bytes;
    return 0;
}

/* The data of the group is at its end. Returns 0 to go on. */
static int end_check(struct mdf_reader *r, struct err *e)
{
    const struct mdf_read_data_group *d = r->data;
    r->data = NULL;
    if (r->source.unfinished & MDF_READ_UNFINISHED_CYCLES)
        return 0;
    for (size_t i = d->first; i < d->first + d->count; i++) {
        uint64_t counted = r->tree.file.groups[i].cycles;
        if (counted != r->counts[i] && d->data.to != 0)
            return mdf_read_complain(&r->source, -EBADMSG, mdf_read_stream_at(&r->stream), e,
                                     "group %zu has %" PRIu64
                                     " records, but the file counts %" PRIu64,
                                     i + 1, r->counts[i], counted);
    }
    return 0;
}

static const struct mdf_read_group *group_of(const struct mdf_read_data_group *d, uint64_t id)
{
    size_t low = 0, high = d->count;
    if (d->id_bytes == 0)
        return d->count ? d->by_id[0] : NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->by_id[middle]->record_id == id)
            return d->by_id[middle];
        if (d->by_id[middle]->record_id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Counts a record of variable length and passes over it. Returns 0 to go on. */
static int pass_over(struct mdf_reader *r, const struct mdf_read_group *g, struct err *e)
{
    struct mdf_read_stream *s = &r->stream;
    size_t head = r->data->id_bytes + LENGTH_BYTES, have = 0;
    uint64_t missing = 0;
    int rc = mdf_read_stream_need(s, head, &have, e);
    if (rc)
        return rc;
    if (have < head)
        return end_early(r, have, "the last record is not complete", e);
    uint64_t bytes = mdf_read_little(s->window + s->begin + r->data->id_bytes, LENGTH_BYTES);
    rc = mdf_read_stream_skip(s, head + bytes, &missing, e);
    if (rc)
        return rc;
    if (missing > 0)
        return end_early(r, head + bytes - missing, "the last record is not complete", e);
    r->counts[g - r->tree.file.groups]++;
    return 0;
}

/* One step within a data group. Returns 1 with a record, 0 to go on, or a negative errno. */
static int step(struct mdf_reader *r, const struct mdf_read_group **group, const void **record,
                struct err *e)
{
    struct mdf_read_stream *s = &r->stream;
    size_t id_bytes = r->data->id_bytes, have = 0;
    int rc = mdf_read_stream_need(s, id_bytes ? id_bytes : 1, &have, e);
    if (rc)
        return rc;
    if (have == 0)
        return end_check(r, e);
    if (have < id_bytes)
        return end_early(r, have, "the last record is not complete", e);
    const struct mdf_read_group *g =
        group_of(r->data, mdf_read_little(s->window + s->begin, id_bytes));
    size_t bytes = g ? id_bytes + g->data_bytes + g->invalid_bytes : 0;
    if (g && g->variable)
        return pass_over(r, g, e);
    if (bytes == 0)
        return end_early(r, have + s->block_left, "no group has records that begin like this", e);
    rc = mdf_read_stream_need(s, bytes, &have, e);
    if (rc)
        return rc;
    if (have < bytes)
        return end_early(r, have, "the last record is not complete", e);
    *record = s->window + s->begin + id_bytes;
    *group = g;
    s->begin += bytes;
    r->counts[g - r->tree.file.groups]++;
    return 1;
}

int mdf_read_next(struct mdf_reader *reader, const struct mdf_read_group **group,
                  const void **record, struct err *e)
{
    int rc = reader->failed;
    if (rc)
        return err_set(e, rc, "%s", reader->why.text);
    while (rc == 0) {
        if (!reader->data) {
            if (reader->next_data_group == reader->tree.data_group_count)
                return 0;
            reader->data = &reader->tree.data_groups[reader->next_data_group++];
            rc = mdf_read_stream_begin(&reader->stream, reader->data->data, &reader->why);
        }
        if (rc == 0)
            rc = step(reader, group, record, &reader->why);
    }
    if (rc > 0)
        return rc;
    reader->failed = rc;
    return err_set(e, rc, "%s", reader->why.text);
}

uint64_t mdf_read_count(const struct mdf_reader *reader, const struct mdf_read_group *group)
{
    return reader->counts[group - reader->tree.file.groups];
}

uint64_t mdf_read_left_over(const struct mdf_reader *reader)
{
    return reader->left_over;
}

const struct mdf_read_group *mdf_read_group_find(const struct mdf_reader *reader, const char *name)
{
    const struct mdf_read_file *file = &reader->tree.file;
    for (size_t i = 0; i < file->group_count; i++)
        if (strcmp(file->groups[i].name, name) == 0)
            return &file->groups[i];
    return NULL;
}

const struct mdf_read_channel *mdf_read_channel_find(const struct mdf_read_group *group,
                                                     const char *name)
{
    for (size_t i = 0; i < group->channel_count; i++)
        if (strcmp(group->channels[i].name, name) == 0)
            return &group->channels[i];
    return NULL;
}

const char *mdf_read_property(const struct mdf_reader *reader, const char *name)
{
    const struct mdf_read_file *file = &reader->tree.file;
    for (size_t i = 0; i < file->property_count; i++)
        if (strcmp(file->properties[i].name, name) == 0)
            return file->properties[i].value;
    return NULL;
}

int mdf_read_attachment_bytes(const struct mdf_reader *reader, const struct mdf_read_attachment *at,
                              uint64_t offset, void *to, size_t count, struct err *e)
{
    const struct mdf_read_source *s = &reader->source;
    if (!at->embedded || at->compressed)
        return mdf_read_complain(s, -ENOTSUP, at->at, e,
                                 at->embedded ? "the attachment is compressed"
                                              : "the attached file is not in this one");
    if (offset > at->bytes || count > at->bytes - offset)
        return mdf_read_complain(s, -EINVAL, at->at, e, "the attachment has only %" PRIu64 " bytes",
                                 at->bytes);
    return mdf_read_bytes(s, at->at + offset, to, count, e);
}

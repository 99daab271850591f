#include "shared/wire/mdf_write.h"

#include "shared/base/out_file.h"
#include "shared/base/utf8.h"
#include "shared/wire/mdf_write_head.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text_field {
    uint32_t offset, bytes;
};

struct group {
    size_t record_bytes;
    size_t text_first, text_count; /* its fields in the writer's list */
    uint64_t records;              /* complete ones in the file */
    uint64_t at;                   /* its block in the file */
};

struct mdf_writer {
    struct out_file out;
    int error;     /* what ended the log, or 0 */
    bool reported; /* a call has returned it */
    size_t group_count, id_bytes;
    struct group groups[MDF_GROUPS_MAX];
    struct text_field *texts; /* of all groups; NULL: none */
    uint64_t data_at;         /* the head of the data block */
    uint64_t data_bytes;      /* complete records behind it in the file */
    unsigned char *block;
    size_t block_bytes, block_used;
    size_t sync_bytes, unsynced_bytes;
    uint64_t lost;
};

/* ---- the disk */

static int write_at(int fd, uint64_t at, const void *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, count - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += (size_t)n;
    }
    return 0;
}

static void fail(struct mdf_writer *w, int error)
{
    if (w->error == 0)
        w->error = error;
}

static int report_once(struct mdf_writer *w)
{
    if (w->reported)
        return 0;
    w->reported = w->error != 0;
    return w->error;
}

/* ---- records */

/* The group of the record at the beginning of the bytes. */
static struct group *group_of(struct mdf_writer *w, const unsigned char *record)
{
    return &w->groups[w->id_bytes ? record[0] - 1U : 0];
}

/* Counts the records of the block: those complete within the first `done` bytes as written, the
 * rest as lost. Returns the bytes of the former. */
static size_t count_records(struct mdf_writer *w, size_t done)
{
    size_t complete = 0;
    for (size_t at = 0; at < w->block_used;) {
        struct group *g = group_of(w, w->block + at);
        at += w->id_bytes + g->record_bytes;
        if (at <= done) {
            g->records++;
            complete = at;
        } else {
            w->lost++;
        }
    }
    return complete;
}

static void sync_if_due(struct mdf_writer *w, size_t written)
{
    w->unsynced_bytes += written;
    if (w->sync_bytes == 0 || w->unsynced_bytes < w->sync_bytes)
        return;
    w->unsynced_bytes = 0;
    int bad = mdf_sync(w);
    if (bad)
        fail(w, bad);
}

static void write_block(struct mdf_writer *w)
{
    if (w->block_used == 0)
        return;
    size_t done = 0;
    int rc = out_file_write(&w->out, w->block, w->block_used, &done);
    w->data_bytes += count_records(w, done);
    w->block_used = 0;
    if (rc)
        fail(w, rc);
    else
        sync_if_due(w, done);
}

static void repair_texts(const struct mdf_writer *w, const struct group *g, unsigned char *record)
{
    for (size_t i = 0; i < g->text_count; i++) {
        const struct text_field *t = &w->texts[g->text_first + i];
        utf8_repair_field((char *)record + t->offset, t->bytes);
    }
}

int mdf_write(struct mdf_writer *w, size_t group, const void *records, size_t count)
{
    assert(group < w->group_count);
    const struct group *g = &w->groups[group];
    const size_t bytes = g->record_bytes;
    const unsigned char *from = records;
    for (size_t i = 0; i < count; i++) {
        if (w->block_bytes - w->block_used < w->id_bytes + bytes)
            write_block(w);
        if (w->error) {
            w->lost += count - i;
            break;
        }
        unsigned char *to = w->block + w->block_used;
        if (w->id_bytes)
            to[0] = (unsigned char)(group + 1);
        memcpy(to + w->id_bytes, from + i * bytes, bytes);
        repair_texts(w, g, to + w->id_bytes);
        w->block_used += w->id_bytes + bytes;
    }
    return report_once(w);
}

int mdf_flush(struct mdf_writer *w)
{
    write_block(w);
    return report_once(w);
}

int mdf_sync(const struct mdf_writer *w)
{
    return fdatasync(w->out.fd) && errno != EINVAL ? -errno : 0; /* a pipe stores nothing */
}

/* ---- begin and end */

/* A block holds at least one record of any group. */
static size_t block_bytes_for(const struct mdf_file *file)
{
    size_t bytes = file->block_bytes ? file->block_bytes : MDF_BLOCK_BYTES_DEFAULT;
    for (size_t i = 0; i < file->group_count; i++)
        if (bytes < file->groups[i].record_bytes + mdf_record_id_bytes(file->group_count))
            bytes = file->groups[i].record_bytes + mdf_record_id_bytes(file->group_count);
    return bytes;
}

/* Where the texts are in the records. */
static int list_texts(struct mdf_writer *w, const struct mdf_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->group_count; i++)
        for (size_t k = 0; k < file->groups[i].channel_count; k++)
            count += file->groups[i].channels[k].type == MDF_TEXT;
    w->texts = count ? calloc(count, sizeof *w->texts) : NULL;
    if (count && !w->texts)
        return -ENOMEM;
    count = 0;
    for (size_t i = 0; i < file->group_count; i++) {
        w->groups[i].text_first = count;
        for (size_t k = 0; k < file->groups[i].channel_count; k++) {
            const struct mdf_channel *c = &file->groups[i].channels[k];
            if (c->type == MDF_TEXT)
                w->texts[count++] = (struct text_field){c->offset, c->bytes};
        }
        w->groups[i].text_count = count - w->groups[i].text_first;
    }
    return 0;
}

static int create(struct mdf_writer *w, const struct mdf_file *file, const struct mdf_image *image,
                  struct err *e)
{
    w->data_at = image->data_at;
    w->group_count = file->group_count;
    w->id_bytes = mdf_record_id_bytes(file->group_count);
    for (size_t i = 0; i < file->group_count; i++)
        w->groups[i] =
            (struct group){.record_bytes = file->groups[i].record_bytes, .at = image->cg_at[i]};
    if (list_texts(w, file))
        return err_set(e, -ENOMEM, "log '%s': out of memory", file->path);
    w->sync_bytes = file->sync_bytes;
    w->block_bytes = block_bytes_for(file);
    w->block = malloc(w->block_bytes);
    if (!w->block)
        return err_set(e, -ENOMEM, "log '%s': out of memory", file->path);
    int bad = out_file_open(&w->out, file->path, e);
    if (bad)
        return bad;
    size_t done = 0;
    bad = out_file_write(&w->out, image->bytes, image->used, &done);
    if (bad)
        return err_set(e, bad, "log '%s' cannot be written: %s", file->path, strerror(-bad));
    return file->hold ? 0 : mdf_keep(w, e);
}

static void destroy(struct mdf_writer *w)
{
    out_file_drop(&w->out);
    free(w->texts);
    free(w->block);
    free(w);
}

int mdf_open(struct mdf_writer **writer, const struct mdf_file *file, struct err *e)
{
    *writer = NULL;
    int rc = mdf_check(file, e);
    if (rc)
        return rc;
    struct mdf_image image;
    struct mdf_writer *w = calloc(1, sizeof *w);
    if (mdf_image_make(&image, file) || !w)
        rc = err_set(e, -ENOMEM, "log '%s': out of memory", file->path);
    else
        rc = create(w, file, &image, e);
    free(image.bytes);
    if (rc == 0)
        *writer = w;
    else if (w)
        destroy(w);
    return rc;
}

int mdf_keep(struct mdf_writer *w, struct err *e)
{
    int bad = out_file_keep(&w->out, e);
    if (bad || !w->sync_bytes)
        return bad;
    bad = mdf_sync(w);
    bad = bad ? bad : out_file_sync_name(&w->out);
    return bad ? err_set(e, bad, "log '%s' cannot be stored: %s", w->out.path, strerror(-bad)) : 0;
}

int mdf_rename(struct mdf_writer *w, const char *path, struct err *e)
{
    return out_file_rename(&w->out, path, e);
}

/* Counts and length first: until the identification says finished, readers find them by themselves.
 * Everything lies inside the file, so this works on a full disk. A file that somebody has cut or
 * written into is not finished. */
static int finish(struct mdf_writer *w)
{
    const uint64_t length = sizeof(struct mdf_dt) + w->data_bytes;
    const struct mdf_id id = mdf_identification(true);
    int rc = 0;
    rc = out_file_harm(&w->out);
    if (rc)
        return rc; /* what is left of it stays unfinished */
    /* Half a record of a write that failed. */
    if (w->error)
        rc = out_file_shorten(&w->out, w->data_at + length);
    if (rc == 0)
        rc = out_file_end_append(&w->out);
    for (size_t i = 0; i < w->group_count && rc == 0; i++)
        rc = write_at(w->out.fd, w->groups[i].at + offsetof(struct mdf_cg, cycle_count),
                      &w->groups[i].records, sizeof w->groups[i].records);
    if (rc == 0)
        rc = write_at(w->out.fd, w->data_at + offsetof(struct mdf_head, length), &length,
                      sizeof length);
    if (rc == 0 && w->sync_bytes)
        rc = mdf_sync(w);
    if (rc == 0)
        rc = write_at(w->out.fd, 0, &id, sizeof id);
    if (rc == 0 && w->sync_bytes)
        rc = mdf_sync(w);
    return rc;
}

int mdf_close(struct mdf_writer *w)
{
    write_block(w);
    int rc = finish(w), closed = out_file_close(&w->out, NULL);
    rc = rc ? rc : closed;
    if (rc == w->error)
        rc = 0;
    /* An error that was returned before does not hide a new one, nor is it returned again. */
    const int earlier = report_once(w);
    destroy(w);
    return earlier ? earlier : rc;
}

void mdf_drop(struct mdf_writer *w)
{
    destroy(w);
}

int mdf_error(const struct mdf_writer *w)
{
    return w->error;
}

uint64_t mdf_lost(const struct mdf_writer *w)
{
    return w->lost;
}

uint64_t mdf_file_bytes(const struct mdf_writer *w)
{
    return w->data_at + sizeof(struct mdf_dt) + w->data_bytes;
}

#include "target/export_csv.h"

#include "shared/base/nearest.h"
#include "shared/base/out_file.h"
#include "shared/base/shortest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int complain_unknown(const struct mdf_read_group *group, const char *name, struct err *e)
{
    const char **names = calloc(group->channel_count + 1, sizeof *names);
    const char *near = NULL;
    for (size_t i = 0; names && i < group->channel_count; i++)
        names[i] = group->channels[i].name;
    if (names)
        near = nearest_word(name, names, group->channel_count);
    int rc =
        near ? err_set(e, -ENOENT, "no signal '%s' in the group; did you mean '%s'?", name, near)
             : err_set(e, -ENOENT, "no signal '%s' in the group; --info lists them", name);
    free(names);
    for (char *c = e->text; *c; c++) /* names in a file may hold anything */
        *c = (char)((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c);
    return rc;
}

int export_csv_columns(struct export_csv *x, const struct mdf_read_group *group,
                       const char *signals, struct err *e)
{
    size_t room = group->channel_count + 1;
    int rc = 0;
    for (const char *c = signals; c && *c; c++)
        room += *c == ',';
    x->group = group;
    x->columns = calloc(room, sizeof(const struct mdf_read_channel *));
    char *list = strdup(signals ? signals : ""), *rest = list, *name;
    if (!x->columns || !list) {
        free(list);
        return err_set(e, -ENOMEM, "out of memory");
    }
    for (size_t i = 0; !signals && i < group->channel_count; i++)
        x->columns[x->column_count++] = &group->channels[i];
    while (!rc && signals && (name = strsep(&rest, ",")) != NULL) {
        const struct mdf_read_channel *c = mdf_read_channel_find(group, name);
        if (c)
            x->columns[x->column_count++] = c;
        else
            rc = complain_unknown(group, name, e);
    }
    free(list);
    return rc;
}

void export_csv_text(FILE *f, const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++)
        quoted |= strchr(",\"\r\n", text[i]) != NULL;
    if (!quoted) {
        (void)fwrite(text, 1, length, f);
        return;
    }
    (void)fputc('"', f);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            (void)fputc('"', f);
        (void)fputc(text[i], f);
    }
    (void)fputc('"', f);
}

static void put_bytes(FILE *f, const uint8_t *bytes, size_t count)
{
    (void)fputs(count ? "0x" : "", f);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(f, "%02x", bytes[i]);
}

/* Whole numbers in full, others with the digits that they need; nothing where there is no value. */
static void put_value(FILE *f, const struct mdf_read_channel *c, const void *record)
{
    char text[SHORTEST_SIZE];
    size_t bytes = 0;
    int length;
    if (!mdf_read_valid(c, record))
        return;
    if (c->type == MDF_READ_TYPE_TEXT || c->type == MDF_READ_TYPE_RAW) {
        const void *raw = mdf_read_raw(c, record, &bytes);
        if (c->type == MDF_READ_TYPE_TEXT)
            export_csv_text(f, raw, bytes);
        else
            put_bytes(f, raw, bytes);
        return;
    }
    bool stored = c->conversion != MDF_READ_LINEAR;
    if (stored && c->type == MDF_READ_TYPE_UNSIGNED)
        length = snprintf(text, sizeof text, "%" PRIu64, mdf_read_uint64(c, record));
    else if (stored && c->type == MDF_READ_TYPE_SIGNED)
        length = snprintf(text, sizeof text, "%" PRId64, mdf_read_int64(c, record));
    else if (stored && c->bit_count == 32)
        length = shortest_float((float)mdf_read_number(c, record), text);
    else
        length = shortest_double(mdf_read_number(c, record), text);
    (void)fwrite(text, 1, (size_t)length, f);
}

static int check_file(const struct export_csv *x, struct err *e)
{
    return ferror(x->file) ? err_set(e, -EIO, "%s: %s", x->path, strerror(errno ? errno : EIO)) : 0;
}

static int write_rows(struct export_csv *x, struct mdf_reader *log, struct err *e)
{
    const struct mdf_read_group *group = NULL;
    const void *record = NULL;
    uint64_t skip = 0;
    int rc;
    for (size_t i = 0; i < x->column_count; i++) {
        (void)fputs(i ? "," : "", x->file);
        export_csv_text(x->file, x->columns[i]->name, strlen(x->columns[i]->name));
    }
    (void)fputc('\n', x->file);
    while ((rc = mdf_read_next(log, &group, &record, e)) > 0) {
        if (group != x->group)
            continue;
        if (skip > 0) {
            skip--;
            continue;
        }
        skip = x->every - 1;
        for (size_t i = 0; i < x->column_count; i++) {
            if (i > 0)
                (void)fputc(',', x->file);
            put_value(x->file, x->columns[i], record);
        }
        (void)fputc('\n', x->file);
        x->rows++;
        if (check_file(x, e))
            return -EIO;
    }
    return rc;
}

int export_csv_write(struct export_csv *x, struct mdf_reader *log, struct err *e)
{
    bool standard = strcmp(x->path, "-") == 0;
    struct err closing = {""};
    struct out_file f = {0};
    int rc = standard ? 0 : out_file_open_stream(&f, x->path, e);
    if (rc)
        return rc;
    x->file = standard ? stdout : f.stream;
    rc = write_rows(x, log, e);
    int flushed =
        fflush(x->file) == 0 ? 0 : err_set(&closing, -EIO, "%s: %s", x->path, strerror(errno));
    if (!flushed)
        flushed = check_file(x, &closing);
    if (flushed)
        out_file_drop(&f);
    else
        flushed = out_file_close(&f, &closing); /* of a damaged log: the rows before */
    return rc || !flushed ? rc : err_set(e, flushed, "%s", closing.text);
}

void export_csv_free(struct export_csv *x)
{
    free(x->columns);
    x->columns = NULL;
}

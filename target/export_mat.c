#include "target/export_mat.h"

#include "shared/base/hash.h"
#include "shared/base/out_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MAX_MATLAB = 63, NAME_SIZE = NAME_MAX_MATLAB + 1 };
/* A column: its name in MATLAB, and the hash of what was handed to the library. */
struct variable {
    char name[NAME_SIZE];
    uint64_t hash;
};

static const size_t batch_bytes = (size_t)256 << 20;
static const uint64_t variable_bytes = UINT64_C(2147483000); /* what version 5 can hold */

static size_t text_bytes(const struct mdf_read_channel *c)
{
    return c->type == MDF_READ_TYPE_TEXT ? (c->bit_count + 7) / 8 : 0;
}

/* Letters, digits and _, a letter first, not too long, and not there yet. */
static void name_of(const struct export_csv *x, size_t column, struct variable *vars)
{
    char *name = vars[column].name;
    const char *from = x->columns[column]->name;
    (void)snprintf(name, NAME_SIZE, "%s%.50s", isalpha((unsigned char)from[0]) ? "" : "x_", from);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) && (unsigned char)*c < 0x80 ? *c : '_';
    size_t length = strlen(name);
    for (size_t i = 0, n = 2; i < column; i++)
        if (strcmp(vars[i].name, name) == 0) {
            (void)snprintf(name + length, NAME_SIZE - length, "_%zu", n++);
            i = (size_t)-1; /* and from the first one again */
        }
}

static int count_rows(struct export_csv *x, struct mdf_reader *log, struct err *e)
{
    const struct mdf_read_group *group = NULL;
    const void *record = NULL;
    uint64_t seen = 0;
    int rc;
    mdf_read_rewind(log);
    while ((rc = mdf_read_next(log, &group, &record, e)) > 0)
        seen += group == x->group;
    x->rows = (seen + x->every - 1) / x->every;
    return rc;
}

/* Column `column` of one record, into its place. */
static void put(const struct export_csv *x, size_t column, const void *record, uint64_t row,
                unsigned char *to)
{
    const struct mdf_read_channel *c = x->columns[column];
    size_t width = text_bytes(c), bytes = 0;
    if (width == 0) {
        double value = mdf_read_valid(c, record) ? mdf_read_number(c, record) : NAN;
        memcpy(to + row * sizeof value, &value, sizeof value);
        return;
    }
    const unsigned char *text = mdf_read_raw(c, record, &bytes);
    for (size_t i = 0; i < width; i++) /* column by column, as MATLAB stores */
        to[i * x->rows + row] = i < bytes ? text[i] : ' ';
}

static size_t column_bytes(const struct export_csv *x, size_t column)
{
    size_t width = text_bytes(x->columns[column]);
    return x->rows * (width ? width : sizeof(double));
}

static int write_column(mat_t *mat, const struct export_csv *x, size_t column, struct variable *var,
                        void *data, struct err *e)
{
    size_t width = text_bytes(x->columns[column]);
    size_t size[2] = {x->rows, width ? width : 1};
    var->hash = hash_bytes(HASH_BEGIN, data, column_bytes(x, column));
    matvar_t *v =
        Mat_VarCreate(var->name, width ? MAT_C_CHAR : MAT_C_DOUBLE,
                      width ? MAT_T_UINT8 : MAT_T_DOUBLE, 2, size, data, MAT_F_DONT_COPY_DATA);
    int bad = v ? Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE) : -1;
    Mat_VarFree(v);
    return bad ? err_set(e, -EIO, "%s: '%s' could not be written", x->path, var->name) : 0;
}

/* Columns from `first` to before `end`, which fit into memory together. */
static int write_batch(mat_t *mat, struct export_csv *x, size_t first, size_t end,
                       struct variable *vars, struct mdf_reader *log, struct err *e)
{
    const struct mdf_read_group *group = NULL;
    const void *record = NULL;
    size_t bytes = 0;
    for (size_t i = first; i < end; i++)
        bytes += column_bytes(x, i);
    unsigned char *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        return err_set(e, -ENOMEM, "out of memory");
    uint64_t seen = 0;
    int rc;
    mdf_read_rewind(log);
    while ((rc = mdf_read_next(log, &group, &record, e)) > 0) {
        if (group != x->group || seen++ % x->every != 0)
            continue;
        uint64_t row = (seen - 1) / x->every;
        unsigned char *to = memory;
        for (size_t i = first; i < end && row < x->rows; to += column_bytes(x, i), i++)
            put(x, i, record, row, to);
    }
    unsigned char *from = memory;
    for (size_t i = first; i < end && !rc; from += column_bytes(x, i), i++)
        rc = write_column(mat, x, i, &vars[i], from, e);
    free(memory);
    return rc;
}

static int write_all(mat_t *mat, struct export_csv *x, struct variable *vars,
                     struct mdf_reader *log, struct err *e)
{
    int rc = 0;
    for (size_t first = 0, end; first < x->column_count && !rc; first = end) {
        size_t bytes = column_bytes(x, first);
        if (bytes > variable_bytes)
            return err_set(e, -EFBIG, "%s: a MATLAB file holds 2 GB a variable; take --every N",
                           x->path);
        for (end = first + 1; end < x->column_count; end++) {
            bytes += column_bytes(x, end);
            if (bytes > batch_bytes)
                break;
        }
        rc = write_batch(mat, x, first, end, vars, log, e);
    }
    return rc;
}

/* The library does not say what the disk did not take: every column is read again. */
static int check_all(const struct export_csv *x, const char *path, const struct variable *vars,
                     struct err *e)
{
    mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
    size_t good = 0;
    bool same = mat != NULL;
    while (same && good < x->column_count) {
        matvar_t *v = Mat_VarReadNext(mat);
        const size_t bytes = column_bytes(x, good);
        same = v && v->name && strcmp(v->name, vars[good].name) == 0 && v->nbytes == bytes &&
               (bytes == 0 || v->data) && hash_bytes(HASH_BEGIN, v->data, bytes) == vars[good].hash;
        Mat_VarFree(v);
        good += same;
    }
    if (mat)
        (void)Mat_Close(mat);
    return same ? 0
                : err_set(e, -EIO,
                          "%s: cannot be written: only %zu of %zu columns arrived: is the disk "
                          "full?",
                          x->path, good, x->column_count);
}

int export_mat_write(struct export_csv *x, struct mdf_reader *log, struct err *e)
{
    struct variable *vars = calloc(x->column_count + 1, sizeof *vars);
    if (!vars)
        return err_set(e, -ENOMEM, "out of memory");
    for (size_t i = 0; i < x->column_count; i++)
        name_of(x, i, vars);
    int rc = count_rows(x, log, e);
    struct out_file f = {0}; /* the library opens files by their names */
    if (!rc)
        rc = out_file_open(&f, x->path, e);
    if (!rc && f.special)
        rc = err_set(e, -EINVAL, "%s: a MATLAB file needs a file: give the name of one", x->path);
    errno = 0;
    mat_t *mat = rc ? NULL : Mat_CreateVer(f.part, NULL, MAT_FT_MAT5);
    if (!rc && !mat)
        rc = err_set(e, errno ? -errno : -EIO, "%s: %s", x->path,
                     errno ? strerror(errno) : "the file could not be made");
    if (mat) {
        rc = write_all(mat, x, vars, log, e);
        if (Mat_Close(mat) && !rc)
            rc = err_set(e, -EIO, "%s: the file could not be finished", x->path);
        if (!rc)
            rc = check_all(x, f.part, vars, e);
        if (!rc && (rc = out_file_count(&f)))
            (void)err_set(e, rc, "%s: %s", x->path, strerror(-rc));
    }
    if (rc)
        out_file_drop(&f); /* half of it is no MATLAB file */
    else
        rc = out_file_close(&f, e);
    free(vars);
    return rc;
}

#include "shared/config/csv.h"

#include "shared/base/file.h"
#include "shared/config/line.h"
#include "shared/config/number.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct field {
    const char *text;
    size_t length;
};

struct reader {
    const char *name;
    const char *at, *end;        /* what is not read yet */
    const char *line, *line_end; /* the current line, without its end */
    size_t line_number;
    struct csv *csv;
    size_t rows_room;
    struct err *e;
};

/* The column is counted in UTF-8 characters, as editors do. */
static size_t column_of(const struct reader *r, const char *place)
{
    size_t column = 1;
    for (const char *c = r->line; c < place; c++)
        if (((unsigned char)*c & 0xC0U) != 0x80U)
            column++;
    return column;
}

/* Puts the file and the place before the message; column is the name of a column or NULL. */
static int refuse(struct reader *r, const char *place, const char *column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int refuse(struct reader *r, const char *place, const char *column, const char *format, ...)
{
    struct line line = LINE_EMPTY;
    line_add_text(&line, r->name, strlen(r->name), sizeof r->e->text / 2);
    line_add(&line, ":%zu:%zu: ", r->line_number, column_of(r, place));
    if (column)
        line_add(&line, "%s: ", column);
    va_list args;
    va_start(args, format);
    line_vadd(&line, format, args);
    va_end(args);
    struct line clean = LINE_EMPTY;
    line_add_text(&clean, line.text, line.used, sizeof line.text);
    return err_set(r->e, -EINVAL, "%s", clean.text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Goes to the next line that is neither empty nor a comment; false at the end. */
static bool next_line(struct reader *r)
{
    while (r->at < r->end) {
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->line = r->at;
        r->line_end = newline ? newline : r->end;
        r->at = newline ? newline + 1 : r->end;
        r->line_number++;
        if (r->line_end > r->line && r->line_end[-1] == '\r')
            r->line_end--;
        const char *first = r->line;
        while (first < r->line_end && is_blank(*first))
            first++;
        if (first < r->line_end && *first != '#')
            return true;
    }
    return false;
}

/* Takes the field that starts at *at, which then is behind its comma, or NULL behind the last. */
static struct field next_field(const struct reader *r, const char **at)
{
    const char *start = *at;
    const char *comma = memchr(start, ',', (size_t)(r->line_end - start));
    const char *end = comma ? comma : r->line_end;
    *at = comma ? comma + 1 : NULL;
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    return (struct field){start, (size_t)(end - start)};
}

static size_t count_fields(const struct reader *r)
{
    size_t count = 0;
    for (const char *at = r->line; at; count++)
        (void)next_field(r, &at);
    return count;
}

static int read_name(struct reader *r, struct field field, size_t column)
{
    if (field.length == 0)
        return refuse(r, field.text, NULL, "column %zu has no name, one is required", column + 1);
    if (field.length > CSV_MAX_NAME)
        return refuse(r, field.text, NULL, "column name is too long, at most %d bytes are allowed",
                      CSV_MAX_NAME);
    const char *wrong = NULL;
    for (size_t i = 0; i < field.length && !wrong; i++)
        if (memchr("\"';\t\r", field.text[i], 6)) /* with its NUL */
            wrong = field.text + i;
    if (wrong && *wrong == ';')
        return refuse(r, wrong, NULL, "';' in a column name, columns are separated by ','");
    if (wrong)
        return refuse(r, wrong, NULL, "quote or control character in a column name, not allowed");
    char *name = r->csv->names[column];
    memcpy(name, field.text, field.length);
    name[field.length] = '\0';
    double number = 0.0;
    if (number_parse_double(field.text, field.length, &number) != -EINVAL)
        return refuse(r, field.text, NULL,
                      "must be a column name, is %s, the first line names the "
                      "columns",
                      name);
    r->csv->columns = column;
    int same = csv_column(r->csv, name);
    if (same >= 0)
        return refuse(r, field.text, name, "names column %d too, a name is allowed once", same + 1);
    return 0;
}

static int read_header(struct reader *r)
{
    if (!next_line(r))
        return err_set(r->e, -EINVAL, "%s:1:1: is empty, the first line must name the columns",
                       r->name);
    size_t columns = count_fields(r);
    if (columns > CSV_MAX_COLUMNS)
        return refuse(r, r->line, NULL, "has %zu columns, at most %d are allowed", columns,
                      CSV_MAX_COLUMNS);
    r->csv->names = calloc(columns, sizeof *r->csv->names);
    if (!r->csv->names)
        return err_set(r->e, -ENOMEM, "%s: out of memory", r->name);
    const char *at = r->line;
    for (size_t i = 0; i < columns; i++) {
        int rc = read_name(r, next_field(r, &at), i);
        if (rc)
            return rc;
    }
    r->csv->columns = columns;
    return 0;
}

static int make_room(struct reader *r)
{
    struct csv *csv = r->csv;
    if (csv->rows < r->rows_room)
        return 0;
    /* The size of the file bounds the rows, so this cannot overflow. */
    size_t room = r->rows_room ? r->rows_room * 2 : 64;
    double *larger = realloc(csv->values, room * csv->columns * sizeof(double));
    if (!larger)
        return err_set(r->e, -ENOMEM, "%s: out of memory", r->name);
    csv->values = larger;
    r->rows_room = room;
    return 0;
}

static int read_number(struct reader *r, struct field field, const char *column, double *value)
{
    int rc = number_parse_double(field.text, field.length, value);
    if (rc == 0)
        return 0;
    if (rc == -ERANGE)
        return refuse(r, field.text, column, "is too large, must fit a double");
    struct line text = LINE_EMPTY;
    line_add_text(&text, field.text, field.length, 48);
    return refuse(r, field.text, column, "must be a number, is \"%s\"%s", text.text,
                  number_hint(field.text, field.length));
}

static int read_row(struct reader *r)
{
    struct csv *csv = r->csv;
    int rc = make_room(r);
    if (rc)
        return rc;
    double *row = csv->values + csv->rows * csv->columns;
    const char *at = r->line;
    for (size_t i = 0; i < csv->columns; i++) {
        if (!at)
            return refuse(r, r->line_end, csv->names[i], "missing, the row has %zu of %zu numbers",
                          i, csv->columns);
        rc = read_number(r, next_field(r, &at), csv->names[i], &row[i]);
        if (rc)
            return rc;
    }
    if (at)
        return refuse(r, at, NULL, "the row has %zu numbers, must have %zu as the first line",
                      count_fields(r), csv->columns);
    csv->rows++;
    return 0;
}

static int read_table(struct reader *r)
{
    int rc = read_header(r);
    while (rc == 0 && next_line(r))
        rc = read_row(r);
    if (rc)
        return rc;
    if (r->csv->rows == 0)
        return err_set(r->e, -EINVAL, "%s:%zu:1: has no rows, at least one must follow the names",
                       r->name, r->line_number);
    return 0;
}

static int refuse_large(const char *name, struct err *e)
{
    return err_set(e, -EFBIG, "%s: is too large, at most %d MiB are allowed", name,
                   CSV_MAX_BYTES >> 20);
}

int csv_parse(const char *name, const char *text, size_t length, struct csv *out, struct err *e)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF"; /* written by some spreadsheets */
    *out = (struct csv){0};
    if (length > CSV_MAX_BYTES)
        return refuse_large(name, e);
    struct reader r = {.name = name, .at = text, .end = text + length, .csv = out, .e = e};
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0)
        r.at += 3;
    int rc = read_table(&r);
    if (rc)
        csv_free(out);
    return rc;
}

int csv_read(const char *path, struct csv *out, struct err *e)
{
    *out = (struct csv){0};
    char *text = NULL;
    size_t length = 0;
    int rc = file_read_whole(path, CSV_MAX_BYTES, &text, &length);
    if (rc == -EFBIG)
        return refuse_large(path, e);
    if (rc)
        return err_set(e, rc, "%s: cannot be read: %s", path, file_why(rc));
    rc = csv_parse(path, text, length, out, e);
    free(text);
    return rc;
}

int csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->names[i], name) == 0)
            return (int)i;
    return -1;
}

void csv_free(struct csv *csv)
{
    free(csv->names);
    free(csv->values);
    *csv = (struct csv){0};
}

/* Numbers of an OpenCRG file: in columns of text, or big-endian floats. */
#include "shared/config/number.h"
#include "target/road/crg_load_file.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 80 };

/* How many rows the header wants; 0: as many as there are. */
static int rows_wanted(const char *name, const struct crg_file *f, size_t *rows, struct err *e)
{
    *rows = 0;
    if (!f->has[CRG_END_U])
        return 0;
    double span_m = f->value[CRG_END_U] - f->value[CRG_START_U];
    double count = span_m / f->value[CRG_INCREMENT] + 1.0;
    if (!(count >= 2.0) || !(count * (double)f->columns <= CRG_MAX_VALUES))
        return err_set(e, -EINVAL,
                       "%s: REFERENCE_LINE_START_U %g, END_U %g and INCREMENT %g make %g rows of "
                       "%zu numbers; at least 2 rows and at most 2^28 numbers are allowed",
                       name, f->value[CRG_START_U], f->value[CRG_END_U], f->value[CRG_INCREMENT],
                       count, f->columns);
    if (!(fabs(count - rint(count)) <= 1e-3))
        return err_set(e, -EINVAL,
                       "%s: from REFERENCE_LINE_START_U %g to END_U %g are %.6g increments of %g, "
                       "not a whole number",
                       name, f->value[CRG_START_U], f->value[CRG_END_U], count - 1.0,
                       f->value[CRG_INCREMENT]);
    *rows = (size_t)rint(count);
    return 0;
}

static double big_endian(const unsigned char *b, bool is_double)
{
    uint64_t bits = 0;
    for (int i = 0; i < (is_double ? 8 : 4); i++)
        bits = bits << 8 | b[i];
    if (is_double) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    uint32_t narrow = (uint32_t)bits;
    float y;
    memcpy(&y, &narrow, sizeof y);
    return y;
}

static int binary(const char *name, const char *text, size_t length, size_t at, bool is_double,
                  struct crg_file *f, struct err *e)
{
    size_t wanted, size = is_double ? 8 : 4, row_bytes = size * f->columns;
    int bad = rows_wanted(name, f, &wanted, e);
    if (bad)
        return bad;
    size_t there = (length - at) / row_bytes;
    if (there < (wanted ? wanted : 2))
        return err_set(e, -EINVAL,
                       "%s: byte %zu: the file ends in row %zu of %zu, it is truncated (a row is "
                       "%zu bytes)",
                       name, length, there + 1, wanted ? wanted : 2, row_bytes);
    f->rows = wanted ? wanted : there;
    if ((double)f->rows * (double)f->columns > CRG_MAX_VALUES)
        return err_set(e, -EFBIG, "%s: more than 2^28 numbers", name);
    f->row = malloc(f->rows * f->columns * sizeof *f->row);
    if (!f->row)
        return -ENOMEM;
    for (size_t i = 0; i < f->rows * f->columns; i++) {
        f->row[i] = big_endian((const unsigned char *)text + at + i * size, is_double);
        if (isinf(f->row[i]))
            return err_set(e, -EINVAL, "%s: byte %zu: row %zu, number %zu is infinite", name,
                           at + i * size, i / f->columns + 1, i % f->columns + 1);
    }
    return 0;
}

/* ---- text */

struct reader {
    const char *name, *text;
    size_t length, at;
    int line;
    struct err *e;
};

/* The next line that is not empty; false at the end. */
static bool next_line(struct reader *r, const char **line, size_t *length)
{
    while (r->at < r->length) {
        const char *begin = r->text + r->at, *end = memchr(begin, '\n', r->length - r->at);
        size_t n = end ? (size_t)(end - begin) : r->length - r->at;
        r->at += n + (end ? 1 : 0);
        r->line++;
        while (n > 0 && (begin[n - 1] == '\r' || begin[n - 1] == ' ' || begin[n - 1] == '\t'))
            n--;
        if (n > 0) {
            *line = begin;
            *length = n;
            return true;
        }
    }
    return false;
}

/* One field; a field with an asterisk stands for no number. */
static int field(const struct reader *r, const char *text, size_t length, size_t column, double *x)
{
    char number[32];
    while (length > 0 && *text == ' ') {
        text++;
        length--;
        column++;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    *x = NAN;
    if (memchr(text, '*', length) || (length == 3 && (text[0] | 0x20) == 'n'))
        return 0;
    for (size_t i = 0; i < length && i < sizeof number; i++) /* Fortran's exponent */
        number[i] = text[i] == 'D' || text[i] == 'd' ? 'e' : text[i];
    if (length == 0 || length > sizeof number || number_parse_double(number, length, x))
        return err_set(r->e, -EINVAL, "%s:%d:%zu: \"%.*s\" is not a number; a gap is ********",
                       r->name, r->line, column + 1, (int)(length < 20 ? length : 20), text);
    return 0;
}

static int text_row(struct reader *r, size_t columns, size_t width, size_t number, size_t wanted,
                    double *out, bool *is_end)
{
    size_t per_line = RECORD / width;
    *is_end = false;
    for (size_t i = 0; i < columns;) {
        const char *line;
        size_t length, most = columns - i < per_line ? columns - i : per_line;
        if (!next_line(r, &line, &length)) {
            *is_end = i == 0;
            if (*is_end && !wanted)
                return 0;
            return err_set(r->e, -EINVAL,
                           "%s:%d: the file ends in row %zu of %zu, number %zu of %zu: it is "
                           "truncated",
                           r->name, r->line + 1, number + 1, wanted ? wanted : number + 1, i + 1,
                           columns);
        }
        for (size_t k = 0; k < most; k++, i++) {
            size_t from = k * width;
            if (from >= length)
                return err_set(r->e, -EINVAL,
                               "%s:%d:%zu: the line ends with number %zu of %zu in row %zu; each "
                               "takes %zu characters, %zu a line",
                               r->name, r->line, length + 1, i, columns, number + 1, width,
                               per_line);
            size_t n = length - from < width ? length - from : width;
            int bad = field(r, line + from, n, from, &out[i]);
            if (bad)
                return bad;
        }
    }
    return 0;
}

static int text_rows(struct reader *r, size_t width, struct crg_file *f)
{
    size_t wanted, room = 0;
    int bad = rows_wanted(r->name, f, &wanted, r->e);
    if (bad)
        return bad;
    for (size_t i = 0; !wanted || i < wanted; i++) {
        bool is_end;
        if (i == room) { /* memory for what the file can hold, not for what the header promises */
            room = room ? 2 * room : 256;
            double *more = (double)room * (double)f->columns > 2.0 * CRG_MAX_VALUES
                               ? NULL
                               : realloc(f->row, room * f->columns * sizeof *more);
            if (!more)
                return -ENOMEM;
            f->row = more;
        }
        bad = text_row(r, f->columns, width, i, wanted, &f->row[i * f->columns], &is_end);
        if (bad)
            return bad;
        if (is_end)
            break;
        f->rows = i + 1;
    }
    const char *line;
    size_t length;
    if (f->rows < 2)
        return err_set(r->e, -EINVAL, "%s:%d: %zu rows of data, at least 2 are needed", r->name,
                       r->line, f->rows);
    if (wanted && next_line(r, &line, &length))
        return err_set(r->e, -EINVAL,
                       "%s:%d: more rows than the %zu that REFERENCE_LINE_END_U and INCREMENT make",
                       r->name, r->line, wanted);
    return 0;
}

int crg_data_parse(const char *name, const char *text, size_t length, size_t at, int line,
                   enum crg_form form, struct crg_file *f, struct err *e)
{
    struct reader r = {name, text, length, at, line, e};
    if (form == CRG_KRBI || form == CRG_KDBI)
        return binary(name, text, length, at, form == CRG_KDBI, f, e);
    return text_rows(&r, form == CRG_LRFI ? 10 : 20, f);
}

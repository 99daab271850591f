#include "shared/base/file.h"
#include "shared/config/number.h"
#include "target/tyre_sheet.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX_BYTES = 64 << 20, CELLS_MAX = 256 };
enum { COL_LOAD, COL_KAPPA, COL_ALPHA, COL_GAMMA, COL_VX, COL_PRESSURE, COLUMNS };

static const char *const NAMES[COLUMNS] = {"Fz_N",      "kappa",  "alpha_rad",
                                           "gamma_rad", "Vx_mps", "pressure_Pa"};
static const char *const RESULTS = "Fx_N,Fy_N,Mx_Nm,My_Nm,Mz_Nm";

struct cell {
    const char *text;
    size_t length;
};

/* The text and where we are in it. */
struct table {
    const char *path, *at, *end;
    int line;
    int column[COLUMNS]; /* of each input; -1: not there */
    int cells;           /* in the first line */
};

static struct cell trimmed(const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
        to--;
    return (struct cell){from, (size_t)(to - from)};
}

/* The next line that is neither empty nor a # comment, cut at its commas. Returns the number of
 * cells, 0 at the end, -1 if there are too many. */
static int next_line(struct table *t, struct cell cells[CELLS_MAX], struct cell *whole)
{
    while (t->at < t->end) {
        const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
        const char *from = t->at, *stop = newline ? newline : t->end;
        t->at = newline ? newline + 1 : t->end;
        t->line++;
        *whole = trimmed(from, stop);
        if (whole->length == 0 || *whole->text == '#')
            continue;
        int count = 0;
        stop = whole->text + whole->length;
        for (from = whole->text; count < CELLS_MAX; from++) {
            const char *comma = memchr(from, ',', (size_t)(stop - from));
            cells[count++] = trimmed(from, comma ? comma : stop);
            if (!comma)
                return count;
            from = comma;
        }
        return -1;
    }
    return 0;
}

static int read_header(struct table *t, struct cell *whole, struct err *err)
{
    struct cell cells[CELLS_MAX];
    t->cells = next_line(t, cells, whole);
    if (t->cells <= 0)
        return err_set(err, -EINVAL,
                       "%s: no line with column names; needed are Fz_N, kappa, "
                       "alpha_rad, gamma_rad, Vx_mps and, if wanted, pressure_Pa",
                       t->path);
    for (int k = 0; k < COLUMNS; k++) {
        t->column[k] = -1;
        for (int i = 0; i < t->cells; i++) {
            if (cells[i].length != strlen(NAMES[k]) ||
                memcmp(cells[i].text, NAMES[k], cells[i].length) != 0)
                continue;
            if (t->column[k] >= 0)
                return err_set(err, -EINVAL, "%s:%d: column %s comes twice", t->path, t->line,
                               NAMES[k]);
            t->column[k] = i;
        }
        if (t->column[k] < 0 && k != COL_PRESSURE)
            return err_set(err, -EINVAL,
                           "%s:%d: column %s is missing; needed are Fz_N, kappa, "
                           "alpha_rad, gamma_rad and Vx_mps",
                           t->path, t->line, NAMES[k]);
    }
    return 0;
}

/* One row of numbers. Returns 1, 0 at the end, or a negative errno. */
static int read_row(struct table *t, struct tyre_point *p, struct cell *whole, struct err *err)
{
    struct cell cells[CELLS_MAX];
    double v[COLUMNS] = {0};
    int count = next_line(t, cells, whole);
    if (count == 0)
        return 0;
    if (count != t->cells)
        return err_set(err, -EINVAL, "%s:%d: %d cells, but the first line has %d", t->path, t->line,
                       count, t->cells);
    for (int k = 0; k < COLUMNS; k++) {
        if (t->column[k] < 0)
            continue;
        const struct cell *c = &cells[t->column[k]];
        int column = (int)(c->text - whole->text) + 1;
        if (number_parse_double(c->text, c->length, &v[k]) != 0)
            return err_set(err, -EINVAL, "%s:%d:%d: %s: not a number%s", t->path, t->line, column,
                           NAMES[k], number_hint(c->text, c->length));
        if ((k == COL_LOAD || k == COL_PRESSURE) && !(v[k] >= 0.0))
            return err_set(err, -EINVAL, "%s:%d:%d: %s: %g is negative; allowed is 0 and above",
                           t->path, t->line, column, NAMES[k], v[k]);
        if (k == COL_ALPHA && !(fabs(v[k]) <= 3.1416))
            return err_set(err, -EINVAL,
                           "%s:%d:%d: %s: %g is not allowed; allowed is -pi to "
                           "pi (radians)",
                           t->path, t->line, column, NAMES[k], v[k]);
    }
    *p = (struct tyre_point){.load_N = v[COL_LOAD],
                             .kappa = v[COL_KAPPA],
                             .alpha_rad = v[COL_ALPHA],
                             .gamma_rad = v[COL_GAMMA],
                             .vx_mps = v[COL_VX],
                             .pressure_Pa = v[COL_PRESSURE]};
    return 1;
}

/* One pass over the table; with to == NULL it is only checked. */
static int pass(const struct tyre_set *set, double friction, struct table t, FILE *to,
                struct err *err)
{
    struct cell line = {"", 0};
    struct tyre_point p;
    int rows = 0, status = read_header(&t, &line, err);
    if (status)
        return status;
    if (to)
        fprintf(to, "%.*s,%s\n", (int)line.length, line.text, RESULTS);
    while ((status = read_row(&t, &p, &line, err)) > 0) {
        rows++;
        if (!to)
            continue;
        p.friction = friction;
        struct tyre_point_forces f = tyre_sheet_at(set, &p);
        fprintf(to, "%.*s,%.10g,%.10g,%.10g,%.10g,%.10g\n", (int)line.length, line.text, f.fx_N,
                f.fy_N, f.mx_Nm, f.my_Nm, f.mz_Nm);
    }
    if (status == 0 && rows == 0)
        return err_set(err, -EINVAL, "%s: no row below the column names", t.path);
    return status;
}

int tyre_sheet_points(const struct tyre_model *model, double friction, const char *csv_path,
                      FILE *to, struct err *err)
{
    struct tyre_set set;
    char *text = NULL;
    size_t length = 0;
    int status = file_read_whole(csv_path, POINTS_MAX_BYTES, &text, &length);
    if (status)
        return err_set(err, status, "%s: %s", csv_path, file_why(status));
    struct table t = {.path = csv_path, .at = text, .end = text + length};
    tyre_sheet_set(&set, model);
    status = pass(&set, friction, t, NULL, err);
    if (status == 0)
        status = pass(&set, friction, t, to, err);
    free(text);
    return status;
}

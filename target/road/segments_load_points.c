/* Roads through measured points, of a CSV table or a list in the road file. */
#include "shared/config/csv.h"
#include "target/road/segments_load_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 200000, POINTS_LEAST = 4, POINTS_PATH = 1024 };

enum column { X, Y, Z, BANK, LEFT, RIGHT, COLUMNS };
static const char *const names[COLUMNS] = {"x_m",          "y_m",    "z_m",
                                           "bank_percent", "left_m", "right_m"};
static const struct cfg_range ranges[COLUMNS] = {
    {-1e6, 1e6, false, false},   {-1e6, 1e6, false, false}, {-1e4, 1e4, false, false},
    {-60.0, 60.0, false, false}, {0.0, 1e3, false, false},  {0.0, 1e3, false, false}};

struct points {
    double *row; /* COLUMNS numbers each */
    size_t count;
    bool has[COLUMNS];
};

static int points_room(struct points *t, size_t count)
{
    t->row = calloc(count ? count : 1, COLUMNS * sizeof *t->row);
    return t->row ? 0 : -ENOMEM;
}

static int table_read(const struct cfg_node *map, struct points *t)
{
    char path[POINTS_PATH] = "";
    struct csv csv = {0};
    struct err e = {""};
    cfg_path(map, "points", path, sizeof path);
    if (!path[0])
        return 0;
    if (csv_read(path, &csv, &e)) {
        cfg_complain(map, "points", "%s", e.text);
        return 0;
    }
    int bad = points_room(t, csv.rows);
    for (size_t i = 0; i < csv.columns; i++) {
        size_t k = 0;
        while (k < COLUMNS && strcmp(csv.names[i], names[k]) != 0)
            k++;
        if (k == COLUMNS) {
            cfg_complain(map, "points",
                         "%s: no column is called \"%s\"; there are x_m, y_m, z_m, bank_percent, "
                         "left_m, right_m",
                         path, csv.names[i]);
            continue;
        }
        t->has[k] = true;
        for (size_t row = 0; !bad && row < csv.rows; row++)
            t->row[row * COLUMNS + k] = csv.values[row * csv.columns + i];
    }
    t->count = csv.rows;
    csv_free(&csv);
    return bad;
}

/* The list in the file; what one point says all must say. */
static int list_read(const struct cfg_node *map, struct points *t)
{
    const struct cfg_node *list = cfg_list(map, "points");
    size_t count = cfg_count(list);
    if (count > POINTS_MAX)
        return 0; /* told behind */
    int bad = points_room(t, count);
    for (size_t i = 0; !bad && i < count; i++) {
        const struct cfg_node *n = cfg_item(list, i);
        if (!cfg_is_map(n)) {
            cfg_complain(n, NULL, "must be a mapping: {x_m: 0, y_m: 0, z_m: 0}");
            continue;
        }
        for (int k = 0; k < COLUMNS; k++) {
            t->has[k] = i == 0 ? cfg_has(n, names[k]) : t->has[k];
            if (t->has[k])
                cfg_need(n, names[k]);
            else if (cfg_has(n, names[k]))
                cfg_complain(n, names[k], "the first point does not say it: all do, or none");
            cfg_double(n, names[k], &t->row[i * COLUMNS + (size_t)k], ranges[k]);
        }
        cfg_done(n);
    }
    t->count = count;
    return bad;
}

/* A circuit whose last point is its first again is given once. */
static void drop_repeated(struct points *t, bool is_closed)
{
    const double *first = t->row, *last = t->row + (t->count - 1) * COLUMNS;
    if (is_closed && t->count > 1 && hypot(last[X] - first[X], last[Y] - first[Y]) < 1e-3)
        t->count--;
}

/* Numbers in their ranges, neighbours apart. */
static bool points_check(const struct cfg_node *map, const struct points *t, bool is_closed)
{
    if (!t->has[X] || !t->has[Y])
        cfg_complain(map, "points", "x_m and y_m are needed");
    else if (t->has[LEFT] != t->has[RIGHT])
        cfg_complain(map, "points", "give both left_m and right_m, or none");
    else if (t->count < POINTS_LEAST || t->count > POINTS_MAX)
        cfg_complain(map, "points", "%d to %d points are allowed, not %zu", POINTS_LEAST,
                     POINTS_MAX, t->count);
    for (size_t i = 0; i < t->count && cfg_ok(cfg_doc_of(map)); i++) {
        const double *p = &t->row[i * COLUMNS];
        for (int k = 0; k < COLUMNS; k++)
            if (!(p[k] >= ranges[k].low && p[k] <= ranges[k].high))
                cfg_complain(map, "points", "point %zu: %s must be between %g and %g, is %g", i + 1,
                             names[k], ranges[k].low, ranges[k].high, p[k]);
        const double *q = &t->row[(i + 1) % t->count * COLUMNS];
        double apart_m = hypot(q[X] - p[X], q[Y] - p[Y]);
        if ((is_closed || i + 1 < t->count) && !(apart_m >= 0.1))
            cfg_complain(map, "points",
                         "points %zu and %zu (x %g, y %g) are %.3g m apart, at least 0.1 m are "
                         "needed: thin them out",
                         i + 1, (i + 1) % t->count + 1, p[X], p[Y], apart_m);
    }
    return cfg_ok(cfg_doc_of(map));
}

static int curve_through(const struct cfg_node *map, const struct points *t, bool is_closed,
                         struct spline *s)
{
    double *xy = malloc(2 * t->count * sizeof *xy);
    if (!xy)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++) {
        xy[2 * i] = t->row[i * COLUMNS + X];
        xy[2 * i + 1] = t->row[i * COLUMNS + Y];
    }
    int bad = spline_build(xy, t->count, is_closed, s);
    free(xy);
    double most_1pm = 0.0;
    size_t worst = 0;
    for (size_t i = 0; !bad && i < (s->count - 1) * SPLINE_PARTS; i++) {
        struct spline_point p;
        spline_at(s, i / SPLINE_PARTS, (double)(i % SPLINE_PARTS) / SPLINE_PARTS, &p);
        double curvature = fabs(spline_curvature_1pm(&p));
        if (!(curvature <= most_1pm)) {
            most_1pm = curvature;
            worst = i / SPLINE_PARTS;
        }
    }
    if (!bad && !(most_1pm <= 0.5)) {
        cfg_complain(map, "points",
                     "the line bends with a radius of %.3g m behind point %zu (x %g, y %g), at "
                     "least 2 m are allowed: a measured point lies wrong, or they are too few",
                     1.0 / most_1pm, worst + 1, t->row[worst * COLUMNS + X],
                     t->row[worst * COLUMNS + Y]);
        return 0;
    }
    return bad ? bad : spline_measure(s);
}

/* One column over arc length; that of a circuit goes on round the ends. */
static int column_over(const struct points *t, const struct spline *s, int column, double factor,
                       struct hermite *out)
{
    size_t count = t->count, wrap = s->is_closed ? 1 : 0, rows = 0;
    double length_m = spline_length_m(s, s->count - 1);
    double *row = malloc(2 * (count + 3) * sizeof *row);
    if (!row)
        return -ENOMEM;
    for (size_t i = 0; i < count + 3 * wrap; i++) {
        size_t k = (i + count - wrap) % count;
        double lap_m = i < wrap ? -length_m : i >= count + wrap ? length_m : 0.0;
        row[2 * rows] = spline_length_m(s, k) + lap_m;
        row[2 * rows + 1] = factor * t->row[k * COLUMNS + (size_t)column];
        rows++;
    }
    int bad = hermite_build(row, rows, 2, 1, false, out);
    free(row);
    return bad;
}

static int columns_over(const struct cfg_node *map, const struct points *t, struct plan *p)
{
    static const struct {
        int column;
        const char *key;
    } other[] = {{Z, "elevation_m"}, {BANK, "bank_percent"}, {LEFT, "width_m"}};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (t->has[other[i].column] && cfg_has(map, other[i].key))
            cfg_complain(map, other[i].key, "the points say it already (%s)",
                         names[other[i].column]);
    int bad = t->has[Z] ? column_over(t, &p->through, Z, 1.0, &p->elevation) : 0;
    if (!bad && t->has[BANK])
        bad = column_over(t, &p->through, BANK, 0.01, &p->bank);
    if (!bad && t->has[LEFT])
        bad = column_over(t, &p->through, LEFT, 1.0, &p->left);
    if (!bad && t->has[RIGHT])
        bad = column_over(t, &p->through, RIGHT, 1.0, &p->right);
    return bad;
}

int points_load(const struct cfg_node *map, struct plan *p, double *length_m)
{
    struct points t = {0};
    *length_m = 0.0;
    if (cfg_has(map, "start"))
        cfg_complain(map, "start", "the points say where the road starts");
    int bad = cfg_is_list(map, "points") ? list_read(map, &t) : table_read(map, &t);
    if (!bad && t.count > 0)
        drop_repeated(&t, p->is_closed);
    if (!bad && cfg_ok(cfg_doc_of(map)) && points_check(map, &t, p->is_closed))
        bad = curve_through(map, &t, p->is_closed, &p->through);
    if (!bad && p->through.s_m) {
        *length_m = spline_length_m(&p->through, p->through.count - 1);
        bad = columns_over(map, &t, p);
    }
    free(t.row);
    return bad;
}

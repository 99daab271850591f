#include "target/road/seed_load.h"

#include "target/model/math/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double margin_m = 30.0;
/* As fine as wanted if these are enough, else up to a metre, and larger only on large roads. */
enum { CELLS = 500000, CELLS_MAX = 2000000 };

struct maker {
    struct seed_line (*part)(const void *line, int32_t index);
    const void *line;
    int32_t count;
    struct seed_grid *g;
    int32_t *seed;
};

static void size_grid(const struct maker *m, double finest_m)
{
    double x0 = 1e300, y0 = 1e300, x1 = -1e300, y1 = -1e300;
    for (int32_t i = 0; i < m->count; i++) {
        struct seed_line p = m->part(m->line, i);
        double reach_m = p.half_m > 50.0 ? 0.0 : p.half_m; /* run-outs need no cells */
        x0 = at_most(x0, p.x_m - reach_m);
        x1 = at_least(x1, p.x_m + reach_m);
        y0 = at_most(y0, p.y_m - reach_m);
        y1 = at_least(y1, p.y_m + reach_m);
    }
    double wide_m = x1 - x0 + 2.0 * margin_m, high_m = y1 - y0 + 2.0 * margin_m;
    double area_m2 = wide_m * high_m, wanted_m = between(sqrt(area_m2 / CELLS), finest_m, 1.0);
    double cell_m = at_least(wanted_m, sqrt(area_m2 / CELLS_MAX));
    struct seed_grid *g = m->g;
    g->origin_m = (v2){x0 - margin_m, y0 - margin_m};
    g->per_cell_1pm = (v2){1.0 / cell_m, 1.0 / cell_m};
    g->columns = (int32_t)(wide_m / cell_m) + 1;
    g->rows = (int32_t)(high_m / cell_m) + 1;
    g->last = (v2){g->columns - 1, g->rows - 1};
}

/* How far the centre of a cell is from the part, squared. */
static double distance2(const struct maker *m, int32_t column, int32_t row, int32_t index)
{
    struct seed_line p = m->part(m->line, index);
    double cell_m = 1.0 / m->g->per_cell_1pm[0];
    double dx = m->g->origin_m[0] + (column + 0.5) * cell_m - p.x_m;
    double dy = m->g->origin_m[1] + (row + 0.5) * cell_m - p.y_m;
    double t = between(dx * p.tx + dy * p.ty, -p.half_m, p.half_m);
    dx -= t * p.tx;
    dy -= t * p.ty;
    return dx * dx + dy * dy;
}

/* Takes the neighbour's part if it is nearer. */
static void ask_neighbour(const struct maker *m, int32_t column, int32_t row, int32_t dc,
                          int32_t dr)
{
    const struct seed_grid *g = m->g;
    int32_t c = column + dc, w = row + dr, *own = &m->seed[row * g->columns + column];
    if (c < 0 || c >= g->columns || w < 0 || w >= g->rows)
        return;
    int32_t other = m->seed[w * g->columns + c];
    if (other >= 0 && other != *own &&
        (*own < 0 || distance2(m, column, row, other) < distance2(m, column, row, *own)))
        *own = other;
}

static void sweep(const struct maker *m, int32_t way)
{
    int32_t rows = m->g->rows, columns = m->g->columns;
    for (int32_t i = 0; i < rows; i++) {
        int32_t row = way > 0 ? i : rows - 1 - i;
        for (int32_t k = 0; k < columns; k++) {
            int32_t column = way > 0 ? k : columns - 1 - k;
            ask_neighbour(m, column, row, -way, 0);
            ask_neighbour(m, column, row, -way, -way);
            ask_neighbour(m, column, row, 0, -way);
            ask_neighbour(m, column, row, way, -way);
        }
        for (int32_t k = columns - 1; k >= 0; k--) {
            int32_t column = way > 0 ? k : columns - 1 - k;
            ask_neighbour(m, column, row, way, 0);
        }
    }
}

/* Cells that the line crosses know their part; the others learn it from their neighbours. */
int seed_build(struct seed_line (*part)(const void *line, int32_t index), const void *line,
               int32_t count, double finest_m, struct seed_grid *out)
{
    struct maker m = {part, line, count, out, NULL};
    *out = (struct seed_grid){0};
    size_grid(&m, finest_m);
    size_t cells = (size_t)out->columns * (size_t)out->rows;
    m.seed = malloc(cells * sizeof *m.seed);
    if (!m.seed)
        return -ENOMEM;
    out->seed = m.seed;
    memset(m.seed, 0xff, cells * sizeof *m.seed);
    for (int32_t i = 0; i < count; i++) {
        struct seed_line p = part(line, i);
        double column = (p.x_m - out->origin_m[0]) * out->per_cell_1pm[0];
        double row = (p.y_m - out->origin_m[1]) * out->per_cell_1pm[1];
        if (column >= 0.0 && column < out->columns && row >= 0.0 && row < out->rows)
            m.seed[(int32_t)row * out->columns + (int32_t)column] = i;
    }
    for (int n = 0; n < 2; n++) {
        sweep(&m, 1);
        sweep(&m, -1);
    }
    return 0;
}

void seed_free(struct seed_grid *g)
{
    free((void *)g->seed);
    *g = (struct seed_grid){0};
}

#include "target/road/terrain_load.h"

#include "target/model/math/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLES_MAX = 600, CELLS_MAX = 20000 };
static const double apart_m = 5.0, margin_m = 100.0, cell_least_m = 8.0;
static const double level_m = 0.25; /* bumps and profiles are no hills */

struct sample {
    double x_m, y_m, z_m;
};

static double height_m(const struct ground *g, double x_m, double y_m)
{
    struct ground_point p;
    g->query(g->road, x_m, y_m, &p);
    return p.z_m;
}

/* Places of the line and their heights; *level says whether all is, beside it too. */
static int take_samples(const struct curve *line, const struct ground *g, struct sample *s,
                        bool *level)
{
    double length_m = line->end_m - line->begin_m, first_m = 0.0;
    int count = (int)at_least(at_most(length_m / apart_m, SAMPLES_MAX), 2.0);
    int32_t piece = 0;
    *level = true;
    for (int i = 0; i < count; i++) {
        struct curve_point p;
        curve_at(line, line->begin_m + length_m * (i + 0.5) / count, &piece, &p);
        s[i] = (struct sample){p.x_m, p.y_m, height_m(g, p.x_m, p.y_m)};
        first_m = i ? first_m : s[i].z_m;
        for (int k = -1; k <= 1; k++) {
            double n_m = 20.0 * k, x_m = p.x_m - n_m * p.tangent[1];
            double z_m = height_m(g, x_m, p.y_m + n_m * p.tangent[0]);
            *level = *level && fabs(z_m - first_m) < level_m;
        }
    }
    return count;
}

static double land_m(const struct sample *s, int count, double x_m, double y_m)
{
    double sum = 0.0, weights = 0.0;
    for (int i = 0; i < count; i++) {
        double dx = x_m - s[i].x_m, dy = y_m - s[i].y_m, far2 = dx * dx + dy * dy + 1.0;
        double weight = 1.0 / (far2 * far2);
        sum += weight * s[i].z_m;
        weights += weight;
    }
    return sum / weights;
}

static int fill(const struct sample *s, int count, struct terrain *t)
{
    double x0 = s[0].x_m, x1 = x0, y0 = s[0].y_m, y1 = y0;
    for (int i = 1; i < count; i++) {
        x0 = at_most(x0, s[i].x_m);
        x1 = at_least(x1, s[i].x_m);
        y0 = at_most(y0, s[i].y_m);
        y1 = at_least(y1, s[i].y_m);
    }
    double wide_m = x1 - x0 + 2.0 * margin_m, high_m = y1 - y0 + 2.0 * margin_m;
    double cell_m = at_least(cell_least_m, sqrt(wide_m * high_m / CELLS_MAX));
    int32_t columns = (int32_t)(wide_m / cell_m) + 2, rows = (int32_t)(high_m / cell_m) + 2;
    double *z_m = malloc((size_t)columns * (size_t)rows * sizeof *z_m);
    if (!z_m)
        return -ENOMEM;
    *t = (struct terrain){.z_m = z_m,
                          .origin_m = {x0 - margin_m, y0 - margin_m},
                          .per_cell_1pm = {1.0 / cell_m, 1.0 / cell_m},
                          .last = {columns - 1.0 - 1e-9, rows - 1.0 - 1e-9},
                          .columns = columns};
    for (int32_t row = 0; row < rows; row++)
        for (int32_t column = 0; column < columns; column++)
            z_m[row * columns + column] =
                land_m(s, count, t->origin_m[0] + column * cell_m, t->origin_m[1] + row * cell_m);
    return 0;
}

int terrain_build(const struct curve *line, const struct ground *ground, struct terrain *out)
{
    struct sample *s = malloc(SAMPLES_MAX * sizeof *s);
    bool level = true;
    *out = (struct terrain){0};
    if (!s)
        return -ENOMEM;
    int count = take_samples(line, ground, s, &level);
    int bad = level ? 0 : fill(s, count, out);
    free(s);
    return bad;
}

void terrain_free(struct terrain *t)
{
    free((void *)t->z_m);
    *t = (struct terrain){0};
}

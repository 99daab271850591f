#include "target/road/path_load.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"
#include "target/road/curve_load.h"
#include "target/road/path_load_nodes.h"
#include "target/road/path_load_record.h"
#include "target/road/path_load_road.h"
#include "target/road/path_load_speeds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes */

/* y = amplitude * cos(2 pi (x - first) / wavelength) from the first peak to the last; before and
 * behind them a polynomial that meets the cosine in place, slope and curvature, (D-10). */
struct sine {
    double amplitude_m, wavelength_m, first_m, last_m, entry_m;
};

/* Value, first and second derivative of a smooth rise from 0 to 1 over u = 0..1, times by_u. */
static void rise(double u, double per_m, double f[3])
{
    if (!(u > 0.0) || u >= 1.0) {
        f[0] = u >= 1.0;
        f[1] = f[2] = 0.0;
        return;
    }
    f[0] = u * u * u * (10.0 + u * (-15.0 + 6.0 * u));
    f[1] = u * u * (30.0 + u * (-60.0 + 30.0 * u)) * per_m;
    f[2] = u * (60.0 + u * (-180.0 + 120.0 * u)) * per_m * per_m;
}

static void sine_at(const void *shape, double x_m, double y[3])
{
    const struct sine *s = shape;
    double k = 2.0 * 3.14159265358979323846 / s->wavelength_m, sine, cosine;
    double outside_m = x_m < s->first_m ? s->first_m - x_m : at_least(x_m - s->last_m, 0.0);
    double peak_m = x_m > s->last_m ? s->last_m : s->first_m;
    vm_sincos(k * (peak_m - s->first_m), &sine, &cosine);
    double a_m = s->amplitude_m * cosine; /* of that peak */
    y[0] = y[1] = y[2] = 0.0;
    if (outside_m >= s->entry_m)
        return;
    if (outside_m > 0.0) { /* u from 0 where the path is straight to 1 at the peak */
        double u = 1.0 - outside_m / s->entry_m, per_m = 1.0 / s->entry_m;
        double a5 = 0.5 * (12.0 - k * k * s->entry_m * s->entry_m), a4 = -3.0 - 2.0 * a5;
        double a3 = 1.0 - a4 - a5, sign = x_m < s->first_m ? 1.0 : -1.0;
        y[0] = a_m * u * u * u * (a3 + u * (a4 + u * a5));
        y[1] = sign * a_m * per_m * u * u * (3.0 * a3 + u * (4.0 * a4 + u * 5.0 * a5));
        y[2] = a_m * per_m * per_m * u * (6.0 * a3 + u * (12.0 * a4 + u * 20.0 * a5));
        return;
    }
    vm_sincos(k * (x_m - s->first_m), &sine, &cosine);
    y[0] = s->amplitude_m * cosine;
    y[1] = -s->amplitude_m * k * sine;
    y[2] = -s->amplitude_m * k * k * cosine;
}

/* Lanes: straight at an offset, and smooth changes between, (D-11). */
struct lanes {
    const double *row; /* from x, to x, y */
    size_t count;
};

static void lanes_at(const void *shape, double x_m, double y[3])
{
    const struct lanes *l = shape;
    size_t i = 0;
    while (i + 1 < l->count && x_m >= l->row[3 * i + 3])
        i++;
    const double *here = &l->row[3 * i];
    y[0] = here[2];
    y[1] = y[2] = 0.0;
    if (i + 1 == l->count || x_m <= here[1])
        return;
    double f[3], span_m = here[3] - here[1], step_m = here[5] - here[2];
    rise((x_m - here[1]) / span_m, 1.0 / span_m, f);
    y[0] += step_m * f[0];
    y[1] = step_m * f[1];
    y[2] = step_m * f[2];
}

/* Whether a path from here to there is one that fits; key is what asks for it. */
static bool is_short_enough(const struct cfg_node *n, const char *key, double from_m, double to_m)
{
    if (fabs(from_m) <= PATH_FARTHEST_M && fabs(to_m) <= PATH_FARTHEST_M)
        return true;
    cfg_complain(n, key, "the path goes from %g m to %g m; allowed is -%g m to %g m", from_m, to_m,
                 PATH_FARTHEST_M, PATH_FARTHEST_M);
    return false;
}

/* Nodes along y(x), close enough for its curvature. */
static int sample(void (*at)(const void *shape, double x_m, double y[3]), const void *shape,
                  double from_m, double to_m, struct path_nodes *n)
{
    double y[3], step_m = 0.5;
    size_t steps = (size_t)ceil((to_m - from_m) / step_m);
    for (size_t i = 0; i <= steps; i++) {
        double x_m = from_m + (to_m - from_m) * (double)i / (double)steps;
        at(shape, x_m, y);
        double square = 1.0 + y[1] * y[1];
        if (path_nodes_add(n, x_m, y[0], vm_atan(y[1]), y[2] / (square * sqrt(square))))
            return -ENOMEM;
    }
    return 0;
}

/* ---- from the file */

static int sine_load(const struct cfg_node *n, struct path_nodes *nodes)
{
    struct sine s = {1.0, 50.0, 100.0, 300.0, 50.0};
    int64_t peaks = 8;
    cfg_need(n, "amplitude_m");
    cfg_double(n, "amplitude_m", &s.amplitude_m, CFG_BETWEEN(-100.0, 100.0));
    cfg_need(n, "wavelength_m");
    cfg_double(n, "wavelength_m", &s.wavelength_m, CFG_BETWEEN(1.0, 1e4));
    cfg_need(n, "first_peak_m");
    cfg_double(n, "first_peak_m", &s.first_m, CFG_BETWEEN(-1e5, 1e5));
    cfg_int(n, "peaks", &peaks, 1, 1000);
    s.last_m = s.first_m + 0.5 * s.wavelength_m * (double)(peaks - 1);
    s.entry_m = 0.65 * s.wavelength_m;
    cfg_double(n, "entry_m", &s.entry_m, CFG_BETWEEN(1.0, 1e4));
    cfg_done(n);
    double from_m = at_most(0.0, s.first_m - s.entry_m) - 20.0;
    double to_m = s.last_m + s.entry_m + 500.0;
    return is_short_enough(n, NULL, from_m, to_m) ? sample(sine_at, &s, from_m, to_m, nodes) : 0;
}

static int lanes_load(const struct cfg_node *map, struct path_nodes *nodes)
{
    size_t count = 0;
    double *row = cfg_table(map, "lanes", 3, 1, &count);
    if (!row)
        return 0;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        bool behind = i == 0 || row[3 * i] > row[3 * i - 2] + 0.1;
        good = good && is_short_enough(map, "lanes", row[3 * i], row[3 * i + 1]);
        if (!(fabs(row[3 * i + 2]) <= PATH_FARTHEST_M)) {
            cfg_complain(map, "lanes", "row %zu: the offset is %g m; allowed is -%g m to %g m",
                         i + 1, row[3 * i + 2], PATH_FARTHEST_M, PATH_FARTHEST_M);
            good = false;
        }
        if (row[3 * i + 1] >= row[3 * i] && behind)
            continue;
        cfg_complain(map, "lanes",
                     "row %zu: lanes are [from, to, offset], one behind the other "
                     "with room to change between",
                     i + 1);
        good = false;
    }
    struct lanes l = {row, count};
    int bad = good ? sample(lanes_at, &l, row[0], row[3 * count - 2] + 500.0, nodes) : 0;
    free(row);
    return bad;
}

static int shape_load(const struct cfg_node *map, const struct road *road, bool *is_closed,
                      struct path_nodes *n, size_t *loop, double **recorded_mps)
{
    const struct cfg_node *sine = cfg_map(map, "sine"), *record = cfg_map(map, "recorded");
    const struct cfg_node *along = cfg_map(map, "road");
    bool lanes = cfg_has(map, "lanes");
    if ((sine != NULL) + lanes + (record != NULL) + (along != NULL) != 1) {
        cfg_complain(map, NULL, "give one of sine, lanes, recorded and road");
        return 0;
    }
    if (sine)
        return sine_load(sine, n);
    if (lanes)
        return lanes_load(map, n);
    return record ? record_load(record, is_closed, n, loop, recorded_mps)
                  : along_road_load(along, road, is_closed, n);
}

bool path_load(const struct cfg_node *map, const struct road *road, struct path *out)
{
    struct path_nodes n = {0};
    bool is_closed = false;
    size_t loop = 0;
    double *recorded_mps = NULL;
    *out = (struct path){0};
    int bad = shape_load(map, road, &is_closed, &n, &loop, &recorded_mps);
    if (!bad && n.count >= 2) {
        path_nodes_lengths(&n);
        bad = path_load_speeds(map, &n, is_closed, recorded_mps, out);
        if (!bad)
            bad = curve_build(n.node, n.count, is_closed, loop, &out->line);
    }
    cfg_done(map);
    free(n.node);
    free(recorded_mps);
    if (bad)
        cfg_complain(map, NULL, "out of memory for this path");
    return !bad && out->line.count > 0;
}

void path_free(struct path *p)
{
    curve_free(&p->line);
    free((void *)p->speed2_m2ps2);
    *p = (struct path){0};
}

#include "target/model/kinematics_load.h"

#include "shared/config/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POLY_MAX = 6, PATH_SIZE = 1024, POLY_TRAVEL_POINTS = 41, POLY_RACK_POINTS = 41 };

/* One quantity as at_rest + sum travel_k z^k + sum rack_k s^k + both z s, k from 1. */
struct poly {
    double at_rest, travel[POLY_MAX], rack[POLY_MAX], both;
};

static const char *const column_names[KIN_QUANTITIES] = {
    "hub_x_m",    "hub_y_m",           "hub_z_m",         "toe_rad",
    "camber_rad", "carrier_pitch_rad", "spring_length_m", "damper_length_m",
};

/* Of polynomials, in m or rad per m to the power. */
static const struct cfg_range coefficients = {-1e9, 1e9, false, false};

/* What a wheel can do: hubs and lengths in m, angles in rad. NULL: all values are within. */
static const char *beyond(const double v[KIN_QUANTITIES], double *limit)
{
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        *limit = q == KIN_TOE || q == KIN_CAMBER || q == KIN_PITCH ? 3.2 : 100.0;
        if (!(fabs(v[q]) <= *limit))
            return column_names[q];
    }
    return NULL;
}

static double power_sum(const double *c, double x)
{
    double sum = 0.0;
    for (int k = POLY_MAX - 1; k >= 0; k--)
        sum = (sum + c[k]) * x;
    return sum;
}

static void poly_load(const struct cfg_node *map, const char *key, bool steered, struct poly *p)
{
    const struct cfg_node *n = cfg_map(map, key);
    if (!n)
        return;
    cfg_double(n, "at_rest", &p->at_rest, coefficients);
    (void)cfg_doubles_upto(n, "travel", p->travel, 1, POLY_MAX, coefficients);
    if (steered) {
        (void)cfg_doubles_upto(n, "rack", p->rack, 1, POLY_MAX, coefficients);
        cfg_double(n, "both", &p->both, coefficients);
    }
    cfg_done(n);
}

/* Spring and damper: -d length / d travel as a polynomial, so length = -integral. */
static bool ratio_load(const struct cfg_node *map, const char *key, struct poly *p)
{
    double ratio[POLY_MAX];
    size_t n = cfg_doubles_upto(map, key, ratio, 1, POLY_MAX, CFG_BETWEEN(-1000.0, 1000.0));
    if (n > 0 && !(ratio[0] > 0.0))
        cfg_complain(map, key, "the first number must be > 0: spring travel per wheel travel");
    for (size_t k = 0; k < n; k++)
        p->travel[k] = -ratio[k] / (double)(k + 1);
    return n > 0;
}

static void polys_load(const struct cfg_node *map, bool steered, struct poly p[KIN_QUANTITIES])
{
    double hub_m[3] = {0.0, 0.0, 0.0};
    memset(p, 0, KIN_QUANTITIES * sizeof *p);
    cfg_need(map, "hub_m");
    cfg_doubles(map, "hub_m", hub_m, 3, CFG_BETWEEN(-20.0, 20.0));
    if (cfg_has(map, "hub_m") && !(hub_m[1] > 0.0))
        cfg_complain(map, "hub_m", "the second number must be > 0: the left wheel is described");
    p[KIN_HUB_Z].travel[0] = 1.0;
    p[KIN_SPRING].travel[0] = -1.0;
    poly_load(map, "hub_x_m", steered, &p[KIN_HUB_X]);
    poly_load(map, "hub_y_m", steered, &p[KIN_HUB_Y]);
    poly_load(map, "toe_rad", steered, &p[KIN_TOE]);
    poly_load(map, "camber_rad", steered, &p[KIN_CAMBER]);
    poly_load(map, "carrier_pitch_rad", steered, &p[KIN_PITCH]);
    for (int k = 0; k < 3; k++)
        p[KIN_HUB_X + k].at_rest += hub_m[k];
    (void)ratio_load(map, "spring_ratio", &p[KIN_SPRING]);
    p[KIN_DAMPER] = p[KIN_SPRING];
    if (cfg_has(map, "damper_ratio"))
        memset(&p[KIN_DAMPER], 0, sizeof p[KIN_DAMPER]);
    (void)ratio_load(map, "damper_ratio", &p[KIN_DAMPER]);
    if (steered && !(fabs(p[KIN_TOE].rack[0]) > 0.0))
        cfg_complain(map, "toe_rad", "a steered axle needs toe_rad: {rack: [...]}, rad per m");
}

/* Lengths follow from ratios, which are the keys of the file. */
static void complain_poly(const struct cfg_node *map, const char *quantity, double limit)
{
    const char *key = strcmp(quantity, column_names[KIN_SPRING]) == 0   ? "spring_ratio"
                      : strcmp(quantity, column_names[KIN_DAMPER]) == 0 ? "damper_ratio"
                      : strcmp(quantity, column_names[KIN_HUB_Z]) == 0  ? "hub_m"
                                                                        : quantity;
    cfg_complain(map, cfg_has(map, key) ? key : NULL,
                 "%s must stay between -%g and %g over all travel_m and rack_m", quantity, limit,
                 limit);
}

/* Samples the polynomials on a grid; the spline reproduces cubic ones exactly. */
static int fit_polys(const struct cfg_node *map, const struct poly p[KIN_QUANTITIES],
                     struct kinematics_model *m)
{
    int columns = m->rack_points > 0 ? m->rack_points : 1;
    size_t count = (size_t)m->travel_points * (size_t)columns;
    double *v = calloc(count, KIN_QUANTITIES * sizeof *v);
    const char *bad_name = NULL;
    double limit = 0.0;
    if (!v)
        return -ENOMEM;
    for (int i = 0; i < m->travel_points; i++) {
        double z = m->travel0_m + i * m->travel_step_m;
        for (int k = 0; k < columns; k++) {
            double s = m->rack0_m + k * m->rack_step_m;
            for (int q = 0; q < KIN_QUANTITIES; q++)
                v[(i * columns + k) * KIN_QUANTITIES + q] =
                    p[q].at_rest + power_sum(p[q].travel, z) + power_sum(p[q].rack, s) +
                    p[q].both * z * s;
            if (!bad_name)
                bad_name = beyond(&v[(i * columns + k) * KIN_QUANTITIES], &limit);
        }
    }
    if (bad_name)
        complain_poly(map, bad_name, limit);
    int bad = bad_name ? 0 : kinematics_fit(m, v);
    free(v);
    return bad;
}

static void poly_model_load(const struct cfg_node *map, bool steered, struct kinematics_model *m)
{
    struct poly p[KIN_QUANTITIES];
    double travel_m[2] = {-0.12, 0.12}, rack_m[2] = {-0.09, 0.09};
    polys_load(map, steered, p);
    cfg_doubles(map, "travel_m", travel_m, 2, CFG_BETWEEN(-1.0, 1.0));
    if (!(travel_m[0] < 0.0 && travel_m[1] > 0.0)) {
        cfg_complain(map, "travel_m", "must go from a negative to a positive travel");
        travel_m[0] = -(travel_m[1] = 0.1);
    }
    m->travel_points = POLY_TRAVEL_POINTS;
    m->travel0_m = travel_m[0];
    m->travel_step_m = (travel_m[1] - travel_m[0]) / (POLY_TRAVEL_POINTS - 1);
    m->rack0_m = 0.0;
    m->rack_step_m = 1.0;
    m->rack_points = 0;
    if (steered) {
        cfg_doubles(map, "rack_m", rack_m, 2, CFG_BETWEEN(-1.0, 1.0));
        if (!(rack_m[0] < 0.0 && rack_m[1] > 0.0)) {
            cfg_complain(map, "rack_m", "must go from a negative to a positive displacement");
            rack_m[0] = -(rack_m[1] = 0.09);
        }
        m->rack_points = POLY_RACK_POINTS;
        m->rack0_m = rack_m[0];
        m->rack_step_m = (rack_m[1] - rack_m[0]) / (POLY_RACK_POINTS - 1);
    }
    cfg_done(map);
    if (fit_polys(map, p, m))
        cfg_complain(map, NULL, "the kinematics could not be fitted");
}

/* A grid coordinate of the table: values rise evenly. Returns the number of points or 0. */
static int axis_of(const struct csv *t, int column, size_t stride, size_t limit, double *first,
                   double *step)
{
    size_t n = 1;
    *first = t->values[(size_t)column];
    double last = *first;
    while (n * stride < t->rows && n < limit) {
        double x = t->values[n * stride * t->columns + (size_t)column];
        if (!(x > last))
            break;
        last = x;
        n++;
    }
    *step = n > 1 ? (last - *first) / (double)(n - 1) : 1.0;
    for (size_t i = 0; i < n; i++) {
        double x = t->values[i * stride * t->columns + (size_t)column];
        if (!(fabs(x - (*first + (double)i * *step)) < 1e-3 * *step))
            return 0;
    }
    return (int)n;
}

/* Order and spacing of the rows: travel outer, rack inner. */
static int grid_of(const struct csv *t, const char *path, bool steered, struct kinematics_model *m,
                   struct err *e)
{
    int travel = csv_column(t, "travel_m"), rack = csv_column(t, "rack_m");
    if (travel < 0 || (steered && rack < 0))
        return err_set(e, -EINVAL, "%s:1:1: column %s is missing", path,
                       travel < 0 ? "travel_m" : "rack_m");
    if (!steered && rack >= 0)
        return err_set(e, -EINVAL, "%s:1:1: rack_m: this axle is not steered, the column must go",
                       path);
    m->rack_points = 0;
    m->rack0_m = 0.0;
    m->rack_step_m = 1.0;
    size_t inner = 1;
    if (steered) {
        m->rack_points = axis_of(t, rack, 1, KIN_RACK_MAX + 1, &m->rack0_m, &m->rack_step_m);
        inner = m->rack_points > 0 ? (size_t)m->rack_points : 1;
        if (m->rack_points < 4 || m->rack_points > KIN_RACK_MAX)
            return err_set(e, -EINVAL,
                           "%s: rack_m: must rise in equal steps, 4 to %d of them, for each "
                           "travel_m in turn",
                           path, KIN_RACK_MAX);
    }
    m->travel_points =
        axis_of(t, travel, inner, KIN_TRAVEL_MAX + 1, &m->travel0_m, &m->travel_step_m);
    if (m->travel_points < 4 || m->travel_points > KIN_TRAVEL_MAX ||
        (size_t)m->travel_points * inner != t->rows)
        return err_set(e, -EINVAL,
                       "%s: travel_m: must rise in equal steps, 4 to %d of them, with all rack_m "
                       "for each; %zu rows do not fit",
                       path, KIN_TRAVEL_MAX, t->rows);
    return 0;
}

/* Every row must stand where the grid says. */
static int check_rows(const struct csv *t, const char *path, const struct kinematics_model *m,
                      struct err *e)
{
    int travel = csv_column(t, "travel_m"), rack = csv_column(t, "rack_m");
    size_t inner = m->rack_points > 0 ? (size_t)m->rack_points : 1;
    for (size_t r = 0; r < t->rows; r++) {
        const double *v = &t->values[r * t->columns];
        size_t row = r / inner, column = r % inner;
        double z = m->travel0_m + (double)row * m->travel_step_m;
        double s = m->rack0_m + (double)column * m->rack_step_m;
        if (!(fabs(v[travel] - z) < 1e-3 * m->travel_step_m) ||
            (rack >= 0 && !(fabs(v[rack] - s) < 1e-3 * m->rack_step_m)))
            return err_set(e, -EINVAL, "%s: data row %zu: travel_m or rack_m off the even grid",
                           path, r + 1);
        if (!(fabs(v[travel]) <= 1.0 && (rack < 0 || fabs(v[rack]) <= 1.0)))
            return err_set(e, -ERANGE,
                           "%s: data row %zu: travel_m and rack_m must be between -1 and 1", path,
                           r + 1);
    }
    return 0;
}

static int check_table(const struct csv *t, const char *path, const double *v, struct err *e)
{
    double limit = 0.0;
    for (size_t r = 0; r < t->rows; r++) {
        const char *name = beyond(&v[r * KIN_QUANTITIES], &limit);
        if (name)
            return err_set(e, -ERANGE, "%s: data row %zu: %s must be between -%g and %g", path,
                           r + 1, name, limit, limit);
    }
    return 0;
}

static int fit_table(const struct csv *t, const char *path, struct kinematics_model *m,
                     struct err *e)
{
    int column[KIN_QUANTITIES];
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        column[q] = csv_column(t, column_names[q]);
        if (column[q] < 0 && q == KIN_DAMPER)
            column[q] = column[KIN_SPRING];
        if (column[q] < 0)
            return err_set(e, -EINVAL, "%s:1:1: column %s is missing", path, column_names[q]);
    }
    double *v = calloc(t->rows, KIN_QUANTITIES * sizeof *v);
    if (!v)
        return err_set(e, -ENOMEM, "%s: out of memory", path);
    for (size_t r = 0; r < t->rows; r++)
        for (int q = 0; q < KIN_QUANTITIES; q++)
            v[r * KIN_QUANTITIES + (size_t)q] = t->values[r * t->columns + (size_t)column[q]];
    int bad = check_table(t, path, v, e);
    if (bad) {
        free(v);
        return bad;
    }
    bad = kinematics_fit(m, v);
    free(v);
    return bad ? err_set(e, bad, "%s: the table could not be fitted", path) : 0;
}

int kinematics_load_file(const char *path, bool steered, struct kinematics_model *m, struct err *e)
{
    struct csv t;
    int bad = csv_read(path, &t, e);
    if (bad)
        return bad;
    bad = grid_of(&t, path, steered, m, e);
    if (!bad)
        bad = check_rows(&t, path, m, e);
    if (!bad)
        bad = fit_table(&t, path, m, e);
    csv_free(&t);
    return bad;
}

void kinematics_load(const struct cfg_node *map, bool steered, struct kinematics_model *m)
{
    char path[PATH_SIZE] = "";
    if (!cfg_has(map, "file")) {
        poly_model_load(map, steered, m);
        return;
    }
    struct err e = {""};
    cfg_path(map, "file", path, sizeof path);
    cfg_done(map);
    if (path[0] != '\0' && kinematics_load_file(path, steered, m, &e))
        cfg_complain(map, "file", "%s", e.text);
}

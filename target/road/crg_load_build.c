/* From the numbers of an OpenCRG file to what a query reads. */
#include "target/model/math/vecmath.h"
#include "target/road/crg_load.h"
#include "target/road/seed_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { V_CELLS_MAX = 1000000 };

struct maker {
    const char *name;
    const struct crg_file *f;
    const struct crg_wish *wish;
    struct err *e;
    size_t at[CRG_SECTION];  /* column of each channel; SIZE_MAX: none */
    size_t *section;         /* columns of the long sections from right to left */
    double *x_m, *y_m, *z_m; /* corners of the reference line */
    struct crg *c;
};

static double value_or(const struct crg_file *f, enum crg_key key, double otherwise)
{
    return f->has[key] ? f->value[key] : otherwise;
}

/* A factor of a modifier; 0 and absent mean 1. */
static double factor_of(const struct crg_file *f, enum crg_key key)
{
    return f->has[key] && f->value[key] != 0.0 ? f->value[key] : 1.0;
}

static double number_at(const struct maker *m, size_t row, size_t column)
{
    return m->f->row[row * m->f->columns + column];
}

/* ---- columns */

static int find_channels(struct maker *m)
{
    for (int i = 0; i < CRG_SECTION; i++)
        m->at[i] = SIZE_MAX;
    for (size_t i = 0; i < m->f->columns; i++) {
        enum crg_channel channel = m->f->column[i].channel;
        if (channel < CRG_SECTION && m->at[channel] != SIZE_MAX)
            return err_set(m->e, -EINVAL, "%s: channels %zu and %zu are the same", m->name,
                           m->at[channel] + 1, i + 1);
        if (channel < CRG_SECTION)
            m->at[channel] = i;
    }
    if ((m->at[CRG_X] == SIZE_MAX) != (m->at[CRG_Y] == SIZE_MAX))
        return err_set(m->e, -EINVAL, "%s: reference line x and y are only useful together",
                       m->name);
    return 0;
}

/* Offsets by explicit numbers, or by V_RIGHT and V_INCREMENT or V_LEFT. */
static int v_of(const struct maker *m, size_t column, size_t count, double *v_m)
{
    const struct crg_file *f = m->f;
    const struct crg_column *c = &f->column[column];
    if (!isnan(c->v_m)) {
        *v_m = c->v_m;
        return 0;
    }
    double step_m = value_or(f, CRG_V_INCREMENT, NAN);
    if (isnan(step_m) && count > 1)
        step_m =
            (value_or(f, CRG_V_LEFT, NAN) - value_or(f, CRG_V_RIGHT, NAN)) / (double)(count - 1);
    /* Without a right border the line is in the middle. */
    double right_m = value_or(f, CRG_V_RIGHT, -0.5 * step_m * (double)(count - 1));
    *v_m = right_m + step_m * (c->number - 1);
    if (isnan(*v_m))
        return err_set(m->e, -EINVAL,
                       "%s: long sections by number need LONG_SECTION_V_INCREMENT, or both "
                       "LONG_SECTION_V_RIGHT and LONG_SECTION_V_LEFT",
                       m->name);
    return 0;
}

static int make_v(struct maker *m)
{
    struct crg *c = m->c;
    size_t count = 0;
    for (size_t i = 0; i < m->f->columns; i++)
        count += m->f->column[i].channel == CRG_SECTION;
    if (count < 2)
        return err_set(m->e, -EINVAL, "%s: %zu long sections, at least 2 are needed", m->name,
                       count);
    double *v_m = calloc(2 * count, sizeof *v_m), width = factor_of(m->f, CRG_SCALE_WIDTH);
    m->section = calloc(count, sizeof *m->section);
    c->v_m = v_m;
    c->per_v_1pm = v_m ? v_m + count : NULL;
    c->columns = (int32_t)count;
    if (!v_m || !m->section)
        return -ENOMEM;
    double least_m = 1e300;
    for (size_t i = 0, k = 0; i < m->f->columns; i++) {
        if (m->f->column[i].channel != CRG_SECTION)
            continue;
        int bad = v_of(m, i, count, &v_m[k]);
        if (bad)
            return bad;
        v_m[k] *= width;
        m->section[k] = i;
        if (k > 0 && !(v_m[k] - v_m[k - 1] >= 1e-4))
            return err_set(
                m->e, -EINVAL,
                "%s: long sections go from right to left, at least 0.1 mm apart: channel "
                "%zu is at v = %g behind %g",
                m->name, i + 1, v_m[k], v_m[k - 1]);
        if (k > 0) {
            least_m = fmin(least_m, v_m[k] - v_m[k - 1]);
            v_m[count + k - 1] = 1.0 / (v_m[k] - v_m[k - 1]);
        }
        k++;
    }
    /* Cells so narrow that each holds one offset at most. */
    double span_m = v_m[count - 1] - v_m[0], cells = ceil(span_m / least_m * (1.0 + 1e-9));
    if (!(cells <= V_CELLS_MAX))
        return err_set(m->e, -EINVAL,
                       "%s: long sections %g m apart over %g m are too fine, at most %d fit",
                       m->name, least_m, span_m, V_CELLS_MAX);
    int32_t *seed = calloc((size_t)cells, sizeof *seed), k = 0;
    c->v_seed = seed;
    if (!seed)
        return -ENOMEM;
    c->per_v_cell_1pm = cells / span_m;
    c->last_v_cell = cells - 1.0;
    for (int32_t i = 0; i < (int32_t)cells; i++) {
        while (k < c->columns - 2 && v_m[k + 1] <= v_m[0] + i / c->per_v_cell_1pm)
            k++;
        seed[i] = k;
    }
    return 0;
}

/* ---- the reference line */

/* A channel's number in a row; messages if there is none. Phi and slope of the first row are not
 * used. */
static int channel_at(const struct maker *m, enum crg_channel channel, size_t row, double *x)
{
    static const char *const names[] = {"phi", "slope", "banking", "x", "y", "z"};
    *x = number_at(m, row, m->at[channel]);
    if (isfinite(*x) && fabs(*x) <= 1e7)
        return 0;
    return err_set(m->e, -EINVAL, "%s: row %zu: reference line %s is missing or too large", m->name,
                   row + 1, names[channel]);
}

/* Places of the corners by their headings, (R-9a); an end that is given takes up what is missing,
 * spread over the line. */
static int corners_by_phi(struct maker *m, double increment_m)
{
    const struct crg_file *f = m->f;
    double x = value_or(f, CRG_START_X, 0.0), y = value_or(f, CRG_START_Y, 0.0);
    double first_rad = value_or(f, CRG_START_PHI, 0.0), sine, cosine;
    double bend = f->has[CRG_SCALE_CURVATURE] ? f->value[CRG_SCALE_CURVATURE] : 1.0;
    for (size_t i = 0; i < f->rows; i++) {
        m->x_m[i] = x;
        m->y_m[i] = y;
        if (i + 1 == f->rows)
            break;
        double phi_rad = first_rad;
        if (m->at[CRG_PHI] != SIZE_MAX) {
            int bad = channel_at(m, CRG_PHI, i + 1, &phi_rad);
            if (bad)
                return bad;
            first_rad = i == 0 ? phi_rad : first_rad;
            phi_rad = first_rad + bend * (phi_rad - first_rad);
        }
        vm_sincos(phi_rad, &sine, &cosine);
        x += increment_m * cosine;
        y += increment_m * sine;
    }
    if (!f->has[CRG_END_X] || !f->has[CRG_END_Y] || bend != 1.0 || f->has[CRG_SCALE_LENGTH])
        return 0;
    double gap_x = f->value[CRG_END_X] - x, gap_y = f->value[CRG_END_Y] - y;
    double length_m = increment_m * (double)(f->rows - 1);
    if (!(hypot(gap_x, gap_y) <= 0.01 * length_m + 1e-3))
        return err_set(m->e, -EINVAL,
                       "%s: the headings lead to x %.3f, y %.3f, but REFERENCE_LINE_END_X, _Y are "
                       "%.3f, %.3f",
                       m->name, x, y, f->value[CRG_END_X], f->value[CRG_END_Y]);
    for (size_t i = 0; i < f->rows; i++) {
        double share = (double)i / (double)(f->rows - 1);
        m->x_m[i] += share * gap_x;
        m->y_m[i] += share * gap_y;
    }
    return 0;
}

static int corners_by_xy(struct maker *m, double increment_m)
{
    for (size_t i = 0; i < m->f->rows; i++) {
        int bad = channel_at(m, CRG_X, i, &m->x_m[i]);
        if (!bad)
            bad = channel_at(m, CRG_Y, i, &m->y_m[i]);
        if (bad)
            return bad;
        double apart_m =
            i ? hypot(m->x_m[i] - m->x_m[i - 1], m->y_m[i] - m->y_m[i - 1]) : increment_m;
        if (!(fabs(apart_m - increment_m) <= 0.05 * increment_m))
            return err_set(m->e, -EINVAL,
                           "%s: row %zu: reference line x and y move by %g m, the increment is %g",
                           m->name, i + 1, apart_m, increment_m);
    }
    return 0;
}

/* Height of the line: its own channel, or slopes summed up. */
static int heights(struct maker *m, double increment_m)
{
    const struct crg_file *f = m->f;
    double z_m = value_or(f, CRG_START_Z, 0.0), scale = 1.0;
    if (f->has[CRG_SCALE_SLOPE])
        scale = f->value[CRG_SCALE_SLOPE];
    for (size_t i = 0; i < f->rows; i++) {
        double slope = value_or(f, CRG_START_SLOPE, 0.0);
        int bad = 0;
        if (m->at[CRG_Z] != SIZE_MAX)
            bad = channel_at(m, CRG_Z, i, &z_m);
        m->z_m[i] = z_m;
        if (!bad && m->at[CRG_SLOPE] != SIZE_MAX && i + 1 < f->rows)
            bad = channel_at(m, CRG_SLOPE, i + 1, &slope);
        if (bad)
            return bad;
        z_m += scale * slope * increment_m;
    }
    if (m->at[CRG_Z] != SIZE_MAX || !f->has[CRG_END_Z] || scale != 1.0 || f->has[CRG_SCALE_LENGTH])
        return 0;
    double gap_m = f->value[CRG_END_Z] - m->z_m[f->rows - 1];
    for (size_t i = 0; i < f->rows; i++)
        m->z_m[i] += gap_m * (double)i / (double)(f->rows - 1);
    return 0;
}

/* Turns by an angle about a place, then shifts. */
static void move(struct maker *m, double about_x, double about_y, double angle_rad, double dx,
                 double dy, double dz)
{
    double sine, cosine;
    vm_sincos(angle_rad, &sine, &cosine);
    for (size_t i = 0; i < m->f->rows; i++) {
        double x = m->x_m[i] - about_x, y = m->y_m[i] - about_y;
        m->x_m[i] = about_x + dx + cosine * x - sine * y;
        m->y_m[i] = about_y + dy + sine * x + cosine * y;
        m->z_m[i] += dz;
    }
}

/* The corner and its heading at a place along the line. */
static void at_u(const struct maker *m, double u, double *x, double *y, double *z, double *phi)
{
    size_t last = m->f->rows - 2, i = u <= 0.0 ? 0 : u >= (double)last ? last : (size_t)u;
    double w = u - (double)i, dx = m->x_m[i + 1] - m->x_m[i], dy = m->y_m[i + 1] - m->y_m[i];
    *x = m->x_m[i] + w * dx;
    *y = m->y_m[i] + w * dy;
    *z = m->z_m[i] + w * (m->z_m[i + 1] - m->z_m[i]);
    *phi = vm_atan2(dy, dx);
}

/* Modifiers that place the surface, or the road file's start. */
static void place(struct maker *m)
{
    const struct crg_file *f = m->f;
    const struct crg *c = m->c;
    double x, y, z, phi, parts = (double)(f->rows - 1), right_m = c->v_m[0];
    double width_m = c->v_m[c->columns - 1] - right_m;
    bool by_point = false;
    for (int k = CRG_POINT_U; k <= CRG_POINT_PHI; k++)
        by_point |= f->has[k];
    if (m->wish->has_start) {
        at_u(m, 0.0, &x, &y, &z, &phi);
        move(m, x, y, m->wish->heading_rad - phi, m->wish->x_m - x, m->wish->y_m - y, 0.0);
    } else if (by_point) {
        double u = (value_or(f, CRG_POINT_U, value_or(f, CRG_START_U, 0.0)) -
                    value_or(f, CRG_START_U, 0.0)) *
                       c->per_increment_1pm +
                   value_or(f, CRG_POINT_U_SHARE, 0.0) * parts +
                   value_or(f, CRG_POINT_U_OFFSET, 0.0) * c->per_increment_1pm;
        double v_m = f->has[CRG_POINT_V_SHARE] ? right_m + f->value[CRG_POINT_V_SHARE] * width_m
                                               : value_or(f, CRG_POINT_V, 0.0);
        double sine, cosine;
        v_m += value_or(f, CRG_POINT_V_OFFSET, 0.0);
        at_u(m, u, &x, &y, &z, &phi);
        vm_sincos(phi, &sine, &cosine);
        x -= v_m * sine;
        y += v_m * cosine;
        move(m, x, y, value_or(f, CRG_POINT_PHI, 0.0) - phi, value_or(f, CRG_POINT_X, 0.0) - x,
             value_or(f, CRG_POINT_Y, 0.0) - y, value_or(f, CRG_POINT_Z, 0.0) - z);
    } else {
        move(m, value_or(f, CRG_TURN_X, m->x_m[0]), value_or(f, CRG_TURN_Y, m->y_m[0]),
             value_or(f, CRG_MOVE_PHI, 0.0), value_or(f, CRG_MOVE_X, 0.0),
             value_or(f, CRG_MOVE_Y, 0.0), value_or(f, CRG_MOVE_Z, 0.0));
    }
}

/* Whether the line closes, if the file wants that. */
static int check_closed(struct maker *m)
{
    const struct crg_file *f = m->f;
    size_t last = f->rows - 1;
    double gap_m = hypot(m->x_m[last] - m->x_m[0], m->y_m[last] - m->y_m[0]);
    if (!(value_or(f, CRG_CONTINUE, 0.0) > 0.0))
        return 0;
    if (!(gap_m <= 0.1 * m->c->increment_m))
        return err_set(m->e, -EINVAL,
                       "%s: REFLINE_CONTINUATION = 1, but the line does not close: its ends are "
                       "%.4g m apart",
                       m->name, gap_m);
    m->c->is_closed = 1;
    return 0;
}

static v2 unit(v2 a)
{
    return a / (v2){sqrt(a[0] * a[0] + a[1] * a[1]), sqrt(a[0] * a[0] + a[1] * a[1])};
}

static v2 corner(const struct maker *m, size_t i)
{
    return (v2){m->x_m[i], m->y_m[i]};
}

/* parts between bisectors. */
static int make_parts(struct maker *m)
{
    struct crg *c = m->c;
    size_t last = m->f->rows - 1;
    struct crg_part *part = aligned_alloc(32, ((last * sizeof *part + 31) / 32) * 32);
    c->part = part;
    c->parts = (int32_t)last;
    if (!part)
        return -ENOMEM;
    double bank_scale = m->f->has[CRG_SCALE_BANK] ? m->f->value[CRG_SCALE_BANK] : 1.0;
    double before = 0.0;
    for (size_t i = 0; i <= last; i++) {
        double bank = value_or(m->f, CRG_START_BANK, 0.0);
        int bad = m->at[CRG_BANK] == SIZE_MAX ? 0 : channel_at(m, CRG_BANK, i, &bank);
        if (bad)
            return bad;
        bank *= bank_scale;
        if (i > 0) {
            struct crg_part *p = &part[i - 1];
            v2 from = corner(m, i - 1), to = corner(m, i), chord = to - from;
            v2 ahead = i < last ? corner(m, i + 1) - to : c->is_closed ? corner(m, 1) - to : chord;
            v2 behind = i > 1          ? from - corner(m, i - 2)
                        : c->is_closed ? from - corner(m, last - 1)
                                       : chord;
            v2 a = unit(behind) + unit(chord), b = unit(chord) + unit(ahead);
            double along_a = a[0] * chord[0] + a[1] * chord[1];
            double along_b = b[0] * chord[0] + b[1] * chord[1];
            double least_m = 0.5 * sqrt(chord[0] * chord[0] + chord[1] * chord[1]);
            if (!(along_a > least_m) || !(along_b > least_m)) /* turns by 120 degrees or more */
                return err_set(m->e, -EINVAL, "%s: row %zu: the reference line turns round",
                               m->name, i);
            p->p = from;
            p->a = a / (v2){along_a, along_a};
            p->b = b / (v2){along_b, along_b};
            p->t = unit(chord);
            p->z_bank[0] = (v2){m->z_m[i - 1], before};
            p->z_bank[1] = (v2){m->z_m[i] - m->z_m[i - 1], bank - before};
        }
        before = bank;
    }
    return 0;
}

static struct seed_line part_line(const void *surface, int32_t i)
{
    const struct crg *c = surface;
    const struct crg_part *p = &c->part[i];
    double half_m = 0.5 * c->increment_m;
    return (struct seed_line){p->p[0] + half_m * p->t[0], p->p[1] + half_m * p->t[1], p->t[0],
                              p->t[1], half_m};
}

/* ---- heights */

/* Fills gaps of a row: between heights by a straight line, at the edges as GRID_NAN_MODE says. */
static int fill_gaps(const struct maker *m, double *z, size_t count, size_t row)
{
    double mode = value_or(m->f, CRG_NAN_MODE, 2.0), offset = value_or(m->f, CRG_NAN_OFFSET, 0.0);
    size_t first = 0, last = count;
    while (first < count && isnan(z[first]))
        first++;
    while (last > first && isnan(z[last - 1]))
        last--;
    if (first == count && mode != 1.0)
        return err_set(m->e, -EINVAL,
                       "%s: row %zu has no height at all; GRID_NAN_MODE = 1 would take 0", m->name,
                       row + 1);
    for (size_t k = 0; k < count; k++) {
        if (k < first || k >= last)
            z[k] = offset + (mode == 1.0 ? 0.0 : k < first ? z[first] : z[last - 1]);
        if (!isnan(z[k]))
            continue;
        size_t next = k;
        while (isnan(z[next]))
            next++;
        for (size_t n = k; n < next; n++)
            z[n] = z[k - 1] + (z[next] - z[k - 1]) * (double)(n - k + 1) / (double)(next - k + 1);
    }
    return 0;
}

static int make_heights(struct maker *m)
{
    struct crg *c = m->c;
    size_t count = (size_t)c->columns, rows = m->f->rows;
    float *z_m = malloc(rows * count * sizeof *z_m);
    double *row = malloc(count * sizeof *row);
    double scale = m->wish->is_friction ? 1.0 : factor_of(m->f, CRG_SCALE_Z);
    int bad = z_m && row ? 0 : -ENOMEM;
    c->z_m = z_m;
    for (size_t i = 0; i < rows && !bad; i++) {
        for (size_t k = 0; k < count && !bad; k++) {
            row[k] = number_at(m, i, m->section[k]) * scale;
            if (!isnan(row[k]) && !(fabs(row[k]) <= 1e5))
                bad = err_set(m->e, -EINVAL, "%s: row %zu, channel %zu: %g is no height", m->name,
                              i + 1, m->section[k] + 1, row[k]);
        }
        bad = bad ? bad : fill_gaps(m, row, count, i);
        if (i == 0 && !bad)
            c->base_m = rint(row[0]); /* floats keep tenths of a millimetre up to a kilometre */
        for (size_t k = 0; k < count && !bad; k++)
            z_m[i * count + k] = (float)(row[k] - c->base_m);
    }
    free(row);
    return bad;
}

/* ---- together */

static int options(struct maker *m)
{
    const struct crg_file *f = m->f;
    struct crg *c = m->c;
    double mode_u = value_or(f, CRG_MODE_U, CRG_KEEP), mode_v = value_or(f, CRG_MODE_V, CRG_KEEP);
    double nan_mode = value_or(f, CRG_NAN_MODE, 2.0);
    if (!(mode_u >= 0.0 && mode_u <= 4.0 && mode_u == rint(mode_u)) ||
        !(mode_v >= 0.0 && mode_v <= 4.0 && mode_v == rint(mode_v)))
        return err_set(m->e, -EINVAL, "%s: BORDER_MODE_U and _V are 0 to 4", m->name);
    if (nan_mode != 0.0 && nan_mode != 1.0 && nan_mode != 2.0)
        return err_set(m->e, -EINVAL, "%s: GRID_NAN_MODE is 0, 1 or 2", m->name);
    c->along.mode = (enum crg_border)(m->wish->mode_u >= 0 ? m->wish->mode_u : (int)mode_u);
    c->across.mode = (enum crg_border)(m->wish->mode_v >= 0 ? m->wish->mode_v : (int)mode_v);
    c->along.offset_m = value_or(f, CRG_OFFSET_U, 0.0);
    c->across.offset_m = value_or(f, CRG_OFFSET_V, 0.0);
    c->smooth_begin_m = fmax(value_or(f, CRG_SMOOTH_BEGIN, 0.0), 0.0);
    c->smooth_end_m = fmax(value_or(f, CRG_SMOOTH_END, 0.0), 0.0);
    c->friction = c->friction_beside = 1.0;
    return 0;
}

static int line(struct maker *m)
{
    size_t rows = m->f->rows;
    double length = factor_of(m->f, CRG_SCALE_LENGTH);
    struct crg *c = m->c;
    if (!(length > 0.0) || !(factor_of(m->f, CRG_SCALE_WIDTH) > 0.0))
        return err_set(m->e, -EINVAL, "%s: SCALE_LENGTH and SCALE_WIDTH are positive", m->name);
    c->increment_m = m->f->value[CRG_INCREMENT] * length;
    c->per_increment_1pm = 1.0 / c->increment_m;
    if (!(c->increment_m * (double)(rows - 1) <= 1e6))
        return err_set(m->e, -EINVAL,
                       "%s: the reference line is %g m long, at most 1e6 m are allowed", m->name,
                       c->increment_m * (double)(rows - 1));
    c->begin_u_m = value_or(m->f, CRG_START_U, 0.0);
    m->x_m = malloc(3 * rows * sizeof *m->x_m);
    if (!m->x_m)
        return -ENOMEM;
    m->y_m = m->x_m + rows;
    m->z_m = m->y_m + rows;
    int bad = m->at[CRG_X] != SIZE_MAX && m->at[CRG_PHI] == SIZE_MAX
                  ? corners_by_xy(m, c->increment_m)
                  : corners_by_phi(m, c->increment_m);
    if (!bad)
        bad = heights(m, c->increment_m);
    if (!bad)
        bad = make_v(m);
    if (!bad)
        place(m);
    if (!bad)
        bad = check_closed(m);
    return bad ? bad : make_parts(m);
}

int crg_build(const char *name, const struct crg_file *f, const struct crg_wish *wish,
              struct crg **out, struct err *e)
{
    struct maker m = {.name = name, .f = f, .wish = wish, .e = e};
    *out = NULL;
    m.c = calloc(1, sizeof *m.c);
    if (!m.c)
        return -ENOMEM;
    int bad = find_channels(&m);
    bad = bad ? bad : options(&m);
    bad = bad ? bad : line(&m);
    bad = bad ? bad : make_heights(&m);
    bad = bad ? bad : seed_build(part_line, m.c, m.c->parts, 1.0, &m.c->grid);
    free(m.section);
    free(m.x_m);
    if (bad) {
        crg_free(m.c);
        return bad;
    }
    *out = m.c;
    return 0;
}

void crg_free(struct crg *c)
{
    if (!c)
        return;
    crg_free((struct crg *)c->friction_grid);
    free((void *)c->part);
    free((void *)c->z_m);
    free((void *)c->v_m);
    free((void *)c->v_seed);
    seed_free(&c->grid);
    free(c);
}

/* Fitting of the kinematics spline; at load only. */
#include "target/model/kinematics.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { COEF_MAX = KIN_RACK_MAX + 2 };
_Static_assert((int)KIN_RACK_MAX >= (int)KIN_TRAVEL_MAX, "COEF_MAX is the larger of both");

/* The matrix that takes values on a uniform grid to spline coefficients. Row 0 and the last row
 * say that the third derivative is continuous at the second and the last but one point
 * ("not a knot"), so that cubic polynomials are reproduced exactly. */
struct fit {
    int n; /* coefficients: points + 2 */
    int pivot[COEF_MAX];
    double lu[COEF_MAX][COEF_MAX];
};

static void fit_matrix(struct fit *f, int points)
{
    static const double knot[5] = {-1.0, 4.0, -6.0, 4.0, -1.0};
    f->n = points + 2;
    memset(f->lu, 0, sizeof f->lu);
    for (int k = 0; k < 5; k++) {
        f->lu[0][k] = knot[k];
        f->lu[f->n - 1][f->n - 5 + k] = knot[k];
    }
    for (int i = 0; i < points; i++) {
        f->lu[i + 1][i] = 1.0 / 6.0;
        f->lu[i + 1][i + 1] = 4.0 / 6.0;
        f->lu[i + 1][i + 2] = 1.0 / 6.0;
    }
}

/* LU factors with partial pivoting. */
static int fit_factor(struct fit *f)
{
    for (int k = 0; k < f->n; k++) {
        int p = k;
        for (int i = k + 1; i < f->n; i++)
            if (fabs(f->lu[i][k]) > fabs(f->lu[p][k]))
                p = i;
        if (!(fabs(f->lu[p][k]) > 1e-12))
            return -EINVAL;
        f->pivot[k] = p;
        for (int j = 0; j < f->n; j++) {
            double swap = f->lu[k][j];
            f->lu[k][j] = f->lu[p][j];
            f->lu[p][j] = swap;
        }
        for (int i = k + 1; i < f->n; i++) {
            f->lu[i][k] /= f->lu[k][k];
            for (int j = k + 1; j < f->n; j++)
                f->lu[i][j] -= f->lu[i][k] * f->lu[k][j];
        }
    }
    return 0;
}

/* x: on entry 0, values..., 0; on return the coefficients. */
static void fit_solve(const struct fit *f, double *x)
{
    for (int k = 0; k < f->n; k++) {
        double swap = x[k];
        x[k] = x[f->pivot[k]];
        x[f->pivot[k]] = swap;
    }
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < i; j++)
            x[i] -= f->lu[i][j] * x[j];
    for (int i = f->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < f->n; j++)
            x[i] -= f->lu[i][j] * x[j];
        x[i] /= f->lu[i][i];
    }
}

/* Along travel, for each rack column and quantity. */
static int fit_travel(struct kinematics_model *m, struct fit *f, const double *values, int columns)
{
    fit_matrix(f, m->travel_points);
    int bad = fit_factor(f);
    if (bad)
        return bad;
    for (int s = 0; s < columns; s++) {
        for (int q = 0; q < KIN_QUANTITIES; q++) {
            double x[COEF_MAX] = {0.0};
            for (int i = 0; i < m->travel_points; i++)
                x[i + 1] = values[(i * columns + s) * KIN_QUANTITIES + q];
            fit_solve(f, x);
            for (int i = 0; i < f->n; i++)
                m->coef[i][s][q] = x[i];
        }
    }
    return 0;
}

/* Along rack, for each row of travel coefficients and quantity. */
static int fit_rack(struct kinematics_model *m, struct fit *f)
{
    fit_matrix(f, m->rack_points);
    int bad = fit_factor(f);
    if (bad)
        return bad;
    for (int i = 0; i < m->travel_points + 2; i++) {
        for (int q = 0; q < KIN_QUANTITIES; q++) {
            double x[COEF_MAX] = {0.0};
            for (int s = 0; s < m->rack_points; s++)
                x[s + 1] = m->coef[i][s][q];
            fit_solve(f, x);
            for (int s = 0; s < f->n; s++)
                m->coef[i][s][q] = x[s];
        }
    }
    return 0;
}

int kinematics_fit(struct kinematics_model *m, const double *values)
{
    struct fit f;
    int columns = m->rack_points > 0 ? m->rack_points : 1;
    m->travel_per_1pm = 1.0 / m->travel_step_m;
    m->rack_per_1pm = 1.0 / m->rack_step_m;
    if (m->travel_points < 4 || m->travel_points > KIN_TRAVEL_MAX ||
        m->rack_points > KIN_RACK_MAX || (m->rack_points > 0 && m->rack_points < 4))
        return -EINVAL;
    int bad = fit_travel(m, &f, values, columns);
    if (!bad && m->rack_points > 0)
        bad = fit_rack(m, &f);
    return bad;
}

#include "target/model/kinematics.h"

/* Cubic B-spline weights of the four coefficients around t in [0, 1), and their derivatives. */
struct basis {
    double b[4], b1[4], b2[4];
};

static void basis_at(double t, double step, struct basis *w)
{
    double u = 1.0 - t, per = 1.0 / step;
    w->b[0] = u * u * u / 6.0;
    w->b[1] = (4.0 + t * t * (3.0 * t - 6.0)) / 6.0;
    w->b[2] = (4.0 + u * u * (3.0 * u - 6.0)) / 6.0;
    w->b[3] = t * t * t / 6.0;
    w->b1[0] = -0.5 * u * u * per;
    w->b1[1] = 0.5 * t * (3.0 * t - 4.0) * per;
    w->b1[2] = -0.5 * u * (3.0 * u - 4.0) * per;
    w->b1[3] = 0.5 * t * t * per;
    per *= per;
    w->b2[0] = u * per;
    w->b2[1] = (3.0 * t - 2.0) * per;
    w->b2[2] = (3.0 * u - 2.0) * per;
    w->b2[3] = t * per;
}

/* Finds the cell of x; returns how far x lies outside the grid. NaN lands in cell 0. */
static double cell_at(double x, double x0, double step, int points, int *cell, double *t)
{
    double last = (double)(points - 1);
    double u = (x - x0) / step;
    double inside = u > 0.0 ? (u < last ? u : last) : 0.0;
    int i = (int)inside;
    if (i > points - 2)
        i = points - 2;
    *cell = i;
    *t = inside - (double)i;
    return (u - inside) * step;
}

static void mirror(double side, struct kinematics_out *o)
{
    static const int odd[3] = {KIN_HUB_Y, KIN_TOE, KIN_CAMBER};
    if (side > 0.0)
        return;
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        o->fs[q] = -o->fs[q];
        o->fzs[q] = -o->fzs[q];
    }
    for (int k = 0; k < 3; k++) {
        int q = odd[k];
        o->f[q] = -o->f[q];
        o->fz[q] = -o->fz[q];
        o->fs[q] = -o->fs[q];
        o->fzz[q] = -o->fzz[q];
        o->fzs[q] = -o->fzs[q];
        o->fss[q] = -o->fss[q];
    }
}

/* Rack direction of one row of coefficients: value, first and second derivative. */
struct row {
    double a[KIN_QUANTITIES], a1[KIN_QUANTITIES], a2[KIN_QUANTITIES];
};

static void sum_row(const double (*c)[KIN_QUANTITIES], const struct basis *s, struct row *r)
{
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        r->a[q] = s->b[0] * c[0][q] + s->b[1] * c[1][q] + s->b[2] * c[2][q] + s->b[3] * c[3][q];
        r->a1[q] =
            s->b1[0] * c[0][q] + s->b1[1] * c[1][q] + s->b1[2] * c[2][q] + s->b1[3] * c[3][q];
        r->a2[q] =
            s->b2[0] * c[0][q] + s->b2[1] * c[1][q] + s->b2[2] * c[2][q] + s->b2[3] * c[3][q];
    }
}

static void sum_steered(const struct kinematics_model *m, int iz, const struct basis *z, int is,
                        const struct basis *s, struct kinematics_out *o)
{
    struct row r[4];
    for (int k = 0; k < 4; k++)
        sum_row(&m->coef[iz + k][is], s, &r[k]);
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        o->f[q] = z->b[0] * r[0].a[q] + z->b[1] * r[1].a[q] + z->b[2] * r[2].a[q] +
                  z->b[3] * r[3].a[q];
        o->fz[q] = z->b1[0] * r[0].a[q] + z->b1[1] * r[1].a[q] + z->b1[2] * r[2].a[q] +
                   z->b1[3] * r[3].a[q];
        o->fzz[q] = z->b2[0] * r[0].a[q] + z->b2[1] * r[1].a[q] + z->b2[2] * r[2].a[q] +
                    z->b2[3] * r[3].a[q];
        o->fs[q] = z->b[0] * r[0].a1[q] + z->b[1] * r[1].a1[q] + z->b[2] * r[2].a1[q] +
                   z->b[3] * r[3].a1[q];
        o->fzs[q] = z->b1[0] * r[0].a1[q] + z->b1[1] * r[1].a1[q] + z->b1[2] * r[2].a1[q] +
                    z->b1[3] * r[3].a1[q];
        o->fss[q] = z->b[0] * r[0].a2[q] + z->b[1] * r[1].a2[q] + z->b[2] * r[2].a2[q] +
                    z->b[3] * r[3].a2[q];
    }
}

static void sum_fixed(const struct kinematics_model *m, int iz, const struct basis *z,
                      struct kinematics_out *o)
{
    const double *c0 = m->coef[iz][0], *c1 = m->coef[iz + 1][0];
    const double *c2 = m->coef[iz + 2][0], *c3 = m->coef[iz + 3][0];
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        o->f[q] = z->b[0] * c0[q] + z->b[1] * c1[q] + z->b[2] * c2[q] + z->b[3] * c3[q];
        o->fz[q] = z->b1[0] * c0[q] + z->b1[1] * c1[q] + z->b1[2] * c2[q] + z->b1[3] * c3[q];
        o->fzz[q] = z->b2[0] * c0[q] + z->b2[1] * c1[q] + z->b2[2] * c2[q] + z->b2[3] * c3[q];
        o->fs[q] = o->fzs[q] = o->fss[q] = 0.0;
    }
}

/* Linear continuation by out_z and out_s from the edge of the grid. */
static void extend(double out_z, double out_s, struct kinematics_out *o)
{
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        o->f[q] += out_z * o->fz[q] + out_s * o->fs[q] + out_z * out_s * o->fzs[q];
        o->fz[q] += out_s * o->fzs[q];
        o->fs[q] += out_z * o->fzs[q];
        if (out_z != 0.0)
            o->fzz[q] = 0.0;
        if (out_s != 0.0)
            o->fss[q] = 0.0;
    }
}

void kinematics_at(const struct kinematics_model *m, double travel_m, double rack_m, double side,
                   struct kinematics_out *out)
{
    struct basis z, s;
    int iz, is;
    double t, out_s = 0.0;
    double out_z = cell_at(travel_m, m->travel0_m, m->travel_step_m, m->travel_points, &iz, &t);
    basis_at(t, m->travel_step_m, &z);
    if (m->rack_points > 0) {
        out_s = cell_at(side * rack_m, m->rack0_m, m->rack_step_m, m->rack_points, &is, &t);
        basis_at(t, m->rack_step_m, &s);
        sum_steered(m, iz, &z, is, &s, out);
    } else {
        sum_fixed(m, iz, &z, out);
    }
    if (out_z != 0.0 || out_s != 0.0)
        extend(out_z, out_s, out);
    mirror(side, out);
}

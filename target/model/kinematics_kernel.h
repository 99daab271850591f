/* Evaluation of the kinematics spline, four quantities at a time. Written once and compiled for
 * each instruction set by its includers. Private to the model. */
#ifndef SKIDPAD_MODEL_KINEMATICS_KERNEL_H
#define SKIDPAD_MODEL_KINEMATICS_KERNEL_H

#include "target/model/kinematics.h"
#include "target/model/math/v4.h"

/* The quantities in two blocks of four: hub and toe; camber, pitch, spring, damper. */
enum { KIN_GUIDE, KIN_REST, KIN_BLOCKS };

/* Left-side values and derivatives; pure second derivatives of the first block only, the others are
 * not needed by the equations of motion. */
struct kin_blocks {
    v4 f[KIN_BLOCKS], fz[KIN_BLOCKS], fs[KIN_BLOCKS], fzs[KIN_BLOCKS];
    v4 fzz, fss;
};

/* Cubic B-spline weights of the four coefficients around t in [0, 1], and their derivatives; each
 * in all lanes. */
struct kin_basis {
    v4 b[4], b1[4], b2[4];
};

V4_INLINE void kin_basis_at(double t, double per, struct kin_basis *w)
{
    double u = 1.0 - t, tt = t * t, uu = u * u, half = 0.5 * per, per2 = per * per;
    w->b[0] = v4_all(uu * u * (1.0 / 6.0));
    w->b[1] = v4_all((4.0 + tt * (3.0 * t - 6.0)) * (1.0 / 6.0));
    w->b[2] = v4_all((4.0 + uu * (3.0 * u - 6.0)) * (1.0 / 6.0));
    w->b[3] = v4_all(tt * t * (1.0 / 6.0));
    w->b1[0] = v4_all(-half * uu);
    w->b1[1] = v4_all(half * t * (3.0 * t - 4.0));
    w->b1[2] = v4_all(-half * u * (3.0 * u - 4.0));
    w->b1[3] = v4_all(half * tt);
    w->b2[0] = v4_all(u * per2);
    w->b2[1] = v4_all((3.0 * t - 2.0) * per2);
    w->b2[2] = v4_all((3.0 * u - 2.0) * per2);
    w->b2[3] = v4_all(t * per2);
}

/* Finds the cell of x; returns how far x lies outside the grid. NaN lands in cell 0. */
V4_INLINE double kin_cell(double x, double x0, double per, double step, int points, int *cell,
                          double *t)
{
    double last = (double)(points - 1);
    double u = (x - x0) * per;
    double inside = u > 0.0 ? (u < last ? u : last) : 0.0;
    int i = (int)inside;
    i = i > points - 2 ? points - 2 : i;
    *cell = i;
    *t = inside - (double)i;
    return (u - inside) * step;
}

V4_INLINE v4 kin_sum(const v4 w[4], v4 a, v4 b, v4 c, v4 d)
{
    return (w[0] * a + w[1] * b) + (w[2] * c + w[3] * d);
}

/* One block over both coordinates. */
V4_INLINE void kin_steered_block(const struct kinematics_model *m, int iz, int is, int block,
                                 const struct kin_basis *z, const struct kin_basis *s,
                                 struct kin_blocks *o)
{
    v4 a[4], a1[4], a2[4];
    _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
    {
        const double *c = &m->coef[iz + k][is][4 * block];
        v4 c0 = v4_load(c), c1 = v4_load(c + KIN_QUANTITIES);
        v4 c2 = v4_load(c + 2 * KIN_QUANTITIES), c3 = v4_load(c + 3 * KIN_QUANTITIES);
        a[k] = kin_sum(s->b, c0, c1, c2, c3);
        a1[k] = kin_sum(s->b1, c0, c1, c2, c3);
        if (block == KIN_GUIDE)
            a2[k] = kin_sum(s->b2, c0, c1, c2, c3);
    }
    o->f[block] = kin_sum(z->b, a[0], a[1], a[2], a[3]);
    o->fz[block] = kin_sum(z->b1, a[0], a[1], a[2], a[3]);
    o->fs[block] = kin_sum(z->b, a1[0], a1[1], a1[2], a1[3]);
    o->fzs[block] = kin_sum(z->b1, a1[0], a1[1], a1[2], a1[3]);
    if (block == KIN_GUIDE) {
        o->fzz = kin_sum(z->b2, a[0], a[1], a[2], a[3]);
        o->fss = kin_sum(z->b, a2[0], a2[1], a2[2], a2[3]);
    }
}

V4_INLINE void kin_fixed(const struct kinematics_model *m, int iz, const struct kin_basis *z,
                         struct kin_blocks *o)
{
    for (int block = 0; block < KIN_BLOCKS; block++) {
        v4 c0 = v4_load(&m->coef[iz][0][4 * block]), c1 = v4_load(&m->coef[iz + 1][0][4 * block]);
        v4 c2 = v4_load(&m->coef[iz + 2][0][4 * block]);
        v4 c3 = v4_load(&m->coef[iz + 3][0][4 * block]);
        o->f[block] = kin_sum(z->b, c0, c1, c2, c3);
        o->fz[block] = kin_sum(z->b1, c0, c1, c2, c3);
        o->fs[block] = o->fzs[block] = v4_all(0.0);
        if (block == KIN_GUIDE)
            o->fzz = kin_sum(z->b2, c0, c1, c2, c3);
    }
    o->fss = v4_all(0.0);
}

/* Linear continuation by out_z and out_s from the edge of the grid. */
V4_INLINE void kin_extend(double out_z, double out_s, struct kin_blocks *o)
{
    for (int block = 0; block < KIN_BLOCKS; block++) {
        v4 twist = o->fzs[block];
        o->f[block] += out_z * o->fz[block] + out_s * o->fs[block] + out_z * out_s * twist;
        o->fz[block] += out_s * twist;
        o->fs[block] += out_z * twist;
    }
    if (out_z != 0.0)
        o->fzz = v4_all(0.0);
    if (out_s != 0.0)
        o->fss = v4_all(0.0);
}

/* rack as the left side sees it. */
V4_INLINE void kin_blocks_at(const struct kinematics_model *m, double travel_m, double rack_m,
                             struct kin_blocks *o)
{
    struct kin_basis z, s;
    int iz, is;
    double t, out_s = 0.0;
    double out_z = kin_cell(travel_m, m->travel0_m, m->travel_per_1pm, m->travel_step_m,
                            m->travel_points, &iz, &t);
    kin_basis_at(t, m->travel_per_1pm, &z);
    if (m->rack_points > 0) {
        out_s =
            kin_cell(rack_m, m->rack0_m, m->rack_per_1pm, m->rack_step_m, m->rack_points, &is, &t);
        kin_basis_at(t, m->rack_per_1pm, &s);
        kin_steered_block(m, iz, is, KIN_GUIDE, &z, &s, o);
        kin_steered_block(m, iz, is, KIN_REST, &z, &s, o);
    } else {
        kin_fixed(m, iz, &z, o);
    }
    if (out_z != 0.0 || out_s != 0.0)
        kin_extend(out_z, out_s, o);
}

#endif

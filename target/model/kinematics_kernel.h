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

/* Four coordinates on their grids, one lane each: the cells, how far they lie outside the grids,
 * and the cubic B-spline weights of the four coefficients around them with first and second
 * derivative. In memory, where a lane is spread over a vector by a single instruction. */
struct kin_place {
    int cell[4];
    double out_m[4];
    double b[4][4], b1[4][4], b2[4][4]; /* [coefficient][lane] */
};

/* What the grid of each lane is: first point, 1 / step, step, number of the last point. */
struct kin_grid {
    v4 first, per, step, last;
};

/* t in [0, 1] is the place in the cell. */
V4_INLINE void kin_weights(v4 t, v4 per, struct kin_place *p)
{
    v4 u = 1.0 - t, tt = t * t, uu = u * u, half = 0.5 * per, per2 = per * per;
    v4_store(p->b[0], uu * u * (1.0 / 6.0));
    v4_store(p->b[1], (4.0 + tt * (3.0 * t - 6.0)) * (1.0 / 6.0));
    v4_store(p->b[2], (4.0 + uu * (3.0 * u - 6.0)) * (1.0 / 6.0));
    v4_store(p->b[3], tt * t * (1.0 / 6.0));
    v4_store(p->b1[0], -half * uu);
    v4_store(p->b1[1], half * t * (3.0 * t - 4.0));
    v4_store(p->b1[2], -half * u * (3.0 * u - 4.0));
    v4_store(p->b1[3], half * tt);
    v4_store(p->b2[0], u * per2);
    v4_store(p->b2[1], (3.0 * t - 2.0) * per2);
    v4_store(p->b2[2], (3.0 * u - 2.0) * per2);
    v4_store(p->b2[3], t * per2);
}

/* NaN lands in cell 0. */
V4_INLINE void kin_find(v4 x, const struct kin_grid *g, struct kin_place *p)
{
    v4 u = (x - g->first) * g->per;
    v4 inside = v4_clamp(u, v4_all(0.0), g->last), whole = inside;
    for (int i = 0; i < 4; i++) {
        double cell = (double)(int)inside[i];
        whole[i] = cell < g->last[i] ? cell : g->last[i] - 1.0;
        p->cell[i] = (int)whole[i];
    }
    v4_store(p->out_m, (u - inside) * g->step);
    kin_weights(inside - whole, g->per, p);
}

/* Weights of one lane times four coefficients. */
V4_INLINE v4 kin_sum(const double w[4][4], int lane, v4 a, v4 b, v4 c, v4 d)
{
    return (w[0][lane] * a + w[1][lane] * b) + (w[2][lane] * c + w[3][lane] * d);
}

/* One block over both coordinates. */
V4_INLINE void kin_steered_block(const struct kinematics_model *m, int block,
                                 const struct kin_place *z, const struct kin_place *s, int lane,
                                 struct kin_blocks *o)
{
    v4 a[4], a1[4], a2[4];
    _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
    {
        const double *c = &m->coef[z->cell[lane] + k][s->cell[lane]][4 * block];
        v4 c0 = v4_load(c), c1 = v4_load(c + KIN_QUANTITIES);
        v4 c2 = v4_load(c + 2 * KIN_QUANTITIES), c3 = v4_load(c + 3 * KIN_QUANTITIES);
        a[k] = kin_sum(s->b, lane, c0, c1, c2, c3);
        a1[k] = kin_sum(s->b1, lane, c0, c1, c2, c3);
        if (block == KIN_GUIDE)
            a2[k] = kin_sum(s->b2, lane, c0, c1, c2, c3);
    }
    o->f[block] = kin_sum(z->b, lane, a[0], a[1], a[2], a[3]);
    o->fz[block] = kin_sum(z->b1, lane, a[0], a[1], a[2], a[3]);
    o->fs[block] = kin_sum(z->b, lane, a1[0], a1[1], a1[2], a1[3]);
    o->fzs[block] = kin_sum(z->b1, lane, a1[0], a1[1], a1[2], a1[3]);
    if (block == KIN_GUIDE) {
        o->fzz = kin_sum(z->b2, lane, a[0], a[1], a[2], a[3]);
        o->fss = kin_sum(z->b, lane, a2[0], a2[1], a2[2], a2[3]);
    }
}

V4_INLINE void kin_fixed(const struct kinematics_model *m, const struct kin_place *z, int lane,
                         struct kin_blocks *o)
{
    int iz = z->cell[lane];
    for (int block = 0; block < KIN_BLOCKS; block++) {
        v4 c0 = v4_load(&m->coef[iz][0][4 * block]), c1 = v4_load(&m->coef[iz + 1][0][4 * block]);
        v4 c2 = v4_load(&m->coef[iz + 2][0][4 * block]);
        v4 c3 = v4_load(&m->coef[iz + 3][0][4 * block]);
        o->f[block] = kin_sum(z->b, lane, c0, c1, c2, c3);
        o->fz[block] = kin_sum(z->b1, lane, c0, c1, c2, c3);
        o->fs[block] = o->fzs[block] = v4_all(0.0);
        if (block == KIN_GUIDE)
            o->fzz = kin_sum(z->b2, lane, c0, c1, c2, c3);
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

/* One lane of the places: travel z and rack s, the latter as the left side sees it. */
V4_INLINE void kin_blocks_at(const struct kinematics_model *m, const struct kin_place *z,
                             const struct kin_place *s, int lane, struct kin_blocks *o)
{
    double out_z = z->out_m[lane], out_s = 0.0;
    if (m->rack_points > 0) {
        out_s = s->out_m[lane];
        kin_steered_block(m, KIN_GUIDE, z, s, lane, o);
        kin_steered_block(m, KIN_REST, z, s, lane, o);
    } else {
        kin_fixed(m, z, lane, o);
    }
    if (out_z != 0.0 || out_s != 0.0)
        kin_extend(out_z, out_s, o);
}

/* Grids of travel: a in the first two lanes, b in the others. */
V4_INLINE struct kin_grid kin_travel_grid(const struct kinematics_model *a,
                                          const struct kinematics_model *b)
{
    double last_a = (double)(a->travel_points - 1), last_b = (double)(b->travel_points - 1);
    return (struct kin_grid){
        .first = {a->travel0_m, a->travel0_m, b->travel0_m, b->travel0_m},
        .per = {a->travel_per_1pm, a->travel_per_1pm, b->travel_per_1pm, b->travel_per_1pm},
        .step = {a->travel_step_m, a->travel_step_m, b->travel_step_m, b->travel_step_m},
        .last = {last_a, last_a, last_b, last_b},
    };
}

/* The grid of the rack, in all lanes. An axle without one gets cells that are not used. */
V4_INLINE struct kin_grid kin_rack_grid(const struct kinematics_model *m)
{
    return (struct kin_grid){
        .first = v4_all(m->rack0_m),
        .per = v4_all(m->rack_per_1pm),
        .step = v4_all(m->rack_step_m),
        .last = v4_all((double)(m->rack_points - 1)),
    };
}

#endif

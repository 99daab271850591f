/* The mass matrix and its solution. docs/model.md (M-6) to (M-9) */
#ifndef SKIDPAD_LUMPED15_KERNEL_SOLVE_H
#define SKIDPAD_LUMPED15_KERNEL_SOLVE_H

#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"

/* The reduced system: body (0..5) and rack; its lower triangle row by row. */
enum { SOLVE_RACK = 6, SOLVE_N = 7, SOLVE_LOWER = SOLVE_N * (SOLVE_N + 1) / 2 };

/* Row i of a lower triangle. */
#define SOLVE_ROW(L, i) (&(L)[(i) * ((i) + 1) / 2])
/* Every trip count below is known: no loop shall be left. */
#define SOLVE_UNROLL _Pragma("GCC unroll 8")

/* Each wheel's share of the lower triangle: a point mass at its hub, moving with the rack. */
V4_INLINE void solve_masses(const struct lumped15_model *m, const struct work *w, v4 *L)
{
    v4 mass = v4_load(m->unsprung_kg), zero = v4_all(0.0);
    struct v4x3 r = w->hub, mr = w3_scale(mass, r), bs = w3_scale(mass, w->hub_s);
    struct v4x3 turn = w3_cross(r, bs);
    v4 xx = mr.x * r.x, yy = mr.y * r.y, zz = mr.z * r.z;
    L[0] = L[2] = L[5] = mass;
    L[1] = L[3] = L[4] = L[6] = L[11] = L[17] = zero;
    L[7] = -mr.z;
    L[8] = mr.y;
    L[9] = yy + zz;
    L[10] = mr.z;
    L[12] = -mr.x;
    L[13] = -mr.x * r.y;
    L[14] = xx + zz;
    L[15] = -mr.y;
    L[16] = mr.x;
    L[18] = -mr.x * r.z;
    L[19] = -mr.y * r.z;
    L[20] = xx + yy;
    L[21] = bs.x;
    L[22] = bs.y;
    L[23] = bs.z;
    L[24] = turn.x;
    L[25] = turn.y;
    L[26] = turn.z;
    L[27] = w3_dot(bs, w->hub_s);
}

/* Adds the sprung body's share, which is the same in every step, and the rack's. */
V4_INLINE void solve_body(const struct lumped15_model *m, double implicit_s, const struct work *w,
                          double *L)
{
    for (int k = 0; k < SOLVE_LOWER; k += 4)
        v4_store(&L[k], v4_load(&L[k]) + v4_load(&m->body_mass[k]));
    L[SOLVE_LOWER - 1] += m->steering.rack_kg + implicit_s * w->steer.damping_Nspm;
}

/* (M-6), (M-7): eliminates the travels. arrow: column of each travel; pivot: 1 / its own mass. */
V4_INLINE void solve_reduce(const struct lumped15_model *m, double implicit_s, const struct work *w,
                            v4 arrow[SOLVE_N], v4 *pivot, double L[SOLVE_LOWER],
                            double x[SOLVE_N + 1])
{
    v4 lower[SOLVE_LOWER], pull[SOLVE_N];
    struct v4x3 bz = w3_scale(v4_load(m->unsprung_kg), w->hub_z), turn = w3_cross(w->hub, bz);
    arrow[0] = bz.x;
    arrow[1] = bz.y;
    arrow[2] = bz.z;
    arrow[3] = turn.x;
    arrow[4] = turn.y;
    arrow[5] = turn.z;
    arrow[SOLVE_RACK] = w3_dot(bz, w->hub_s);
    *pivot = 1.0 / (w3_dot(bz, w->hub_z) + implicit_s * w->damper_Nspm);
    solve_masses(m, w, lower);
    SOLVE_UNROLL
    for (int r = 0; r < SOLVE_N; r++) {
        v4 scaled = *pivot * arrow[r];
        SOLVE_UNROLL
        for (int q = 0; q <= r; q++)
            SOLVE_ROW(lower, r)[q] -= scaled * arrow[q];
        pull[r] = -scaled * w->travel_N;
    }
    SOLVE_UNROLL
    for (int k = 0; k < SOLVE_LOWER; k += 4)
        v4_store(&L[k], v4_sums(lower[k], lower[k + 1], lower[k + 2], lower[k + 3]));
    v4_store(&x[0], v4_sums(pull[0], pull[1], pull[2], pull[3]));
    v4_store(&x[4], v4_sums(pull[4], pull[5], pull[6], pull[6]));
    solve_body(m, implicit_s, w, L);
    x[0] += w->force_N.x;
    x[1] += w->force_N.y;
    x[2] += w->force_N.z;
    x[3] += w->moment_Nm.x;
    x[4] += w->moment_Nm.y;
    x[5] += w->moment_Nm.z;
    x[SOLVE_RACK] += w->rack_N;
}
_Static_assert(SOLVE_LOWER % 4 == 0, "sums go by fours");

/* L D L^T in place: unit triangle below, inverse pivots on the diagonal. */
V4_INLINE void solve_factor(double L[SOLVE_LOWER])
{
    SOLVE_UNROLL
    for (int i = 0; i < SOLVE_N; i++) {
        double *row = SOLVE_ROW(L, i), pivot = row[i];
        SOLVE_UNROLL
        for (int j = 0; j < i; j++) {
            const double *other = SOLVE_ROW(L, j);
            double sum = row[j];
            SOLVE_UNROLL
            for (int k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = sum; /* times D_j still */
        }
        SOLVE_UNROLL
        for (int j = 0; j < i; j++) {
            double unit = row[j] * SOLVE_ROW(L, j)[j];
            pivot -= row[j] * unit;
            row[j] = unit;
        }
        row[i] = 1.0 / pivot;
    }
}

/* Accelerations. The rack is the last unknown, so that its pivot is the inertia that dry friction
 * in the rack has to stop, whatever hangs on it, (M-9). */
V4_INLINE void kernel_solve(const struct lumped15_model *m, const struct lumped15_state *s,
                            double implicit_s, double step_s, struct work *w)
{
    double L[SOLVE_LOWER], x[SOLVE_N + 1];
    v4 arrow[SOLVE_N], pivot;
    solve_reduce(m, implicit_s, w, arrow, &pivot, L, x);
    solve_factor(L);
    SOLVE_UNROLL
    for (int i = 0; i < SOLVE_N; i++) {
        SOLVE_UNROLL
        for (int k = 0; k < i; k++)
            x[i] -= SOLVE_ROW(L, i)[k] * x[k];
    }
    SOLVE_UNROLL
    for (int i = 0; i < SOLVE_N; i++)
        x[i] *= SOLVE_ROW(L, i)[i];
    double bite_mps = step_s * m->steering.rack_friction_N * SOLVE_ROW(L, SOLVE_RACK)[SOLVE_RACK];
    double kept_mps = shrink(s->rack_mps + step_s * x[SOLVE_RACK], bite_mps);
    x[SOLVE_RACK] = (kept_mps - s->rack_mps) / step_s;
    SOLVE_UNROLL
    for (int i = SOLVE_N - 1; i >= 0; i--) {
        SOLVE_UNROLL
        for (int k = i + 1; k < SOLVE_N; k++)
            x[i] -= SOLVE_ROW(L, k)[i] * x[k];
    }
    w->acc_mps2 = v3(x[0], x[1], x[2]);
    w->rate_acc_radps2 = v3(x[3], x[4], x[5]);
    w->rack_acc_mps2 = x[SOLVE_RACK];
    v4 pull = w->travel_N;
    SOLVE_UNROLL
    for (int r = 0; r < SOLVE_N; r++)
        pull -= arrow[r] * x[r];
    w->travel_acc_mps2 = pivot * pull;
}

#endif

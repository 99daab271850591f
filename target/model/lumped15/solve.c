/* The mass matrix and its solution. docs/model.md (M-6) to (M-9) */
#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"

#include <string.h>

/* Index of the rack in the reduced system of body (0..5) and rack. */
enum { RACK = 6, REDUCED = 7 };

/* Adds a point mass at r to the lower triangle of the body's 6 x 6 block. */
static void add_mass(double S[REDUCED][REDUCED], double mass, struct vec3 r)
{
    struct vec3 mr = v3_scale(mass, r);
    for (int k = 0; k < 3; k++)
        S[k][k] += mass;
    S[3][1] -= mr.z;
    S[3][2] += mr.y;
    S[4][0] += mr.z;
    S[4][2] -= mr.x;
    S[5][0] -= mr.y;
    S[5][1] += mr.x;
    S[3][3] += mr.y * r.y + mr.z * r.z;
    S[4][4] += mr.x * r.x + mr.z * r.z;
    S[5][5] += mr.x * r.x + mr.y * r.y;
    S[4][3] -= mr.x * r.y;
    S[5][3] -= mr.x * r.z;
    S[5][4] -= mr.y * r.z;
}

/* What remains of the arrow-shaped mass matrix for body and rack when the travels are eliminated,
 * (M-7): S = M_bb - sum b b^T / d, and the same of the right-hand side. Lower triangle. */
static void reduce(const struct lumped15_model *m, double implicit_s, const struct work *w,
                   double S[REDUCED][REDUCED], double x[REDUCED], double arrow[WHEELS][REDUCED],
                   double pivot[WHEELS])
{
    const double *I = m->inertia_kgm2;
    memset(S, 0, sizeof(double[REDUCED][REDUCED]));
    add_mass(S, m->sprung_kg, m->sprung_cg_m);
    S[3][3] += I[0];
    S[4][4] += I[1];
    S[5][5] += I[2];
    S[4][3] += I[3];
    S[5][3] += I[4];
    S[5][4] += I[5];
    S[RACK][RACK] = m->steering.rack_kg + implicit_s * w->steer.damping_Nspm;
    vec3_to(w->force_N, x);
    vec3_to(w->moment_Nm, x + 3);
    x[RACK] = w->rack_N;
    for (int i = 0; i < WHEELS; i++) {
        const struct corner *c = &w->c[i];
        double mass = m->axle[axle_of(i)].unsprung_kg;
        double *b = arrow[i];
        add_mass(S, mass, c->hub);
        struct vec3 bz = v3_scale(mass, c->hub_z), bs = v3_scale(mass, c->hub_s);
        struct vec3 turn = v3_cross(c->hub, bs);
        S[RACK][0] += bs.x;
        S[RACK][1] += bs.y;
        S[RACK][2] += bs.z;
        S[RACK][3] += turn.x;
        S[RACK][4] += turn.y;
        S[RACK][5] += turn.z;
        S[RACK][RACK] += v3_dot(bs, c->hub_s);
        vec3_to(bz, b);
        vec3_to(v3_cross(c->hub, bz), b + 3);
        b[RACK] = v3_dot(bz, c->hub_s);
        pivot[i] = 1.0 / (v3_dot(bz, c->hub_z) + implicit_s * w->damper_Nspm[i]);
        double pull = pivot[i] * w->travel_N[i];
        for (int r = 0; r < REDUCED; r++) {
            double k = pivot[i] * b[r];
            for (int q = 0; q <= r; q++)
                S[r][q] -= k * b[q];
            x[r] -= b[r] * pull;
        }
    }
}

/* S = L D L^T; L (unit diagonal, below) takes the place of S. */
static void factor(double S[REDUCED][REDUCED], double D[REDUCED])
{
    for (int j = 0; j < REDUCED; j++) {
        double v[REDUCED];
        double d = S[j][j];
        for (int k = 0; k < j; k++) {
            v[k] = S[j][k] * D[k];
            d -= S[j][k] * v[k];
        }
        D[j] = d;
        for (int i = j + 1; i < REDUCED; i++) {
            double sum = S[i][j];
            for (int k = 0; k < j; k++)
                sum -= S[i][k] * v[k];
            S[i][j] = sum / d;
        }
    }
}

/* Accelerations. The rack is the last unknown, so that its pivot is the inertia that dry friction
 * in the rack has to stop, whatever hangs on it, (M-9). */
void lumped15_solve(const struct lumped15_model *m, const struct lumped15_state *s,
                    double implicit_s, double step_s, struct work *w)
{
    double S[REDUCED][REDUCED], D[REDUCED], x[REDUCED];
    double arrow[WHEELS][REDUCED], pivot[WHEELS];
    reduce(m, implicit_s, w, S, x, arrow, pivot);
    factor(S, D);
    for (int i = 0; i < REDUCED; i++)
        for (int k = 0; k < i; k++)
            x[i] -= S[i][k] * x[k];
    double free_mps = s->rack_mps + step_s * x[RACK] / D[RACK];
    double kept_mps = shrink(free_mps, step_s * m->steering.rack_friction_N / D[RACK]);
    x[RACK] = (kept_mps - s->rack_mps) / step_s;
    for (int i = 0; i < RACK; i++)
        x[i] /= D[i];
    for (int i = REDUCED - 1; i >= 0; i--)
        for (int k = i + 1; k < REDUCED; k++)
            x[i] -= S[k][i] * x[k];
    w->acc_mps2 = v3(x[0], x[1], x[2]);
    w->rate_acc_radps2 = v3(x[3], x[4], x[5]);
    w->rack_acc_mps2 = x[RACK];
    for (int i = 0; i < WHEELS; i++) {
        double pull = w->travel_N[i];
        for (int r = 0; r < REDUCED; r++)
            pull -= arrow[i][r] * x[r];
        w->travel_acc_mps2[i] = pivot[i] * pull;
    }
}

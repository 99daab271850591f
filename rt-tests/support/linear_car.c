#include "rt-tests/support/linear_car.h"

#include <lapacke.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { X, Y, YAW, Z, PITCH, ROLL, TRAVEL };
_Static_assert((int)Z == (int)LINEAR_FREE && TRAVEL + WHEELS == (int)LINEAR_ALL, "order");

/* A mass at x, y and height h, that also moves by path[] per travel of wheel i (none: -1). */
static void add_part(struct linear_car *l, double kg, double x, double y, double h, int i,
                     const double path[3])
{
    double J[3][LINEAR_ALL] = {{0.0}};
    J[0][X] = J[1][Y] = J[2][Z] = 1.0;
    J[0][YAW] = -y;
    J[1][YAW] = x;
    J[0][PITCH] = h;
    J[2][PITCH] = -x;
    J[1][ROLL] = -h;
    J[2][ROLL] = y;
    for (int k = 0; i >= 0 && k < 3; k++)
        J[k][TRAVEL + i] = path[k];
    for (int a = 0; a < LINEAR_ALL; a++)
        for (int b = 0; b < LINEAR_ALL; b++)
            l->M[a][b] += kg * (J[0][a] * J[0][b] + J[1][a] * J[1][b] + J[2][a] * J[2][b]);
}

/* Stiffness k and damping d against the rate of sum row[a] u_a. */
static void add_link(struct linear_car *l, const double row[LINEAR_ALL], double k, double d)
{
    for (int a = 0; a < LINEAR_ALL; a++)
        for (int b = 0; b < LINEAR_ALL; b++) {
            l->K[a][b] += k * row[a] * row[b];
            l->D[a][b] += d * row[a] * row[b];
        }
}

/* Static load, and the tyre's stiffness and damping there. */
static double tyre_of(const struct lumped15_model *m, int wheel, double share, double *k, double *d)
{
    double load_N = 0.5 * share * m->total_kg * m->gravity_mps2;
    double deflection[WHEELS], still[WHEELS] = {0.0}, load[WHEELS], stiff[WHEELS], damp[WHEELS];
    for (int i = 0; i < WHEELS; i++)
        deflection[i] = tyre_static_deflection_m(&m->tyres, wheel, load_N);
    tyre_load(&m->tyres, deflection, still, still, m->inflation_Pa, load, stiff, damp);
    *k = stiff[wheel];
    *d = damp[wheel];
    return load_N;
}

static void add_pair(struct linear_car *l, int a, int b, double k)
{
    l->K[a][b] += k;
    if (a != b)
        l->K[b][a] += k;
}

/* Forces that are there at rest work along paths that turn: second derivatives of the hub's height
 * z + ... - x pitch + y roll - h (pitch^2 + roll^2) / 2, of the tyre's reach h (roll + camber)^2 /
 * 2 and of the spring's length. */
static void add_geometry(struct linear_car *l, const struct kinematics_model *kin, int i,
                         double load_N, double weight_N, double h, const struct kinematics_out *f)
{
    double net_N = load_N - weight_N, lean = f->fz[KIN_CAMBER];
    double spring_N = -net_N * f->fz[KIN_HUB_Z] / f->fz[KIN_SPRING];
    struct kinematics_out up, down;
    kinematics_at(kin, 1e-4, 0.0, 1.0, &up);
    kinematics_at(kin, -1e-4, 0.0, 1.0, &down);
    double spring_zz = (up.fz[KIN_SPRING] - down.fz[KIN_SPRING]) / 2e-4;
    add_pair(l, PITCH, PITCH, net_N * h);
    add_pair(l, ROLL, ROLL, -weight_N * h);
    add_pair(l, PITCH, TRAVEL + i, net_N * f->fz[KIN_HUB_X]);
    add_pair(l, ROLL, TRAVEL + i, -net_N * f->fz[KIN_HUB_Y] - load_N * h * lean);
    add_pair(l, TRAVEL + i, TRAVEL + i,
             -net_N * f->fzz[KIN_HUB_Z] - load_N * h * lean * lean - spring_N * spring_zz);
}

/* The tyre's overturning moment over its inclination to the ground, upright. */
static double overturning_Nmprad(const struct lumped15_model *m, int wheel, double load_N)
{
    const double lean = 1e-4;
    struct tyre_in in;
    struct tyre_out right, left;
    memset(&in, 0, sizeof in);
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = load_N;
        in.gamma_rad[i] = lean;
    }
    tyre_forces(&m->tyres, &in, &right);
    for (int i = 0; i < WHEELS; i++)
        in.gamma_rad[i] = -lean;
    tyre_forces(&m->tyres, &in, &left);
    return (right.mx_Nm[wheel] - left.mx_Nm[wheel]) / (2.0 * lean);
}

static void add_corner(struct linear_car *l, const struct lumped15_model *m, int i, double base_m,
                       double share)
{
    const struct axle_model *a = &m->axle[i < RL ? FRONT : REAR];
    struct kinematics_out f;
    double tyre_Npm, tyre_Nspm, row[LINEAR_ALL] = {0.0};
    kinematics_at(&a->kin, 0.0, 0.0, i == FL || i == RL ? 1.0 : -1.0, &f);
    double load_N = tyre_of(m, i, share, &tyre_Npm, &tyre_Nspm);
    double h = base_m + f.f[KIN_HUB_Z];
    double path[3] = {f.fz[KIN_HUB_X], f.fz[KIN_HUB_Y], f.fz[KIN_HUB_Z]};
    add_part(l, m->unsprung_kg[i], f.f[KIN_HUB_X], f.f[KIN_HUB_Y], h, i, path);
    /* spring and damper: ratio squared */
    row[TRAVEL + i] = 1.0;
    double spring_Npm = a->spring_N.slope[0] * f.fz[KIN_SPRING] * f.fz[KIN_SPRING];
    double damper_Nspm = a->damper_N.slope[0] * f.fz[KIN_DAMPER] * f.fz[KIN_DAMPER];
    add_link(l, row, spring_Npm, damper_Nspm);
    if (i == FL || i == RL) {
        row[TRAVEL + i + 1] = -1.0;
        add_link(l, row, m->bar_Npm[i], 0.0);
        row[TRAVEL + i + 1] = 0.0;
    }
    /* tyre: the hub's height */
    row[TRAVEL + i] = f.fz[KIN_HUB_Z];
    row[Z] = 1.0;
    row[PITCH] = -f.f[KIN_HUB_X];
    row[ROLL] = f.f[KIN_HUB_Y];
    add_link(l, row, tyre_Npm, tyre_Nspm);
    double leaning[LINEAR_ALL] = {[ROLL] = 1.0};
    leaning[TRAVEL + i] = f.fz[KIN_CAMBER];
    add_link(l, leaning, -overturning_Nmprad(m, i, load_N), 0.0);
    add_geometry(l, &a->kin, i, load_N, m->unsprung_kg[i] * m->gravity_mps2, h, &f);
}

static void build(struct linear_car *l, const struct lumped15_model *m, double base_m)
{
    struct kinematics_out front, rear;
    const double *in = m->inertia_kgm2;
    double h = base_m + m->sprung_cg_m.z;
    memset(l, 0, sizeof *l);
    kinematics_at(&m->axle[FRONT].kin, 0.0, 0.0, 1.0, &front);
    kinematics_at(&m->axle[REAR].kin, 0.0, 0.0, 1.0, &rear);
    double share = (m->cg_m.x - rear.f[KIN_HUB_X]) / (front.f[KIN_HUB_X] - rear.f[KIN_HUB_X]);
    add_part(l, m->sprung_kg, m->sprung_cg_m.x, m->sprung_cg_m.y, h, -1, NULL);
    l->M[ROLL][ROLL] += in[0];
    l->M[PITCH][PITCH] += in[1];
    l->M[YAW][YAW] += in[2];
    l->M[ROLL][PITCH] += in[3];
    l->M[PITCH][ROLL] += in[3];
    l->M[ROLL][YAW] += in[4];
    l->M[YAW][ROLL] += in[4];
    l->M[PITCH][YAW] += in[5];
    l->M[YAW][PITCH] += in[5];
    l->K[PITCH][PITCH] -= m->sprung_kg * m->gravity_mps2 * h;
    l->K[ROLL][ROLL] -= m->sprung_kg * m->gravity_mps2 * h;
    for (int i = 0; i < WHEELS; i++)
        add_corner(l, m, i, base_m, i < RL ? share : 1.0 - share);
}

/* Takes x, y and yaw out of the mass matrix, then A = (0 1; -M^-1 K  -M^-1 D). */
static void finish(struct linear_car *l)
{
    double M[LINEAR_KEPT * LINEAR_KEPT], R[LINEAR_KEPT * 2 * LINEAR_KEPT];
    lapack_int pivot[LINEAR_KEPT];
    for (int f = 0; f < LINEAR_FREE; f++)
        for (int a = f + 1; a < LINEAR_ALL; a++) {
            double q = l->M[a][f] / l->M[f][f];
            for (int b = f; b < LINEAR_ALL; b++)
                l->M[a][b] -= q * l->M[f][b];
        }
    for (int b = 0; b < LINEAR_KEPT; b++)
        for (int a = 0; a < LINEAR_KEPT; a++) {
            M[b * LINEAR_KEPT + a] = l->M[LINEAR_FREE + a][LINEAR_FREE + b];
            R[b * LINEAR_KEPT + a] = l->K[LINEAR_FREE + a][LINEAR_FREE + b];
            R[(LINEAR_KEPT + b) * LINEAR_KEPT + a] = l->D[LINEAR_FREE + a][LINEAR_FREE + b];
        }
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, LINEAR_KEPT, 2 * LINEAR_KEPT, M, LINEAR_KEPT,
                                   pivot, R, LINEAR_KEPT),
                     0);
    memset(l->A, 0, sizeof l->A);
    for (int b = 0; b < LINEAR_KEPT; b++) {
        l->A[(LINEAR_KEPT + b) * LINEAR_STATES + b] = 1.0;
        for (int a = 0; a < LINEAR_KEPT; a++) {
            l->A[b * LINEAR_STATES + LINEAR_KEPT + a] = -R[b * LINEAR_KEPT + a];
            l->A[(LINEAR_KEPT + b) * LINEAR_STATES + LINEAR_KEPT + a] =
                -R[(LINEAR_KEPT + b) * LINEAR_KEPT + a];
        }
    }
}

void linear_car(struct linear_car *l, const struct lumped15_model *m, double base_m)
{
    build(l, m, base_m);
    finish(l);
}

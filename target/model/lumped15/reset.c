/* The start of a run: the car stands or rolls in vertical equilibrium. docs/model.md, (R-2)
 *
 * Height, pitch, roll and the four travels are found by Newton's method on the generalised forces
 * along the ground's normal, about the car's x and y, and on each travel; tyres carry load only. */
#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <string.h>

enum { HEIGHT, PITCH, ROLL, TRAVEL, UNKNOWNS = TRAVEL + WHEELS, NEWTON_MAX = 40 };

/* A Newton step is cut to this many metres or radians; the search ends below the second number. */
static const double step_max = 0.02, step_done = 1e-12, difference = 1e-7;

struct stand {
    const struct lumped15_model *m;
    const struct ground *ground;
    struct quat heading; /* ground frame at the start to world: x ahead, z along the normal */
    struct vec3 foot;    /* point of the ground under the origin */
    struct mat3 level;   /* of heading */
};

static struct quat quat_mul(struct quat a, struct quat b)
{
    return (struct quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                         a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                         a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static struct quat quat_about(double angle_rad, double x, double y, double z)
{
    double s, c;
    vm_sincos(0.5 * angle_rad, &s, &c);
    return (struct quat){c, s * x, s * y, s * z};
}

/* The ground frame: the shortest turn that takes up to the normal, then the yaw. */
static void stand_on(struct stand *st, const struct plant_start *start)
{
    struct ground_point g;
    st->ground->query(st->ground->road, start->x_m, start->y_m, &g);
    double w = sqrt(0.5 * (1.0 + g.normal[2]));
    struct quat tilt = {w, -0.5 * g.normal[1] / w, 0.5 * g.normal[0] / w, 0.0};
    st->heading = quat_mul(tilt, quat_about(start->yaw_rad, 0.0, 0.0, 1.0));
    st->level = quat_matrix(st->heading);
    st->foot = v3(start->x_m, start->y_m, g.z_m);
}

static void place(const struct stand *st, const double u[UNKNOWNS], struct lumped15_state *s)
{
    struct quat q = quat_mul(st->heading, quat_about(u[PITCH], 0.0, 1.0, 0.0));
    q = quat_mul(q, quat_about(u[ROLL], 1.0, 0.0, 0.0));
    s->quat[0] = q.w;
    s->quat[1] = q.x;
    s->quat[2] = q.y;
    s->quat[3] = q.z;
    struct vec3 up = v3(st->level.r0.z, st->level.r1.z, st->level.r2.z);
    vec3_to(v3_madd(st->foot, u[HEIGHT], up), s->pos_m);
    for (int i = 0; i < WHEELS; i++)
        s->travel_m[i] = u[TRAVEL + i];
}

/* Generalised forces of a car at rest on tyres that carry load only. */
static void residual(const struct stand *st, const double u[UNKNOWNS], struct lumped15_state *s,
                     double r[UNKNOWNS])
{
    struct work w;
    struct plant_in none;
    memset(&none, 0, sizeof none);
    memset(&w, 0, sizeof w);
    place(st, u, s);
    lumped15_code()->pose(st->m, s, &w);
    /* Only the part of gravity that the wheels carry: along the slope the brakes have to hold. */
    struct vec3 up = m3_tmul(&w.R, v3(st->level.r0.z, st->level.r1.z, st->level.r2.z));
    w.gravity = v3_scale(v3_dot(w.gravity, up), up);
    lumped15_code()->contact(st->m, s, st->ground, 0.0, 1.0, &w);
    memset(&w.tyre, 0, sizeof w.tyre);
    lumped15_code()->forces(st->m, s, &none, st->ground, &w);
    struct vec3 f = m3_tmul(&st->level, m3_mul(&w.R, w.force_N));
    struct vec3 t = m3_tmul(&st->level, m3_mul(&w.R, w.moment_Nm));
    r[HEIGHT] = f.z;
    r[PITCH] = t.y;
    r[ROLL] = t.x;
    for (int i = 0; i < WHEELS; i++)
        r[TRAVEL + i] = w.travel_N[i];
}

/* Gauss elimination with row pivoting, x in place of b. A zero pivot leaves x at zero there. */
static void solve_dense(double A[UNKNOWNS][UNKNOWNS], double b[UNKNOWNS])
{
    for (int k = 0; k < UNKNOWNS; k++) {
        int p = k;
        for (int i = k + 1; i < UNKNOWNS; i++)
            if (fabs(A[i][k]) > fabs(A[p][k]))
                p = i;
        for (int j = 0; j < UNKNOWNS; j++) {
            double swap = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = swap;
        }
        double swap = b[k];
        b[k] = b[p];
        b[p] = swap;
        for (int i = k + 1; i < UNKNOWNS; i++) {
            double f = fabs(A[k][k]) > 0.0 ? A[i][k] / A[k][k] : 0.0;
            for (int j = k; j < UNKNOWNS; j++)
                A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int i = UNKNOWNS - 1; i >= 0; i--) {
        for (int j = i + 1; j < UNKNOWNS; j++)
            b[i] -= A[i][j] * b[j];
        b[i] = fabs(A[i][i]) > 0.0 ? b[i] / A[i][i] : 0.0;
    }
}

static void settle(const struct stand *st, double u[UNKNOWNS], struct lumped15_state *s)
{
    for (int n = 0; n < NEWTON_MAX; n++) {
        double r[UNKNOWNS], J[UNKNOWNS][UNKNOWNS], largest = 0.0;
        residual(st, u, s, r);
        for (int k = 0; k < UNKNOWNS; k++) {
            double moved[UNKNOWNS], shifted[UNKNOWNS];
            memcpy(moved, u, sizeof moved);
            moved[k] += difference;
            residual(st, moved, s, shifted);
            for (int i = 0; i < UNKNOWNS; i++)
                J[i][k] = (shifted[i] - r[i]) / difference;
        }
        solve_dense(J, r);
        for (int k = 0; k < UNKNOWNS; k++)
            largest = at_least(fabs(r[k]), largest);
        /* Cut as a whole: body and wheels have to move together. */
        double share = largest > step_max ? step_max / largest : 1.0;
        for (int k = 0; k < UNKNOWNS; k++)
            u[k] -= share * r[k];
        if (largest < step_done)
            break;
    }
    place(st, u, s);
}

/* All four hubs one free radius above the ground, less a little. */
static void first_guess(const struct lumped15_model *m, const struct lumped15_state *s,
                        double u[UNKNOWNS])
{
    struct kinematics_out front, rear;
    kinematics_at(&m->axle[FRONT].kin, 0.0, s->rack_m, 1.0, &front);
    kinematics_at(&m->axle[REAR].kin, 0.0, 0.0, 1.0, &rear);
    double high_f = m->tyres.radius_m[FL] - front.f[KIN_HUB_Z];
    double high_r = m->tyres.radius_m[RL] - rear.f[KIN_HUB_Z];
    double length = front.f[KIN_HUB_X] - rear.f[KIN_HUB_X];
    memset(u, 0, UNKNOWNS * sizeof *u);
    u[PITCH] = vm_atan2(high_r - high_f, length);
    u[HEIGHT] = high_r + (high_f - high_r) * (0.0 - rear.f[KIN_HUB_X]) / length - 0.015;
}

void lumped15_reset(const struct lumped15_model *m, struct lumped15_state *s,
                    const struct plant_start *start, const struct ground *ground)
{
    struct stand st = {.m = m, .ground = ground};
    struct plant_in none;
    struct work w;
    double u[UNKNOWNS];

    memset(s, 0, sizeof *s);
    hydraulics_reset(&m->hydraulics, &s->hydraulics);
    memset(&none, 0, sizeof none);
    stand_on(&st, start);
    first_guess(m, s, u);
    settle(&st, u, s);

    struct vec3 ahead = v3(st.level.r0.x, st.level.r1.x, st.level.r2.x);
    vec3_to(v3_scale(start->speed_mps, ahead), s->vel_mps);
    lumped15_code()->pose(m, s, &w);
    lumped15_code()->contact(m, s, ground, 0.0, 1.0, &w);
    for (int i = 0; i < WHEELS; i++)
        s->spin_radps[i] = w.slip.vx_mps[i] / w.slip.rolling_m[i];
    driveline_start(&m->driveline, &s->driveline, start->gear, s->spin_radps);
    none.gear = s->driveline.gear;
    lumped15_code()->evaluate(m, s, &none, ground, 0.0, 1e-5, &w);
    lumped15_code()->remember(m, &none, &w, s);
}

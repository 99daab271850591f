#include "target/model/lumped15/steady_load.h"

#include "target/model/footing.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { STEADY_INNER = 20, STEADY_ALL = STEADY_INNER + STEADY_OUTER };

struct steady {
    struct lumped15_model model; /* without what is taken away */
    const struct lumped15_model *car;
    struct car_facts facts;
    double friction; /* of the ground, a plane at height 0 */
    struct ground ground;
    int hold; /* enum steady_hold */
    double share[WHEELS];
    double
        lock_Nm[AXLES];   /* of differentials, taken from the car: here smooth over a little slip */
    double gyration_m;    /* radius of: makes an acceleration of the yaw acceleration */
    double hand_most_rad; /* where the rack ends */
    struct lumped15_state rest;
    double u[STEADY_ALL]; /* the solution, and the guess for the next one */
};

/* Order of the unknowns; the last three are those of the outer problem. */
enum { U_Z, U_ROLL, U_PITCH, U_TRAVEL, U_RACK = U_TRAVEL + WHEELS, U_SPIN };
enum { U_SLIP_X = U_SPIN + WHEELS, U_SLIP_Y = U_SLIP_X + WHEELS, U_SIDESLIP = U_SLIP_Y + WHEELS };
enum { U_HAND = U_SIDESLIP + 1, U_DRIVE };
_Static_assert((int)U_SIDESLIP == (int)STEADY_INNER && (int)U_DRIVE + 1 == (int)STEADY_ALL,
               "all are counted");

/* Differences for derivatives, and the longest steps, of each unknown. */
static const double unit[STEADY_ALL] = {
    1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-4, 1e-4, 1e-4, 1e-4,
    1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-6, 1e-5, 1e-1,
};
static const double longest[STEADY_ALL] = {
    0.02, 0.05, 0.05, 0.02, 0.02, 0.02, 0.02, 0.005, 5.0,  5.0, 5.0,    5.0,
    0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03,  0.03, 0.3, 1000.0,
};

/* Where to solve. */
struct circle {
    double speed_mps, curvature_1pm;
    double grip_radps; /* difference of wheel speeds over which a lock's dry friction builds up */
};

/* The state that the unknowns stand for: the car at the origin, its nose along x. */
static void place(const struct steady *s, const struct circle *c, const double *u,
                  struct lumped15_state *x, struct plant_in *in)
{
    double yaw_radps = c->speed_mps * c->curvature_1pm;
    double cr = cos(0.5 * u[U_ROLL]), sr = sin(0.5 * u[U_ROLL]);
    double cp = cos(0.5 * u[U_PITCH]), sp = sin(0.5 * u[U_PITCH]);
    const struct quat q = {cp * cr, cp * sr, sp * cr, -sp * sr};
    struct mat3 R = quat_matrix(q);
    struct vec3 cg = m3_mul(&R, s->car->cg_m);
    *x = s->rest;
    x->pos_m[0] = x->pos_m[1] = 0.0;
    x->pos_m[2] = u[U_Z];
    x->quat[0] = q.w;
    x->quat[1] = q.x;
    x->quat[2] = q.y;
    x->quat[3] = q.z;
    double vx = c->speed_mps * cos(u[U_SIDESLIP]), vy = c->speed_mps * sin(u[U_SIDESLIP]);
    x->vel_mps[0] = vx + yaw_radps * cg.y;
    x->vel_mps[1] = vy - yaw_radps * cg.x;
    x->vel_mps[2] = 0.0;
    /* The turn is about the world's z: its row of the matrix gives it in body axes. */
    x->rate_radps[0] = R.r2.x * yaw_radps;
    x->rate_radps[1] = R.r2.y * yaw_radps;
    x->rate_radps[2] = R.r2.z * yaw_radps;
    memcpy(x->travel_m, &u[U_TRAVEL], sizeof x->travel_m);
    memcpy(x->spin_radps, &u[U_SPIN], sizeof x->spin_radps);
    memcpy(x->slip_x_m, &u[U_SLIP_X], sizeof x->slip_x_m);
    memcpy(x->slip_y_m, &u[U_SLIP_Y], sizeof x->slip_y_m);
    x->rack_m = u[U_RACK];
    x->hand_rad = u[U_HAND];
    *in = (struct plant_in){.gear = PLANT_GEAR_NEUTRAL, .hand_wheel_rad = u[U_HAND]};
    for (int i = 0; i < WHEELS; i++)
        in->wheel_torque_Nm[i] = s->hold == STEADY_WHEELS ? u[U_DRIVE] * s->share[i] : 0.0;
    for (int k = 0; k < AXLES; k++) {
        int left = k == FRONT ? FL : RL;
        double lock_Nm =
            s->lock_Nm[k] * tanh((u[U_SPIN + left] - u[U_SPIN + left + 1]) / c->grip_radps);
        in->wheel_torque_Nm[left] -= lock_Nm;
        in->wheel_torque_Nm[left + 1] += lock_Nm;
    }
    if (s->hold == STEADY_PUSH) {
        in->push_N[0] = u[U_DRIVE] * cos(u[U_SIDESLIP]);
        in->push_N[1] = u[U_DRIVE] * sin(u[U_SIDESLIP]);
    }
}

/* rates as one sees them who turns with the car; the principal ones last. */
static void rates(const struct steady *s, const struct circle *c, const double *u, double *r)
{
    struct lumped15_state x, d;
    struct plant_in in;
    double xdot[LUMPED15_MOTION + 1 + HYDRAULICS_X];
    place(s, c, u, &x, &in);
    lumped15_ops.deriv(s->car, &x, &in, &s->ground, xdot);
    memset(&d, 0, sizeof d);
    memcpy(lumped15_motion(&d), xdot, LUMPED15_MOTION * sizeof *xdot);
    double yaw_radps = c->speed_mps * c->curvature_1pm;
    double ax = d.vel_mps[0] + yaw_radps * x.vel_mps[1];
    double ay = d.vel_mps[1] - yaw_radps * x.vel_mps[0];
    r[0] = d.vel_mps[2];
    r[1] = d.rate_radps[0];
    r[2] = d.rate_radps[1];
    memcpy(&r[3], d.travel_mps, sizeof d.travel_mps);
    r[7] = d.rack_mps;
    memcpy(&r[8], d.spin_radps, sizeof d.spin_radps);
    memcpy(&r[12], d.slip_x_m, sizeof d.slip_x_m);
    memcpy(&r[16], d.slip_y_m, sizeof d.slip_y_m);
    double cb = cos(u[U_SIDESLIP]), sb = sin(u[U_SIDESLIP]);
    r[STEADY_INNER] = ax * cb + ay * sb;
    r[STEADY_INNER + 1] = ay * cb - ax * sb;
    r[STEADY_INNER + 2] = d.rate_radps[2] * s->gyration_m;
}

static void jacobian(const struct steady *s, const struct circle *c, const double *u,
                     const double *r, double J[STEADY_ALL][STEADY_ALL])
{
    double moved[STEADY_ALL], shifted[STEADY_ALL];
    memcpy(moved, u, sizeof moved);
    for (int k = 0; k < STEADY_ALL; k++) {
        moved[k] = u[k] + unit[k];
        rates(s, c, moved, shifted);
        moved[k] = u[k];
        for (int i = 0; i < STEADY_ALL; i++)
            J[i][k] = (shifted[i] - r[i]) / unit[k];
    }
}

static double length(const double *v, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* The step, shortened as a whole so that no unknown moves too far. */
static double move(const double *u, const double *step, int count, double *to)
{
    double share = 1.0, most = 0.0;
    for (int k = 0; k < count; k++)
        share = fmin(share, longest[k] / fmax(fabs(step[k]), 1e-300));
    for (int k = 0; k < count; k++) {
        to[k] = u[k] + share * step[k];
        most = fmax(most, fabs(share * step[k]) / longest[k]);
    }
    return most;
}

/* Eliminates the inner unknowns, (Q-2): where they go (first column: their rates, others: the outer
 * unknowns), and what that leaves of the outer problem. Returns false if it is singular. */
struct reduced {
    double inner[STEADY_INNER][STEADY_OUTER + 1]; /* solved: rates and influence of the outer */
    double rest[STEADY_OUTER];                    /* principal rates once the inner are settled */
    double slope[STEADY_OUTER][STEADY_OUTER];
};

static bool reduce(double J[STEADY_ALL][STEADY_ALL], const double *r, struct reduced *d)
{
    double A[STEADY_INNER][STEADY_INNER];
    lapack_int pivot[STEADY_INNER];
    for (int i = 0; i < STEADY_INNER; i++) {
        memcpy(A[i], J[i], sizeof A[i]);
        d->inner[i][0] = r[i];
        for (int k = 0; k < STEADY_OUTER; k++)
            d->inner[i][1 + k] = J[i][STEADY_INNER + k];
    }
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, STEADY_INNER, STEADY_OUTER + 1, &A[0][0], STEADY_INNER,
                      pivot, &d->inner[0][0], STEADY_OUTER + 1))
        return false;
    for (int i = 0; i < STEADY_OUTER; i++) {
        const double *row = J[STEADY_INNER + i];
        d->rest[i] = r[STEADY_INNER + i];
        for (int n = 0; n < STEADY_INNER; n++)
            d->rest[i] -= row[n] * d->inner[n][0];
        for (int k = 0; k < STEADY_OUTER; k++) {
            d->slope[i][k] = row[STEADY_INNER + k];
            for (int n = 0; n < STEADY_INNER; n++)
                d->slope[i][k] -= row[n] * d->inner[n][1 + k];
        }
    }
    return true;
}

/* a damped least-squares step of the outer unknowns. */
static void outer_step(const struct reduced *d, double damping, double step[STEADY_OUTER])
{
    double A[2 * STEADY_OUTER][STEADY_OUTER] = {{0.0}}, b[2 * STEADY_OUTER] = {0.0};
    for (int i = 0; i < STEADY_OUTER; i++) {
        b[i] = -d->rest[i];
        for (int k = 0; k < STEADY_OUTER; k++) /* in units of the longest steps */
            A[i][k] = d->slope[i][k] * longest[STEADY_INNER + k];
        A[STEADY_OUTER + i][i] = damping;
    }
    (void)LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', 2 * STEADY_OUTER, STEADY_OUTER, 1, &A[0][0],
                        STEADY_OUTER, b, 1);
    for (int k = 0; k < STEADY_OUTER; k++)
        step[k] = b[k] * longest[STEADY_INNER + k];
}

/* How far the inner rates are from zero, each in what the longest steps could change. */
static double unrest(double J[STEADY_ALL][STEADY_ALL], const double *r)
{
    double sum = 0.0;
    for (int i = 0; i < STEADY_INNER; i++) {
        double scale = 1e-30;
        for (int k = 0; k < STEADY_INNER; k++)
            scale = fmax(scale, fabs(J[i][k]) * longest[k]);
        sum += (r[i] / scale) * (r[i] / scale);
    }
    return sum;
}

/* Newton's method for the inner unknowns alone, the outer ones held. Stops and tables have kinks: a
 * step that does not help is halved. */
static void settle(const struct steady *s, const struct circle *c, double *u, double *r)
{
    double J[STEADY_ALL][STEADY_ALL], step[STEADY_INNER], to[STEADY_ALL], there[STEADY_ALL];
    rates(s, c, u, r);
    for (int n = 0; n < 40; n++) {
        struct reduced d;
        double moved = 0.0;
        jacobian(s, c, u, r, J);
        if (!reduce(J, r, &d))
            return;
        for (int k = 0; k < STEADY_INNER; k++)
            step[k] = -d.inner[k][0];
        memcpy(to, u, sizeof to);
        for (int halved = 0; halved < 8; halved++) {
            moved = move(u, step, STEADY_INNER, to);
            rates(s, c, to, there);
            if (unrest(J, there) < unrest(J, r))
                break;
            for (int k = 0; k < STEADY_INNER; k++)
                step[k] *= 0.5;
        }
        if (!(unrest(J, there) < unrest(J, r)))
            return; /* as good as it gets */
        memcpy(u, to, sizeof to);
        memcpy(r, there, sizeof there);
        if (moved < 1e-8)
            return;
    }
}

static int solve(const struct steady *s, const struct circle *c, double *u, double *r)
{
    double J[STEADY_ALL][STEADY_ALL], damping = 1e-3;
    int n = 0;
    settle(s, c, u, r);
    for (; n < 80 && damping < 1e6; n++) {
        struct reduced d;
        double step[STEADY_ALL], to[STEADY_ALL], there[STEADY_ALL];
        jacobian(s, c, u, r, J);
        if (!reduce(J, r, &d))
            break;
        outer_step(&d, damping, &step[STEADY_INNER]);
        for (int k = 0; k < STEADY_INNER; k++) {
            step[k] = -d.inner[k][0];
            for (int m = 0; m < STEADY_OUTER; m++)
                step[k] -= d.inner[k][1 + m] * step[STEADY_INNER + m];
        }
        double moved = move(u, step, STEADY_ALL, to);
        to[U_HAND] = fmax(-s->hand_most_rad, fmin(s->hand_most_rad, to[U_HAND]));
        settle(s, c, to, there);
        double was = length(&r[STEADY_INNER], STEADY_OUTER);
        double is = length(&there[STEADY_INNER], STEADY_OUTER);
        if (!(is < was)) { /* not better: shorter */
            damping = damping * 4.0 + 1e-6;
            if (was < 1e-9)
                break;
            continue;
        }
        memcpy(u, to, sizeof to);
        memcpy(r, there, sizeof there);
        damping *= 0.3;
        if (is < 1e-10 || moved < 1e-10)
            break;
    }
    return n;
}

static void query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    const struct steady *s = road;
    (void)x_m;
    (void)y_m;
    *out = (struct ground_point){.normal = {0.0, 0.0, 1.0}, .friction = s->friction};
}

static void open_solver(void *solver, const void *model, double friction, enum steady_hold hold)
{
    struct steady *s = solver;
    struct lumped15_model *car = &s->model;
    struct plant_start start = {.speed_mps = 10.0, .gear = PLANT_GEAR_NEUTRAL};
    memset(s, 0, sizeof *s);
    *car = *(const struct lumped15_model *)model;
    car->steering.rack_friction_N = 0.0;
    for (int k = 0; k < AXLES; k++) {
        s->lock_Nm[k] = car->driveline.present ? car->driveline.lock_Nm[k] : 0.0;
        car->driveline.lock_Nm[k] = 0.0;
    }
    s->car = car;
    lumped15_facts(car, &s->facts);
    s->hold = (int)hold;
    s->friction = friction;
    s->ground = (struct ground){.road = s, .query = query};
    s->gyration_m = sqrt(car->inertia_kgm2[2] / car->total_kg);
    s->hand_most_rad = fabs(s->facts.steering.hand_rad[STEERING_INVERSE_POINTS - 1]);
    for (int i = 0; i < WHEELS; i++)
        s->share[i] = car->driveline.present ? car->driveline.share[i] : 0.25;
    lumped15_reset(car, &s->rest, &start, &s->ground);
    s->u[U_Z] = s->rest.pos_m[2];
    memcpy(&s->u[U_TRAVEL], s->rest.travel_m, sizeof s->rest.travel_m);
    memcpy(&s->u[U_SPIN], s->rest.spin_radps, sizeof s->rest.spin_radps);
}

/* Outputs are those of a step too short to change anything. */
static void tell(const struct steady *s, const struct circle *c, const double *r,
                 struct steady_point *out)
{
    struct lumped15_state x;
    struct plant_in in;
    struct plant_out o;
    struct footing f;
    place(s, c, s->u, &x, &in);
    lumped15_step(s->car, &x, &in, &s->ground, 1e-7);
    lumped15_ops.output(s->car, &x, &o);
    footing_of(&s->facts, &f);
    out->hand_rad = s->u[U_HAND];
    out->steer_rad = 0.5 * (o.steer_rad[FL] + o.steer_rad[FR]);
    out->sideslip_rad = s->u[U_SIDESLIP];
    out->roll_rad = s->u[U_ROLL];
    out->pitch_rad = s->u[U_PITCH];
    out->drive_N = s->hold == STEADY_PUSH ? s->u[U_DRIVE] : s->u[U_DRIVE] / f.radius_m[FL];
    out->felt_Nm = o.hand_wheel_Nm;
    out->rack_m = s->u[U_RACK];
    memcpy(out->load_N, o.load_N, sizeof out->load_N);
    memcpy(out->lat_N, o.lat_N, sizeof out->lat_N);
    memcpy(out->alpha_rad, o.alpha_rad, sizeof out->alpha_rad);
    memcpy(out->rest, &r[STEADY_INNER], sizeof out->rest);
    out->rest_mps2 = length(out->rest, STEADY_OUTER);
    for (int i = 0; i < STEADY_INNER; i++)
        out->unsettled = fmax(out->unsettled, fabs(r[i]));
}

static void solve_turn(void *solver, double speed_mps, double curvature_1pm,
                       struct steady_point *out)
{
    struct steady *s = solver;
    struct circle c = {speed_mps, curvature_1pm, 2.0};
    double r[STEADY_ALL];
    /* Wheels go with the speed, so that a change of it is no slip. */
    double was = fmax(fabs(s->u[U_SPIN + RL]), 1e-3);
    struct footing f;
    footing_of(&s->facts, &f);
    double by = speed_mps / f.radius_m[RL] / was;
    for (int i = 0; i < WHEELS; i++)
        s->u[U_SPIN + i] *= by;
    *out = (struct steady_point){.speed_mps = speed_mps,
                                 .radius_m = 1.0 / curvature_1pm,
                                 .lateral_mps2 = speed_mps * speed_mps * curvature_1pm};
    /* Locks harden step by step, so that wheels find out whether they slip. */
    double hard_radps = s->lock_Nm[FRONT] + s->lock_Nm[REAR] > 0.0 ? 0.02 : c.grip_radps;
    while (c.grip_radps >= hard_radps) {
        out->iterations += solve(s, &c, s->u, r);
        c.grip_radps *= 0.5;
    }
    c.grip_radps *= 2.0;
    tell(s, &c, r, out);
}

static double *guess(void *solver, size_t *count)
{
    struct steady *s = solver;
    *count = STEADY_ALL;
    return s->u;
}

const struct steady_ops lumped15_steady = {
    .bytes = sizeof(struct steady), .open = open_solver, .solve = solve_turn, .guess = guess};

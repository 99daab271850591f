#include "target/model/lumped15/stiffness_load.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double speeds_mps[STIFFNESS_SPEEDS] = {0.1, 0.5, 1.0,  2.0,  0.0,
                                                    0.0, 6.0, 15.0, 35.0, 70.0};
/* Just below and above the speed where the carcass damping ends, forward Euler has least to hold on
 * to: these two of the list follow the car. */
static const int near_crawl[2] = {4, 5};
static const double of_crawl[2] = {0.96, 1.2};
static const double loads[STIFFNESS_LOADS] = {0.3, 1.0, 2.0};
/* Slower modes are the car's motion, not stiffness; no integrator minds them. */
static const double slow_1ps = 1.0;
static const double margin = 1.25, settle_s = 2.0;

struct work_space {
    struct lumped15_model model;
    struct lumped15_state state;
    struct plant_in in;
    double x[LUMPED15_MOTION + 1];
    double J[(LUMPED15_MOTION + 1) * (LUMPED15_MOTION + 1)];
};

static void level_query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    (void)road;
    (void)x_m;
    (void)y_m;
    *out = (struct ground_point){.normal = {0.0, 0.0, 1.0}, .friction = 1.0};
}

static const struct ground level = {NULL, level_query};

/* Rates, or the change over one step per step, at x. */
static void rates(struct work_space *w, const double *x, double step_s, double *out)
{
    struct lumped15_state s = w->state;
    lumped15_ops.x_set(&w->model, &s, x);
    if (step_s > 0.0) {
        lumped15_step(&w->model, &s, &w->in, &level, step_s);
        lumped15_ops.x_get(&w->model, &s, out);
    } else {
        lumped15_ops.deriv(&w->model, &s, &w->in, &level, out);
    }
}

/* Column-major Jacobian by central differences. */
static void jacobian(struct work_space *w, size_t n, double step_s)
{
    double up[LUMPED15_MOTION + 1], down[LUMPED15_MOTION + 1];
    for (size_t k = 0; k < n; k++) {
        double keep = w->x[k], d = 1e-6 * (1.0 + fabs(keep));
        w->x[k] = keep + d;
        rates(w, w->x, step_s, up);
        w->x[k] = keep - d;
        rates(w, w->x, step_s, down);
        w->x[k] = keep;
        for (size_t i = 0; i < n; i++)
            w->J[k * n + i] = (up[i] - down[i]) / (2.0 * d);
    }
}

static int eigenvalues(struct work_space *w, size_t n, double *re, double *im)
{
    lapack_int bad = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', (lapack_int)n, w->J, (lapack_int)n,
                                   re, im, NULL, 1, NULL, 1);
    return bad ? -EDOM : 0;
}

static int point_of(struct work_space *w, double step_s, struct stiffness_point *p)
{
    size_t n = LUMPED15_MOTION + 1;
    double re[LUMPED15_MOTION + 1], im[LUMPED15_MOTION + 1];
    struct plant_start start = {.speed_mps = p->speed_mps};
    lumped15_reset(&w->model, &w->state, &start, &level);
    lumped15_ops.x_get(&w->model, &w->state, w->x);
    jacobian(w, n, 0.0);
    int bad = eigenvalues(w, n, re, im);
    if (bad)
        return bad;
    p->fastest_1ps = 0.0;
    p->forward_s = 1.0;
    for (size_t k = 0; k < n; k++) {
        double size = hypot(re[k], im[k]);
        p->fastest_1ps = fmax(p->fastest_1ps, size);
        if (size > slow_1ps && re[k] < 0.0)
            p->forward_s = fmin(p->forward_s, -2.0 * re[k] / (size * size));
    }
    if (!(step_s > 0.0))
        return 0;
    /* The step's own eigenvalues make sense at rest in the car's frame only: let it settle. */
    int settling = (int)(settle_s / step_s);
    for (int i = 0; i < settling; i++)
        lumped15_step(&w->model, &w->state, &w->in, &level, step_s);
    lumped15_ops.x_get(&w->model, &w->state, w->x);
    w->in.hand_wheel_rad = w->state.hand_rad;
    jacobian(w, n, step_s);
    bad = eigenvalues(w, n, re, im);
    p->growth = 0.0;
    for (size_t k = 0; k < n; k++)
        p->growth = fmax(p->growth, (hypot(re[k], im[k]) - 1.0) / step_s);
    return bad;
}

static double speed_at(const struct lumped15_model *m, int v)
{
    for (int k = 0; k < 2; k++)
        if (v == near_crawl[k])
            return of_crawl[k] * m->slip.crawl_mps;
    return speeds_mps[v];
}

int stiffness_of(const struct lumped15_model *m, double step_s, struct stiffness *out)
{
    struct work_space *w = aligned_alloc(_Alignof(struct work_space), sizeof *w);
    if (!w)
        return -ENOMEM;
    memset(out, 0, sizeof *out);
    memset(&w->in, 0, sizeof w->in);
    w->model = *m;
    w->model.integrator = MODEL_SEMI_IMPLICIT;
    w->model.hydraulics.on = 0; /* implicit, and no part of the motion */
    w->model.substeps = 1;
    /* Dry friction has no slope; it only ever takes energy out. */
    w->model.steering.rack_friction_N = 0.0;
    w->model.driveline.lock_Nm[0] = w->model.driveline.lock_Nm[1] = 0.0;
    out->tightest.forward_s = 1.0;
    int bad = 0;
    for (int v = 0; v < STIFFNESS_SPEEDS && !bad; v++) {
        for (int k = 0; k < STIFFNESS_LOADS && !bad; k++) {
            struct stiffness_point *p = &out->point[out->count++];
            p->speed_mps = speed_at(m, v);
            p->load = loads[k];
            w->model.gravity_mps2 = loads[k] * m->gravity_mps2;
            bad = point_of(w, step_s, p);
            if (p->fastest_1ps > out->fastest.fastest_1ps)
                out->fastest = *p;
            if (p->forward_s < out->tightest.forward_s)
                out->tightest = *p;
        }
    }
    free(w);
    return bad;
}

int stiffness_substeps(const struct stiffness *s, double step_s)
{
    return (int)fmin(ceil(margin * step_s / s->tightest.forward_s), 1e6);
}

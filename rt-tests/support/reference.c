#include "rt-tests/support/reference.h"

#include "rt-tests/support/cvode.h"

#include <math.h>

struct problem {
    const struct reference_run *run;
    struct lumped15_state state; /* what is not in the vector: gear, first guesses of friction */
};

static void set_hand(double time_s, const struct problem *p, struct plant_in *in,
                     struct lumped15_state *s)
{
    double rate_radps = 0.0;
    p->run->input(time_s, in, &rate_radps);
    if (in->steer == PLANT_STEER_ANGLE) {
        s->hand_rad = in->hand_wheel_rad;
        s->hand_radps = rate_radps;
    }
}

static int rates(realtype time_s, N_Vector x, N_Vector xdot, void *data)
{
    const struct problem *p = data;
    struct lumped15_state s = p->state;
    struct plant_in in = {.gear = p->state.driveline.gear};
    lumped15_ops.x_set(p->run->model, &s, N_VGetArrayPointer(x));
    set_hand(time_s, p, &in, &s);
    lumped15_ops.deriv(p->run->model, &s, &in, p->run->ground, N_VGetArrayPointer(xdot));
    return 0;
}

/* Absolute tolerances: one for each state, in its own unit. */
static void tolerances(double rtol, double *atol, size_t count)
{
    struct lumped15_state size;
    for (int k = 0; k < LUMPED15_MOTION; k++)
        lumped15_motion(&size)[k] = 1.0;
    for (int i = 0; i < WHEELS; i++) {
        size.travel_m[i] = size.slip_x_m[i] = size.slip_y_m[i] = 1e-2;
        size.travel_mps[i] = 0.1;
        size.pressure_Pa[i] = 1e5;
        size.spin_radps[i] = 10.0;
    }
    size.rack_m = 1e-2;
    size.rack_mps = 0.1;
    size.driveline.engine_radps = 10.0;
    lumped15_ops.x_get(NULL, &size, atol);
    for (size_t k = 0; k < count; k++)
        atol[k] = rtol * (k < REFERENCE_X ? atol[k] : 1e-9); /* the rest: volumes of hydraulics */
}

static int solve(void *cvode, N_Vector x, double every_s, int count, double (*out)[REFERENCE_X])
{
    double reached_s = 0.0;
    for (int n = 0; n < count; n++) {
        int bad = CVode(cvode, (n + 1) * every_s, x, &reached_s, CV_NORMAL);
        if (bad < 0)
            return bad;
        for (int k = 0; k < REFERENCE_X; k++)
            out[n][k] = N_VGetArrayPointer(x)[k];
    }
    return 0;
}

int reference_solve(const struct reference_run *run, const struct lumped15_state *state,
                    double every_s, int count, double (*out)[REFERENCE_X])
{
    struct problem p = {run, *state};
    struct cvode_solver solver;
    sunindextype count_x = (sunindextype)lumped15_ops.x_count(run->model);
    int bad = cvode_open(&solver, count_x);
    if (!bad) {
        lumped15_ops.x_get(run->model, state, cvode_x(&solver));
        tolerances(run->rtol, cvode_atol(&solver), (size_t)count_x);
        bad = cvode_begin(&solver, rates, &p, run->rtol);
    }
    if (!bad)
        bad = solve(solver.cvode, solver.x, every_s, count, out);
    cvode_close(&solver);
    return bad;
}

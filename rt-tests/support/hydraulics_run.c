#include "rt-tests/support/hydraulics_run.h"

#include "rt-tests/support/cvode.h"

#include <math.h>
#include <string.h>

struct plant_in hydraulics_pressed(double pedal)
{
    struct plant_in in;
    memset(&in, 0, sizeof in);
    in.brake = PLANT_BRAKE_VALVES;
    in.brake_pedal = pedal;
    return in;
}

int hydraulics_run(const struct hydraulics_model *m, const struct hydraulics_state *start,
                   const struct hydraulics_phase *phase, int phases, double every_s, double dt_s,
                   struct hydraulics_state *out, int max)
{
    struct hydraulics_state s = *start;
    int count = 0, steps = (int)(every_s / dt_s + 0.5);
    for (int k = 0; k < phases; k++)
        for (int n = (int)(phase[k].for_s / every_s + 0.5); n > 0 && count < max; n--) {
            for (int j = 0; j < steps; j++)
                hydraulics_step(m, &s, &phase[k].in, dt_s);
            out[count++] = s;
        }
    return count;
}

struct problem {
    const struct hydraulics_model *m;
    const struct plant_in *in;
};

static int rates(realtype time_s, N_Vector x, N_Vector xdot, void *data)
{
    const struct problem *p = data;
    struct hydraulics_state s, rate;
    (void)time_s;
    memset(&s, 0, sizeof s);
    memcpy(&s, N_VGetArrayPointer(x), HYDRAULICS_X * sizeof(double));
    hydraulics_deriv(p->m, &s, p->in, &rate);
    memcpy(N_VGetArrayPointer(xdot), &rate, HYDRAULICS_X * sizeof(double));
    return 0;
}

/* Each state's own size times the relative tolerance; volumes count by the pressure they make. */
static void tolerances(double rtol, double *atol)
{
    struct hydraulics_state size;
    for (int k = 0; k < HYDRAULICS_X; k++)
        ((double *)(void *)&size)[k] = 1.0;
    size.booster_N = 100.0;
    for (int c = 0; c < CIRCUITS; c++) {
        size.piston_m[c] = 1e-4;
        size.master_m3[c] = size.line_m3[c] = 1e-9;
        size.accumulator_m3[c] = 1e-8;
    }
    for (int i = 0; i < WHEELS; i++)
        size.caliper_m3[i] = 1e-8;
    size.reservoir_m3 = size.lost_m3 = 1e-8;
    memcpy(atol, &size, HYDRAULICS_X * sizeof *atol);
    for (int k = 0; k < HYDRAULICS_X; k++)
        atol[k] *= rtol;
}

static int solve(void *cvode, N_Vector x, const struct hydraulics_phase *phase, int phases,
                 double every_s, struct problem *p, struct hydraulics_state *out, int max)
{
    int count = 0;
    double begin_s = 0.0, reached_s = 0.0;
    for (int k = 0; k < phases; k++) {
        int n = (int)(phase[k].for_s / every_s + 0.5);
        p->in = &phase[k].in;
        int bad = CVodeReInit(cvode, begin_s, x);
        for (int j = 0; j < n && count < max && bad >= 0; j++) {
            bad = CVodeSetStopTime(cvode, begin_s + (j + 1) * every_s);
            bad = bad ? bad : CVode(cvode, begin_s + (j + 1) * every_s, x, &reached_s, CV_NORMAL);
            memset(&out[count], 0, sizeof out[count]);
            memcpy(&out[count++], N_VGetArrayPointer(x), HYDRAULICS_X * sizeof(double));
        }
        if (bad < 0)
            return bad;
        begin_s += n * every_s;
    }
    return count;
}

int hydraulics_reference(const struct hydraulics_model *m, const struct hydraulics_state *start,
                         const struct hydraulics_phase *phase, int phases, double every_s,
                         double rtol, struct hydraulics_state *out, int max)
{
    struct problem p = {m, &phase[0].in};
    struct cvode_solver solver;
    int bad = cvode_open(&solver, HYDRAULICS_X), count = 0;
    if (!bad) {
        memcpy(cvode_x(&solver), start, HYDRAULICS_X * sizeof(double));
        tolerances(rtol, cvode_atol(&solver));
        bad = cvode_begin(&solver, rates, &p, rtol);
    }
    if (!bad)
        count = solve(solver.cvode, solver.x, phase, phases, every_s, &p, out, max);
    cvode_close(&solver);
    return bad ? bad : count;
}

#include "rt-tests/support/cvode.h"

#include <string.h>

int cvode_open(struct cvode_solver *s, sunindextype count)
{
    memset(s, 0, sizeof *s);
    if (SUNContext_Create(NULL, &s->context))
        return CV_MEM_FAIL;
    s->x = N_VNew_Serial(count, s->context);
    s->atol = N_VNew_Serial(count, s->context);
    s->A = SUNDenseMatrix(count, count, s->context);
    s->linear = s->x && s->A ? SUNLinSol_Dense(s->x, s->A, s->context) : NULL;
    s->cvode = CVodeCreate(CV_BDF, s->context);
    return s->x && s->atol && s->linear && s->cvode ? 0 : CV_MEM_FAIL;
}

double *cvode_x(struct cvode_solver *s)
{
    return N_VGetArrayPointer(s->x);
}

double *cvode_atol(struct cvode_solver *s)
{
    return N_VGetArrayPointer(s->atol);
}

int cvode_begin(struct cvode_solver *s, CVRhsFn rates, void *data, double rtol)
{
    int bad = CVodeInit(s->cvode, rates, 0.0, s->x);
    bad = bad ? bad : CVodeSVtolerances(s->cvode, rtol, s->atol);
    bad = bad ? bad : CVodeSetLinearSolver(s->cvode, s->linear, s->A);
    bad = bad ? bad : CVodeSetUserData(s->cvode, data);
    return bad ? bad : CVodeSetMaxNumSteps(s->cvode, 1000000);
}

void cvode_close(struct cvode_solver *s)
{
    CVodeFree(&s->cvode);
    if (s->linear)
        SUNLinSolFree(s->linear);
    if (s->A)
        SUNMatDestroy(s->A);
    if (s->atol)
        N_VDestroy(s->atol);
    if (s->x)
        N_VDestroy(s->x);
    if (s->context)
        SUNContext_Free(&s->context);
}

/* SUNDIALS CVODE as reference solver: BDF, dense Newton, one absolute tolerance for each state. */
#ifndef SKIDPAD_TESTS_CVODE_H
#define SKIDPAD_TESTS_CVODE_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

struct cvode_solver {
    SUNContext context;
    N_Vector x, atol;
    SUNMatrix A;
    SUNLinearSolver linear;
    void *cvode;
};

/* For so many states; x and atol are the caller's to fill. Returns 0 or what CVODE said; close it
 * in either case. */
int cvode_open(struct cvode_solver *s, sunindextype count);
double *cvode_x(struct cvode_solver *s);
double *cvode_atol(struct cvode_solver *s);
/* From time 0, with the rates of x. */
int cvode_begin(struct cvode_solver *s, CVRhsFn rates, void *data, double rtol);
void cvode_close(struct cvode_solver *s);

#endif

#include "target/model/spin.h"

#include "target/model/spin_kernel.h"

void spin_solve(const struct spin_problem *p, double dt_s, struct spin_result *r)
{
    kernel_spin_solve(p, dt_s, r);
}

#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void near_check(double is, double want, double tolerance, const char *what, const char *file,
                int line)
{
    if (fabs(is - want) <= tolerance)
        return;
    print_error("%s is %.17g, want %.17g within %.3g (off by %.3g)\n", what, is, want, tolerance,
                is - want);
    _fail(file, line);
}

void near_ratio(double is, double want, double share, const char *what, const char *file, int line)
{
    if (fabs(is - want) <= share * fabs(want))
        return;
    print_error("%s is %.9g, want %.9g within %.3g of it (off by %.3g)\n", what, is, want, share,
                is / want - 1.0);
    _fail(file, line);
}

void near_below(double is, double bound, const char *what, const char *file, int line)
{
    if (is < bound)
        return;
    print_error("%s is %.9g, want less than %.9g\n", what, is, bound);
    _fail(file, line);
}

void near_above(double is, double bound, const char *what, const char *file, int line)
{
    if (is > bound)
        return;
    print_error("%s is %.9g, want more than %.9g\n", what, is, bound);
    _fail(file, line);
}

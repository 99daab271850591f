#include "target/scenario/verdict.h"

#include <math.h> /* NAN only */
#include <string.h>

/* A time that bounds a window; otherwise if it is not given; NaN if it never came. */
static double bound_s(bool given, const struct expr *e, const struct expr_trace *drive,
                      const double *named, double otherwise)
{
    struct expr_result r;
    if (!given)
        return otherwise;
    expr_over(e, drive, (struct expr_window){0, drive->rows - 1}, named, &r);
    return r.exists ? r.value : (double)NAN;
}

void verdict_judge(const struct verdict *v, const struct expr_trace *drive,
                   struct verdict_result *out)
{
    struct expr_result r;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < VERDICT_MEASURES; i++)
        out->measure[i] = (double)NAN;
    if (drive->rows == 0) {
        out->failed = v->criteria;
        for (int i = 0; i < v->criteria; i++)
            out->outcome[i] = VERDICT_NO_VALUE;
        return;
    }
    double begin_s = drive->row[0].time_s, end_s = drive->row[drive->rows - 1].time_s;
    for (int i = 0; i < v->measures; i++) {
        const struct verdict_measure *m = &v->measure[i];
        double from_s = bound_s(m->has_from, &m->from, drive, out->measure, begin_s);
        double to_s = bound_s(m->has_to, &m->to, drive, out->measure, end_s);
        expr_over(&m->value, drive, expr_window_of(drive, from_s, to_s), out->measure, &r);
        out->measure[i] = r.exists ? r.value : (double)NAN;
    }
    for (int i = 0; i < v->criteria; i++) {
        expr_over(&v->criterion[i].that, drive, (struct expr_window){0, drive->rows - 1},
                  out->measure, &r);
        out->left[i] = r.left;
        out->right[i] = r.right;
        out->outcome[i] = !r.exists        ? VERDICT_NO_VALUE
                          : r.value != 0.0 ? VERDICT_PASS
                                           : VERDICT_FAIL;
        out->failed += out->outcome[i] != VERDICT_PASS;
    }
}

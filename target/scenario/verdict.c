#include "target/scenario/verdict.h"

#include <math.h> /* NAN only */
#include <string.h>

/* What is judged, and what is known: the parameters, then the measures so far. */
struct judge {
    const struct expr_trace *drive;
    struct expr_window whole;
    double named[PARAMETERS + VERDICT_MEASURES];
};

/* A time that bounds a window; otherwise if it is not given; NaN if it never came. */
static double bound_s(bool given, const struct expr *e, const struct judge *j, double otherwise)
{
    struct expr_result r;
    if (!given)
        return otherwise;
    expr_over(e, j->drive, j->whole, j->named, &r);
    return r.exists ? r.value : (double)NAN;
}

static bool asked(bool has_if, const struct expr *when, const struct judge *j)
{
    struct expr_result r;
    if (!has_if)
        return true;
    expr_over(when, j->drive, j->whole, j->named, &r);
    return r.exists && r.value != 0.0;
}

static double measure(const struct verdict_measure *m, const struct judge *j)
{
    const struct expr_trace *t = j->drive;
    struct expr_result r;
    if (!asked(m->has_if, &m->when, j))
        return (double)NAN;
    double from_s = bound_s(m->has_from, &m->from, j, t->row[0].time_s);
    double to_s = bound_s(m->has_to, &m->to, j, t->row[t->rows - 1].time_s);
    expr_over(&m->value, t, expr_window_of(t, from_s, to_s), j->named, &r);
    return r.exists ? r.value : (double)NAN;
}

static void criterion(const struct verdict_criterion *c, int i, const struct judge *j,
                      struct verdict_result *out)
{
    struct expr_result r;
    out->left[i] = out->right[i] = (double)NAN;
    out->outcome[i] = VERDICT_NOT_ASKED;
    if (!asked(c->has_if, &c->when, j))
        return;
    expr_over(&c->that, j->drive, j->whole, j->named, &r);
    out->left[i] = r.left;
    out->right[i] = r.right;
    out->outcome[i] = !r.exists ? VERDICT_NO_VALUE : r.value != 0.0 ? VERDICT_PASS : VERDICT_FAIL;
    out->failed += out->outcome[i] != VERDICT_PASS;
}

void verdict_judge(const struct verdict *v, const struct expr_trace *drive,
                   struct verdict_result *out)
{
    struct judge j = {.drive = drive, .whole = {0, drive->rows - 1}};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < VERDICT_MEASURES; i++)
        out->measure[i] = (double)NAN;
    if (drive->rows == 0) {
        out->failed = v->criteria;
        for (int i = 0; i < v->criteria; i++)
            out->outcome[i] = VERDICT_NO_VALUE;
        return;
    }
    memcpy(j.named, v->known.value, sizeof v->known.value);
    for (int i = 0; i < v->measures; i++)
        j.named[v->known.count + i] = out->measure[i] = measure(&v->measure[i], &j);
    for (int i = 0; i < v->criteria; i++)
        criterion(&v->criterion[i], i, &j, out);
}

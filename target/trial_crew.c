/* Several trials at a time, and what came of each. */
#include "shared/base/nearest.h"
#include "target/crew.h"
#include "target/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct task {
    struct trials *t;
    bool charts;
};

static void drive_one(void *task, int i)
{
    struct task *c = task;
    double begin_s = clock_s();
    trial_drive(&c->t->trial[i], c->t->units, c->t->bench, c->charts);
    c->t->trial[i].wall_s = clock_s() - begin_s;
}

void trials_drive(struct trials *t, int threads, bool with_charts)
{
    struct task c = {.t = t, .charts = with_charts};
    double begin_s = clock_s();
    crew_run(threads, t->count, drive_one, &c);
    t->wall_s = clock_s() - begin_s;
}

/* Whether a criterion failed in any drive. */
static bool failed_once(const struct trial *t, int criterion)
{
    for (int i = 0; i < t->runs; i++)
        if (!verdict_good(t->run[i].result.outcome[criterion]))
            return true;
    return false;
}

/* All pass, or exactly those fail that should. */
static bool as_expected(const struct trial *t)
{
    int found = 0;
    for (int i = 0; i < t->verdict->criteria; i++) {
        bool wanted = false;
        for (int k = 0; k < t->expected; k++)
            wanted = wanted || strcmp(t->expect_fail[k], t->verdict->criterion[i].name) == 0;
        if (wanted != failed_once(t, i))
            return false;
        found += wanted;
    }
    return found == t->expected;
}

bool trial_knows_expected(const struct trial *t, const struct verdict *v)
{
    const char *known[VERDICT_CRITERIA];
    for (int i = 0; i < v->criteria; i++)
        known[i] = v->criterion[i].name;
    for (int k = 0; k < t->expected; k++) {
        bool found = false;
        for (int i = 0; i < v->criteria; i++)
            found = found || strcmp(known[i], t->expect_fail[k]) == 0;
        if (found)
            continue;
        const char *near = nearest_word(t->expect_fail[k], known, (size_t)v->criteria);
        fprintf(stderr, "%s:%zu:%zu: expect_fail: %s has no criterion \"%s\" to fail%s%s%s\n",
                t->suite, t->expect_at[k].line, t->expect_at[k].column, t->scenario,
                t->expect_fail[k], near ? ", did you mean \"" : "", near ? near : "",
                near ? "\"?" : "");
        return false;
    }
    return true;
}

void trial_conclude(struct trial *t)
{
    bool clean = true;
    t->time_s = 0.0;
    for (int i = 0; i < t->runs; i++) {
        const struct trial_run *r = &t->run[i];
        t->status = r->status > t->status ? r->status : t->status;
        t->time_s += r->time_s;
        clean = clean && r->status == 0 && r->cause == 0 && r->lacks[0] == '\0';
        if (t->expected == 0) /* a car that is meant to fail may well upset its unit */
            clean = clean && r->codes.verdict == DIAGNOSIS_PASS;
    }
    if (t->verdict && !trial_knows_expected(t, t->verdict))
        t->status = TRIAL_BAD_INPUT;
    if (t->verdict)
        (void)snprintf(t->standard, sizeof t->standard, "%s", t->verdict->standard);
    t->passed = t->runs > 0 && clean && (t->verdict ? as_expected(t) : t->unjudged);
}

int trial_telling_run(const struct trial *t, int criterion)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < t->runs; i++) {
        const struct verdict_result *r = &t->run[i].result;
        /* as a share of the limit: limits may grow along a series */
        double limit = fabs(r->right[criterion]);
        double margin =
            fabs(r->left[criterion] - r->right[criterion]) / (limit > 0.0 ? limit : 1.0);
        if (!verdict_good(r->outcome[criterion]))
            return i;
        if (r->outcome[criterion] == VERDICT_PASS && (best < 0 || margin < least)) {
            least = margin < least ? margin : least;
            best = i;
        }
    }
    return best < 0 ? 0 : best;
}

void trials_free(struct trials *t)
{
    for (int i = 0; i < t->count; i++) {
        for (int k = 0; k < t->trial[i].runs; k++)
            free(t->trial[i].run[k].charts);
        free(t->trial[i].run);
        free(t->trial[i].verdict);
    }
}

int trials_failed(const struct trials *t)
{
    int failed = 0;
    for (int i = 0; i < t->count; i++)
        failed += !t->trial[i].passed;
    return failed;
}

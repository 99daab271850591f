/* Drives trials, several at a time, and judges each by its record. */
#include "target/signals_fill.h"
#include "target/trial.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double record_hz = 500.0; /* fast enough for every criterion; linear in between */

/* The record of a drive. */
struct record {
    struct signals *row;
    double *extra;
    size_t rows, room;
    uint64_t every; /* ticks */
};

static double clock_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int record_open(struct record *r, const struct offline *o)
{
    const struct scenario *sc = o->scenario;
    double every = floor(1.0 / (record_hz * sc->step_s) + 0.5);
    r->every = every >= 1.0 ? (uint64_t)every : 1;
    r->room = (size_t)(sc->duration_s / (sc->step_s * (double)r->every)) + 3;
    r->row = malloc(r->room * sizeof *r->row);
    r->extra = malloc(r->room * EXTRAS * sizeof *r->extra);
    r->rows = 0;
    return r->row && r->extra ? 0 : -ENOMEM;
}

static void record_add(struct record *r, const struct offline *o, bool is_last)
{
    if (r->rows >= r->room || (o->tick % r->every != 0 && !is_last))
        return;
    signals_fill(&r->row[r->rows], &o->in, &o->out, &o->sense);
    memcpy(&r->extra[r->rows * EXTRAS], o->course.extra, EXTRAS * sizeof *r->extra);
    r->rows++;
}

static int drive(struct offline *o, struct record *r)
{
    uint64_t ticks = (uint64_t)llround(o->scenario->duration_s / o->scenario->step_s);
    while (o->tick < ticks && !o->course.is_over) {
        offline_step(o);
        if (o->out.fault)
            return 3;
        record_add(r, o, o->tick == ticks || o->course.is_over);
    }
    return 0;
}

/* All pass, or exactly those fail that should. */
static bool as_expected(const struct trial *t)
{
    int found = 0;
    for (int i = 0; i < t->verdict->criteria; i++) {
        bool wanted = false;
        for (int k = 0; k < t->expected; k++)
            wanted = wanted || strcmp(t->expect_fail[k], t->verdict->criterion[i].name) == 0;
        if (wanted != (t->result.outcome[i] != VERDICT_PASS))
            return false;
        found += wanted;
    }
    return found == t->expected;
}

static void judge(struct trial *t, const struct offline *o, const struct record *r, bool charts)
{
    const struct expr_trace trace = {
        .row = r->row, .extra = r->extra, .rows = r->rows, .extras = EXTRAS};
    t->verdict = malloc(sizeof *t->verdict);
    if (!t->verdict) {
        t->status = 2;
        return;
    }
    memcpy(t->verdict, o->scenario->verdict, sizeof *t->verdict);
    (void)snprintf(t->standard, sizeof t->standard, "%s", t->verdict->standard);
    verdict_judge(t->verdict, &trace, &t->result);
    t->passed = t->status == 0 && as_expected(t);
    if (charts)
        t->charts = trial_charts(o, &trace);
}

static void drive_one(struct trial *t, bool charts)
{
    struct offline_options set = {.duration_s = -1.0,
                                  .integrator = t->integrator,
                                  .vehicle = t->vehicle[0] ? t->vehicle : NULL};
    struct offline *o = malloc(sizeof *o);
    struct record r = {0};
    double begin_s = clock_s();
    t->status = 2;
    if (!o)
        return;
    if (offline_open(t->scenario, &set, o) == 0) {
        if (t->friction > 0.0)
            o->scenario->road.friction_left = o->scenario->road.friction_right = t->friction;
        (void)snprintf(t->car, sizeof t->car, "%s", o->vehicle->name);
        if (!o->scenario->verdict)
            fprintf(stderr, "%s: has no `pass`: nothing to judge\n", t->scenario);
        else if (record_open(&r, o) == 0) {
            t->status = drive(o, &r);
            t->time_s = o->out.time_s;
            judge(t, o, &r, charts);
        }
    }
    t->wall_s = clock_s() - begin_s;
    free(r.row);
    free(r.extra);
    offline_close(o);
    free(o);
}

struct crew {
    struct trials *t;
    atomic_int next;
    bool charts;
};

static void *work(void *crew)
{
    struct crew *c = crew;
    for (int i = atomic_fetch_add(&c->next, 1); i < c->t->count; i = atomic_fetch_add(&c->next, 1))
        drive_one(&c->t->trial[i], c->charts);
    return NULL;
}

void trials_drive(struct trials *t, int threads, bool with_charts)
{
    struct crew c = {.t = t, .charts = with_charts};
    pthread_t id[64];
    int started = 0;
    while (started < threads - 1 && started < 64 &&
           pthread_create(&id[started], NULL, work, &c) == 0)
        started++;
    (void)work(&c);
    for (int i = 0; i < started; i++)
        (void)pthread_join(id[i], NULL);
}

void trials_free(struct trials *t)
{
    for (int i = 0; i < t->count; i++) {
        free(t->trial[i].verdict);
        free(t->trial[i].charts);
    }
}

int trials_failed(const struct trials *t)
{
    int failed = 0;
    for (int i = 0; i < t->count; i++)
        failed += !t->trial[i].passed;
    return failed;
}

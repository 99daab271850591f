/* The drives of a trial: those that come before it, then its own or its series. */
#include "target/trial.h"
#include "target/trial_unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_INPUT = 2, DEPTH_MOST = 3 };

/* What all drives of a trial have in common. */
struct job {
    const struct trial *t;
    const struct trial_units *units;
    const char *vehicle; /* NULL: the scenario's */
    bool charts;
};

/* The drives of one scenario. */
struct drives {
    struct parameters given; /* in: names set so far */
    int runs;
    struct trial_run *run;
    struct verdict *verdict;
    struct series_plan plan;
    char name[SCENARIO_NAME], car[VEHICLE_NAME], unit_file[TRIAL_PATH];
    bool failure_drawn;
    int taken;
    struct trial_taken take[TRIAL_TAKEN];
};

static void drives_free(struct drives *d)
{
    for (int i = 0; i < d->runs; i++)
        free(d->run[i].charts);
    free(d->run);
    free(d->verdict);
}

static struct offline_options options_of(const struct job *j, const struct parameters *given)
{
    return (struct offline_options){.duration_s = -1.0,
                                    .integrator = j->t->integrator,
                                    .vehicle = j->vehicle,
                                    .parameters = given};
}

/* Charts are of the last drive, and of the first one that fails. */
static bool judge(const struct job *j, struct drives *d, const struct offline *o,
                  const struct drive_record *r, bool is_last, struct trial_run *run)
{
    const struct expr_trace trace = drive_record_trace(r);
    struct verdict *v = d->verdict ? d->verdict : malloc(sizeof *v);
    if (!v)
        return false;
    d->verdict = v;
    memcpy(v, o->scenario->verdict, sizeof *v);
    verdict_judge(v, &trace, &run->result);
    bool failure = run->result.failed > 0 && !d->failure_drawn;
    if (j->charts && (is_last || failure))
        run->charts = trial_charts(o->scenario, o->vehicle, &trace);
    d->failure_drawn = d->failure_drawn || failure;
    return true;
}

/* One drive with these names. */
static void drive_run(const struct job *j, const char *scenario, const struct parameters *given,
                      bool is_last, struct drives *d, struct trial_run *run)
{
    const struct offline_options set = options_of(j, given);
    struct offline *o = malloc(sizeof *o);
    struct drive_record r = {0};
    struct trial_unit_files unit;
    run->status = BAD_INPUT;
    if (!o)
        return;
    if (offline_open(scenario, &set, o) == 0) {
        struct scenario *sc = o->scenario;
        const char *car = j->vehicle ? j->vehicle : sc->vehicle;
        if (j->t->friction > 0.0)
            sc->road.friction_left = sc->road.friction_right = j->t->friction;
        (void)snprintf(d->name, sizeof d->name, "%s", sc->name);
        (void)snprintf(d->car, sizeof d->car, "%s", o->vehicle->name);
        if (!sc->verdict)
            fprintf(stderr, "%s: has no `pass`: nothing to judge\n", scenario);
        else if (trial_unit_choose(&j->t->unit, &sc->unit, car, &unit) == 0) {
            (void)snprintf(d->unit_file, sizeof d->unit_file, "%s", unit.params);
            run->status = trial_loop(o, j->units, &unit, &r, &run->cause, &run->codes);
            run->time_s = r.rows > 0 ? r.row[r.rows - 1].time_s : o->out.time_s;
            if (run->status != BAD_INPUT && !judge(j, d, o, &r, is_last, run))
                run->status = BAD_INPUT;
        }
    }
    drive_record_free(&r);
    offline_close(o);
    free(o);
}

static void label_run(const struct series_plan *plan, const struct parameters *p, char *text,
                      size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < plan->names; k++) {
        const struct series_name *n = &plan->name[k];
        int at = parameters_find(p, n->name);
        size_t used = strlen(text);
        (void)snprintf(text + used, size - used, "%s%s %.4g%s%s", k ? ", " : "", n->name,
                       at < 0 ? 0.0 : p->value[at] * n->per_unit, n->unit[0] ? " " : "", n->unit);
    }
}

static int drive_all(const struct job *j, const char *scenario, int depth, struct drives *d);

/* The measure that a drive before is there for, into the names. It gets the parameters of the
 * file that needs it. */
static int take_before(const struct job *j, const struct before *b, const struct parameters *own,
                       int depth, struct drives *d)
{
    struct drives first = {.given = *own};
    struct job quiet = *j;
    for (int i = 0; i < b->set.count; i++)
        (void)parameters_set(&first.given, b->set.name[i], b->set.value[i], b->set.dim[i]);
    quiet.charts = false;
    int status = drive_all(&quiet, b->scenario, depth + 1, &first), measure = -1;
    double best = (double)NAN;
    for (int k = 0; first.verdict && k < first.verdict->measures; k++)
        if (strcmp(first.verdict->measure[k].name, b->measure) == 0)
            measure = k;
    if (status == 0 && measure < 0) {
        fprintf(stderr, "%s: has no measure \"%s\", which %s takes\n", b->scenario, b->measure,
                j->t->scenario);
        status = BAD_INPUT;
    }
    for (int i = 0; status == 0 && i < first.runs; i++) {
        double is = first.run[i].result.measure[measure];
        if (isfinite(is) && (!isfinite(best) || b->take == BEFORE_LAST ||
                             (b->take == BEFORE_MAX ? is > best : is < best)))
            best = is;
    }
    if (status == 0 && isfinite(best)) {
        const struct verdict_measure *m = &first.verdict->measure[measure];
        (void)parameters_set(&d->given, b->name, best, m->value.dim);
        struct trial_taken *take = &d->take[d->taken++];
        *take = (struct trial_taken){.value = best, .per_unit = m->per_unit};
        (void)snprintf(take->name, sizeof take->name, "%s", b->name);
        (void)snprintf(take->unit, sizeof take->unit, "%s", m->unit);
    } else if (status == 0) {
        fprintf(stderr, "%s: no drive gave \"%s\", which %s needs\n", b->scenario, b->measure,
                j->t->scenario);
        status = 1;
    }
    drives_free(&first);
    return status;
}

/* What comes before, and how many drives there are then. */
static int plan_drives(const struct job *j, const char *scenario, int depth, struct drives *d)
{
    struct series_plan first;
    for (int pass = 0; pass < 2; pass++) {
        const struct scenario_given given = {.parameters = &d->given, .vehicle = j->vehicle};
        struct scenario *sc = NULL;
        struct cfg_doc *doc = NULL;
        int bad = scenario_load_given(scenario, &given, &sc, &doc);
        if (doc)
            cfg_print_messages(doc, stderr);
        cfg_close(doc);
        if (bad)
            return BAD_INPUT;
        d->plan = sc->plan;
        const struct parameters own = sc->parameters;
        scenario_free(sc);
        if (d->plan.befores == 0)
            return 0;
        first = d->plan;
        for (int i = 0; pass == 0 && i < first.befores; i++) {
            int status =
                depth < DEPTH_MOST ? take_before(j, &first.before[i], &own, depth, d) : BAD_INPUT;
            if (status)
                return status;
        }
    }
    return 0;
}

static int drive_all(const struct job *j, const char *scenario, int depth, struct drives *d)
{
    int status = plan_drives(j, scenario, depth, d);
    int count = status ? 1 : plan_count(&d->plan);
    d->run = calloc((size_t)count, sizeof *d->run);
    if (!d->run)
        return BAD_INPUT;
    d->runs = count;
    if (status) {
        d->run[0].status = status;
        return status;
    }
    for (int i = 0; i < count; i++) {
        struct parameters names = d->given;
        struct trial_run *run = &d->run[i];
        plan_at(&d->plan, i, &names);
        label_run(&d->plan, &names, run->label, sizeof run->label);
        drive_run(j, scenario, &names, i + 1 == count, d, run);
        if (run->status == BAD_INPUT) {
            d->runs = i + 1;
            return BAD_INPUT;
        }
    }
    return 0;
}

void trial_drive(struct trial *t, const struct trial_units *units, bool with_charts)
{
    const struct job j = {.t = t,
                          .units = units,
                          .vehicle = t->vehicle[0] ? t->vehicle : NULL,
                          .charts = with_charts};
    struct drives d = {.given = t->parameters};
    (void)drive_all(&j, t->scenario, 0, &d);
    t->runs = d.runs;
    t->run = d.run;
    t->verdict = d.verdict;
    t->taken = d.taken;
    memcpy(t->take, d.take, sizeof t->take);
    if (d.name[0] && !t->is_named)
        (void)snprintf(t->name, sizeof t->name, "%s", d.name);
    (void)snprintf(t->car, sizeof t->car, "%s", d.car);
    (void)snprintf(t->unit_file, sizeof t->unit_file, "%s", d.unit_file);
    trial_conclude(t);
}

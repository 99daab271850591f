/* The drives of a trial: those that come before it, then its own or its series. */
#include "shared/base/nearest.h"
#include "target/trial.h"
#include "target/trial_unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_INPUT = TRIAL_BAD_INPUT, DEPTH_MOST = 3 };

/* What all drives of a trial have in common. */
struct job {
    const struct trial *t;
    const struct trial_units *units;
    struct trial_bench *bench;
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
    int drives; /* with those before */
    double driven_s;
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
        (void)snprintf(d->name, sizeof d->name, "%s", sc->name);
        (void)snprintf(d->car, sizeof d->car, "%s", o->vehicle->name);
        if (!sc->verdict)
            fprintf(stderr, "%s: has no measures: nothing to take from it\n", scenario);
        else if (trial_unit_choose(&j->t->unit, &sc->unit, car, &unit) == 0) {
            if (j->bench) {
                const struct scenario_unit *said =
                    j->t->unit.kind != UNIT_NOT_SAID ? &j->t->unit : &sc->unit;
                j->bench->drive(j->bench, j->t, scenario, car, said->kind == UNIT_NONE, given, &r,
                                run);
                (void)snprintf(d->unit_file, sizeof d->unit_file, "%s", j->bench->unit);
            } else {
                struct trial_safe safe;
                run->status = trial_loop(o, j->units, &unit, &r, &safe, &run->codes);
                run->cause = safe.cause;
                run->cause_s = safe.time_s;
                (void)snprintf(d->unit_file, sizeof d->unit_file, "%s", unit.params);
            }
            d->drives++;
            run->time_s = r.rows > 0 ? r.row[r.rows - 1].time_s : 0.0;
            d->driven_s += run->time_s;
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

/* The drives that a measure is taken from, with the parameters of the file that needs it. */
static int drive_before(const struct job *j, const struct before *b, const struct parameters *own,
                        int depth, struct drives *first)
{
    struct job quiet = *j;
    quiet.charts = false;
    memset(first, 0, sizeof *first);
    first->given = *own;
    for (int i = 0; i < b->set.count; i++)
        (void)parameters_set(&first->given, b->set.name[i], b->set.value[i], b->set.dim[i]);
    return depth < DEPTH_MOST ? drive_all(&quiet, b->scenario, depth + 1, first) : BAD_INPUT;
}

/* The last, largest or smallest value of a measure over the drives that were driven well. */
static double best_of(const struct drives *first, int measure, int take)
{
    double best = (double)NAN;
    for (int i = 0; i < first->runs; i++) {
        double is = first->run[i].result.measure[measure];
        if (first->run[i].status == TRIAL_DRIVEN && first->run[i].cause == 0 && isfinite(is) &&
            (!isfinite(best) || take == BEFORE_LAST ||
             (take == BEFORE_MAX ? is > best : is < best)))
            best = is;
    }
    return best;
}

/* The measure that a drive before is there for, into the names. */
static int take_before(const struct before *b, const struct drives *first, struct drives *d)
{
    int measure = -1;
    for (int k = 0; first->verdict && k < first->verdict->measures; k++)
        if (strcmp(first->verdict->measure[k].name, b->measure) == 0)
            measure = k;
    if (measure < 0) {
        fprintf(stderr, "%s: has no measure \"%s\", which is taken from it\n", b->scenario,
                b->measure);
        return BAD_INPUT;
    }
    double best = best_of(first, measure, b->take);
    if (!isfinite(best)) {
        fprintf(stderr, "%s: no drive gave \"%s\", which is taken from it\n", b->scenario,
                b->measure);
        return TRIAL_NO_VALUE;
    }
    const struct verdict_measure *m = &first->verdict->measure[measure];
    struct trial_taken *take = &d->take[d->taken++];
    *take = (struct trial_taken){.value = best, .per_unit = m->per_unit};
    (void)snprintf(take->name, sizeof take->name, "%s", b->name);
    (void)snprintf(take->unit, sizeof take->unit, "%s", m->unit);
    (void)parameters_set(&d->given, b->name, best, m->value.dim);
    return 0;
}

/* All of them; two measures of the same drives need them once. */
static int take_all(const struct job *j, const struct series_plan *plan,
                    const struct parameters *own, int depth, struct drives *d)
{
    struct drives first = {0};
    int status = 0;
    for (int i = 0; i < plan->befores && status == 0; i++) {
        const struct before *b = &plan->before[i];
        if (i == 0 || strcmp(b->scenario, b[-1].scenario) != 0 ||
            memcmp(&b->set, &b[-1].set, sizeof b->set) != 0) {
            drives_free(&first);
            status = drive_before(j, b, own, depth, &first);
            d->drives += first.drives;
            d->driven_s += first.driven_s;
        }
        if (status == 0)
            status = take_before(b, &first, d);
    }
    drives_free(&first);
    return status;
}

bool trial_knows_names(const struct trial *t, const struct parameters *own)
{
    const char *known[PARAMETERS];
    for (int i = 0; i < own->count; i++)
        known[i] = own->name[i];
    for (int i = 0; i < t->parameters.count; i++) {
        if (parameters_find(own, t->parameters.name[i]) >= 0)
            continue;
        const char *near = nearest_word(t->parameters.name[i], known, (size_t)own->count);
        fprintf(stderr, "%s:%zu:%zu: parameters: %s has no parameter \"%s\"%s%s%s\n", t->suite,
                t->parameter_at[i].line, t->parameter_at[i].column, t->scenario,
                t->parameters.name[i], near ? ", did you mean \"" : "", near ? near : "",
                near ? "\"?" : "");
        return false;
    }
    return true;
}

/* What comes before, and how many drives there are then. */
static int plan_drives(const struct job *j, const char *scenario, int depth, struct drives *d)
{
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
        bool judges = sc->verdict && sc->verdict->criteria > 0;
        scenario_free(sc);
        if (depth == 0 && pass == 0 && !judges) /* drives before need measures only */
            fprintf(stderr, "%s: has no `pass`: nothing to judge\n", scenario);
        if (depth == 0 && pass == 0 && (!judges || !trial_knows_names(j->t, &own)))
            return BAD_INPUT;
        int status = pass == 0 && d->plan.befores > 0 ? take_all(j, &d->plan, &own, depth, d) : 0;
        if (status || d->plan.befores == 0)
            return status;
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

void trial_drive(struct trial *t, const struct trial_units *units, struct trial_bench *bench,
                 bool with_charts)
{
    const struct job j = {.t = t,
                          .units = units,
                          .bench = bench,
                          .vehicle = t->vehicle[0] ? t->vehicle : NULL,
                          .charts = with_charts};
    struct drives d = {.given = t->parameters};
    (void)drive_all(&j, t->scenario, 0, &d);
    t->runs = d.runs;
    t->run = d.run;
    t->verdict = d.verdict;
    t->drives = d.drives;
    t->driven_s = d.driven_s;
    t->taken = d.taken;
    memcpy(t->take, d.take, sizeof t->take);
    if (d.name[0] && !t->is_named)
        (void)snprintf(t->name, sizeof t->name, "%s", d.name);
    (void)snprintf(t->car, sizeof t->car, "%s", d.car);
    (void)snprintf(t->unit_file, sizeof t->unit_file, "%s", d.unit_file);
    trial_conclude(t);
}

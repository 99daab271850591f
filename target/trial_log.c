#include "target/trial_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct scenario *load_scenario(const struct log_drive *d)
{
    const struct scenario_given given = {.parameters = &d->given,
                                         .vehicle = d->vehicle[0] ? d->vehicle : NULL};
    struct scenario *sc = NULL;
    struct cfg_doc *doc = NULL;
    if (!d->scenario_text)
        return NULL;
    int bad =
        scenario_load_text(d->scenario, d->scenario_text, d->scenario_bytes, &given, &sc, &doc);
    if (bad) {
        fprintf(stderr, "skidpad report: the scenario in the log cannot be read; not judged:\n");
        if (doc)
            cfg_print_messages(doc, stderr);
    }
    cfg_close(doc);
    return sc;
}

static struct vehicle *load_vehicle(const struct log_drive *d)
{
    const struct vehicle_options options = {.step_s = 1e-6 * d->deadlines.period_us,
                                            .integrator = VEHICLE_AS_FILE};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    if (d->vehicle[0] && vehicle_load(d->vehicle, &options, &v, &doc))
        v = NULL; /* charts do without */
    cfg_close(doc);
    return v;
}

/* "slalom" of out/slalom.mf4. */
static void name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    (void)snprintf(name, size, "%.*s", (int)strcspn(base, "."), base);
}

/* Whether a manoeuvre has ended at a row: its stop condition, or that of its last phase. */
static bool is_over(const struct manoeuvre *m, const struct signals *row)
{
    const struct phase *last = m->phases > 0 ? &m->phase[m->phases - 1] : NULL;
    bool in_last = last && last->has_until && row->phase + 1 == (uint32_t)m->phases;
    return (m->has_stop && expr_holds(&m->stop, row)) || (in_last && expr_holds(&last->until, row));
}

/* A run may go on for a while after its manoeuvre: a tester asks the unit. Rows behind the one
 * after its end are no part of it. */
static void cut(struct drive_record *r, const struct scenario *sc)
{
    size_t rows = 0;
    if (!sc)
        return;
    while (rows < r->rows && r->row[rows].time_s <= sc->duration_s + 1e-9 &&
           !is_over(&sc->manoeuvre, &r->row[rows]))
        rows++;
    r->rows = rows + 1 < r->rows ? rows + 1 : r->rows;
}

static void judge(struct trial *t, const struct log_drive *d, const struct scenario *sc)
{
    const struct expr_trace trace = drive_record_trace(&d->record);
    t->unjudged = true;
    if (!sc || !sc->verdict)
        return;
    t->verdict = malloc(sizeof *t->verdict);
    if (!t->verdict)
        return;
    t->unjudged = false;
    memcpy(t->verdict, sc->verdict, sizeof *t->verdict);
    verdict_judge(t->verdict, &trace, &t->run->result);
}

static void say_lacks(const struct log_drive *d, char *text, size_t size)
{
    char missing[48] = "";
    if (d->dropped > 0)
        (void)snprintf(missing, sizeof missing, "%llu records are missing",
                       (unsigned long long)d->dropped);
    (void)snprintf(text, size, "%s%s%s", d->end, d->end[0] && missing[0] ? "; " : "", missing);
}

int trial_from_log(struct trial *t, const char *path, bool with_charts, struct log_drive *d)
{
    struct err e = {""};
    memset(t, 0, sizeof *t);
    int bad = log_drive_read(path, -1, d, &e);
    if (!bad && d->record.rows == 0)
        bad = err_set(&e, -ENODATA, "%s: holds no tick", path);
    t->run = bad ? NULL : calloc(1, sizeof *t->run);
    if (!t->run) {
        fprintf(stderr, "skidpad report: %s\n", e.text);
        return bad ? bad : -ENOMEM;
    }
    struct scenario *sc = load_scenario(d);
    cut(&d->record, sc);
    const struct expr_trace trace = drive_record_trace(&d->record);
    struct vehicle *v = with_charts ? load_vehicle(d) : NULL;
    t->runs = 1;
    t->run->cause = d->cause;
    t->run->cause_s = d->cause_s;
    t->run->deadlines = d->deadlines;
    t->run->time_s = trace.row[trace.rows - 1].time_s;
    say_lacks(d, t->run->lacks, sizeof t->run->lacks);
    if (t->run->lacks[0] != '\0')
        fprintf(stderr, "skidpad report: %s: %s\n", path, t->run->lacks);
    name_of(path, t->name, sizeof t->name);
    (void)snprintf(t->scenario, sizeof t->scenario, "%s", d->scenario);
    (void)snprintf(t->car, sizeof t->car, "%s", d->car);
    (void)snprintf(t->unit_file, sizeof t->unit_file, "%s", d->unit);
    judge(t, d, sc);
    if (with_charts)
        t->run->charts = trial_charts(sc, v, &trace);
    trial_conclude(t);
    scenario_free(sc);
    free(v);
    return 0;
}

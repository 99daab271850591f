/* One page that can be handed on: verdicts, numbers and charts, nothing loaded from elsewhere. */
#include "shared/base/version.h"
#include "target/html.h"
#include "target/trial.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *badge_class(const struct trial *t)
{
    return !t->passed ? "bad" : t->expected ? "meant" : "good";
}

static const char *badge_word(const struct trial *t)
{
    return t->passed && t->expected ? "fails as it should" : trial_state(t);
}

static void put_overview(FILE *to, const struct trials *t)
{
    int failed = trials_failed(t), meant = 0;
    for (int i = 0; i < t->count; i++)
        meant += t->trial[i].passed && t->trial[i].expected > 0;
    fprintf(to, "<p class=\"sum %s\">%d of %d as they should be", failed ? "bad" : "good",
            t->count - failed, t->count);
    if (meant)
        fprintf(to, ", %d of them fail on purpose", meant);
    fputs("</p>\n<table class=\"overview\">\n<tr><th>manoeuvre</th><th>after</th><th>car</th>"
          "<th>unit</th><th>drives</th><th class=\"n\">driven</th><th>verdict</th></tr>\n",
          to);
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        fprintf(to, "<tr><td><a href=\"#m%d\">", i);
        html_put(to, one->name);
        fputs("</a></td>", to);
        html_cell(to, one->standard);
        html_cell(to, one->car);
        html_cell(to, one->unit_file[0] ? "yes" : "none");
        fprintf(to, "<td class=\"n\">%d</td><td class=\"n\">%.1f s</td>", one->runs, one->time_s);
        fprintf(to, "<td><span class=\"badge %s\">%s</span></td></tr>\n", badge_class(one),
                badge_word(one));
    }
    fputs("</table>\n", to);
}

static void put_criteria(FILE *to, const struct trial *t)
{
    char is[48], limit[48];
    fprintf(to,
            "<table>\n<tr><th></th><th>criterion</th><th>that</th><th class=\"n\">is</th>"
            "<th class=\"n\">limit</th>%s<th>source</th><th>certainty</th></tr>\n",
            t->runs > 1 ? "<th>where</th>" : "");
    for (int k = 0; k < t->verdict->criteria; k++) {
        const struct verdict_criterion *c = &t->verdict->criterion[k];
        const struct trial_run *run = &t->run[trial_telling_run(t, k)];
        int outcome = run->result.outcome[k];
        trial_value(run->result.left[k], c->per_unit, c->unit, is, sizeof is);
        trial_value(run->result.right[k], c->per_unit, c->unit, limit, sizeof limit);
        fprintf(to, "<tr><td><span class=\"badge %s\">%s</span></td>",
                outcome == VERDICT_NOT_ASKED ? "none"
                : verdict_good(outcome)      ? "good"
                                             : "bad",
                trial_word(outcome));
        html_cell(to, c->name);
        fputs("<td><code>", to);
        html_put(to, c->text);
        fputs("</code></td><td class=\"n\">", to);
        html_put(to, is);
        fputs("</td><td class=\"n\">", to);
        html_put(to, limit);
        fputs("</td>", to);
        if (t->runs > 1)
            html_cell(to, run->label);
        html_cell(to, c->source);
        html_cell(to, c->certainty);
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

/* Numbers of the last drive, and those that came from drives before. */
static void put_measures(FILE *to, const struct trial *t)
{
    char is[48];
    const struct trial_run *run = &t->run[t->runs - 1];
    if (t->verdict->measures == 0 && t->taken == 0)
        return;
    fputs("<details><summary>Measures", to);
    if (t->runs > 1)
        html_put(to, " of the last drive");
    fputs("</summary>\n<table>\n<tr><th>measure</th><th class=\"n\">is</th><th>how</th></tr>\n",
          to);
    for (int k = 0; k < t->taken; k++) {
        trial_value(t->take[k].value, t->take[k].per_unit, t->take[k].unit, is, sizeof is);
        fputs("<tr>", to);
        html_cell(to, t->take[k].name);
        fprintf(to, "<td class=\"n\">%s</td><td>from the drives before</td></tr>\n", is);
    }
    for (int k = 0; k < t->verdict->measures; k++) {
        const struct verdict_measure *m = &t->verdict->measure[k];
        trial_value(run->result.measure[k], m->per_unit, m->unit, is, sizeof is);
        fputs("<tr>", to);
        html_cell(to, m->name);
        fprintf(to, "<td class=\"n\">%s</td><td><code>", is);
        html_put(to, m->text);
        fputs("</code></td></tr>\n", to);
    }
    fputs("</table></details>\n", to);
}

/* Every drive of a series: what is judged, in its own row. */
static void put_series(FILE *to, const struct trial *t)
{
    char is[48];
    if (t->runs < 2)
        return;
    fputs("<details open><summary>All drives of the series</summary>\n<table class=\"series\">\n"
          "<tr><th>drive</th>",
          to);
    for (int k = 0; k < t->verdict->criteria; k++) {
        fputs("<th>", to);
        html_put(to, t->verdict->criterion[k].name);
        fputs("</th>", to);
    }
    fputs("</tr>\n", to);
    for (int i = 0; i < t->runs; i++) {
        const struct trial_run *r = &t->run[i];
        fputs("<tr>", to);
        html_cell(to, r->label);
        for (int k = 0; k < t->verdict->criteria; k++) {
            const struct verdict_criterion *c = &t->verdict->criterion[k];
            int outcome = r->result.outcome[k];
            if (isfinite(r->result.left[k]))
                trial_value(r->result.left[k], c->per_unit, c->unit, is, sizeof is);
            else
                (void)snprintf(is, sizeof is, "%s", trial_word(outcome));
            fprintf(to, "<td class=\"n %s\">%s</td>",
                    outcome == VERDICT_NOT_ASKED ? "none"
                    : verdict_good(outcome)      ? "ok"
                                                 : "no",
                    is);
        }
        fputs("</tr>\n", to);
    }
    fputs("</table></details>\n", to);
}

static void put_times(FILE *to, const char *name, const double us[3])
{
    fprintf(to,
            "<tr><td>%s</td><td class=\"n\">%.1f</td><td class=\"n\">%.1f</td>"
            "<td class=\"n\">%.1f</td></tr>\n",
            name, us[0], us[1], us[2]);
}

/* Deadlines of drives in real time. */
static void put_deadlines(FILE *to, const struct trial *t)
{
    for (int i = 0; i < t->runs; i++) {
        const struct trial_deadlines *d = &t->run[i].deadlines;
        if (!d->is_real_time)
            continue;
        fputs("<h3>Deadlines", to);
        html_put(to, t->run[i].label[0] ? ", " : "");
        html_put(to, t->run[i].label);
        fprintf(to,
                "</h3>\n<p><span class=\"badge %s\">%llu missed</span> of %llu ticks of %g us on "
                "core %s, %llu of them skipped releases; worst late by %.1f us%s.</p>\n",
                d->missed ? "bad" : "good", (unsigned long long)d->missed,
                (unsigned long long)d->ticks, d->period_us, d->core, (unsigned long long)d->skipped,
                d->late_us, d->unjudged ? "; not judged: without real-time rights" : "");
        fputs("<table>\n<tr><th>in us</th><th class=\"n\">median</th><th class=\"n\">99.9 %</th>"
              "<th class=\"n\">largest</th></tr>\n",
              to);
        put_times(to, "wake-up after the release", d->wake_us);
        put_times(to, "execution", d->execute_us);
        put_times(to, "end after the release", d->reply_us);
        fputs("</table>\n", to);
    }
}

static void put_upset(FILE *to, const char *badge, const char *what, const char *text,
                      const struct trial_run *r)
{
    fprintf(to, "<p><span class=\"badge %s\">%s</span> ", badge, what);
    html_put(to, text);
    html_put(to, r->label[0] ? ", " : "");
    html_put(to, r->label);
    fputs("</p>\n", to);
}

/* What fails a manoeuvre beside its criteria: a safe state, and what the unit tells its tester. */
static void put_upsets(FILE *to, const struct trial *t, const struct trial_run *r)
{
    char text[TRIAL_CODES * (UDS_CODE_TEXT + 2)] = "";
    bool counts = t->expected == 0;
    if (r->lacks[0] != '\0')
        put_upset(to, "bad", "incomplete", r->lacks, r);
    if (r->cause)
        put_upset(to, "bad", "safe state", loop_cause_name(r->cause), r);
    if (r->codes.verdict == DIAGNOSIS_SILENT)
        put_upset(to, counts ? "bad" : "none", "unit", "does not answer its tester", r);
    for (int i = 0; i < r->codes.count; i++) {
        char code[UDS_CODE_TEXT];
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                       uds_code_text(r->codes.code[i], code));
    }
    if (r->codes.count > 0)
        put_upset(to, counts && r->codes.verdict == DIAGNOSIS_UNEXPECTED ? "bad" : "none",
                  r->codes.count > 1 ? "trouble codes" : "trouble code", text, r);
}

static void put_trial(FILE *to, const struct trial *t, int i)
{
    fprintf(to, "<section id=\"m%d\">\n<h2>", i);
    html_put(to, t->name);
    fprintf(to, " <span class=\"badge %s\">%s</span></h2>\n<p class=\"about\">", badge_class(t),
            badge_word(t));
    html_put(to, t->standard);
    fputs(t->standard[0] ? " &middot; " : "", to);
    html_put(to, t->car);
    fputs(" &middot; ", to);
    const char *slash = strrchr(t->unit_file, '/');
    html_put(to, t->unit_file[0] ? "control unit " : "no control unit");
    html_put(to, slash ? slash + 1 : t->unit_file);
    fputs(" &middot; <code>", to);
    html_put(to, t->scenario);
    fprintf(to, "</code> &middot; %.2f s driven</p>\n", t->time_s);
    for (int k = 0; k < t->runs; k++)
        put_upsets(to, t, &t->run[k]);
    if (t->verdict && t->runs > 0)
        put_criteria(to, t);
    put_deadlines(to, t);
    if (t->verdict && t->runs > 0) {
        put_series(to, t);
        put_measures(to, t);
    }
    for (int k = 0; k < t->runs; k++) {
        if (!t->run[k].charts)
            continue;
        if (t->run[k].label[0]) {
            fputs("<h3>", to);
            html_put(to, t->run[k].label);
            fputs("</h3>\n", to);
        }
        fputs(t->run[k].charts, to);
    }
    fputs("</section>\n", to);
}

int trial_html(const struct trials *t, FILE *to)
{
    html_begin(to, "skidpad: verdict on manoeuvres");
    put_overview(to, t);
    for (int i = 0; i < t->count; i++)
        put_trial(to, &t->trial[i], i);
    fputs(
        "<p class=\"about\">Certainty of a criterion: <em>sure</em>, confirmed in public sources; "
        "<em>recalled</em>, from memory of the standard, to be confirmed before it decides; "
        "<em>ours</em>, not from a standard.</p>\n",
        to);
    html_end(to);
    return ferror(to) ? -EIO : 0;
}

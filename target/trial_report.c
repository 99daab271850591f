/* Verdicts as a table for people and as JUnit XML for machines. */
#include "target/trial.h"

#include "target/html.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *trial_word(int outcome)
{
    static const char *const words[] = {"pass", "fail", "no value", "not asked"};
    return words[outcome];
}

void trial_value(double si, double per_unit, const char *unit, char *text, size_t size)
{
    if (isfinite(si * per_unit))
        (void)snprintf(text, size, "%.4g%s%s", si * per_unit, unit[0] ? " " : "", unit);
    else
        (void)snprintf(text, size, "-");
}

const char *trial_state(const struct trial *t)
{
    if (t->status == TRIAL_BAD_INPUT)
        return "bad input";
    if (t->status == TRIAL_NOT_FINITE)
        return "not finite";
    if (t->status == TRIAL_LATE)
        return "LATE";
    if (t->status == TRIAL_NO_VALUE)
        return "NO VALUE";
    for (int i = 0; i < t->runs; i++)
        if (t->run[i].lacks[0] != '\0')
            return "INCOMPLETE";
    if (t->passed && t->unjudged)
        return "not judged";
    if (t->passed)
        return t->expected ? "as expected" : "pass";
    for (int i = 0; i < t->runs; i++)
        if (t->run[i].cause)
            return "SAFE STATE";
    return "FAIL";
}

/* One criterion: the value that says most about it. */
static void print_criterion(const struct trial *t, int k, FILE *to)
{
    const struct verdict_criterion *c = &t->verdict->criterion[k];
    const struct trial_run *run = &t->run[trial_telling_run(t, k)];
    const struct verdict_result *r = &run->result;
    char is[48], limit[48];
    trial_value(r->left[k], c->per_unit, c->unit, is, sizeof is);
    trial_value(r->right[k], c->per_unit, c->unit, limit, sizeof limit);
    fprintf(to, "  %-9s %-34s ", trial_word(r->outcome[k]), c->name);
    if (isfinite(r->left[k]))
        fprintf(to, "%14s (limit %s)", is, limit);
    else
        fprintf(to, "%s", c->text);
    fprintf(to, " [%s]%s%s\n", c->certainty, run->label[0] ? " at " : "", run->label);
}

/* Trouble codes that the unit has after a drive. */
static void print_codes(const struct trial_run *r, bool judged, FILE *to)
{
    char text[UDS_CODE_TEXT];
    const char *at = r->label[0] ? " at " : "";
    if (r->codes.verdict == DIAGNOSIS_SILENT)
        fprintf(to, "  %-9s the unit does not answer its tester%s%s\n", judged ? "FAIL" : "-", at,
                r->label);
    for (int i = 0; i < r->codes.count; i++)
        fprintf(to, "  %-9s trouble code %s%s%s\n",
                judged && r->codes.verdict == DIAGNOSIS_UNEXPECTED ? "FAIL" : "-",
                uds_code_text(r->codes.code[i], text), at, r->label);
}

static void print_trial(const struct trial *t, FILE *to)
{
    char value[48];
    fprintf(to, "%-11s %s", trial_state(t), t->name);
    if (t->car[0])
        fprintf(to, ": %s%s", t->car, t->unit_file[0] ? " with its unit" : "");
    if (t->runs > 1)
        fprintf(to, ", %d drives", t->runs);
    fprintf(to, ", %.2f s\n", t->time_s);
    for (int k = 0; k < t->taken; k++) {
        trial_value(t->take[k].value, t->take[k].per_unit, t->take[k].unit, value, sizeof value);
        fprintf(to, "  before    %-34s %14s\n", t->take[k].name, value);
    }
    for (int i = 0; i < t->runs; i++)
        if (t->run[i].lacks[0] != '\0')
            fprintf(to, "  %s%s%s\n", t->run[i].lacks, t->run[i].label[0] ? ", " : "",
                    t->run[i].label);
    for (int i = 0; i < t->runs; i++)
        if (t->run[i].cause)
            fprintf(to, "  safe state at %.2f s: %s%s%s\n", t->run[i].cause_s,
                    loop_cause_name(t->run[i].cause), t->run[i].label[0] ? ", " : "",
                    t->run[i].label);
    for (int i = 0; i < t->runs; i++) {
        print_codes(&t->run[i], t->expected == 0, to);
        if (t->run[i].deadlines.is_real_time)
            fprintf(to, "  real time %-34s %14llu of %llu ticks of %g us, core %s%s%s\n",
                    "missed deadlines", (unsigned long long)t->run[i].deadlines.missed,
                    (unsigned long long)t->run[i].deadlines.ticks, t->run[i].deadlines.period_us,
                    t->run[i].deadlines.core, t->run[i].label[0] ? ", " : "", t->run[i].label);
    }
    for (int k = 0; t->verdict && t->runs > 0 && k < t->verdict->criteria; k++)
        print_criterion(t, k, to);
}

int trial_table(const struct trials *t, FILE *to)
{
    for (int i = 0; i < t->count; i++)
        print_trial(&t->trial[i], to);
    int drives = 0;
    double time_s = 0.0;
    for (int i = 0; i < t->count; i++) {
        drives += t->trial[i].drives;
        time_s += t->trial[i].driven_s;
    }
    fprintf(to, "%d manoeuvre%s, %d not as they should be", t->count, t->count == 1 ? "" : "s",
            trials_failed(t));
    if (t->wall_s > 0.0)
        fprintf(to, "; %d drive%s of %.0f s in %.1f s", drives, drives == 1 ? "" : "s", time_s,
                t->wall_s);
    fputc('\n', to);
    return ferror(to) ? -EIO : 0;
}

/* Nothing to judge by, rather than judged and failed. */
static bool is_error(const struct trial *t)
{
    return t->status != 0 || !t->verdict;
}

static void put_failures(FILE *to, const struct trial *t)
{
    if (is_error(t)) {
        fprintf(to, "    <error message=\"%s\"/>\n", trial_state(t));
        return;
    }
    if (t->passed)
        return;
    fputs("    <failure message=\"", to);
    for (int k = 0; k < t->verdict->criteria; k++) {
        const struct verdict_criterion *c = &t->verdict->criterion[k];
        const struct trial_run *run = &t->run[trial_telling_run(t, k)];
        char is[48];
        if (verdict_good(run->result.outcome[k]))
            continue;
        trial_value(run->result.left[k], c->per_unit, c->unit, is, sizeof is);
        html_put(to, c->name);
        fputs(": ", to);
        html_put(to, c->text);
        if (run->result.outcome[k] == VERDICT_NO_VALUE)
            fputs(", has no value", to);
        else
            fprintf(to, ", is %s", is);
        fputs(run->label[0] ? " at " : "", to);
        html_put(to, run->label);
        fputs("; ", to);
    }
    for (int i = 0; i < t->runs; i++) {
        if (t->run[i].cause)
            fprintf(to, "safe state: %s; ", loop_cause_name(t->run[i].cause));
        if (t->run[i].codes.verdict == DIAGNOSIS_SILENT)
            fputs("the unit does not answer its tester; ", to);
        for (int k = 0; k < t->run[i].codes.count; k++) {
            char code[UDS_CODE_TEXT];
            fprintf(to, "trouble code %s; ", uds_code_text(t->run[i].codes.code[k], code));
        }
    }
    fputs("\"/>\n", to);
}

int trial_junit(const struct trials *t, FILE *to)
{
    double wall_s = 0.0;
    int errors = 0, failures = 0;
    for (int i = 0; i < t->count; i++) {
        wall_s += t->trial[i].wall_s;
        errors += is_error(&t->trial[i]);
        failures += !is_error(&t->trial[i]) && !t->trial[i].passed;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
    fprintf(to,
            "<testsuite name=\"skidpad\" tests=\"%d\" failures=\"%d\" errors=\"%d\" "
            "time=\"%.3f\">\n",
            t->count, failures, errors, wall_s);
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        fputs("  <testcase classname=\"skidpad\" name=\"", to);
        html_put(to, one->name);
        fprintf(to, "\" time=\"%.3f\">\n", one->wall_s);
        put_failures(to, one);
        fputs("  </testcase>\n", to);
    }
    fputs("</testsuite>\n", to);
    return ferror(to) ? -EIO : 0;
}

/* Verdicts as a table for people and as JUnit and JSON for machines. */
#include "shared/base/json_write.h"
#include "target/trial.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *trial_word(int outcome)
{
    return outcome == VERDICT_PASS ? "pass" : outcome == VERDICT_FAIL ? "fail" : "no value";
}

void trial_value(double si, double per_unit, const char *unit, char *text, size_t size)
{
    if (isfinite(si))
        (void)snprintf(text, size, "%.4g%s%s", si * per_unit, unit[0] ? " " : "", unit);
    else
        (void)snprintf(text, size, "-");
}

static const char *state_of(const struct trial *t)
{
    if (t->status == 2)
        return "bad input";
    if (t->status == 3)
        return "not finite";
    if (t->passed)
        return t->expected ? "as expected" : "pass";
    return "FAIL";
}

int trial_table(const struct trials *t, FILE *to)
{
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        fprintf(to, "%-11s %s: %s, %.2f s\n", state_of(one), one->name, one->car, one->time_s);
        for (int k = 0; one->verdict && k < one->verdict->criteria; k++) {
            const struct verdict_criterion *c = &one->verdict->criterion[k];
            char is[48], limit[48];
            trial_value(one->result.left[k], c->per_unit, c->unit, is, sizeof is);
            trial_value(one->result.right[k], c->per_unit, c->unit, limit, sizeof limit);
            if (isfinite(one->result.left[k]))
                fprintf(to, "  %-9s %-34s %14s (limit %s) [%s]\n",
                        trial_word(one->result.outcome[k]), c->name, is, limit, c->certainty);
            else
                fprintf(to, "  %-9s %-34s %s [%s]\n", trial_word(one->result.outcome[k]), c->name,
                        c->text, c->certainty);
        }
    }
    fprintf(to, "%d manoeuvres, %d not as they should be\n", t->count, trials_failed(t));
    return ferror(to) ? -EIO : 0;
}

/* Text in XML. */
static void put_xml(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '>')
            fputs("&gt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else if (*text == '"')
            fputs("&quot;", to);
        else
            fputc((unsigned char)*text >= ' ' ? *text : '?', to);
    }
}

static void put_failures(FILE *to, const struct trial *t)
{
    if (t->status != 0 || !t->verdict) {
        fprintf(to, "    <error message=\"%s\"/>\n", state_of(t));
        return;
    }
    if (t->passed)
        return;
    fputs("    <failure message=\"", to);
    for (int k = 0; k < t->verdict->criteria; k++) {
        const struct verdict_criterion *c = &t->verdict->criterion[k];
        char is[48];
        if (t->result.outcome[k] == VERDICT_PASS)
            continue;
        trial_value(t->result.left[k], c->per_unit, c->unit, is, sizeof is);
        put_xml(to, c->name);
        fputs(": ", to);
        put_xml(to, c->text);
        fprintf(to, ", is %s; ", is);
    }
    fputs("\"/>\n", to);
}

int trial_junit(const struct trials *t, FILE *to)
{
    double wall_s = 0.0;
    for (int i = 0; i < t->count; i++)
        wall_s += t->trial[i].wall_s;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
    fprintf(to, "<testsuite name=\"skidpad\" tests=\"%d\" failures=\"%d\" time=\"%.3f\">\n",
            t->count, trials_failed(t), wall_s);
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        fputs("  <testcase classname=\"skidpad\" name=\"", to);
        put_xml(to, one->name);
        fprintf(to, "\" time=\"%.3f\">\n", one->wall_s);
        put_failures(to, one);
        fputs("  </testcase>\n", to);
    }
    fputs("</testsuite>\n", to);
    return ferror(to) ? -EIO : 0;
}

static void json_verdict(struct json_writer *w, const struct trial *t)
{
    json_open(w, "measures", '[');
    for (int k = 0; k < t->verdict->measures; k++) {
        const struct verdict_measure *m = &t->verdict->measure[k];
        json_open(w, NULL, '{');
        json_text(w, "name", m->name);
        json_double(w, "si", t->result.measure[k]);
        json_text(w, "unit", m->unit);
        json_double(w, "value", t->result.measure[k] * m->per_unit);
        json_close(w);
    }
    json_close(w);
    json_open(w, "criteria", '[');
    for (int k = 0; k < t->verdict->criteria; k++) {
        const struct verdict_criterion *c = &t->verdict->criterion[k];
        json_open(w, NULL, '{');
        json_text(w, "name", c->name);
        json_text(w, "that", c->text);
        json_text(w, "outcome", trial_word(t->result.outcome[k]));
        json_double(w, "left_si", t->result.left[k]);
        json_double(w, "right_si", t->result.right[k]);
        json_text(w, "source", c->source);
        json_text(w, "certainty", c->certainty);
        json_close(w);
    }
    json_close(w);
}

int trial_json(const struct trials *t, FILE *to)
{
    struct json_writer w = {.to = to};
    json_open(&w, NULL, '{');
    json_text(&w, "format", "skidpad test");
    json_int(&w, "failed", trials_failed(t));
    json_open(&w, "manoeuvres", '[');
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        json_open(&w, NULL, '{');
        json_text(&w, "name", one->name);
        json_text(&w, "scenario", one->scenario);
        json_text(&w, "car", one->car);
        json_text(&w, "standard", one->standard);
        json_text(&w, "state", state_of(one));
        json_bool(&w, "passed", one->passed);
        json_double(&w, "time_s", one->time_s);
        json_double(&w, "wall_s", one->wall_s);
        if (one->verdict)
            json_verdict(&w, one);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
    return json_finish(&w);
}

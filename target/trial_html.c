/* One page that can be handed on: verdicts, numbers and charts, nothing loaded from elsewhere. */
#include "shared/base/version.h"
#include "target/trial.h"

#include <errno.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<title>skidpad test</title>\n<style>\n"
    "body { font: 15px Helvetica, Arial, sans-serif; margin: 2em auto; max-width: 1400px; "
    "color: #222 }\n"
    "table { border-collapse: collapse; margin: 0.5em 0 }\n"
    "td, th { border: 1px solid #ccc; padding: 0.25em 0.6em; text-align: left }\n"
    ".pass { background: #dff2df } .fail { background: #f7d7d7 }\n"
    "h2 { margin-top: 2em } svg { max-width: 100%; height: auto }\n"
    "</style>\n</head>\n<body>\n<h1>skidpad test</h1>\n";

static void put(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '>')
            fputs("&gt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else
            fputc(*text, to);
    }
}

static void cell(FILE *to, const char *text)
{
    fputs("<td>", to);
    put(to, text);
    fputs("</td>", to);
}

static const char *colour(bool good)
{
    return good ? "pass" : "fail";
}

static void overview(FILE *to, const struct trials *t)
{
    fprintf(to,
            "<p>%d manoeuvres, %d not as they should be. skidpad %s.</p>\n<table>\n"
            "<tr><th>manoeuvre</th><th>car</th><th>after</th><th>drive</th><th></th></tr>\n",
            t->count, trials_failed(t), version_text());
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        fprintf(to, "<tr class=\"%s\"><td><a href=\"#m%d\">", colour(one->passed), i);
        put(to, one->name);
        fputs("</a></td>", to);
        cell(to, one->car);
        cell(to, one->standard);
        fprintf(to, "<td>%.2f s</td><td>%s</td></tr>\n", one->time_s,
                one->status == 2   ? "bad input"
                : one->status == 3 ? "not finite"
                : !one->passed     ? "fail"
                : one->expected    ? "fails as it should"
                                   : "pass");
    }
    fputs("</table>\n", to);
}

static void criteria(FILE *to, const struct trial *t)
{
    char is[48], limit[48];
    fputs("<table>\n<tr><th>criterion</th><th>that</th><th>is</th><th>limit</th><th></th>"
          "<th>source</th><th>certainty</th></tr>\n",
          to);
    for (int k = 0; k < t->verdict->criteria; k++) {
        const struct verdict_criterion *c = &t->verdict->criterion[k];
        trial_value(t->run[trial_telling_run(t, k)].result.left[k], c->per_unit, c->unit, is,
                    sizeof is);
        trial_value(t->run[trial_telling_run(t, k)].result.right[k], c->per_unit, c->unit, limit,
                    sizeof limit);
        fprintf(to, "<tr class=\"%s\">",
                colour(t->run[trial_telling_run(t, k)].result.outcome[k] == VERDICT_PASS));
        cell(to, c->name);
        cell(to, c->text);
        cell(to, is);
        cell(to, limit);
        cell(to, trial_word(t->run[trial_telling_run(t, k)].result.outcome[k]));
        cell(to, c->source);
        cell(to, c->certainty);
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
    if (t->verdict->measures == 0)
        return;
    fputs("<table>\n<tr><th>measure</th><th>value</th><th>is</th></tr>\n", to);
    for (int k = 0; k < t->verdict->measures; k++) {
        const struct verdict_measure *m = &t->verdict->measure[k];
        trial_value(t->run[0].result.measure[k], m->per_unit, m->unit, is, sizeof is);
        fputs("<tr>", to);
        cell(to, m->name);
        cell(to, m->text);
        cell(to, is);
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

int trial_html(const struct trials *t, FILE *to)
{
    fputs(head, to);
    overview(to, t);
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        fprintf(to, "<h2 id=\"m%d\">", i);
        put(to, one->name);
        fputs("</h2>\n<p>", to);
        put(to, one->scenario);
        fputs(", ", to);
        put(to, one->car);
        fputs("</p>\n", to);
        if (one->verdict)
            criteria(to, one);
        for (int k = 0; k < one->runs; k++)
            if (one->run[k].charts)
                fputs(one->run[k].charts, to);
    }
    fputs("</body>\n</html>\n", to);
    return ferror(to) ? -EIO : 0;
}

#include "target/compare.h"

#include "target/html.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct json *object, const char *key)
{
    const struct json *v = json_member(object, key);
    return v && v->kind == JSON_TEXT ? v->text : "";
}

static double number_of(const struct json *object, const char *key)
{
    const struct json *v = json_member(object, key);
    return v && v->kind == JSON_NUMBER ? v->number : (double)NAN;
}

/* The element of a list whose text `key` is this. */
static const struct json *find(const struct json *list, const char *key, const char *text)
{
    for (const struct json *i = json_first(list); i; i = json_next(i))
        if (strcmp(text_of(i, key), text) == 0)
            return i;
    return NULL;
}

static struct compare_row *add(struct compare *c, const char *manoeuvre, const char *drive,
                               const char *what, int change)
{
    if (c->rows == c->room) {
        size_t room = c->room ? 2 * c->room : 64;
        struct compare_row *row = realloc(c->row, room * sizeof *row);
        if (!row)
            return NULL;
        c->row = row;
        c->room = room;
    }
    c->worse += change == COMPARE_WORSE;
    c->better += change == COMPARE_BETTER;
    struct compare_row *r = &c->row[c->rows++];
    *r = (struct compare_row){.manoeuvre = manoeuvre,
                              .drive = drive,
                              .what = what,
                              .relative = (double)NAN,
                              .change = change};
    return r;
}

static void put_value(double value, const char *unit, char text[64])
{
    if (isfinite(value))
        (void)snprintf(text, 64, "%.5g%s%.20s", value, unit[0] ? " " : "", unit);
    else
        (void)snprintf(text, 64, "-");
}

/* Values that differ by more than the tolerance get a row. */
static void compare_values(struct compare *c, const struct json *a, const struct json *b,
                           const char *key, const char *manoeuvre, const char *drive,
                           double tolerance)
{
    double before = number_of(a, key), after = number_of(b, key);
    bool both = isfinite(before) && isfinite(after);
    if (!isfinite(before) && !isfinite(after))
        return;
    c->compared++;
    double most = fmax(fabs(before), fabs(after));
    double relative = both && most > 0.0 ? (after - before) / most : 0.0;
    if (both && fabs(relative) <= tolerance)
        return;
    struct compare_row *r = add(c, manoeuvre, drive, text_of(a, "name"), COMPARE_OTHER);
    if (!r)
        return;
    r->relative = both ? relative : (double)NAN;
    put_value(before, text_of(a, "unit"), r->before);
    put_value(after, text_of(b, "unit"), r->after);
}

static bool is_good(const char *outcome)
{
    return strcmp(outcome, "pass") == 0 || strcmp(outcome, "not asked") == 0;
}

static void compare_criterion(struct compare *c, const struct json *a, const struct json *b,
                              const char *manoeuvre, const char *drive, double tolerance)
{
    const char *before = text_of(a, "outcome"), *after = text_of(b, "outcome");
    if (strcmp(before, after) == 0) {
        compare_values(c, a, b, "left", manoeuvre, drive, tolerance);
        return;
    }
    c->compared++;
    int change = is_good(before) == is_good(after) ? COMPARE_OTHER
                 : is_good(before)                 ? COMPARE_WORSE
                                                   : COMPARE_BETTER;
    struct compare_row *r = add(c, manoeuvre, drive, text_of(a, "name"), change);
    if (!r)
        return;
    char value[64];
    put_value(number_of(a, "left"), text_of(a, "unit"), value);
    (void)snprintf(r->before, sizeof r->before, "%.20s: %.40s", before, value);
    put_value(number_of(b, "left"), text_of(b, "unit"), value);
    (void)snprintf(r->after, sizeof r->after, "%.20s: %.40s", after, value);
}

static void compare_deadlines(struct compare *c, const struct json *a, const struct json *b,
                              const char *manoeuvre, const char *drive)
{
    double before = number_of(json_member(a, "deadlines"), "missed");
    double after = number_of(json_member(b, "deadlines"), "missed");
    if (!isfinite(before) || !isfinite(after))
        return;
    c->compared++;
    if (before == after)
        return;
    struct compare_row *r = add(c, manoeuvre, drive, "missed deadlines",
                                after > before ? COMPARE_WORSE : COMPARE_BETTER);
    if (!r)
        return;
    put_value(before, "", r->before);
    put_value(after, "", r->after);
}

/* Something that only one of the two has. */
static void one_sided(struct compare *c, const char *manoeuvre, const char *drive, const char *what,
                      bool gone)
{
    struct compare_row *r = add(c, manoeuvre, drive, what, gone ? COMPARE_WORSE : COMPARE_OTHER);
    c->compared++;
    if (!r)
        return;
    (void)snprintf(r->before, sizeof r->before, gone ? "there" : "-");
    (void)snprintf(r->after, sizeof r->after, gone ? "-" : "there");
}

/* What a log that was cut says beyond its end, nobody knows. */
static void compare_logs(struct compare *c, const struct json *a, const struct json *b,
                         const char *manoeuvre, const char *drive)
{
    const char *before = text_of(a, "log_lacks"), *after = text_of(b, "log_lacks");
    if (before[0] == '\0' && after[0] == '\0')
        return;
    struct compare_row *r = add(c, manoeuvre, drive, "log",
                                after[0] == '\0'    ? COMPARE_OTHER
                                : before[0] == '\0' ? COMPARE_WORSE
                                                    : COMPARE_OTHER);
    if (!r)
        return;
    (void)snprintf(r->before, sizeof r->before, "%.60s", before[0] ? before : "whole");
    (void)snprintf(r->after, sizeof r->after, "%.60s", after[0] ? after : "whole");
}

static void compare_run(struct compare *c, const struct json *a, const struct json *b,
                        const char *manoeuvre, double tolerance)
{
    const char *drive = text_of(a, "label");
    const struct json *list = json_member(b, "criteria");
    for (const struct json *i = json_first(json_member(a, "criteria")); i; i = json_next(i)) {
        const struct json *other = find(list, "name", text_of(i, "name"));
        if (other)
            compare_criterion(c, i, other, manoeuvre, drive, tolerance);
        else
            one_sided(c, manoeuvre, drive, text_of(i, "name"), true);
    }
    list = json_member(b, "measures");
    for (const struct json *i = json_first(json_member(a, "measures")); i; i = json_next(i)) {
        const struct json *other = find(list, "name", text_of(i, "name"));
        if (other)
            compare_values(c, i, other, "value", manoeuvre, drive, tolerance);
    }
    compare_deadlines(c, a, b, manoeuvre, drive);
    compare_logs(c, a, b, manoeuvre, drive);
}

static void compare_manoeuvre(struct compare *c, const struct json *a, const struct json *b,
                              double tolerance)
{
    const char *name = text_of(a, "name");
    const struct json *before = json_member(a, "passed"), *after = json_member(b, "passed");
    if (before && after && before->number != after->number) {
        struct compare_row *r =
            add(c, name, "", "verdict", after->number > 0.0 ? COMPARE_BETTER : COMPARE_WORSE);
        if (r) {
            (void)snprintf(r->before, sizeof r->before, "%.60s", text_of(a, "state"));
            (void)snprintf(r->after, sizeof r->after, "%.60s", text_of(b, "state"));
        }
    }
    c->compared++;
    const struct json *runs = json_member(b, "runs");
    for (const struct json *i = json_first(json_member(a, "runs")); i; i = json_next(i)) {
        const struct json *other = find(runs, "label", text_of(i, "label"));
        if (other)
            compare_run(c, i, other, name, tolerance);
        else
            one_sided(c, name, text_of(i, "label"), "drive", true);
    }
}

int compare_results(struct compare *c, const struct json_doc *a, const struct json_doc *b,
                    double tolerance, struct err *e)
{
    const struct json_doc *docs[2] = {a, b};
    memset(c, 0, sizeof *c);
    for (int i = 0; i < 2; i++)
        if (strcmp(text_of(json_root(docs[i]), "format"), "skidpad test") != 0)
            return json_complain(docs[i], json_root(docs[i]), e,
                                 "is no result of skidpad test --json");
    const struct json *first = json_member(json_root(a), "manoeuvres");
    const struct json *second = json_member(json_root(b), "manoeuvres");
    for (const struct json *i = json_first(first); i; i = json_next(i)) {
        const struct json *other = find(second, "name", text_of(i, "name"));
        if (other)
            compare_manoeuvre(c, i, other, tolerance);
        else
            one_sided(c, text_of(i, "name"), "", "manoeuvre", true);
    }
    for (const struct json *i = json_first(second); i; i = json_next(i))
        if (!find(first, "name", text_of(i, "name")))
            one_sided(c, text_of(i, "name"), "", "manoeuvre", false);
    return 0;
}

void compare_free(struct compare *c)
{
    free(c->row);
    memset(c, 0, sizeof *c);
}

static const char *word_of(const struct compare_row *r)
{
    return r->change == COMPARE_WORSE ? "WORSE" : r->change == COMPARE_BETTER ? "better" : "";
}

static void put_relative(const struct compare_row *r, char text[24])
{
    text[0] = '\0';
    if (isfinite(r->relative))
        (void)snprintf(text, 24, "%+.2f %%", 100.0 * r->relative);
}

int compare_table(const struct compare *c, FILE *to)
{
    char relative[24];
    for (size_t i = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];
        put_relative(r, relative);
        fprintf(to, "%-7s %s%s%s: %s: %s -> %s%s%s\n", word_of(r), r->manoeuvre,
                r->drive[0] ? ", " : "", r->drive, r->what, r->before, r->after,
                relative[0] ? "  " : "", relative);
    }
    fprintf(to, "%zu values compared, %zu differ, %zu worse, %zu better\n", c->compared, c->rows,
            c->worse, c->better);
    return ferror(to) ? -EIO : 0;
}

int compare_html(const struct compare *c, const char *name_a, const char *name_b,
                 const char *charts, FILE *to)
{
    char relative[24];
    html_begin(to, "skidpad: two results compared");
    fputs("<p>Before: <code>", to);
    html_put(to, name_a);
    fputs("</code>, after: <code>", to);
    html_put(to, name_b);
    fprintf(
        to,
        "</code></p>\n<p class=\"sum %s\">%zu of %zu values differ, %zu worse, %zu better</p>\n",
        c->worse ? "bad" : "good", c->rows, c->compared, c->worse, c->better);
    fputs("<table>\n<tr><th>manoeuvre</th><th>drive</th><th>what</th><th class=\"n\">before</th>"
          "<th class=\"n\">after</th><th class=\"n\">change</th><th></th></tr>\n",
          to);
    for (size_t i = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];
        const char *cells[3] = {r->manoeuvre, r->drive, r->what};
        put_relative(r, relative);
        fputs("<tr>", to);
        for (int k = 0; k < 3; k++)
            html_cell(to, cells[k]);
        fprintf(to, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
                r->before, r->after, relative);
        fprintf(to, "<td><span class=\"badge %s\">%s</span></td></tr>\n",
                r->change == COMPARE_WORSE    ? "bad"
                : r->change == COMPARE_BETTER ? "good"
                                              : "none",
                r->change == COMPARE_OTHER ? "other" : word_of(r));
    }
    fputs("</table>\n", to);
    if (charts)
        fputs(charts, to);
    html_end(to);
    return ferror(to) ? -EIO : 0;
}

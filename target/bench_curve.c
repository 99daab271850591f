/* Reads the results of `skidpad bench --json`. */
#include "shared/base/json_read.h"
#include "target/bench_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char format[] = "skidpad bench 1";

/* What is being read, and the first complaint. */
struct reader {
    const struct json_doc *doc;
    struct err *e;
    int bad;
};

static void complain(struct reader *r, const struct json *at, const char *key, const char *what)
{
    if (!r->bad)
        r->bad = json_complain(r->doc, at, r->e, "%s %s", key, what);
}

static const struct json *need(struct reader *r, const struct json *object, const char *key,
                               enum json_kind kind)
{
    const struct json *v = json_member(object, key);
    if (!v)
        complain(r, object, key, "is missing");
    else if (v->kind != kind)
        complain(r, v, key,
                 kind == JSON_NUMBER  ? "must be a number"
                 : kind == JSON_TEXT  ? "must be a text"
                 : kind == JSON_ARRAY ? "must be a list"
                                      : "must be an object");
    return v && v->kind == kind ? v : NULL;
}

static double need_number(struct reader *r, const struct json *object, const char *key, double low,
                          double high)
{
    const struct json *v = need(r, object, key, JSON_NUMBER);
    if (v && !(v->number >= low && v->number <= high))
        complain(r, v, key, "is out of range");
    return v ? v->number : low;
}

/* A text, cut to fit; printable only, since it goes to terminals. */
static void need_text(struct reader *r, const struct json *object, const char *key, char *to,
                      size_t size)
{
    const struct json *v = need(r, object, key, JSON_TEXT);
    (void)snprintf(to, size, "%s", v ? v->text : "");
    size_t length = strlen(to);
    /* not in the middle of a character */
    if (v && strlen(v->text) > length)
        while (length > 0 && ((unsigned char)v->text[length] & 0xc0) == 0x80)
            to[--length] = '\0';
    for (; *to; to++)
        if ((unsigned char)*to < 0x20 || *to == 0x7f)
            *to = ' ';
}

/* [[us, count], ...], rising. */
static void read_histogram(struct reader *r, const struct json *list, struct bench_histogram *h)
{
    double last_us = -1e13;
    for (const struct json *bin = json_first(list); bin; bin = json_next(bin)) {
        const struct json *us = json_first(bin), *ticks = us ? json_next(us) : NULL;
        if (bin->kind != JSON_ARRAY || bin->count != 2 || !us || us->kind != JSON_NUMBER ||
            !ticks || ticks->kind != JSON_NUMBER) {
            complain(r, bin, "histogram_us", "wants pairs [us, count] here");
            return;
        }
        if (!(us->number > last_us && us->number <= 1e12 && ticks->number >= 1.0 &&
              ticks->number <= 1e15)) {
            complain(r, bin, "histogram_us", "wants rising times and counts above 0");
            return;
        }
        if (h->count == BENCH_HISTOGRAM) {
            complain(r, bin, "histogram_us", "has too many bins");
            return;
        }
        last_us = us->number;
        h->us[h->count] = us->number;
        h->ticks[h->count++] = ticks->number;
    }
}

static double us_of(struct reader *r, const struct json *times, const char *key)
{
    return times ? 1e-3 * need_number(r, times, key, -1e18, 1e18) : 0.0;
}

/* In the order that numbers of one measurement have; a file need not have all. */
static void check_order(struct reader *r, const struct json *times)
{
    static const char *const rising[][2] = {
        {"min_ns", "mean_ns"},  {"mean_ns", "max_ns"},  {"min_ns", "p50_ns"}, {"p50_ns", "p99_ns"},
        {"p99_ns", "p99_9_ns"}, {"p99_9_ns", "max_ns"}, {"min_ns", "max_ns"},
    };
    for (size_t i = 0; i < sizeof rising / sizeof rising[0]; i++) {
        const struct json *low = json_member(times, rising[i][0]);
        const struct json *high = json_member(times, rising[i][1]);
        if (low && high && low->kind == JSON_NUMBER && high->kind == JSON_NUMBER &&
            !(low->number <= high->number) && !r->bad)
            r->bad = json_complain(r->doc, low, r->e, "%s is above %s: nothing was measured so",
                                   rising[i][0], rising[i][1]);
    }
}

/* A step is in one bin at most. */
static void check_sum(struct reader *r, const struct json *times, const struct bench_histogram *h,
                      double steps)
{
    double sum = 0.0;
    for (size_t i = 0; i < h->count; i++)
        sum += h->ticks[i];
    if (sum > steps)
        complain(r, json_member(times, "histogram_us"), "histogram_us",
                 "holds more than all steps");
}

/* Whether the run ended in the state of the offline run. Older files do not tell. */
static bool read_state(struct reader *r, const struct json *period)
{
    const struct json *equal = json_member(period, "state_equal");
    const struct json *is = json_member(period, "state");
    const struct json *offline = json_member(period, "state_offline");
    if (!equal)
        return false;
    if (equal->kind != JSON_BOOL)
        complain(r, equal, "state_equal", "must be true or false");
    else if (is && offline && is->kind == JSON_TEXT && offline->kind == JSON_TEXT &&
             (strcmp(is->text, offline->text) == 0) != (equal->number > 0.0))
        complain(r, equal, "state_equal", "is not what state and state_offline say");
    return !(equal->number > 0.0);
}

static const struct json *read_times(struct reader *r, const struct json *period, const char *key,
                                     struct bench_histogram *h, double steps)
{
    const struct json *times = need(r, period, key, JSON_OBJECT);
    if (!times)
        return NULL;
    if (json_member(times, "histogram_fine_us"))
        h->fine_us = need_number(r, times, "histogram_fine_us", 0.0, 1000.0);
    read_histogram(r, need(r, times, "histogram_us", JSON_ARRAY), h);
    check_sum(r, times, h, steps);
    check_order(r, times);
    return times;
}

static void read_period(struct reader *r, const struct json *v, struct bench_point *p)
{
    if (v->kind != JSON_OBJECT) {
        complain(r, v, "periods", "wants objects here");
        return;
    }
    p->period_us = need_number(r, v, "period_us", 0.001, 1e9);
    p->steps = need_number(r, v, "steps", 1.0, 1e15);
    p->missed = need_number(r, v, "missed", 0.0, p->steps);
    const struct json *wake = read_times(r, v, "wake_up", &p->wake, p->steps);
    p->wake_min_us = us_of(r, wake, "min_ns");
    p->wake_mean_us = us_of(r, wake, "mean_ns");
    p->wake_p99_9_us = us_of(r, wake, "p99_9_ns");
    p->wake_max_us = us_of(r, wake, "max_ns");
    /* Before times below zero had bins, all of them were in the first one. */
    if (p->wake.fine_us == 0.0 && p->wake.count > 0 && p->wake.us[0] == 0.0 &&
        p->wake_min_us < 0.0) {
        p->wake.us[0] = p->wake_min_us;
        p->wake.first_end_us = p->wake_max_us < 1.0 ? p->wake_max_us : 1.0;
    }
    p->execution_max_us =
        us_of(r, read_times(r, v, "execution", &p->execution, p->steps), "max_ns");
    p->other_state = read_state(r, v);
    p->left =
        json_member(v, "realtime_left") ? need_number(r, v, "realtime_left", 0.0, 1e15) : -1.0;
}

static void read_about(struct reader *r, const struct json *root, struct bench_curve *c)
{
    char release[80], cpu[80], core[16], load[16], feed[16];
    const struct json *machine = need(r, root, "machine", JSON_OBJECT);
    const struct json *options = need(r, root, "options", JSON_OBJECT);
    if (r->bad)
        return;
    need_text(r, machine, "release", release, sizeof release);
    need_text(r, machine, "cpu", cpu, sizeof cpu);
    need_text(r, options, "core", core, sizeof core);
    need_text(r, options, "load", load, sizeof load);
    need_text(r, options, "feed", feed, sizeof feed);
    (void)snprintf(c->about, sizeof c->about, "kernel %s, %s, core %s, load %s, inputs from %s",
                   release, cpu, core, load,
                   strcmp(feed, "process") == 0 ? "a process" : "the table");
}

static int read_curve(const struct json_doc *doc, struct bench_curve *c, struct err *e)
{
    struct reader r = {.doc = doc, .e = e};
    const struct json *root = json_root(doc), *kind = json_member(root, "format");
    if (!kind || kind->kind != JSON_TEXT || strcmp(kind->text, format) != 0)
        return json_complain(doc, kind ? kind : root, e,
                             "not a result of skidpad bench (format must be \"%s\")", format);
    need_text(&r, root, "label", c->label, sizeof c->label);
    read_about(&r, root, c);
    const struct json *periods = need(&r, root, "periods", JSON_ARRAY);
    if (periods && (periods->count == 0 || periods->count > BENCH_PERIODS))
        complain(&r, periods, "periods", "has none or too many");
    for (const struct json *v = json_first(periods); v && !r.bad; v = json_next(v))
        read_period(&r, v, &c->points[c->count++]);
    return r.bad;
}

static int longest_first(const void *a, const void *b)
{
    double left = ((const struct bench_point *)a)->period_us;
    double right = ((const struct bench_point *)b)->period_us;
    return (left < right) - (left > right);
}

static int finish(struct json_doc *doc, struct bench_curve *c, struct err *e)
{
    memset(c, 0, sizeof *c);
    int bad = read_curve(doc, c, e);
    json_free(doc);
    qsort(c->points, (size_t)c->count, sizeof c->points[0], longest_first);
    return bad;
}

int bench_curve_read(const char *path, struct bench_curve *c, struct err *e)
{
    struct json_doc *doc;
    int bad = json_read_file(path, &doc, e);
    return bad ? bad : finish(doc, c, e);
}

int bench_curve_parse(const char *name, const char *text, size_t bytes, struct bench_curve *c,
                      struct err *e)
{
    struct json_doc *doc;
    int bad = json_read(name, text, bytes, &doc, e);
    return bad ? bad : finish(doc, c, e);
}

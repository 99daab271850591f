/* The page of `skidpad bench --compare`: misses over the period, latencies over the period, and
 * both histograms of each period. */
#include "shared/base/chart.h"
#include "target/bench_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAIRS = 4 * BENCH_HISTOGRAM + 4, LINES = 3 * BENCH_CURVES + 1, GREY = 6 };
static const double page_px = 1430.0, column_px = 700.0, over_px = 470.0, histogram_px = 330.0,
                    line_px = 18.0;

struct page {
    FILE *to;
    const struct bench_curve *curves;
    int count;
    double periods_us[BENCH_CURVES * BENCH_PERIODS]; /* of all files, longest first */
    int periods;
    struct chart_line lines[LINES];
    size_t line_count;
    double x[BENCH_CURVES][STAIRS], y[BENCH_CURVES][STAIRS];
    double low_us, high_us;           /* of execution histograms: the same axes for all */
    double most_steps, empty;         /* of a period; where a bin without steps is drawn, in % */
    double wake_low_us, wake_high_us; /* of wake-up histograms; below 0: some core wakes early */
};

static int longest_first(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

static double decade(double value, double (*rounded)(double))
{
    return pow(10.0, rounded(log10(value)));
}

static void widen(const struct bench_histogram *h, double *low_us, double *high_us)
{
    for (size_t i = 0; i < h->count; i++) {
        *low_us = fmin(*low_us, h->us[i]);
        *high_us = fmax(*high_us, h->us[i] + 1.0);
    }
}

static void survey(struct page *p)
{
    p->low_us = p->wake_low_us = 10.0;
    p->most_steps = 1.0;
    p->high_us = p->wake_high_us = 100.0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->curves[i].count; k++) {
            const struct bench_point *point = &p->curves[i].points[k];
            bool known = false;
            for (int j = 0; j < p->periods; j++)
                known = known || p->periods_us[j] == point->period_us;
            if (!known)
                p->periods_us[p->periods++] = point->period_us;
            widen(&point->wake, &p->wake_low_us, &p->wake_high_us);
            widen(&point->execution, &p->low_us, &p->high_us);
            p->most_steps = fmax(p->most_steps, point->steps);
            /* Files of before times below zero had bins do not show it there. */
            p->wake_low_us = fmin(p->wake_low_us, point->wake_min_us);
        }
    qsort(p->periods_us, (size_t)p->periods, sizeof p->periods_us[0], longest_first);
    /* Bin 0 begins at 0, which a log axis does not have. */
    p->low_us = p->low_us < 1.0 ? 0.5 : decade(p->low_us, floor);
    p->high_us = decade(p->high_us, ceil);
    p->wake_high_us = decade(p->wake_high_us, ceil);
    if (p->wake_low_us >= 0.0)
        p->wake_low_us = p->wake_low_us < 1.0 ? 0.5 : decade(p->wake_low_us, floor);
    else
        p->wake_low_us = fmin(1.2 * p->wake_low_us, -1.0);
    p->empty = 50.0 / p->most_steps;
}

/* Of times in us. Where a core wakes early a log axis will not do. */
static struct chart_axis time_axis(const char *label, double low_us, double high_us)
{
    return low_us > 0.0
               ? (struct chart_axis){.label = label, .low = low_us, .high = high_us, .log = true}
               : (struct chart_axis){.label = label, .low = low_us, .high = high_us, .linear = 1.0};
}

static void add_line(struct page *p, int curve, const char *name, size_t count)
{
    p->lines[p->line_count++] = (struct chart_line){
        .name = name, .x = p->x[curve], .y = p->y[curve], .count = count, .colour = curve};
}

/* ---- over the period */

static struct chart_axis period_axis(const struct page *p)
{
    return (struct chart_axis){.label = "period in us",
                               .low = p->periods_us[p->periods - 1] / 1.3,
                               .high = p->periods_us[0] * 1.3,
                               .log = true};
}

/* Points of one file, each as a dot and joined by lines. */
static void add_points(struct page *p, int curve, const char *name)
{
    size_t count = (size_t)p->curves[curve].count;
    add_line(p, curve, name, count);
    add_line(p, curve, NULL, count);
    p->lines[p->line_count - 1].dots = true;
}

static void draw_misses(struct page *p, double top_px)
{
    p->line_count = 0;
    /* One miss in the longest run is a decade above the axis or more; none lies in between, each
     * curve at a height of its own so that all are seen. */
    double low = decade(100.0 / p->most_steps, floor) / 10.0;
    for (int i = 0; i < p->count; i++) {
        double none = pow(10.0, 0.15 + 0.6 * i / p->count);
        for (int k = 0; k < p->curves[i].count; k++) {
            const struct bench_point *point = &p->curves[i].points[k];
            p->x[i][k] = point->period_us;
            p->y[i][k] = point->missed > 0.0 ? 100.0 * point->missed / point->steps : low * none;
        }
        add_points(p, i, p->curves[i].label);
    }
    const struct chart chart = {
        .title = "Missed deadlines (none: in the lowest decade)",
        .x = period_axis(p),
        .y = {.label = "missed, % of steps", .low = low, .high = 200.0, .log = true},
        .lines = p->lines,
        .line_count = p->line_count};
    chart_draw(p->to, &chart, 0.0, top_px, column_px, over_px);
}

static void draw_worst(struct page *p, double top_px)
{
    double high = 10.0, low = 1e6, lowest = 0.0;
    p->line_count = 0;
    for (int i = 0; i < p->count; i++) {
        size_t n = (size_t)p->curves[i].count;
        for (size_t k = 0; k < n; k++) {
            const struct bench_point *point = &p->curves[i].points[k];
            p->x[i][k] = p->x[i][n + k] = point->period_us;
            p->y[i][k] = point->wake_max_us;
            p->y[i][n + k] = point->wake_p99_9_us;
            high = fmax(high, point->wake_max_us);
            low = point->wake_p99_9_us > 0.0 ? fmin(low, point->wake_p99_9_us) : low;
            lowest = fmin(lowest, point->wake_p99_9_us);
        }
        add_points(p, i, p->curves[i].label);
        add_line(p, i, NULL, n);
        struct chart_line *dashed = &p->lines[p->line_count - 1];
        dashed->x += n;
        dashed->y += n;
        dashed->dashed = true;
    }
    const struct chart chart = {
        .title = "Wake-up latency: largest, and p99.9 (dashed)",
        .x = period_axis(p),
        .y = time_axis("latency in us",
                       lowest < 0.0 ? fmin(1.2 * lowest, -1.0) : decade(fmin(low, high), floor),
                       decade(high * 15.0, ceil)), /* room for the legend */
        .lines = p->lines,
        .line_count = p->line_count};
    chart_draw(p->to, &chart, column_px, top_px, column_px, over_px);
}

/* ---- histograms */

static size_t stair(struct page *p, int curve, size_t n, double us, double percent)
{
    p->x[curve][n] = us;
    p->y[curve][n] = percent;
    return n + 1;
}

static double bin_width_us(const struct bench_histogram *h, double begin_us)
{
    if (begin_us >= 1000.0)
        return exp2(floor(log2(begin_us))) / 16.0; /* as in deadline.h */
    return begin_us >= -h->fine_us && begin_us < h->fine_us ? 0.1 : 1.0;
}

/* The outline of the bins, down to the axis where there are none; nothing left of low_us. */
static size_t outline(struct page *p, int curve, const struct bench_histogram *h, double low_us,
                      double steps)
{
    const double percent = 100.0 / steps;
    size_t n = 0;
    double end_us = -INFINITY;
    for (size_t i = 0; i < h->count; i++) {
        double begin_us = h->us[i];
        if (begin_us > end_us + 1e-6) {
            if (n > 0)
                n = stair(p, curve, n, end_us, p->empty);
            n = stair(p, curve, n, begin_us, p->empty);
        }
        double width_us = bin_width_us(h, begin_us);
        if (i == 0 && h->first_end_us > begin_us)
            width_us = h->first_end_us - begin_us;
        end_us = begin_us + width_us;
        if (i + 1 < h->count && h->us[i + 1] < end_us + 0.05)
            end_us = h->us[i + 1];
        n = stair(p, curve, n, begin_us, percent * h->ticks[i]);
        n = stair(p, curve, n, end_us, percent * h->ticks[i]);
    }
    n = n > 0 ? stair(p, curve, n, end_us, p->empty) : 0;
    for (size_t i = 0; i < n; i++)
        p->x[curve][i] = fmax(p->x[curve][i], low_us);
    return n;
}

/* The first of a period that was measured twice. */
static const struct bench_point *find(const struct bench_curve *c, double period_us)
{
    for (int k = 0; k < c->count; k++)
        if (c->points[k].period_us == period_us)
            return &c->points[k];
    return NULL;
}

static void draw_histograms(struct page *p, double period_us, bool execution, double left_px,
                            double top_px)
{
    char title[96];
    const double limit_x[2] = {period_us, period_us}, limit_y[2] = {p->empty, 200.0};
    p->line_count = 0;
    for (int i = 0; i < p->count; i++) {
        const struct bench_point *point = find(&p->curves[i], period_us);
        if (point)
            add_line(p, i, p->curves[i].label,
                     execution ? outline(p, i, &point->execution, p->low_us, point->steps)
                               : outline(p, i, &point->wake, p->wake_low_us, point->steps));
    }
    p->lines[p->line_count++] = (struct chart_line){
        .x = limit_x, .y = limit_y, .count = 2, .colour = GREY, .dashed = true, .name = "period"};
    (void)snprintf(title, sizeof title, "%s at %g us", execution ? "Execution" : "Wake-up latency",
                   period_us);
    const struct chart chart = {
        .title = title,
        .x = execution ? time_axis("execution in us", p->low_us, p->high_us)
                       : time_axis("latency in us", p->wake_low_us, p->wake_high_us),
        .y = {.label = "% of steps", .low = p->empty, .high = 200.0, .log = true},
        .lines = p->lines,
        .line_count = p->line_count};
    chart_draw(p->to, &chart, left_px, top_px, column_px, histogram_px);
}

/* What an emulator tells of its CPU. */
static bool is_emulated(const struct bench_curve *c, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || strstr(c[i].about, "QEMU");
    return any;
}

static bool has_other_state(const struct bench_curve *c)
{
    bool any = false;
    for (int k = 0; k < c->count; k++)
        any = any || c->points[k].other_state;
    return any;
}

int bench_compare_draw(const struct bench_curve *c, int count, FILE *to)
{
    char about[BENCH_LABEL + 300];
    struct page *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->to = to;
    p->curves = c;
    p->count = count;
    survey(p);
    double top_px = 60.0 + line_px * count;
    chart_begin(to, page_px, top_px + over_px + histogram_px * p->periods + 10.0,
                is_emulated(c, count)
                    ? "skidpad bench: missed deadlines on emulated PCs (compares kernels, not PCs)"
                    : "skidpad bench: missed deadlines");
    for (int i = 0; i < count; i++) {
        (void)snprintf(about, sizeof about, "%s: %s%s", c[i].label, c[i].about,
                       has_other_state(&c[i]) ? "; ENDS IN ANOTHER STATE than offline" : "");
        chart_text(to, 20.0, 56.0 + line_px * i, about);
    }
    draw_misses(p, top_px);
    draw_worst(p, top_px);
    for (int i = 0; i < p->periods; i++) {
        double row_px = top_px + over_px + histogram_px * i;
        draw_histograms(p, p->periods_us[i], false, 0.0, row_px);
        draw_histograms(p, p->periods_us[i], true, column_px, row_px);
    }
    chart_end(to);
    free(p);
    return fflush(to) || ferror(to) ? -EIO : 0;
}

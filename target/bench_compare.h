/* Results of several runs of the missed-deadline benchmark in one drawing. */
#ifndef SKIDPAD_TARGET_BENCH_COMPARE_H
#define SKIDPAD_TARGET_BENCH_COMPARE_H

#include "shared/base/err.h"
#include "target/bench_period.h"

#include <stdio.h>

enum { BENCH_CURVES = 8, BENCH_FILES = 32, BENCH_LABEL = 80, BENCH_HISTOGRAM = DEADLINE_BINS };

struct bench_histogram {
    size_t count;
    double fine_us;      /* bins of 0.1 us up to this far from zero; 0: of 1 us */
    double first_end_us; /* where the first bin ends; 0: by its width */
    double us[BENCH_HISTOGRAM], ticks[BENCH_HISTOGRAM]; /* lower edges, rising; how many */
};

struct bench_point {
    double period_us, steps, missed;
    double wake_min_us, wake_mean_us, wake_p99_9_us, wake_max_us, execution_max_us;
    double left;      /* times real time was left; -1: the core does not tell */
    bool other_state; /* did not end in the state of the offline run: its times count for little */
    struct bench_histogram wake, execution;
};

/* One file, or several of the same label with different periods. */
struct bench_curve {
    char label[BENCH_LABEL];
    char about[256]; /* kernel and load */
    int count;
    struct bench_point points[BENCH_PERIODS];
};

/* Reads what bench_json_write() wrote. Returns 0, or a negative errno and a message with the
 * position. */
int bench_curve_read(const char *path, struct bench_curve *c, struct err *e);
/* The same from memory. */
int bench_curve_parse(const char *name, const char *text, size_t bytes, struct bench_curve *c,
                      struct err *e);

/* Adds a file's curve to those there: to that of the same label if that has none of its periods
 * (longest first then), else as a new one. Returns 0, or a negative errno and a message if there
 * are too many. */
int bench_curves_add(struct bench_curve *all, int *count, const struct bench_curve *c,
                     struct err *e);

/* A line per curve and period. */
void bench_compare_print(const struct bench_curve *c, int count, FILE *to);
/* One page of SVG. Returns 0 or a negative errno. */
int bench_compare_draw(const struct bench_curve *c, int count, FILE *to);

/* Everything that `skidpad bench --compare` does; paths may be NULL. Returns the exit status. */
int bench_compare(char **paths, int files, const char *svg_path, const char *png_path);

#endif

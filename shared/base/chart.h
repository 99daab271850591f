/* Line charts as SVG, for commands that draw what they computed.
 *
 *     struct chart c = {.title = "Side force", .x = {.label = "slip angle in deg"},
 *                       .y = {.label = "force in kN"}, .lines = lines, .line_count = 3};
 *     chart_begin(file, 800, 600, "Tyre");
 *     chart_draw(file, &c, 0, 40, 800, 560);
 *     chart_end(file);
 *
 * Axes without a range take that of the data, rounded. Set-up code only: uses stdio. */
#ifndef SKIDPAD_BASE_CHART_H
#define SKIDPAD_BASE_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CHART_COLOURS = 8 };

struct chart_axis {
    const char *label; /* with the unit */
    double low, high;  /* equal: taken from the data */
    bool log;          /* decades; values <= 0 are left out */
    double linear;     /* above 0: decades on both sides of zero, from this value on */
};

struct chart_line {
    const char *name; /* in the legend; NULL: not there */
    const double *x, *y;
    size_t count;
    int colour; /* 0 .. CHART_COLOURS - 1, taken modulo */
    bool dashed;
    bool dots; /* points instead of a line */
};

/* CHART_ABOVE: in one row beside the title, where it hides nothing; for a few short names. */
enum chart_corner {
    CHART_TOP_RIGHT,
    CHART_TOP_LEFT,
    CHART_BOTTOM_RIGHT,
    CHART_BOTTOM_LEFT,
    CHART_ABOVE
};

struct chart {
    const char *title;
    struct chart_axis x, y;
    bool same_scale; /* a unit of x is as long as a unit of y */
    enum chart_corner legend;
    const char *legend_title; /* may be NULL */
    const struct chart_line *lines;
    size_t line_count;
};

/* A page of the given size in pixels with a heading. */
void chart_begin(FILE *to, double width, double height, const char *heading);
/* A chart in the rectangle of the page; labels and title are inside it. A value that is not finite
 * leaves a gap in its line. */
void chart_draw(FILE *to, const struct chart *chart, double left, double top, double width,
                double height);
/* A line of small text on the page. */
void chart_text(FILE *to, double left, double top, const char *text);
void chart_end(FILE *to);

/* The step of about `wanted` round steps (1, 2 or 5 times a power of ten) over a range > 0. */
double chart_round_step(double range, int wanted);

#endif

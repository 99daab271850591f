/* Two drives in the same charts. */
#include "shared/base/chart.h"
#include "target/trial.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 600 };
#define DEG 57.29577951308232
static const double chart_width = 460.0, chart_height = 270.0;

struct pair {
    double x[2][POINTS], y[2][POINTS];
    size_t count[2];
};

static void take(const struct expr_trace *d, const char *x, const char *y, double factor,
                 struct pair *p, int side)
{
    int over = signal_find(x), of = signal_find(y);
    p->count[side] = d->rows < POINTS ? d->rows : POINTS;
    for (size_t i = 0; i < p->count[side]; i++) {
        const struct signals *s =
            &d->row[p->count[side] > 1 ? i * (d->rows - 1) / (p->count[side] - 1) : 0];
        p->x[side][i] = signal_value(s, (size_t)over);
        p->y[side][i] = factor * signal_value(s, (size_t)of);
    }
}

static const struct view {
    const char *title, *x, *x_label, *y, *y_label;
    double factor;
} views[] = {
    {"Path", "x_m", "x in m", "y_m", "y in m", 1.0},
    {"Steering", "time_s", "time in s", "hand_wheel_rad", "hand wheel angle in deg", DEG},
    {"Speed", "time_s", "time in s", "vx_mps", "speed in km/h", 3.6},
    {"Yaw rate", "time_s", "time in s", "yaw_rate_radps", "yaw rate in deg/s", DEG},
    {"Sideslip", "time_s", "time in s", "sideslip_rad", "sideslip angle in deg", DEG},
    {"Roll", "time_s", "time in s", "roll_rad", "roll angle in deg", DEG},
    {"Forwards", "time_s", "time in s", "level_ax_mps2", "acceleration in m/s2", 1.0},
    {"To the left", "time_s", "time in s", "level_ay_mps2", "acceleration in m/s2", 1.0},
    {"Pressure front left", "time_s", "time in s", "fl_pressure_Pa", "pressure in bar", 1e-5},
    {"Pressure front right", "time_s", "time in s", "fr_pressure_Pa", "pressure in bar", 1e-5},
    {"Pressure rear left", "time_s", "time in s", "rl_pressure_Pa", "pressure in bar", 1e-5},
    {"Pressure rear right", "time_s", "time in s", "rr_pressure_Pa", "pressure in bar", 1e-5},
};

static void draw(FILE *to, const struct view *v, const struct pair *p)
{
    static const char *const names[2] = {"before", "after"};
    struct chart_line lines[2];
    for (int k = 0; k < 2; k++)
        lines[k] = (struct chart_line){.name = names[k],
                                       .x = p->x[k],
                                       .y = p->y[k],
                                       .count = p->count[k],
                                       .colour = k,
                                       .dashed = k == 1};
    const struct chart chart = {.title = v->title,
                                .x = {.label = v->x_label},
                                .y = {.label = v->y_label},
                                .legend = CHART_ABOVE,
                                .lines = lines,
                                .line_count = 2};
    fputs("<figure>", to);
    chart_begin(to, chart_width, chart_height, "");
    chart_draw(to, &chart, 0.0, 0.0, chart_width, chart_height);
    chart_end(to);
    fputs("</figure>\n", to);
}

char *trial_overlay(const struct expr_trace *before, const struct expr_trace *after)
{
    char *text = NULL;
    size_t size = 0;
    struct pair *p = malloc(sizeof *p);
    FILE *to = p ? open_memstream(&text, &size) : NULL;
    if (to) {
        fputs("<div class=\"charts\">\n", to);
        for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
            take(before, views[i].x, views[i].y, views[i].factor, p, 0);
            take(after, views[i].x, views[i].y, views[i].factor, p, 1);
            draw(to, &views[i], p);
        }
        fputs("</div>\n", to);
        if (fclose(to) == EOF) {
            free(text);
            text = NULL;
        }
    }
    free(p);
    return text;
}

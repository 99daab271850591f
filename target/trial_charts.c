/* The charts of a drive in a report. */
#include "shared/base/chart.h"
#include "target/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 500, LINES = 6 };

/* What is drawn, each from the record by a function. */
struct row_view {
    const struct signals *s;
};

struct columns {
    double time_s[POINTS];
    double value[LINES][POINTS];
    size_t count;
};

static const double deg = 57.29577951308232;

static double pick(const struct row_view *v, const char *name, double factor)
{
    int i = signal_find(name);
    return i < 0 ? (double)NAN : factor * signal_value(v->s, (size_t)i);
}

static void gather(const struct expr_trace *d, const char *const *names, size_t lines,
                   double factor, struct columns *c)
{
    c->count = d->rows < POINTS ? d->rows : POINTS;
    for (size_t i = 0; i < c->count; i++) {
        size_t row = c->count > 1 ? i * (d->rows - 1) / (c->count - 1) : 0;
        struct row_view v = {&d->row[row]};
        c->time_s[i] = v.s->time_s;
        for (size_t k = 0; k < lines; k++)
            c->value[k][i] = pick(&v, names[k], factor);
    }
}

/* A chart of signals over time in place `cell` of the page. */
static void over_time(FILE *to, const struct expr_trace *d, struct columns *c, const char *title,
                      const char *label, double factor, const char *const *names,
                      const char *const *shown, size_t lines, int cell)
{
    struct chart_line line[LINES];
    gather(d, names, lines, factor, c);
    for (size_t k = 0; k < lines; k++)
        line[k] = (struct chart_line){.name = shown[k],
                                      .x = c->time_s,
                                      .y = c->value[k],
                                      .count = c->count,
                                      .colour = (int)k};
    struct chart chart = {.title = title,
                          .x = {.label = "time in s"},
                          .y = {.label = label},
                          .lines = line,
                          .line_count = lines};
    int column = cell % 3, row = cell / 3;
    chart_draw(to, &chart, 10.0 + 460.0 * column, 10.0 + 290.0 * row, 440.0, 270.0);
}

static void draw_path(FILE *to, const struct offline *o, const struct expr_trace *d,
                      struct columns *c)
{
    static const char *const names[] = {"x_m", "y_m"};
    double cone_x[MANOEUVRE_CONES], cone_y[MANOEUVRE_CONES];
    const struct manoeuvre *m = &o->scenario->manoeuvre;
    gather(d, names, 2, 1.0, c);
    /* The wanted path, at the places of the set points. */
    size_t count = 0;
    int32_t piece = 0;
    for (size_t i = 0; m->has_driver && i < c->count; i++) {
        size_t row = c->count > 1 ? i * (d->rows - 1) / (c->count - 1) : 0;
        struct path_point p;
        path_at(&m->path, d->row[row].path_s_m, &piece, &p);
        c->value[2][count] = p.at.x_m;
        c->value[3][count++] = p.at.y_m;
    }
    for (int i = 0; i < m->cones; i++) {
        cone_x[i] = m->cone_m[i][0];
        cone_y[i] = m->cone_m[i][1];
    }
    const struct chart_line lines[3] = {
        {.name = "car", .x = c->value[0], .y = c->value[1], .count = c->count, .colour = 0},
        {.name = count ? "wanted" : NULL,
         .x = c->value[2],
         .y = c->value[3],
         .count = count,
         .colour = 1,
         .dashed = true},
        {.name = m->cones ? "cones" : NULL,
         .x = cone_x,
         .y = cone_y,
         .count = (size_t)m->cones,
         .colour = 3,
         .dots = true}};
    struct chart chart = {.title = "Path and cones",
                          .x = {.label = "x in m"},
                          .y = {.label = "y in m"},
                          .lines = lines,
                          .line_count = 3};
    chart_draw(to, &chart, 10.0, 10.0, 900.0, 270.0);
}

static void draw(FILE *to, const struct offline *o, const struct expr_trace *d, struct columns *c)
{
    static const char *const wheel[] = {"front left", "front right", "rear left", "rear right"};
    draw_path(to, o, d, c);
    over_time(to, d, c, "Hand wheel", "angle in deg", deg, (const char *const[]){"hand_wheel_rad"},
              (const char *const[]){NULL}, 1, 2);
    over_time(to, d, c, "Speed", "speed in km/h", 3.6, (const char *const[]){"vx_mps"},
              (const char *const[]){"car"}, 1, 3);
    over_time(to, d, c, "Brake pressures", "pressure in bar", 1e-5,
              (const char *const[]){"fl_pressure_Pa", "fr_pressure_Pa", "rl_pressure_Pa",
                                    "rr_pressure_Pa"},
              wheel, 4, 4);
    over_time(to, d, c, "Slip", "longitudinal slip", 1.0,
              (const char *const[]){"fl_kappa", "fr_kappa", "rl_kappa", "rr_kappa"}, wheel, 4, 5);
    over_time(to, d, c, "Yaw rate and sideslip", "deg/s and deg", deg,
              (const char *const[]){"yaw_rate_radps", "sideslip_rad"},
              (const char *const[]){"yaw rate", "sideslip"}, 2, 6);
    over_time(to, d, c, "Roll", "roll angle in deg", deg, (const char *const[]){"roll_rad"},
              (const char *const[]){NULL}, 1, 7);
    over_time(to, d, c, "Accelerations along the ground", "acceleration in m/s2", 1.0,
              (const char *const[]){"level_ax_mps2", "level_ay_mps2"},
              (const char *const[]){"forward", "left"}, 2, 8);
}

char *trial_charts(const struct offline *o, const struct expr_trace *drive)
{
    char *text = NULL;
    size_t size = 0;
    struct columns *c = malloc(sizeof *c);
    FILE *to = c ? open_memstream(&text, &size) : NULL;
    if (to) {
        chart_begin(to, 1390.0, 880.0, "");
        draw(to, o, drive, c);
        chart_end(to);
        if (fclose(to) == EOF) {
            free(text);
            text = NULL;
        }
    }
    free(c);
    return text;
}

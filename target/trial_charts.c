/* The charts of a drive in a report. */
#include "shared/base/chart.h"
#include "target/model/footing.h"
#include "target/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 500, LINES = 8 };
static const double chart_width = 460.0, chart_height = 270.0, deg = 57.29577951308232;
static const char *const wheel_name[WHEELS] = {"FL", "FR", "RL", "RR"};

struct columns {
    double time_s[POINTS];
    double value[LINES][POINTS];
    size_t row[POINTS]; /* of the record */
    size_t count;
};

/* A page of charts in the making. */
struct page {
    FILE *to;
    const struct manoeuvre *m;   /* NULL: not known */
    const struct car_facts *car; /* NULL: not known */
    const struct expr_trace *d;
    struct columns *c;
    struct footing footing;
    bool has_unit;
};

/* One line of a chart: a signal, or values that are there already. */
struct plot_line {
    const char *shown, *signal;
    double factor;
    bool dashed;
};

static void choose_rows(const struct expr_trace *d, struct columns *c)
{
    c->count = d->rows < POINTS ? d->rows : POINTS;
    for (size_t i = 0; i < c->count; i++) {
        c->row[i] = c->count > 1 ? i * (d->rows - 1) / (c->count - 1) : 0;
        c->time_s[i] = d->row[c->row[i]].time_s;
    }
}

static void take(struct page *p, int line, const char *signal, double factor)
{
    int index = signal_find(signal);
    for (size_t i = 0; i < p->c->count; i++)
        p->c->value[line][i] = index < 0
                                   ? (double)NAN
                                   : factor * signal_value(&p->d->row[p->c->row[i]], (size_t)index);
}

static void put_chart(const struct page *p, const struct chart *chart, double width)
{
    fprintf(p->to, "<figure%s>", width > chart_width ? " class=\"wide\"" : "");
    chart_begin(p->to, width, chart_height, "");
    chart_draw(p->to, chart, 0.0, 0.0, width, chart_height);
    chart_end(p->to);
    fputs("</figure>\n", p->to);
}

/* Curves over time; a curve without a signal is what the caller has put into its line. */
static void over_time(struct page *p, const char *title, const char *label,
                      const struct plot_line *curves, size_t count)
{
    struct chart_line line[LINES];
    for (size_t k = 0; k < count; k++) {
        if (curves[k].signal)
            take(p, (int)k, curves[k].signal, curves[k].factor);
        line[k] = (struct chart_line){.name = curves[k].shown,
                                      .x = p->c->time_s,
                                      .y = p->c->value[k],
                                      .count = p->c->count,
                                      .colour = (int)k,
                                      .dashed = curves[k].dashed};
    }
    const struct chart chart = {.title = title,
                                .x = {.label = "time in s"},
                                .legend = CHART_ABOVE,
                                .y = {.label = label},
                                .lines = line,
                                .line_count = count};
    put_chart(p, &chart, chart_width);
}

/* ---- path and cones */

static void draw_path(struct page *p)
{
    double cone_x[MANOEUVRE_CONES], cone_y[MANOEUVRE_CONES], low = INFINITY, high = -INFINITY;
    double near = INFINITY, far = -INFINITY;
    const struct manoeuvre *m = p->m;
    struct columns *c = p->c;
    int cones = m ? m->cones : 0;
    bool has_driver = m && m->has_driver;
    int32_t piece = 0;
    take(p, 0, "x_m", 1.0);
    take(p, 1, "y_m", 1.0);
    for (size_t i = 0; i < c->count; i++) {
        struct path_point at = {0};
        if (has_driver)
            path_at(&m->path, p->d->row[c->row[i]].path_s_m, &piece, &at);
        c->value[2][i] = at.at.x_m;
        c->value[3][i] = at.at.y_m;
        near = fmin(near, c->value[0][i]);
        far = fmax(far, c->value[0][i]);
        low = fmin(low, c->value[1][i]);
        high = fmax(high, c->value[1][i]);
    }
    for (int i = 0; i < cones; i++) {
        cone_x[i] = m->cone_m[i][0];
        cone_y[i] = m->cone_m[i][1];
        low = fmin(low, cone_y[i]);
        high = fmax(high, cone_y[i]);
    }
    const struct chart_line lines[3] = {
        {.name = has_driver ? "wanted" : NULL,
         .x = c->value[2],
         .y = c->value[3],
         .count = has_driver ? c->count : 0,
         .colour = 1,
         .dashed = true},
        {.name = "car", .x = c->value[0], .y = c->value[1], .count = c->count, .colour = 0},
        {.name = cones ? "cones" : NULL,
         .x = cone_x,
         .y = cone_y,
         .count = (size_t)cones,
         .colour = 3,
         .dots = true}};
    struct chart chart = {.title = cones ? "Path and cones" : "Path",
                          .x = {.label = "x in m"},
                          .legend = CHART_ABOVE,
                          .y = {.label = "y in m"},
                          .lines = lines,
                          .line_count = 3};
    chart.same_scale = high - low > 0.2 * (far - near); /* a turn looks like one */
    if (cones) {                                        /* those at the edge are seen whole */
        chart.y.low = floor(low - 0.2);
        chart.y.high = ceil(high + 0.2);
    } else if (high - low < 1.0) { /* a straight line: rounding is no path */
        chart.y.low = 0.5 * (low + high) - 1.0;
        chart.y.high = 0.5 * (low + high) + 1.0;
    }
    put_chart(p, &chart, 2.0 * chart_width);
}

/* ---- speeds */

static void draw_speeds(struct page *p)
{
    static const char *const spin[WHEELS] = {"fl_spin_radps", "fr_spin_radps", "rl_spin_radps",
                                             "rr_spin_radps"};
    struct plot_line c[WHEELS + 2];
    if (!p->car) {
        over_time(p, "Speed", "speed in km/h",
                  (const struct plot_line[]){{NULL, "vx_mps", 3.6, false}}, 1);
        return;
    }
    for (int i = 0; i < WHEELS; i++)
        c[i] = (struct plot_line){wheel_name[i], spin[i], 3.6 * p->footing.radius_m[i], false};
    c[WHEELS] = (struct plot_line){"car", "vx_mps", 3.6, true};
    /* The unit's reference, from where it has one. */
    take(p, WHEELS + 1, "unit_speed_mps", 3.6);
    for (size_t i = 0; i < p->c->count; i++)
        if (p->c->value[WHEELS + 1][i] == 0.0)
            p->c->value[WHEELS + 1][i] = (double)NAN;
    c[WHEELS + 1] = (struct plot_line){"unit", NULL, 1.0, true};
    over_time(p, "Speeds", "speed in km/h", c, p->has_unit ? 6 : 5);
}

static void draw_wheels(struct page *p, const char *title, const char *label, double factor,
                        const char *const name[WHEELS], const struct plot_line *more)
{
    struct plot_line c[WHEELS + 1];
    for (int i = 0; i < WHEELS; i++)
        c[i] = (struct plot_line){wheel_name[i], name[i], factor, false};
    if (more)
        c[WHEELS] = *more;
    over_time(p, title, label, c, more ? WHEELS + 1 : WHEELS);
}

/* ---- yaw rate */

/* What the single-track model asks for at this steering angle and speed, no more than most of the
 * friction allows. */
static double yaw_target_radps(const struct page *p, const struct signals *s)
{
    const struct footing *f = &p->footing;
    double friction = 0.25 * (s->fl_friction + s->fr_friction + s->rl_friction + s->rr_friction);
    double steer_rad = 0.5 * (s->fl_steer_rad + s->fr_steer_rad), v = s->vx_mps;
    double wanted = v * steer_rad / (f->front_m + f->rear_m + f->understeer_s2pm * v * v);
    double most = 0.85 * friction * p->car->gravity_mps2 / fmax(fabs(v), 1.0);
    return fmax(-most, fmin(most, wanted));
}

static void draw_yaw(struct page *p)
{
    for (size_t i = 0; p->car && i < p->c->count; i++)
        p->c->value[1][i] = deg * yaw_target_radps(p, &p->d->row[p->c->row[i]]);
    over_time(p, "Yaw rate and its target", "yaw rate in deg/s",
              (const struct plot_line[]){{"car", "yaw_rate_radps", deg, false},
                                         {"target", NULL, 1.0, true}},
              p->car ? 2 : 1);
}

static bool uses_brakes(const struct expr_trace *d)
{
    for (size_t k = 0; k < d->rows; k += 1 + d->rows / 2000) {
        const struct signals *s = &d->row[k];
        if (s->fl_pressure_Pa > 1e4 || s->fr_pressure_Pa > 1e4 || s->rl_pressure_Pa > 1e4 ||
            s->rr_pressure_Pa > 1e4)
            return true;
    }
    return false;
}

/* What the unit does, one above the other. */
static void draw_unit(struct page *p)
{
    static const struct plot_line flags[] = {
        {"FL", "fl_unit_abs", 0.8, false}, {"FR", "fr_unit_abs", 0.8, false},
        {"RL", "rl_unit_abs", 0.8, false}, {"RR", "rr_unit_abs", 0.8, false},
        {"EBD", "unit_ebd", 0.8, false},   {"ESP", "unit_esp", 0.8, false},
        {"TC", "unit_tc", 0.8, false}};
    enum { FLAGS = sizeof flags / sizeof flags[0] };
    struct plot_line shown[FLAGS];
    for (int k = 0; k < FLAGS; k++) {
        take(p, k, flags[k].signal, flags[k].factor);
        for (size_t i = 0; i < p->c->count; i++)
            p->c->value[k][i] += FLAGS - 1 - k;
        shown[k] = flags[k];
        shown[k].signal = NULL;
    }
    over_time(p, "Unit", "a step up: acts", shown, FLAGS);
}

static void draw(struct page *p)
{
    static const char *const pressure[WHEELS] = {"fl_pressure_Pa", "fr_pressure_Pa",
                                                 "rl_pressure_Pa", "rr_pressure_Pa"};
    static const char *const kappa[WHEELS] = {"fl_kappa", "fr_kappa", "rl_kappa", "rr_kappa"};
    draw_path(p);
    over_time(p, "Steering", "hand wheel angle in deg",
              (const struct plot_line[]){{NULL, "hand_wheel_rad", deg, false}}, 1);
    draw_speeds(p);
    over_time(p, "Pedals", "pedal, 0 to 1",
              (const struct plot_line[]){{"throttle", "in_throttle", 1.0, false},
                                         {"brake", "in_brake_pedal", 1.0, false}},
              2);
    if (uses_brakes(p->d))
        draw_wheels(p, "Brake pressures", "pressure in bar", 1e-5, pressure,
                    &(const struct plot_line){"master", "master_Pa", 1e-5, true});
    draw_wheels(p, "Slip", "longitudinal slip in %", 100.0, kappa, NULL);
    draw_yaw(p);
    over_time(p, "Sideslip", "sideslip angle in deg",
              (const struct plot_line[]){{NULL, "sideslip_rad", deg, false}}, 1);
    over_time(p, "Roll", "roll angle in deg",
              (const struct plot_line[]){{NULL, "roll_rad", deg, false}}, 1);
    over_time(p, "Accelerations", "acceleration in m/s2",
              (const struct plot_line[]){{"forward", "level_ax_mps2", 1.0, false},
                                         {"left", "level_ay_mps2", 1.0, false}},
              2);
    if (p->m && p->m->has_driver)
        over_time(p, "Off the path", "to the left in m",
                  (const struct plot_line[]){{NULL, "path_error_m", 1.0, false}}, 1);
    if (p->has_unit)
        draw_unit(p);
}

char *trial_charts(const struct scenario *scenario, const struct vehicle *vehicle,
                   const struct expr_trace *drive)
{
    char *text = NULL;
    size_t size = 0;
    struct columns *c = malloc(sizeof *c);
    FILE *to = c && drive->rows > 0 ? open_memstream(&text, &size) : NULL;
    if (to) {
        struct page p = {.to = to,
                         .m = scenario ? &scenario->manoeuvre : NULL,
                         .car = vehicle ? &vehicle->facts : NULL,
                         .d = drive,
                         .c = c,
                         .has_unit = drive->row[drive->rows - 1].bus_received > 0};
        if (p.car)
            footing_of(p.car, &p.footing);
        choose_rows(drive, c);
        fputs("<div class=\"charts\">\n", to);
        draw(&p);
        fputs("</div>\n", to);
        if (fclose(to) == EOF) {
            free(text);
            text = NULL;
        }
    }
    free(c);
    return text;
}

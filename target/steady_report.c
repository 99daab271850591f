/* Steady turns as a table for people, as CSV and JSON for machines, and as charts. */
#include "shared/base/chart.h"
#include "shared/base/json_write.h"
#include "target/steady_sweep.h"

#include <errno.h>
#include <math.h>

static const double deg = 180.0 / 3.14159265358979323846;

static const char *sort_of(const struct steady_point *p)
{
    static const char *const words[] = {"steady", "beyond the limit", "not found"};
    return words[steady_sort(p)];
}

int steady_table(const struct steady_sweep *w, const char *car, FILE *to)
{
    if (w->radius_m > 0.0)
        fprintf(to, "%s, radius %g m\n", car, w->radius_m);
    else
        fprintf(to, "%s, %g km/h\n", car, 3.6 * w->speed_mps);
    fprintf(to, "  ay m/s2   km/h  radius m  hand deg  gradient  sideslip deg  roll deg  load N: fl"
                "     fr     rl     rr  drive N  rest m/s2\n");
    for (int i = 0; i < w->count; i++) {
        const struct steady_point *p = &w->point[i];
        char gradient[16] = "-"; /* beside turns that are not steady there is none */
        if (isfinite(steady_gradient_s2pm(w, i)))
            (void)snprintf(gradient, sizeof gradient, "%.3f", 1e3 * steady_gradient_s2pm(w, i));
        fprintf(to,
                "%9.2f %6.1f %9.1f %9.2f %9s %13.3f %9.3f %10.0f %6.0f %6.0f %6.0f %8.0f "
                "%10.1e  %s\n",
                p->lateral_mps2, 3.6 * p->speed_mps, p->radius_m, deg * p->hand_rad, gradient,
                deg * p->sideslip_rad, deg * p->roll_rad, p->load_N[FL], p->load_N[FR],
                p->load_N[RL], p->load_N[RR], p->drive_N, p->rest_mps2, sort_of(p));
    }
    double mean = steady_mean_gradient_s2pm(w, 0.5, 4.0);
    if (isfinite(mean))
        fprintf(to,
                "understeer gradient %.3f mrad/(m/s2) up to 4 m/s2: front wheels beyond the "
                "arc\n",
                1e3 * mean);
    if (w->has_limit)
        fprintf(to, "limit %.2f m/s2 at %.1f km/h; beyond it rest says what is missing\n",
                w->limit.lateral_mps2, 3.6 * w->limit.speed_mps);
    else
        fprintf(to, "all steady, the limit is farther\n");
    return ferror(to) ? -EIO : 0;
}

/* One list of numbers for both formats. */
struct column {
    const char *name;
    double value;
};
enum { COLUMNS = 24 };

static void columns_of(const struct steady_sweep *w, int i, struct column c[COLUMNS])
{
    const struct steady_point *p = &w->point[i];
    const struct column all[COLUMNS] = {
        {"lateral_mps2", p->lateral_mps2},
        {"speed_kmh", 3.6 * p->speed_mps},
        {"radius_m", p->radius_m},
        {"hand_wheel_deg", deg * p->hand_rad},
        {"steer_deg", deg * p->steer_rad},
        {"gradient_mradpmps2", 1e3 * steady_gradient_s2pm(w, i)},
        {"hand_gradient_degpmps2", deg * steady_hand_gradient_s2pm(w, i)},
        {"sideslip_deg", deg * p->sideslip_rad},
        {"roll_deg", deg * p->roll_rad},
        {"pitch_deg", deg * p->pitch_rad},
        {"hand_wheel_Nm", p->felt_Nm},
        {"rack_mm", 1e3 * p->rack_m},
        {"drive_N", p->drive_N},
        {"load_fl_N", p->load_N[FL]},
        {"load_fr_N", p->load_N[FR]},
        {"load_rl_N", p->load_N[RL]},
        {"load_rr_N", p->load_N[RR]},
        {"alpha_front_deg", deg * 0.5 * (p->alpha_rad[FL] + p->alpha_rad[FR])},
        {"alpha_rear_deg", deg * 0.5 * (p->alpha_rad[RL] + p->alpha_rad[RR])},
        {"rest_along_mps2", p->rest[0]},
        {"rest_across_mps2", p->rest[1]},
        {"rest_yaw_mps2", p->rest[2]},
        {"rest_mps2", p->rest_mps2},
        {"unsettled", p->unsettled},
    };
    for (int k = 0; k < COLUMNS; k++)
        c[k] = all[k];
}

int steady_csv(const struct steady_sweep *w, FILE *to)
{
    struct column c[COLUMNS];
    for (int i = -1; i < w->count; i++) {
        columns_of(w, i < 0 ? 0 : i, c);
        for (int k = 0; k < COLUMNS; k++) {
            if (i < 0)
                fprintf(to, "%s%s", k ? "," : "", c[k].name);
            else if (isfinite(c[k].value))
                fprintf(to, "%s%.9g", k ? "," : "", c[k].value);
            else
                fprintf(to, "%s", k ? "," : "");
        }
        fprintf(to, "\n");
    }
    return ferror(to) ? -EIO : 0;
}

int steady_json(const struct steady_sweep *w, const char *car, FILE *to)
{
    struct json_writer j = {.to = to};
    json_open(&j, NULL, '{');
    json_text(&j, "format", "skidpad steady");
    json_text(&j, "car", car);
    json_double(&j, "gradient_mradpmps2", 1e3 * steady_mean_gradient_s2pm(w, 0.5, 4.0));
    json_double(&j, "limit_mps2", w->has_limit ? w->limit.lateral_mps2 : NAN);
    json_double(&j, "limit_kmh", w->has_limit ? 3.6 * w->limit.speed_mps : NAN);
    json_open(&j, "points", '[');
    for (int i = 0; i < w->count; i++) {
        struct column c[COLUMNS];
        columns_of(w, i, c);
        json_open(&j, NULL, '{');
        for (int k = 0; k < COLUMNS; k++)
            json_double(&j, c[k].name, c[k].value);
        json_text(&j, "state", sort_of(&w->point[i]));
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    return json_finish(&j);
}

/* Rows of numbers for charts; steady ones and those beyond apart. */
struct rows {
    double ay[STEADY_POINTS], y[4][STEADY_POINTS];
};

static void draw(FILE *to, const struct steady_sweep *w, const char *title, const char *label,
                 int lines, const char *const *names,
                 double (*value)(const struct steady_sweep *w, int i, int line), int place)
{
    static struct rows r; /* large; one thread draws */
    struct chart_line line[8];
    int steady_count = 0;
    while (steady_count < w->count && steady_sort(&w->point[steady_count]) == STEADY_IS)
        steady_count++;
    for (int i = 0; i < w->count; i++) {
        r.ay[i] = fabs(w->point[i].lateral_mps2);
        for (int k = 0; k < lines; k++)
            r.y[k][i] = value(w, i, k);
    }
    int drawn = 0;
    for (int k = 0; k < lines; k++) {
        line[drawn++] = (struct chart_line){
            .name = names[k], .x = r.ay, .y = r.y[k], .count = (size_t)steady_count, .colour = k};
        int from = steady_count > 0 ? steady_count - 1 : 0;
        if (w->count - from > 1)
            line[drawn++] = (struct chart_line){.x = r.ay + from,
                                                .y = r.y[k] + from,
                                                .count = (size_t)(w->count - from),
                                                .colour = k,
                                                .dashed = true};
    }
    struct chart c = {.title = title,
                      .x = {.label = "lateral acceleration asked for in m/s2"},
                      .y = {.label = label},
                      .legend = CHART_ABOVE,
                      .lines = line,
                      .line_count = (size_t)drawn};
    int row = place / 3, column = place % 3;
    chart_draw(to, &c, 20.0 + 500.0 * column, 60.0 + 330.0 * row, 480.0, 310.0);
}

static double hand_of(const struct steady_sweep *w, int i, int line)
{
    (void)line;
    return deg * w->point[i].hand_rad;
}

static double body_of(const struct steady_sweep *w, int i, int line)
{
    const struct steady_point *p = &w->point[i];
    return deg * (line == 0 ? p->sideslip_rad : line == 1 ? p->roll_rad : p->pitch_rad);
}

static double load_of(const struct steady_sweep *w, int i, int line)
{
    return 1e-3 * w->point[i].load_N[line];
}

static double gradient_of(const struct steady_sweep *w, int i, int line)
{
    (void)line;
    return 1e3 * steady_gradient_s2pm(w, i);
}

static double alpha_of(const struct steady_sweep *w, int i, int line)
{
    const double *a = &w->point[i].alpha_rad[line == 0 ? FL : RL];
    return deg * 0.5 * (a[0] + a[1]);
}

static double rest_of(const struct steady_sweep *w, int i, int line)
{
    return line < STEADY_OUTER ? w->point[i].rest[line] : w->point[i].rest_mps2;
}

int steady_svg(const struct steady_sweep *w, const char *car, FILE *to)
{
    static const char *const none[] = {NULL};
    static const char *const wheels[] = {"FL", "FR", "RL", "RR"};
    static const char *const body[] = {"sideslip", "roll", "pitch"};
    static const char *const axles[] = {"front", "rear"};
    static const char *const rests[] = {"along", "across", "yaw", "in all"};
    char heading[200];
    if (w->radius_m > 0.0)
        (void)snprintf(heading, sizeof heading,
                       "Steady turns of %g m: %s (dashed: beyond the limit)", w->radius_m, car);
    else
        (void)snprintf(heading, sizeof heading,
                       "Steady turns at %g km/h: %s (dashed: beyond the limit)", 3.6 * w->speed_mps,
                       car);
    chart_begin(to, 1520.0, 720.0, heading);
    draw(to, w, "Hand wheel", "angle in deg", 1, none, hand_of, 0);
    draw(to, w, "Body", "angle in deg", 3, body, body_of, 1);
    draw(to, w, "Wheel loads", "load in kN", 4, wheels, load_of, 2);
    draw(to, w, "Understeer gradient", "mrad/(m/s2)", 1, none, gradient_of, 3);
    draw(to, w, "Slip angles of the axles", "angle in deg", 2, axles, alpha_of, 4);
    draw(to, w, "What is left over", "acceleration in m/s2", 4, rests, rest_of, 5);
    chart_end(to);
    return ferror(to) ? -EIO : 0;
}

#include "shared/base/chart.h"
#include "shared/base/out_file.h"
#include "target/model/tyre/tyre_file.h"
#include "target/tyre_sheet.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PI          3.141592653589793
#define DEG_PER_RAD (180.0 / PI)

enum { LOADS = 4, POINTS = 241, ANGLES = 6 };

/* Room for the curves of one page. */
struct curves {
    double kappa[POINTS], alpha_deg[POINTS];
    double fx_kN[LOADS][POINTS], fy_kN[LOADS][POINTS], mz_Nm[LOADS][POINTS];
    double combined_x_kN[ANGLES][POINTS], combined_y_kN[ANGLES][POINTS];
    double ellipse_x_kN[POINTS], ellipse_y_kN[POINTS];
    char load_name[LOADS][24], angle_name[ANGLES][24];
};

static const double ANGLES_DEG[ANGLES] = {0.0, 1.0, 2.0, 4.0, 8.0, 14.0};

static void compute(const struct tyre_set *set, double friction, struct curves *c)
{
    struct tyre_point at = {.vx_mps = 20.0, .friction = friction};
    for (int i = 0; i < POINTS; i++) {
        double along = 2.0 * i / (POINTS - 1) - 1.0;
        c->kappa[i] = 100.0 * along * fabs(along); /* dense around zero, in per cent */
        c->alpha_deg[i] = 25.0 * along * fabs(along);
    }
    for (int l = 0; l < LOADS; l++) {
        at.load_N = 0.5 * (l + 1) * set->load0s_N[FL];
        (void)snprintf(c->load_name[l], sizeof c->load_name[l], "%.1f kN", 1e-3 * at.load_N);
        for (int i = 0; i < POINTS; i++) {
            struct tyre_point p = at;
            p.kappa = 0.01 * c->kappa[i];
            c->fx_kN[l][i] = 1e-3 * tyre_sheet_at(set, &p).fx_N;
            p.kappa = 0.0;
            p.alpha_rad = c->alpha_deg[i] / DEG_PER_RAD;
            struct tyre_point_forces f = tyre_sheet_at(set, &p);
            c->fy_kN[l][i] = 1e-3 * f.fy_N;
            c->mz_Nm[l][i] = f.mz_Nm;
        }
    }
    at.load_N = set->load0s_N[FL];
    double peak_x_kN = 0.0, peak_y_kN = 0.0;
    for (int i = 0; i < POINTS; i++) {
        peak_x_kN = fmax(peak_x_kN, fabs(c->fx_kN[1][i]));
        peak_y_kN = fmax(peak_y_kN, fabs(c->fy_kN[1][i]));
    }
    for (int i = 0; i < POINTS; i++) {
        double turn = i * (PI / (POINTS - 1));
        c->ellipse_x_kN[i] = peak_x_kN * cos(turn);
        c->ellipse_y_kN[i] = peak_y_kN * sin(turn);
    }
    for (int a = 0; a < ANGLES; a++) {
        (void)snprintf(c->angle_name[a], sizeof c->angle_name[a], "%.0f deg", ANGLES_DEG[a]);
        for (int i = 0; i < POINTS; i++) {
            struct tyre_point p = at;
            p.alpha_rad = -ANGLES_DEG[a] / DEG_PER_RAD; /* side force to the left, upwards */
            p.kappa = 0.01 * c->kappa[i];
            struct tyre_point_forces f = tyre_sheet_at(set, &p);
            c->combined_x_kN[a][i] = 1e-3 * f.fx_N;
            c->combined_y_kN[a][i] = 1e-3 * f.fy_N;
        }
    }
}

/* One line for each load. */
static void load_lines(const struct curves *c, const double *x, const double y[LOADS][POINTS],
                       struct chart_line lines[LOADS])
{
    for (int l = 0; l < LOADS; l++)
        lines[l] = (struct chart_line){
            .name = c->load_name[l], .x = x, .y = y[l], .count = POINTS, .colour = l};
}

static void draw(FILE *to, const char *name, const struct tyre_model *m, double friction,
                 const struct curves *c)
{
    char heading[128], note[160];
    struct chart_line lines[LOADS], rays[ANGLES + 1];
    (void)snprintf(heading, sizeof heading, "%s", name);
    (void)snprintf(note, sizeof note,
                   "Magic Formula %s, steady state, upright, %.2f bar, 20 m/s, road friction %.3g, "
                   "ISO-W axes",
                   tyre_version_text(m->version), 1e-5 * m->pressure_Pa, friction);
    chart_begin(to, 1200.0, 920.0, heading);
    chart_text(to, 20.0, 54.0, note);

    struct chart chart = {.title = "Longitudinal force",
                          .x = {.label = "longitudinal slip in %", .low = -100.0, .high = 100.0},
                          .y = {.label = "Fx in kN"},
                          .legend = CHART_BOTTOM_RIGHT,
                          .legend_title = "load",
                          .lines = lines,
                          .line_count = LOADS};
    load_lines(c, c->kappa, c->fx_kN, lines);
    chart_draw(to, &chart, 0.0, 66.0, 600.0, 425.0);

    chart.title = "Lateral force";
    chart.x = (struct chart_axis){.label = "slip angle in deg", .low = -25.0, .high = 25.0};
    chart.y = (struct chart_axis){.label = "Fy in kN"};
    chart.legend = CHART_TOP_RIGHT;
    load_lines(c, c->alpha_deg, c->fy_kN, lines);
    chart_draw(to, &chart, 600.0, 66.0, 600.0, 425.0);

    chart.title = "Aligning moment";
    chart.y = (struct chart_axis){.label = "Mz in Nm"};
    chart.legend = CHART_BOTTOM_RIGHT;
    load_lines(c, c->alpha_deg, c->mz_Nm, lines);
    chart_draw(to, &chart, 0.0, 491.0, 600.0, 425.0);

    for (int a = 0; a < ANGLES; a++)
        rays[a] = (struct chart_line){.name = c->angle_name[a],
                                      .x = c->combined_x_kN[a],
                                      .y = c->combined_y_kN[a],
                                      .count = POINTS,
                                      .colour = a};
    rays[ANGLES] = (struct chart_line){.name = "peaks",
                                       .x = c->ellipse_x_kN,
                                       .y = c->ellipse_y_kN,
                                       .count = POINTS,
                                       .colour = 6,
                                       .dashed = true};
    (void)snprintf(note, sizeof note, "Combined slip at %s, braking to driving", c->load_name[1]);
    chart = (struct chart){.title = note,
                           .x = {.label = "Fx in kN"},
                           .y = {.label = "Fy in kN"},
                           .same_scale = true,
                           .legend = CHART_TOP_RIGHT,
                           .legend_title = "slip angle",
                           .lines = rays,
                           .line_count = ANGLES + 1};
    chart_draw(to, &chart, 600.0, 491.0, 600.0, 425.0);
    chart_end(to);
}

int tyre_sheet_draw(const char *name, const struct tyre_model *model, double friction,
                    const char *svg_path, struct err *err)
{
    struct tyre_set set;
    struct curves c;
    tyre_sheet_set(&set, model);
    compute(&set, friction, &c);
    struct out_file f;
    int bad = out_file_open_stream(&f, svg_path, err);
    if (bad)
        return bad;
    draw(f.stream, name, model, friction, &c);
    return out_file_finish(&f, 0, err);
}

#include "target/sim_plot.h"

#include "shared/base/chart.h"
#include "shared/base/out_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double deg = 180.0 / 3.14159265358979323846;
static const char *const wheel_names[WHEELS] = {"front left", "front right", "rear left",
                                                "rear right"};

void sim_plot_begin(struct sim_plot *p, const struct offline *o)
{
    double load_N[WHEELS], still[WHEELS] = {0.0, 0.0, 0.0, 0.0};
    memset(p, 0, sizeof *p);
    p->every_s = o->scenario->duration_s / (SIM_PLOT_POINTS - 1);
    memcpy(load_N, o->out.load_N, sizeof load_N);
    tyre_rolling_radius(o->vehicle->facts.tyres, load_N, still, o->vehicle->facts.inflation_Pa,
                        p->radius_m);
    sim_plot_add(p, o);
}

void sim_plot_add(struct sim_plot *p, const struct offline *o)
{
    const struct plant_out *out = &o->out;
    double time_s = (double)o->tick * o->scenario->step_s;
    size_t n = p->count;
    if (n >= SIM_PLOT_POINTS || time_s + 0.5 * o->scenario->step_s < (double)n * p->every_s)
        return;
    p->count++;
    p->row[PLOT_TIME][n] = time_s;
    p->row[PLOT_X][n] = out->pos_m[0];
    p->row[PLOT_Y][n] = out->pos_m[1];
    p->row[PLOT_SPEED][n] = 3.6 * hypot(out->vel_mps[0], out->vel_mps[1]);
    p->row[PLOT_YAW_RATE][n] = deg * out->rate_radps[2];
    p->row[PLOT_AY][n] = out->level_acc_mps2[1];
    p->row[PLOT_AX][n] = out->level_acc_mps2[0];
    /* At a crawl the direction of motion means nothing: a gap in the line. */
    p->row[PLOT_SIDESLIP][n] = p->row[PLOT_SPEED][n] > 3.6 ? deg * out->sideslip_rad : NAN;
    p->row[PLOT_ROLL][n] = deg * out->roll_rad;
    p->row[PLOT_PITCH][n] = deg * out->pitch_rad;
    p->row[PLOT_HAND_WHEEL][n] = deg * out->hand_wheel_rad;
    for (int i = 0; i < WHEELS; i++) {
        p->row[PLOT_WHEEL + i][n] = 3.6 * p->radius_m[i] * out->spin_radps[i];
        p->row[PLOT_LOAD + i][n] = 1e-3 * out->load_N[i];
        p->row[PLOT_PRESSURE + i][n] = 1e-5 * out->pressure_Pa[i];
    }
}

static struct chart_line line_of(const struct sim_plot *p, int x, int y, const char *name,
                                 int colour)
{
    return (struct chart_line){
        .name = name, .x = p->row[x], .y = p->row[y], .count = p->count, .colour = colour};
}

/* A chart over time of `count` rows. */
static void over_time(FILE *to, const struct sim_plot *p, const char *title, const char *label,
                      const int *rows, const char *const *names, size_t count, int column, int line)
{
    struct chart_line lines[5];
    for (size_t k = 0; k < count; k++)
        lines[k] = line_of(p, PLOT_TIME, rows[k], names[k], (int)k);
    struct chart c = {.title = title,
                      .x = {.label = "time in s"},
                      .y = {.label = label},
                      .lines = lines,
                      .line_count = count};
    chart_draw(to, &c, 20.0 + 500.0 * column, 50.0 + 330.0 * line, 480.0, 310.0);
}

static void draw(FILE *to, const struct sim_plot *p)
{
    const int wheels[5] = {PLOT_WHEEL, PLOT_WHEEL + 1, PLOT_WHEEL + 2, PLOT_WHEEL + 3, PLOT_SPEED};
    const int loads[4] = {PLOT_LOAD, PLOT_LOAD + 1, PLOT_LOAD + 2, PLOT_LOAD + 3};
    const int press[4] = {PLOT_PRESSURE, PLOT_PRESSURE + 1, PLOT_PRESSURE + 2, PLOT_PRESSURE + 3};
    const char *const speed_names[5] = {wheel_names[0], wheel_names[1], wheel_names[2],
                                        wheel_names[3], "car"};
    struct chart_line path = line_of(p, PLOT_X, PLOT_Y, NULL, 0);
    struct chart place = {.title = "Path",
                          .x = {.label = "x in m"},
                          .y = {.label = "y in m"},
                          .same_scale = true,
                          .lines = &path,
                          .line_count = 1};
    chart_draw(to, &place, 20.0, 50.0, 480.0, 310.0);
    over_time(to, p, "Speed of car and wheels", "speed in km/h", wheels, speed_names, 5, 1, 0);
    over_time(to, p, "Brake pressures", "pressure in bar", press, wheel_names, 4, 2, 0);
    over_time(to, p, "Accelerations along the ground", "acceleration in m/s2",
              (const int[]){PLOT_AX, PLOT_AY}, (const char *const[]){"forward", "left"}, 2, 0, 1);
    over_time(to, p, "Turning", "deg/s and deg",
              (const int[]){PLOT_YAW_RATE, PLOT_SIDESLIP, PLOT_HAND_WHEEL},
              (const char *const[]){"yaw rate", "sideslip", "hand wheel"}, 3, 1, 1);
    over_time(to, p, "Wheel loads", "load in kN", loads, wheel_names, 4, 2, 1);
}

int sim_plot_write(const struct sim_plot *p, const struct offline *o, const char *variant,
                   const char *path)
{
    char heading[3 * SCENARIO_NAME + 8];
    struct out_file f;
    struct err e = {""};
    int bad = out_file_open_stream(&f, path, &e);
    if (bad) {
        fprintf(stderr, "skidpad sim: %s\n", e.text);
        return bad;
    }
    FILE *to = f.stream;
    (void)snprintf(heading, sizeof heading, "%s: %s%s%s", o->scenario->name, o->vehicle->name,
                   variant ? ", " : "", variant ? variant : "");
    chart_begin(to, 1520.0, 710.0, heading);
    draw(to, p);
    chart_end(to);
    bad = out_file_finish(&f, 0, &e);
    if (bad)
        fprintf(stderr, "skidpad sim: %s\n", e.text);
    return bad;
}

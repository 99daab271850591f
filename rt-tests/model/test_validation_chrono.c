/* lumped15 against Project Chrono's Sedan: the runs step, sine and accbrake of the reference data.
 * docs/validation.md explains both sides, the limits and what is left.
 *
 * Their own step-size error (README of the data) is about 1 % in yaw rate and lateral acceleration
 * of `step`, 0.7 % in `sine`; the demanded limit is 5 %. Limits below are what we reach, rounded up
 * to leave room for that error. */
#include "rt-tests/support/chrono_sedan.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LOAD(wheel, theirs, ours, share)                                                           \
    {                                                                                              \
        "load " wheel, "N", VALIDATION_VALUE, {theirs}, {ours}, share, 0.0                         \
    }
#define LOADS(share)                                                                               \
    LOAD("FL", "Fz_fl", "fl_load_N", share), LOAD("FR", "Fz_fr", "fr_load_N", share),              \
        LOAD("RL", "Fz_rl", "rl_load_N", share), LOAD("RR", "Fz_rr", "rr_load_N", share)

/* Settles before their time 0. */
static const double lead_s = 4.0;

/* Their run and ours with the same inputs. */
static void run_both(struct validation_folder *f, const char *name, enum chrono_shaft shaft,
                     double lead, struct validation_runs *r)
{
    *r = (struct validation_runs){.every_s = 0.01, .lead = (size_t)lround(lead / 0.01)};
    chrono_read(name, &r->theirs);
    validation_folder_make(f);
    chrono_write_car(f, shaft);
    chrono_write_scenario(f, &r->theirs, lead);
    validation_drive(f, "scenario.yaml", &r->ours);
}

static void free_both(struct validation_runs *r)
{
    csv_free(&r->theirs);
    csv_free(&r->ours);
}

/* x, y and yaw counted from the place and heading of a row. */
static void count_from(struct csv *t, size_t row, const char *x, const char *y, const char *yaw)
{
    double x0 = validation_cell(t, row, x), y0 = validation_cell(t, row, y);
    double yaw0 = validation_cell(t, row, yaw), c = cos(yaw0), s = sin(yaw0);
    int ix = csv_column(t, x), iy = csv_column(t, y), iyaw = csv_column(t, yaw);
    for (size_t i = 0; i < t->rows; i++) {
        double *v = &t->values[i * t->columns];
        double dx = v[ix] - x0, dy = v[iy] - y0;
        v[ix] = c * dx + s * dy;
        v[iy] = c * dy - s * dx;
        v[iyaw] -= yaw0;
    }
}

/* Limits of the handling runs. */
static const struct validation_signal handling[] = {
    {"yaw rate", "rad/s", VALIDATION_VALUE, {"yawrate"}, {"yaw_rate_radps"}, 0.02, 0.0},
    {"ay", "m/s²", VALIDATION_VALUE, {"ay"}, {"ay_mps2"}, 0.02, 0.0},
    /* They take the slip angle at the wheel centre, we at the contact point: in `sine` 2 %. */
    {"sideslip", "rad", VALIDATION_ANGLE, {"vy", "vx"}, {"vy_mps", "vx_mps"}, 0.04, 0.0},
    /* The 0.4 kg m2 of an axle shaft have no gyroscopic moment in theirs: 0.3 %. */
    {"roll", "rad", VALIDATION_VALUE, {"roll"}, {"roll_rad"}, 0.03, 0.0},
    LOADS(0.025),
};
/* At every instant: the most is 3 %, in the 50 ms after the steering ramp and in sideslip of
 * `sine`, both for the slip at wheel centre or contact point. */
static const double whole_run = 0.05;
#define LOAD_PANELS                                                                                \
    {                                                                                              \
        "Load, front",  "N", {&handling[4], &handling[5]}, {"left", "right"}, 0, 1e4,              \
        CHART_TOP_RIGHT},                                                                          \
    {                                                                                              \
        "Load, rear", "N", {&handling[6], &handling[7]}, {"left", "right"}, 0, 1e4,                \
            CHART_TOP_RIGHT                                                                        \
    }
static const struct validation_panel step_panels[6] = {
    {"Yaw rate", "rad/s", {&handling[0]}, {NULL}, 0.0, 0.25, CHART_BOTTOM_RIGHT},
    {"Lateral acceleration", "m/s²", {&handling[1]}, {NULL}, 0.0, 5.0, CHART_BOTTOM_RIGHT},
    {"Sideslip", "rad", {&handling[2]}, {NULL}, -0.03, 0.01, CHART_TOP_RIGHT},
    {"Roll", "rad", {&handling[3]}, {NULL}, 0.0, 0.03, CHART_BOTTOM_RIGHT},
    LOAD_PANELS,
};
static const struct validation_panel sine_panels[6] = {
    {"Yaw rate", "rad/s", {&handling[0]}, {NULL}, -0.2, 0.3, CHART_TOP_RIGHT},
    {"Lateral acceleration", "m/s²", {&handling[1]}, {NULL}, -4.0, 6.0, CHART_TOP_RIGHT},
    {"Sideslip", "rad", {&handling[2]}, {NULL}, -0.03, 0.04, CHART_TOP_RIGHT},
    {"Roll", "rad", {&handling[3]}, {NULL}, -0.03, 0.04, CHART_TOP_RIGHT},
    LOAD_PANELS,
};
enum { HANDLING = sizeof handling / sizeof handling[0] };
/* Beside them in `step`. Pitch: of 45.6 mrad. Speed: of 22 m/s. */
static const struct validation_signal step_more[] = {
    {"vx", "m/s", VALIDATION_VALUE, {"vx"}, {"vx_mps"}, 0.0, 0.02},
    {"pitch", "rad", VALIDATION_VALUE, {"pitch"}, {"pitch_rad"}, 0.0, 1e-4},
    {"FL steer", "rad", VALIDATION_VALUE, {"delta_fl"}, {"fl_steer_rad"}, 0.0, 5e-4},
    {"rear Fx left", "N", VALIDATION_VALUE, {"Fx_rl"}, {"rl_long_N"}, 0.03, 0.0},
    {"rear Fx right", "N", VALIDATION_VALUE, {"Fx_rr"}, {"rr_long_N"}, 0.03, 0.0},
};
/* At the end of `step`; their step-size error is 0.45 m in y and 10 mrad in yaw. */
static const struct validation_signal step_path[] = {
    {"x", "m", VALIDATION_VALUE, {"x"}, {"x_m"}, 0.0, 0.9},
    {"y", "m", VALIDATION_VALUE, {"y"}, {"y_m"}, 0.0, 0.9},
    {"yaw", "rad", VALIDATION_VALUE, {"yaw"}, {"yaw_rad"}, 0.0, 0.02},
};

static void step_steer_is_theirs(void **state)
{
    struct validation_runs r;
    struct validation_table t;
    run_both(*state, "step", CHRONO_SHAFT_AT_ENGINE, lead_s, &r);
    count_from(&r.theirs, 0, "x", "y", "yaw");
    count_from(&r.ours, r.lead, "x_m", "y_m", "yaw_rad");
    validation_draw(&r, step_panels, 6, 4, "validation_chrono_step",
                    "Chrono sedan, step: 80 km/h, steering ramp of 0.1 s at 1 s", "Chrono");
    validation_begin(&t, "chrono_step");
    validation_at(&t, &r, handling, HANDLING, 3.0);
    validation_at(&t, &r, step_more, sizeof step_more / sizeof step_more[0], 3.0);
    validation_at(&t, &r, step_path, sizeof step_path / sizeof step_path[0], 7.0);
    /* The rack is where the input says. */
    for (size_t row = 0; row < r.theirs.rows; row++)
        assert_near(validation_cell(&r.ours, row + r.lead, "rack_m"),
                    -0.0811578 * validation_cell(&r.theirs, row, "steer_in"), 5e-5);
    validation_end(&t);
    validation_whole(&r, handling, HANDLING, whole_run, "chrono_step_whole");
    free_both(&r);
}

struct peak {
    double value, time_s;
};
typedef double side_value(const struct validation_runs *r, const struct validation_signal *s,
                          size_t row);

/* The value farthest from that of the straight run before, within a time window. */
static struct peak peak_of(const struct validation_runs *r, const struct validation_signal *s,
                           double from_s, double to_s, side_value *side)
{
    double straight = side(r, s, 0), farthest = -1.0;
    struct peak p = {0};
    for (size_t row = validation_row(r, from_s); row <= validation_row(r, to_s); row++) {
        double v = side(r, s, row);
        if (fabs(v - straight) > farthest) {
            farthest = fabs(v - straight);
            p = (struct peak){v, (double)row * r->every_s};
        }
    }
    return p;
}

/* Each half period of 1.25 s has one peak of each signal, 0.3 to 1.3 s after it begins. */
static void sine_steer_peaks_are_theirs(void **state)
{
    struct validation_runs r;
    struct validation_table t;
    run_both(*state, "sine", CHRONO_SHAFT_AT_ENGINE, lead_s, &r);
    validation_draw(&r, sine_panels, 6, 4, "validation_chrono_sine",
                    "Chrono sedan, sine: 80 km/h, steering 0.4 Hz", "Chrono");
    validation_begin(&t, "chrono_sine");
    double latest_s = 0.0;
    for (int half = 0; half < 4; half++) {
        double from_s = 1.3 + 1.25 * half, to_s = from_s + 1.0;
        for (int i = 0; i < HANDLING; i++) {
            char at[40];
            struct peak theirs = peak_of(&r, &handling[i], from_s, to_s, validation_theirs);
            struct peak ours = peak_of(&r, &handling[i], from_s, to_s, validation_ours);
            (void)snprintf(at, sizeof at, "%.2f, %.2f", theirs.time_s, ours.time_s);
            validation_line(&t, &handling[i], at, theirs.value, ours.value);
            latest_s = fmax(latest_s, fabs(ours.time_s - theirs.time_s));
        }
    }
    validation_end(&t);
    /* Peaks are flat: 20 ms from the top a sine of 0.4 Hz is 0.1 % lower. */
    assert_below(latest_s, 0.025);
    validation_whole(&r, handling, HANDLING, whole_run, "chrono_sine_whole");
    free_both(&r);
}

/* Limits of accbrake. Their tyre below 3 m/s is a friction model of its own that slips more, the
 * engine turns faster on the first metre and pulls more (its torque rises with speed there): 0.1
 * m/s that stay for the rest of the run, 1.3 m at its end. */
static const struct validation_signal along[] = {
    {"distance", "m", VALIDATION_RISE, {"x"}, {"x_m"}, 0.02, 0.0},
    {"vx", "m/s", VALIDATION_VALUE, {"vx"}, {"vx_mps"}, 0.0, 0.15},
};
/* Pitch moves by 8 to 12 mrad: 5 % of that. Inertia of the propeller shaft turns with our wheels
 * and takes its torque from the body, theirs does not: 2 % of pitch, 1.3 % of the rear load. */
static const struct validation_signal driving[] = {
    {"ax", "m/s²", VALIDATION_VALUE, {"ax"}, {"ax_mps2"}, 0.0, 0.03},
    {"pitch", "rad", VALIDATION_VALUE, {"pitch"}, {"pitch_rad"}, 0.0, 5e-4},
    {"front load", "N", VALIDATION_SUM, {"Fz_fl", "Fz_fr"}, {"fl_load_N", "fr_load_N"}, 0.02, 0.0},
    {"rear load", "N", VALIDATION_SUM, {"Fz_rl", "Fz_rr"}, {"rl_load_N", "rr_load_N"}, 0.02, 0.0},
    {"rear Fx", "N", VALIDATION_SUM, {"Fx_rl", "Fx_rr"}, {"rl_long_N", "rr_long_N"}, 0.0, 40.0},
    {"engine", "rad/s", VALIDATION_VALUE, {"engine_radps"}, {"engine_radps"}, 0.0, 6.0},
};
/* Under power their chassis gets the torque of the propeller shaft about x with nothing to hold it
 * (ChShaftsDriveline2WD loads the shaft from outside): it rolls, the left wheels carry more. */
static const struct validation_signal wheels_driven[] = {LOADS(0.06)};
static const struct validation_signal wheels_braked[] = {LOADS(0.025)};

static const struct validation_panel along_panels[6] = {
    {"Speed", "m/s", {&along[1]}, {NULL}, -5.0, 35.0, CHART_TOP_RIGHT},
    {"Acceleration along the car", "m/s²", {&driving[0]}, {NULL}, -8.0, 10.0, CHART_TOP_RIGHT},
    {"Pitch, nose down", "rad", {&driving[1]}, {NULL}, 0.02, 0.07, CHART_TOP_LEFT},
    {"Axle load", "N", {&driving[2], &driving[3]}, {"front", "rear"}, 4e3, 16e3, CHART_TOP_RIGHT},
    {"Longitudinal force, rear axle", "N", {&driving[4]}, {NULL}, -6e3, 16e3, CHART_TOP_RIGHT},
    {"Engine speed", "rad/s", {&driving[5]}, {NULL}, -100.0, 700.0, CHART_TOP_RIGHT},
};

/* First time from which the car stays below 0.5 m/s; it rocks when it stops, theirs by 0.26. */
static double stopped_s(const struct validation_runs *r, side_value *side)
{
    size_t row = r->theirs.rows - 1;
    while (row > 0 && fabs(side(r, &along[1], row - 1)) < 0.5)
        row--;
    return (double)row * r->every_s;
}

static void acceleration_and_braking_are_theirs(void **state)
{
    enum { ALONG = sizeof along / sizeof along[0], DRIVING = sizeof driving / sizeof driving[0] };
    /* Second gear, third gear, overrun, braking in third and second gear. */
    static const double times_s[] = {3.0, 7.0, 9.0, 10.0, 12.5};
    struct validation_runs r;
    struct validation_table t;
    run_both(*state, "accbrake", CHRONO_SHAFT_AT_WHEELS, 0.0, &r);
    validation_draw(&r, along_panels, 6, 6, "validation_chrono_accbrake",
                    "Chrono sedan, accbrake: throttle 0.6, overrun, brake 0.4", "Chrono");
    validation_begin(&t, "chrono_accbrake");
    for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
        validation_at(&t, &r, along, ALONG, times_s[i]);
        validation_at(&t, &r, driving, DRIVING, times_s[i]);
    }
    validation_at(&t, &r, wheels_driven, 4, 3.0);
    validation_at(&t, &r, wheels_braked, 4, 10.0);
    validation_at(&t, &r, along, 1, 16.0);
    /* The speed that is missing, 0.1 m/s, at 5.5 m/s2. */
    static const struct validation_signal stop = {
        .name = "below 0.5 m/s since", .unit = "s", .bound = 0.05};
    validation_line(&t, &stop, "-", stopped_s(&r, validation_theirs),
                    stopped_s(&r, validation_ours));
    free_both(&r);
    validation_end(&t);
}

int main(void)
{
#define WITH_FOLDER(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, validation_setup, validation_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(step_steer_is_theirs),
        WITH_FOLDER(sine_steer_peaks_are_theirs),
        WITH_FOLDER(acceleration_and_braking_are_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

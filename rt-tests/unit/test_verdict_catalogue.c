/* The other manoeuvres of the catalogue on hand-made drives: each value just inside its limit
 * passes, just outside it fails that criterion and no other. */
#include "rt-tests/support/hand_made.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double deg = 0.017453292519943295, kmh = 1.0 / 3.6, pi = 3.14159265358979323846;

/* Up to seven numbers that a drive is made of, and what fails then. */
struct hand_made_case {
    double a[7];
    const char *fails;
};

static void judge(const char *scenario, double duration_s, double step_s,
                  void (*make)(struct signals *s, const void *how),
                  const struct hand_made_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct expr_trace t = hand_made(duration_s, step_s, make, cases[i].a);
        const char *fails = hand_made_failures(scenario, NULL, &t);
        if (strcmp(fails, cases[i].fails) != 0)
            fail_msg("%s, case %zu: \"%s\" fails, not \"%s\"", scenario, i + 1, fails,
                     cases[i].fails);
    }
}
#define JUDGE(scenario, duration_s, step_s, make, cases)                                           \
    judge("config/scenarios/" scenario ".yaml", duration_s, step_s, make, cases,                   \
          sizeof(cases) / sizeof(cases)[0])

/* ---- slowly increasing steer: rate in deg/s, lateral acceleration in g at 60 deg, speed */

static void make_slow_steer(struct signals *s, const void *how)
{
    const double *a = how;
    double t = s->time_s - 1.0;
    s->hand_wheel_rad = t > 0.0 ? a[0] * t * deg : 0.0;
    s->level_ay_mps2 = a[1] * 9.80665 * s->hand_wheel_rad / (60.0 * deg);
    s->vx_mps = a[2] * kmh;
}

static void slow_steer(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{13.5, 0.305, 80.0}, ""},
        {{13.5, 0.295, 80.0}, "reaches 0.3 g"},
        {{13.5, 0.100, 80.0}, "reaches 0.3 g, at 80 km/h, at 13.5 deg/s"}, /* never comes */
        {{13.5, 0.305, 77.9}, "at 80 km/h"},
        {{13.5, 0.305, 82.1}, "at 80 km/h"},
        {{12.9, 0.305, 80.0}, "at 13.5 deg/s"},
        {{14.1, 0.305, 80.0}, "at 13.5 deg/s"},
    };
    JUDGE("slow_steer", 8.0, 0.002, make_slow_steer, cases);
}

/* ---- stops of constant deceleration: m/s2, entry in km/h, seconds locked, aside, yaw, trouble */

static void make_stop(struct signals *s, const void *how)
{
    const double *a = how;
    double t = fmax(s->time_s - 0.5, 0.0), v = a[1] * kmh, stops_s = v / a[0];
    t = fmin(t, stops_s);
    s->vx_mps = v - a[0] * t;
    s->x_m = v * fmin(s->time_s, 0.5) + v * t - 0.5 * a[0] * t * t;
    s->in_brake_pedal = s->time_s > 0.5;
    s->phase = s->time_s > 0.5;
    s->locked = t > 0.0 && t < a[2] ? 1 : 0;
    s->y_m = -a[3];
    s->yaw_rad = a[4] * deg;
    s->unit_trouble = (uint32_t)a[5];
}

static void straight_stop(void **unused)
{
    (void)unused;
    /* 75 % of 9.81 m/s2 are 7.3575. */
    static const struct hand_made_case cases[] = {
        {{7.37, 100.0, 0.19, 0.49, 0.0, 0.0}, ""},
        {{7.33, 100.0, 0.0, 0.0, 0.0, 0.0}, "uses the friction"},
        {{7.37, 97.9, 0.0, 0.0, 0.0, 0.0}, "begins at 100 km/h"},
        {{7.37, 102.1, 0.0, 0.0, 0.0, 0.0}, "begins at 100 km/h"},
        {{7.37, 100.0, 0.21, 0.0, 0.0, 0.0}, "no wheel locks above 15 km/h"},
        {{7.37, 100.0, 0.0, 0.51, 0.0, 0.0}, "goes straight"},
        {{7.37, 100.0, 0.0, 0.0, 0.0, 1.0}, "no trouble code"},
    };
    JUDGE("iso21994", 6.0, 0.002, make_stop, cases);
}

static void stop_on_split_friction(void **unused)
{
    (void)unused;
    /* 0.2 g are 1.961 m/s2. */
    static const struct hand_made_case cases[] = {
        {{1.97, 100.0, 0.19, 0.99, 9.9, 0.0}, ""},
        {{1.95, 100.0, 0.0, 0.0, 0.0, 0.0}, "brakes better than the low side alone"},
        {{1.97, 100.0, 0.21, 0.0, 0.0, 0.0}, "no wheel locks above 15 km/h"},
        {{1.97, 100.0, 0.0, 1.01, 0.0, 0.0}, "stays in its lane"},
        {{1.97, 100.0, 0.0, 0.0, 10.1, 0.0}, "does not turn"},
        {{1.97, 100.0, 0.0, 0.0, 0.0, 1.0}, "no trouble code"},
    };
    JUDGE("iso14512", 16.0, 0.002, make_stop, cases);
}

/* Locked below 15 km/h is allowed: 15 km/h are reached 23.6 m/s / 7.37 m/s2 = 3.2 s after. */
static void make_late_lock(struct signals *s, const void *how)
{
    const double *a = how;
    make_stop(s, how);
    s->locked = s->vx_mps < a[6] * kmh && s->vx_mps > 0.0 ? 2 : 0;
}

static void wheels_may_lock_when_slow(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{7.37, 100.0, 0.0, 0.0, 0.0, 0.0, 14.9}, ""},
        {{7.37, 100.0, 0.0, 0.0, 0.0, 0.0, 25.0}, "no wheel locks above 15 km/h"},
    };
    JUDGE("iso21994", 6.0, 0.002, make_late_lock, cases);
}

/* ---- jump of friction at 60 m to 0.2: share of the friction used 1 s behind, locked, aside */

static void make_jump(struct signals *s, const void *how)
{
    const double *a = how;
    double t = s->time_s;
    s->x_m = 30.0 + 19.0 * t;
    s->vx_mps = 19.0;
    s->level_ax_mps2 = s->x_m < 62.0 + 19.0 ? 0.0 : -a[0] * 0.2 * 9.81;
    s->locked = t > 2.0 && t < 2.0 + a[1] ? 8 : 0;
    s->y_m = a[2];
}

static void jump_of_friction(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{0.76, 0.19, 0.49}, ""},
        {{0.74, 0.0, 0.0}, "brakes as the new road allows after 1 s"},
        {{0.76, 0.21, 0.0}, "no wheel locks above 15 km/h"},
        {{0.76, 0.0, 0.51}, "keeps straight"},
    };
    JUDGE("r13h_transition", 5.0, 0.002, make_jump, cases);
}

/* ---- braking in a turn at 6 s: lateral acceleration before, deceleration, sideslip, yaw rate over
 * the one that keeps the radius */

static void make_brake_in_turn(struct signals *s, const void *how)
{
    const double *a = how;
    double t = s->time_s - 6.0;
    s->phase = t > 0.0;
    s->vx_mps = 80.0 * kmh - (t > 0.0 ? a[1] * t : 0.0);
    s->level_ay_mps2 = a[0];
    s->level_ax_mps2 = t > 0.0 ? -a[1] : 0.0;
    s->sideslip_rad = t > 0.5 && t < 1.5 ? -a[2] * deg : 0.0;
    s->yaw_rate_radps = a[3] * s->vx_mps / 100.0;
}

static void braking_in_a_turn(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{4.71, 3.1, 7.9, 0.61}, ""},
        {{5.29, 3.1, 7.9, 1.59}, ""},
        {{4.69, 3.1, 0.0, 1.0}, "begins at 5 m/s2"},
        {{5.31, 3.1, 0.0, 1.0}, "begins at 5 m/s2"},
        {{5.0, 2.9, 0.0, 1.0}, "brakes"},
        {{5.0, 3.1, 8.1, 1.0}, "does not spin"},
        {{5.0, 3.1, 0.0, 0.59}, "goes on turning"},
        {{5.0, 3.1, 0.0, 1.61}, "does not turn in"},
    };
    JUDGE("iso7975", 9.0, 0.002, make_brake_in_turn, cases);
}

/* ---- steady-state circle: hand wheel per lateral acceleration, offset, largest acceleration */

static void make_circle(struct signals *s, const void *how)
{
    const double *a = how;
    s->level_ay_mps2 = fmin(0.3 * s->time_s, a[2]);
    s->hand_wheel_rad = (40.0 + a[0] * s->level_ay_mps2) * deg;
    s->path_error_m = s->time_s > 10.0 ? -a[1] : 0.0;
}

static void steady_state_circle(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{0.51, 0.49, 5.6}, ""},
        {{0.49, 0.0, 5.6}, "understeers"},
        {{-1.0, 0.0, 5.6}, "understeers"},
        {{0.51, 0.51, 5.6}, "holds the radius"},
        {{0.51, 0.0, 5.4}, "reaches 5.5 m/s2"},
    };
    JUDGE("iso4138", 20.0, 0.002, make_circle, cases);
}

/* ---- weave of 0.2 Hz: lateral acceleration, speed, lags of yaw rate and acceleration in s, torque
 */

static void make_weave(struct signals *s, const void *how)
{
    const double *a = how;
    double w = 2.0 * pi * 0.2, t = s->time_s - 1.0;
    s->hand_wheel_rad = 10.0 * deg * sin(w * t);
    s->level_ay_mps2 = a[0] * sin(w * (t - a[3]));
    s->yaw_rate_radps = 4.0 * deg * sin(w * (t - a[2]));
    s->hand_wheel_Nm = a[4] * sin(w * t + 0.3);
    s->vx_mps = a[1] * kmh;
}

static void weave(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{1.71, 97.1, 0.149, 0.299, 0.51}, ""},
        {{2.29, 97.1, 0.149, 0.299, 0.51}, ""},
        {{1.69, 97.1, 0.1, 0.2, 1.0}, "about 2 m/s2"},
        {{2.31, 97.1, 0.1, 0.2, 1.0}, "about 2 m/s2"},
        {{2.0, 96.9, 0.1, 0.2, 1.0}, "keeps its speed"},
        {{2.0, 97.1, 0.151, 0.2, 1.0}, "yaw rate follows at once"},
        {{2.0, 97.1, 0.1, 0.301, 1.0}, "acceleration follows at once"},
        {{2.0, 97.1, 0.1, 0.2, 0.49}, "the hand feels it"},
    };
    JUDGE("weave", 26.0, 0.002, make_weave, cases);
}

/* ---- frequency response at 0.2 Hz, after a step with 0.4 1/s: answer of the yaw rate over it, lag
 * in deg, speed at the end */

static void make_response(struct signals *s, const void *how)
{
    const double *a = how;
    double angle = 2.0 * pi * 0.2 * (s->time_s - 1.0);
    s->hand_wheel_rad = 20.0 * deg * sin(angle);
    s->yaw_rate_radps = 20.0 * deg * 0.4 * a[0] * sin(angle - a[1] * deg);
    s->vx_mps = a[2] * kmh;
}

static void frequency_response(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{0.71, 89.0, 97.1}, ""},
        {{1.59, -89.0, 102.9}, ""},
        {{0.69, 20.0, 100.0}, "yaw rate answers up to 1 Hz"},
        {{1.61, 20.0, 100.0}, "yaw rate does not resonate"},
        {{1.0, 91.0, 100.0}, "yaw rate lags up to 1 Hz"},
        {{1.0, 269.0, 100.0}, "yaw rate lags up to 1 Hz"}, /* 91 the other way round */
        {{1.0, 20.0, 96.9}, "speed is held"},
    };
    JUDGE("iso7401_sine", 11.0, 0.002, make_response, cases);
}

/* ---- slalom: roll at 100 m, how far it gets upright, offset, speeds, cones */

static void make_slalom(struct signals *s, const void *how)
{
    const double *a = how;
    double x_m = 55.0 * kmh * s->time_s;
    s->x_m = fmin(x_m, a[1]);
    s->roll_rad = x_m > 100.0 && x_m < 103.0 ? a[0] * deg : 0.0;
    s->path_error_m = x_m > 50.0 ? a[2] : 0.0;
    s->vx_mps = (x_m > 60.0 ? a[3] : a[4]) * kmh;
    s->cones_hit = (uint32_t)a[5];
}

static void slalom(void **unused)
{
    (void)unused;
    static const struct hand_made_case cases[] = {
        {{29.0, 251.0, 0.29, 56.9, 53.1, 0.0}, ""},
        {{-31.0, 251.0, 0.0, 55.0, 55.0, 0.0}, "does not roll over"},
        {{8.0, 249.0, 0.0, 55.0, 55.0, 0.0}, "reaches the end"},
        {{8.0, 251.0, -0.31, 55.0, 55.0, 0.0}, "follows the path until then"},
        {{8.0, 251.0, 0.0, 57.1, 55.0, 0.0}, "is not faster"},
        {{8.0, 251.0, 0.0, 55.0, 52.9, 0.0}, "is not slower"},
        {{8.0, 251.0, 0.0, 55.0, 55.0, 1.0}, "touches no cone"},
    };
    JUDGE("slalom", 17.0, 0.002, make_slalom, cases);
}

/* ---- lanes: cones, speed at the entry, how far */

static void make_lane(struct signals *s, const void *how)
{
    const double *a = how;
    double x_m = a[1] * kmh * s->time_s;
    s->vx_mps = a[1] * kmh;
    s->x_m = fmin(x_m, a[2]);
    s->cones_hit = x_m > 70.0 ? (uint32_t)a[0] : 0;
}

static void single_lane_change_and_obstacle(void **unused)
{
    (void)unused;
    static const struct hand_made_case single[] = {
        {{0.0, 82.9, 140.0}, ""},
        {{1.0, 80.0, 140.0}, "touches no cone"},
        {{0.0, 83.1, 140.0}, "enters at 80 km/h"},
        {{0.0, 80.0, 138.0}, "gets through"},
    };
    static const struct hand_made_case obstacle[] = {
        {{0.0, 46.9, 115.0}, ""},
        {{1.0, 45.0, 115.0}, "touches no cone"},
        {{0.0, 42.9, 115.0}, "enters at its speed"},
        {{0.0, 45.0, 113.0}, "gets through"},
    };
    JUDGE("iso3888_1_single", 8.0, 0.002, make_lane, single);
    JUDGE("iso3888_2", 10.0, 0.002, make_lane, obstacle);
}

/* ---- along the road */

/* Seconds to 100 km/h from 0.1 m/s on, aside. */
static void make_acceleration(struct signals *s, const void *how)
{
    const double *a = how;
    double t = fmax(s->time_s - 0.5, 0.0);
    s->vx_mps = t > 0.0 ? 0.1001 + (27.7 - 0.1) * t / a[0] : 0.0;
    s->y_m = a[1];
}

/* Highest speed, and its rise in the last 20 s. */
static void make_top_speed(struct signals *s, const void *how)
{
    const double *a = how;
    s->vx_mps = (a[0] - a[1] * fmin((120.0 - s->time_s) / 20.0, 1.0)) * kmh;
}

/* Decelerations above and below 60 km/h. */
static void make_coast(struct signals *s, const void *how)
{
    const double *a = how;
    double until_s = 60.0 * kmh / a[0], t = s->time_s;
    s->vx_mps = t < until_s ? 120.0 * kmh - a[0] * t : 60.0 * kmh - a[1] * (t - until_s);
}

/* Speed while held, how far it rolls back, how far it gets. */
static void make_hill(struct signals *s, const void *how)
{
    const double *a = how;
    double t = s->time_s;
    s->vx_mps = t > 1.0 && t < 1.2 ? -a[0] : 0.0;
    s->x_m = t < 2.0 ? 0.0 : t < 3.0 ? a[1] * (t - 2.0) : fmin(a[1] + 5.0 * (t - 3.0), a[2]);
}

static void along_the_road(void **unused)
{
    (void)unused;
    static const struct hand_made_case acceleration[] = {
        {{13.9, 0.49}, ""},
        {{14.1, 0.0}, "reaches 100 km/h in 14 s"},
        {{13.9, -0.51}, "keeps straight"},
    };
    static const struct hand_made_case top[] = {
        {{181.0, 0.9}, ""},
        {{179.0, 0.0}, "is fast"},
        {{181.0, 1.1}, "has settled"},
    };
    static const struct hand_made_case coast[] = {
        {{0.38, 0.24}, ""},
        {{0.34, 0.24}, "drags more when fast"},
        {{0.45, 0.26}, "rolls easily"},
    };
    static const struct hand_made_case hill[] = {
        {{0.009, -0.29, 19.1}, ""},
        {{0.011, 0.0, 19.1}, "is held"},
        {{0.0, -0.31, 19.1}, "rolls back less than 0.3 m"},
        {{0.0, 0.0, 18.9}, "gets up"},
    };
    JUDGE("full_throttle", 16.0, 0.002, make_acceleration, acceleration);
    JUDGE("top_speed", 120.0, 0.02, make_top_speed, top);
    JUDGE("coast_down", 120.0, 0.01, make_coast, coast);
    JUDGE("hill_start", 12.0, 0.002, make_hill, hill);
}

/* ---- uneven roads */

/* Vertical acceleration at the cleat, and 1.5 s behind it; trouble. */
static void make_cleat(struct signals *s, const void *how)
{
    const double *a = how;
    double t = s->time_s - 2.0;
    s->x_m = 48.0 + 11.0 * t;
    s->az_mps2 = t > 0.1 && t < 0.2 ? -a[0] : t > 1.6 && t < 1.7 ? a[1] : 0.0;
    s->unit_trouble = (uint32_t)a[2];
}

/* Amplitude of the vertical acceleration over the root of 2, seconds in the air, offset, off the
 * road. */
static void make_rough(struct signals *s, const void *how)
{
    const double *a = how;
    s->az_mps2 = a[0] * sqrt(2.0) * sin(2.0 * pi * s->time_s);
    s->airborne = s->time_s > 2.0 && s->time_s < 2.0 + a[1];
    s->path_error_m = a[2];
    s->off_road = (uint32_t)a[3];
}

static void uneven_roads(void **unused)
{
    (void)unused;
    static const struct hand_made_case cleat[] = {
        {{0.51, 0.050, 0.0}, ""},         {{11.9, 1.18, 0.0}, ""},
        {{0.49, 0.0, 0.0}, "is felt"},    {{12.1, 0.0, 0.0}, "body is spared"},
        {{5.0, 0.51, 0.0}, "calms down"}, {{5.0, 0.0, 1.0}, "no false alarm of the unit"},
    };
    static const struct hand_made_case rough[] = {
        {{0.31, 0.09, 0.29, 0.0}, ""},
        {{1.99, 0.0, 0.0, 0.0}, ""},
        {{0.29, 0.0, 0.0, 0.0}, "shakes"},
        {{2.01, 0.0, 0.0, 0.0}, "shakes no more than class C does"},
        {{1.0, 0.11, 0.0, 0.0}, "wheels stay on the ground"},
        {{1.0, 0.0, -0.31, 0.0}, "stays on its line"},
        {{1.0, 0.0, 0.0, 1.0}, "stays on the road"},
    };
    JUDGE("cleat", 5.0, 0.002, make_cleat, cleat);
    JUDGE("rough_road", 6.0, 0.002, make_rough, rough);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_steer),
        cmocka_unit_test(straight_stop),
        cmocka_unit_test(stop_on_split_friction),
        cmocka_unit_test(wheels_may_lock_when_slow),
        cmocka_unit_test(jump_of_friction),
        cmocka_unit_test(braking_in_a_turn),
        cmocka_unit_test(steady_state_circle),
        cmocka_unit_test(weave),
        cmocka_unit_test(frequency_response),
        cmocka_unit_test(slalom),
        cmocka_unit_test(single_lane_change_and_obstacle),
        cmocka_unit_test(along_the_road),
        cmocka_unit_test(uneven_roads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

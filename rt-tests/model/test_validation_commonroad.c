/* Our car against the CommonRoad multi-body model (Althoff, 29 states) of a BMW 320i: three runs of
 * 0.99 s. docs/validation.md says how its data become our files and where the rest comes from.
 *
 *     SKIDPAD_DATA=DATA SKIDPAD_VALIDATION_DIR=DIR test_validation_commonroad
 *
 * writes the tables and pictures of that page. */
#include "rt-tests/support/commonroad.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { NAMED = 4 };
static const int named[NAMED] = {25, 50, 75, 99}; /* rows: 0.25, 0.50, 0.75, 0.99 s */
/* The step of the real-time target, and one that leaves no error of the integrator to speak of. The
 * same limits hold for both. */
static const double steps_s[] = {1e-3, 1e-4};

static const struct commonroad_run cornering = {"cornering_left", 0.15, 0.0, 1.0};
static const struct commonroad_run braking = {"braking", 0.0, -0.7 * 9.81, 0.0};
static const struct commonroad_run accelerating = {"accelerating", 0.0, 0.63 * 9.81, 0.0};

struct limits {
    double position;  /* distance apart, share of the distance travelled */
    double speed;     /* share of theirs */
    double yaw_rate;  /* share of theirs at the named times; 0: yaw_radps counts there too */
    double yaw_radps; /* at any time, as all that follows */
    double roll_rad, pitch_rad, height_m;
    double spin; /* share of theirs */
    double load_N;
};

static double value(const struct commonroad_row *row, size_t offset)
{
    return *(const double *)(const void *)((const char *)row + offset);
}

/* A line of the table: one quantity at one row. */
static void line(struct validation_table *t, const struct commonroad_pair *r,
                 const struct validation_signal *s, size_t offset, int k, const char *worst)
{
    char at[40];
    (void)snprintf(at, sizeof at, "%.2f%s", r->time_s[k], worst);
    validation_line(t, s, at, value(&r->theirs[k], offset), value(&r->ours[k], offset));
}

static double apart_m(const struct commonroad_pair *r, int k)
{
    return hypot(r->ours[k].x_m - r->theirs[k].x_m, r->ours[k].y_m - r->theirs[k].y_m);
}

static void place_line(struct validation_table *t, const struct commonroad_pair *r, double limit,
                       int k, const char *worst)
{
    char at[40];
    double allowed_m = 1e-3 * floor(1e3 * limit * r->path_m[k]);
    const struct validation_signal s = {"distance apart", "m", .bound = allowed_m};
    (void)snprintf(at, sizeof at, "%.2f%s", r->time_s[k], worst);
    validation_line(t, &s, at, 0.0, apart_m(r, k));
}

/* The row where a difference takes most of what its limit allows. */
static int worst_row(const struct commonroad_pair *r, const struct validation_signal *s,
                     size_t offset)
{
    int worst = 0;
    double most = -1.0;
    for (int k = 0; k < COMMONROAD_ROWS; k++) {
        double theirs = value(&r->theirs[k], offset), off = value(&r->ours[k], offset) - theirs;
        double part = fabs(off) / (s->share * fabs(theirs) + s->bound);
        if (part > most) {
            most = part;
            worst = k;
        }
    }
    return worst;
}

#define OF(field) offsetof(struct commonroad_row, field)

static void named_lines(struct validation_table *t, const struct commonroad_pair *r,
                        const struct limits *l)
{
    const struct validation_signal speed = {"speed", "m/s", .share = l->speed};
    const struct validation_signal yaw = {"yaw rate", "rad/s", .share = l->yaw_rate,
                                          .bound = l->yaw_rate > 0.0 ? 0.0 : l->yaw_radps};
    for (int n = 0; n < NAMED; n++) {
        place_line(t, r, l->position, named[n], "");
        line(t, r, &speed, OF(vx_mps), named[n], "");
        line(t, r, &yaw, OF(yaw_radps), named[n], "");
    }
}

/* The greatest differences of the whole run. */
static void worst_lines(struct validation_table *t, const struct commonroad_pair *r,
                        const struct limits *l)
{
    const struct validation_signal car[] = {{"speed", "m/s", .share = l->speed},
                                            {"yaw rate", "rad/s", .bound = l->yaw_radps},
                                            {"roll", "rad", .bound = l->roll_rad},
                                            {"pitch", "rad", .bound = l->pitch_rad},
                                            {"body height", "m", .bound = l->height_m}};
    const size_t offset[] = {OF(vx_mps), OF(yaw_radps), OF(roll_rad), OF(pitch_rad), OF(height_m)};
    static const char *const wheels[WHEELS] = {"FL", "FR", "RL", "RR"};
    int worst = 10; /* before 0.1 s the distance is short */
    for (int k = worst; k < COMMONROAD_ROWS; k++)
        if (apart_m(r, k) / r->path_m[k] > apart_m(r, worst) / r->path_m[worst])
            worst = k;
    place_line(t, r, l->position, worst, " worst");
    for (size_t i = 0; i < sizeof offset / sizeof offset[0]; i++)
        line(t, r, &car[i], offset[i], worst_row(r, &car[i], offset[i]), " worst");
    for (size_t i = 0; i < WHEELS; i++) {
        char name[2][20];
        (void)snprintf(name[0], sizeof name[0], "wheel speed %s", wheels[i]);
        (void)snprintf(name[1], sizeof name[1], "load %s", wheels[i]);
        const struct validation_signal spin = {name[0], "rad/s", .share = l->spin};
        const struct validation_signal load = {name[1], "N", .bound = l->load_N};
        size_t at = i * sizeof(double);
        line(t, r, &spin, OF(spin_radps) + at, worst_row(r, &spin, OF(spin_radps) + at), " worst");
        line(t, r, &load, OF(load_N) + at, worst_row(r, &load, OF(load_N) + at), " worst");
    }
}

static void compare(const struct commonroad_run *run, const struct limits *limits)
{
    struct commonroad_pair pair, *r = &pair;
    struct validation_table t;
    for (size_t n = 0; n < sizeof steps_s / sizeof steps_s[0]; n++) {
        char name[80];
        commonroad_drive(run, steps_s[n], r);
        if (n == 0)
            commonroad_draw(run, r);
        (void)snprintf(name, sizeof name, "commonroad_%s_%gms", run->name, 1e3 * steps_s[n]);
        print_message("%s\n", name);
        validation_begin(&t, name);
        named_lines(&t, r, limits);
        worst_lines(&t, r, limits);
        validation_end(&t);
    }
}

/* Demanded are 1 % of position, 3 % of yaw rate and speed; what is held beyond that is a little
 * more than what was measured, so that a change of the model shows. */
static void cornering_left_is_theirs(void **state)
{
    (void)state;
    const struct limits limits = {
        /* 0.50 %. Their slip angles take the speed of the sprung centre of gravity for that of the
         * wheels, so a body that rolls outwards adds to them; ours do not. */
        .position = 0.007,
        /* 0.17 %, for the same reason: the speed ahead gains yaw rate times speed sideways. */
        .speed = 0.003,
        /* 1.5 % at 0.25 s, 1.0 % at the end. Their unsprung masses do not resist turning. */
        .yaw_rate = 0.02,
        .yaw_radps = 0.010,
        /* 6 % of the 0.154 that theirs reaches. The moments of unsprung mass and tyre compliance
         * act on a rigid axle there, on the body through independent wheels here. */
        .roll_rad = 0.012,
        /* 0.0015. Their pitch knows neither the lifting forces of the axles in a turn nor that a
         * rolled body which yaws also pitches. */
        .pitch_rad = 0.002,
        .height_m = 0.003,
        /* 0.4 %: the car is slower by 0.2 %, and leaning brings its wheels 2 cm closer together. */
        .spin = 0.006,
        /* 430 N when the inner wheels have left the ground; theirs pull on it then. 300 before, for
         * the reason of the roll. */
        .load_N = 500.0,
    };
    compare(&cornering, &limits);
}

/* Neither run is steered: the yaw rate comes from a side force that longitudinal slip causes and
 * stays below 0.009 rad/s, one hundredth of that in the turn. A share of it says nothing. */
static void braking_is_theirs(void **state)
{
    (void)state;
    const struct limits limits = {
        /* 0.15 % and 0.4 %. A wheel's torque becomes force through the loaded radius here, through
         * the constant R_w there. */
        .position = 0.0025,
        .speed = 0.005,
        .yaw_rate = 0.0,
        .yaw_radps = 0.0015,
        .roll_rad = 0.0015,
        /* 1 % of 0.045. */
        .pitch_rad = 0.001,
        /* 4 mm: our wheels move along the axis of a body that leans by 0.045, so that 7 kN of
         * braking lift it by 0.3 kN. */
        .height_m = 0.005,
        /* 0.5 %, as the speed. */
        .spin = 0.007,
        .load_N = 70.0,
    };
    compare(&braking, &limits);
}

static void accelerating_is_theirs(void **state)
{
    (void)state;
    const struct limits limits = {
        /* 0.17 % and 0.26 %, by the radius again. */
        .position = 0.0025,
        .speed = 0.004,
        .yaw_rate = 0.0,
        .yaw_radps = 0.0010,
        .roll_rad = 0.0015,
        /* 3 % of 0.034: their unsprung masses press on the body as if they were in it. */
        .pitch_rad = 0.0013,
        .height_m = 0.0015,
        /* 1.4 % at 0.1 s, when 12 % slip is past the peak of the curve; 0.3 % from 0.2 s on. */
        .spin = 0.018,
        .load_N = 70.0,
    };
    compare(&accelerating, &limits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cornering_left_is_theirs),
        cmocka_unit_test(braking_is_theirs),
        cmocka_unit_test(accelerating_is_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

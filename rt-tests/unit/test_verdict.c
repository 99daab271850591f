/* Criteria of shipped scenarios on hand-made drives whose verdict is known: each value just inside
 * its limit passes, just outside it fails that criterion and no other. */
#include "rt-tests/support/hand_made.h"
#include "target/scenario/verdict_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double step_s = 0.002;
static const double deg = 0.017453292519943295, kmh = 1.0 / 3.6, g = 9.80665;

/* ---- sine with dwell: A is 21 deg if no drive came before, so 5 A is asked from 105 deg on; the
 * scenario as it stands steers 1.5 A, where displacement is not asked. */

struct dwell {
    double after_1_00, after_1_75; /* yaw rate over its second peak */
    double entry_kmh;
};

/* Yaw rate: -50 deg/s at the second peak, then lines through the two places that count. */
static void make_dwell(struct signals *s, const void *how)
{
    const struct dwell *d = how;
    const double end_s = 1.0 + 1.0 / 0.7 + 0.5, t = s->time_s;
    double share = t < 1.8     ? 0.0
                   : t < end_s ? 1.0
                   : t < end_s + 1.0
                       ? 1.0 + (d->after_1_00 - 1.0) * (t - end_s)
                       : d->after_1_00 + (d->after_1_75 - d->after_1_00) * (t - end_s - 1.0) / 0.75;
    s->yaw_rate_radps = -50.0 * deg * share;
    s->vx_mps = d->entry_kmh * kmh;
}

static void sine_with_dwell_by_the_yaw_rate(void **unused)
{
    (void)unused;
    static const struct {
        struct dwell is;
        const char *fails;
    } cases[] = {
        {{0.34, 0.19, 80.0}, ""},
        {{0.36, 0.19, 80.0}, "yaw rate 1.00 s after"},
        {{0.34, 0.21, 80.0}, "yaw rate 1.75 s after"},
        {{-0.5, -0.5, 80.0}, ""}, /* swings back: less than the limit */
        {{0.34, 0.19, 77.9}, "enters at 80 km/h"},
        {{0.34, 0.19, 82.1}, "enters at 80 km/h"},
        {{0.90, 0.90, 80.0}, "yaw rate 1.00 s after, yaw rate 1.75 s after"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expr_trace t = hand_made(5.5, step_s, make_dwell, &cases[i].is);
        assert_string_equal(hand_made_failures("config/scenarios/sine_with_dwell.yaml", NULL, &t),
                            cases[i].fails);
    }
}

/* From 5 A on, here to the right first: the car must be 1.83 m beside its line 1.07 s after the
 * begin of steering. */
struct aside {
    double aside_m, roll_deg;
};

static void make_aside(struct signals *s, const void *how)
{
    static const struct dwell calm = {0.1, 0.1, 80.0};
    const struct aside *d = how;
    double t = s->time_s - 1.0;
    make_dwell(s, &calm);
    s->yaw_rate_radps = -s->yaw_rate_radps;
    s->y_m = 3.0 + (t > 0.0 ? -d->aside_m * t * t / (1.07 * 1.07) : 0.0);
    s->roll_rad = t > 1.0 && t < 1.5 ? -d->roll_deg * deg : 0.0;
}

static void sine_with_dwell_by_the_displacement(void **unused)
{
    (void)unused;
    static const struct {
        struct aside is;
        double amplitude_deg;
        const char *fails;
    } cases[] = {
        {{1.84, 29.0}, 105.0, ""},
        {{1.82, 29.0}, 105.0, "lateral displacement"},
        {{-1.84, 29.0}, 105.0, "lateral displacement"},
        {{1.82, 29.0}, 100.0, ""}, /* not asked below 5 A */
        {{1.84, 31.0}, 105.0, "does not roll over"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const struct expr_dim plain = {0, 0, 0, 0};
        struct parameters set = {0};
        assert_true(parameters_set(&set, "amplitude", cases[i].amplitude_deg * deg, plain));
        assert_true(parameters_set(&set, "side", -1.0, plain));
        struct expr_trace t = hand_made(5.5, step_s, make_aside, &cases[i].is);
        assert_string_equal(hand_made_failures("config/scenarios/sine_with_dwell.yaml", &set, &t),
                            cases[i].fails);
    }
}

/* ---- UN R13-H: a stop of constant deceleration z g from 55 km/h; k of both axles is 0.8 if no
 * drives came before, so k_M is 0.8 and epsilon z / 0.8. 0.849 s is the time of 30 km/h at g,
 * rounded to three digits: z comes out 0.06 % off. */

struct stop {
    double z, side_m, locked_s;
};

static void make_stop(struct signals *s, const void *how)
{
    const struct stop *k = how;
    double t = s->time_s - 0.5, v = 55.0 * kmh - (t > 0.0 ? k->z * g * t : 0.0);
    s->vx_mps = v > 0.0 ? v : 0.0;
    s->y_m = k->side_m;
    s->locked = t > 0.0 && t < k->locked_s ? 4 : 0;
}

static void adhesion_by_the_time_of_the_stop(void **unused)
{
    (void)unused;
    static const struct {
        struct stop is;
        const char *fails;
    } cases[] = {
        {{0.605, 0.0, 0.0}, ""},
        {{0.595, 0.0, 0.0}, "adhesion used"},
        {{0.605, 0.6, 0.0}, "goes straight"},
        {{0.605, 0.0, 0.19}, ""},
        {{0.605, 0.0, 0.21}, "no wheel locks above 15 km/h"},
        {{0.10, 0.0, 0.0}, "adhesion used"}, /* 15 km/h is never reached: no value */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expr_trace t = hand_made(5.0, step_s, make_stop, &cases[i].is);
        assert_string_equal(hand_made_failures("config/scenarios/r13h_adhesion.yaml", NULL, &t),
                            cases[i].fails);
    }
}

/* ---- split adhesion: k_low 0.2, k_high 0.8: z must reach 0.75 (4 * 0.2 + 0.8) / 5 = 0.24 */

struct split {
    double z, early_deg, late_deg; /* hand wheel within 2 s of the brake, and later */
};

static void make_split(struct signals *s, const void *how)
{
    const struct split *k = how;
    double t = s->time_s - 0.5, v = 50.0 * kmh - (t > 0.0 ? k->z * g * t : 0.0);
    s->vx_mps = v > 0.0 ? v : 0.0;
    s->phase = t > 0.0;
    s->hand_wheel_rad = deg * (t > 0.0 && t < 1.9 ? k->early_deg : t > 2.1 ? k->late_deg : 0.0);
}

static void split_by_braking_and_steering(void **unused)
{
    (void)unused;
    static const struct {
        struct split is;
        const char *fails;
    } cases[] = {
        {{0.245, 119.0, -239.0}, ""},
        {{0.235, 119.0, 100.0}, "brakes well enough"},
        {{0.195, 10.0, 10.0}, "brakes well enough, better than the low side"},
        {{0.245, -121.0, 0.0}, "steering in the first 2 s"},
        {{0.245, 0.0, 241.0}, "steering in all"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expr_trace t = hand_made(8.0, step_s, make_split, &cases[i].is);
        assert_string_equal(hand_made_failures("config/scenarios/r13h_split.yaml", NULL, &t),
                            cases[i].fails);
    }
}

/* ---- step steer: ramp of the hand wheel of rise_s, yaw rate and acceleration as ramps */

struct step {
    double rise_s, yaw_s, ay_s, ay_mps2, over;
};

static double ramp(double t, double begin, double rise)
{
    return t < begin ? 0.0 : t > begin + rise ? 1.0 : (t - begin) / rise;
}

static void make_step(struct signals *s, const void *how)
{
    const struct step *k = how;
    double t = s->time_s;
    s->hand_wheel_rad = 20.0 * deg * ramp(t, 1.0, k->rise_s);
    s->yaw_rate_radps = 8.0 * deg * ramp(t, 1.0, k->yaw_s) * (t > 2.0 && t < 2.2 ? k->over : 1.0);
    s->level_ay_mps2 = k->ay_mps2 * ramp(t, 1.0, k->ay_s);
}

static void step_steer_by_its_times(void **unused)
{
    (void)unused;
    static const struct {
        struct step is;
        const char *fails;
    } cases[] = {
        /* 10 to 90 % of a ramp take 0.8 of it; half of the steering is at half of its rise */
        {{0.18, 0.40, 0.70, 4.0, 1.29}, ""},
        {{0.19, 0.40, 0.70, 4.0, 1.29}, "input rises fast enough"},
        {{0.18, 0.44, 0.70, 4.0, 1.00}, "yaw rate follows"}, /* 0.9 * 0.44 - 0.09 > 0.3 */
        {{0.18, 0.40, 0.78, 4.0, 1.00}, "acceleration follows"},
        {{0.18, 0.40, 0.70, 3.4, 1.00}, "reaches 4 m/s2"},
        {{0.18, 0.40, 0.70, 4.0, 1.31}, "overshoots little"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expr_trace t = hand_made(6.0, step_s, make_step, &cases[i].is);
        assert_string_equal(hand_made_failures("config/scenarios/iso7401.yaml", NULL, &t),
                            cases[i].fails);
    }
}

/* ---- lane change: cones, speed at the entry, and the end of the course */

struct lane {
    uint32_t cones;
    double speed_kmh, to_m;
};

static void make_lane(struct signals *s, const void *how)
{
    const struct lane *k = how;
    double x = k->speed_kmh * kmh * s->time_s;
    s->vx_mps = k->speed_kmh * kmh;
    s->x_m = x < k->to_m ? x : k->to_m;
    s->cones_hit = x > 100.0 ? k->cones : 0;
}

static void lane_change_by_its_cones(void **unused)
{
    (void)unused;
    static const struct {
        struct lane is;
        const char *fails;
    } cases[] = {
        {{0, 80.0, 191.0}, ""},
        {{1, 80.0, 191.0}, "touches no cone"},
        {{0, 83.5, 191.0}, "enters at 80 km/h"},
        {{0, 76.5, 191.0}, "enters at 80 km/h"},
        {{0, 80.0, 170.0}, "gets through"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expr_trace t = hand_made(10.0, step_s, make_lane, &cases[i].is);
        assert_string_equal(hand_made_failures("config/scenarios/iso3888_1.yaml", NULL, &t),
                            cases[i].fails);
    }
}

/* ---- a criterion that is not asked has no verdict; `if` of measures; no rows at all */

static struct verdict *of_text(const char *text, struct cfg_doc **doc)
{
    static const struct parameters none;
    assert_int_equal(cfg_open_text("test", text, strlen(text), doc), 0);
    struct verdict *v = verdict_load(cfg_root(*doc), &none);
    if (!cfg_ok(*doc))
        fail_msg("%s", cfg_message(*doc, 0));
    return v;
}

/* No drive can meet these, or miss them: what they say is a mistake. */
static void impossible_criteria_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *that, *says;
    } cases[] = {
        {"duration(locked > 0) < 0 s", "can never hold"},
        {"duration(locked > 0) >= 0 s", "always holds"},
        {"max(abs(roll_rad)) < -3 deg", "can never hold"},
        {"-max(abs(roll_rad)) <= 0 deg", "always holds"},
        {"end(cones_hit) < 0", "can never hold"},
        {"held < 0 s", "can never hold"}, /* a measure is known by what it is made of */
        {"2 * held + 1 s > 0.5 s", "always holds"},
        {"held < 0 s or times(locked > 0) < -1", "can never hold"},
        {"not any(cones_hit < 0)", "always holds"},
        {"sqrt(mean(ax_mps2 * ax_mps2)) == -1 m/s2", "can never hold"},
        {"max(vx_mps) > 500 m/s", NULL}, /* a matter of the car */
        {"held <= 0 s", NULL},
        {"min(vx_mps, 3 m/s) < 5 m/s", NULL}, /* that value is no reduction: told otherwise */
        {"at(yaw_rad, held) > -1e9", NULL},
        {"held / max(abs(vx_mps)) < 1 s / 1 m/s", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const struct parameters none;
        char text[300], want[100];
        struct cfg_doc *doc;
        int length = snprintf(text, sizeof text,
                              "measures: [{name: held, value: duration(locked > 0)}]\n"
                              "pass: [{name: x, that: \"%s\"}]\n",
                              cases[i].that);
        assert_int_equal(cfg_open_text("test", text, (size_t)length, &doc), 0);
        struct verdict *v = verdict_load(cfg_root(doc), &none);
        const char *said = cfg_message_count(doc) ? cfg_message(doc, 0) : "";
        (void)snprintf(want, sizeof want, "%s, whatever", cases[i].says ? cases[i].says : "");
        if (cases[i].says ? !strstr(said, want) : strstr(said, "whatever") != NULL)
            fail_msg("%s: %s", cases[i].that, said);
        verdict_free(v);
        cfg_close(doc);
    }
}

static void make_speed(struct signals *s, const void *how)
{
    s->vx_mps = *(const double *)how * s->time_s;
}

static void criteria_are_asked_only_where_their_if_holds(void **unused)
{
    (void)unused;
    struct cfg_doc *doc;
    struct verdict *v = of_text("measures:\n"
                                "- {name: top, value: max(vx_mps)}\n"
                                "- {name: odd, value: max(vx_mps), if: top > 100 m/s}\n"
                                "pass:\n"
                                "- {name: fast, that: top > 5 m/s, if: top > 1 m/s}\n"
                                "- {name: never, that: top > 5 m/s, if: odd > 0 m/s}\n"
                                "- {name: odd, that: odd > 0 m/s}\n",
                                &doc);
    const double slow = 0.05, middle = 0.3, quick = 0.6; /* m/s each second, for 10 s */
    struct verdict_result r;
    struct expr_trace t = hand_made(10.0, step_s, make_speed, &slow);
    verdict_judge(v, &t, &r);
    assert_int_equal(r.outcome[0], VERDICT_NOT_ASKED);
    assert_int_equal(r.outcome[1], VERDICT_NOT_ASKED);
    assert_int_equal(r.outcome[2], VERDICT_NO_VALUE);
    assert_int_equal(r.failed, 1);
    t = hand_made(10.0, step_s, make_speed, &middle);
    verdict_judge(v, &t, &r);
    assert_int_equal(r.outcome[0], VERDICT_FAIL);
    t = hand_made(10.0, step_s, make_speed, &quick);
    verdict_judge(v, &t, &r);
    assert_int_equal(r.outcome[0], VERDICT_PASS);
    t.rows = 0;
    verdict_judge(v, &t, &r);
    assert_int_equal(r.outcome[0], VERDICT_NO_VALUE);
    assert_int_equal(r.failed, 3);
    verdict_free(v);
    cfg_close(doc);
}

static void measure_that_is_not_finite_fails_its_criterion(void **unused)
{
    (void)unused;
    struct cfg_doc *doc;
    struct verdict *v = of_text("measures:\n"
                                "- {name: m, value: 1/0}\n"
                                "- {name: back, value: max(vx_mps) / duration(vx_mps < 0 m/s)}\n"
                                "pass:\n"
                                "- {name: plain, that: m > 5}\n"
                                "- {name: braked, that: back > 5 m/s2}\n"
                                "- {name: at once, that: back > 5 m/s2 or m > 5}\n",
                                &doc);
    const double quick = 0.6;
    struct verdict_result r;
    struct expr_trace t = hand_made(10.0, step_s, make_speed, &quick);
    verdict_judge(v, &t, &r);
    assert_int_equal(r.failed, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(r.outcome[i], VERDICT_NO_VALUE);
        assert_true(isnan(r.left[i]));
    }
    assert_true(isnan(r.measure[0]) && isnan(r.measure[1]));
    verdict_free(v);
    cfg_close(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_with_dwell_by_the_yaw_rate),
        cmocka_unit_test(sine_with_dwell_by_the_displacement),
        cmocka_unit_test(adhesion_by_the_time_of_the_stop),
        cmocka_unit_test(split_by_braking_and_steering),
        cmocka_unit_test(step_steer_by_its_times),
        cmocka_unit_test(lane_change_by_its_cones),
        cmocka_unit_test(impossible_criteria_are_refused),
        cmocka_unit_test(criteria_are_asked_only_where_their_if_holds),
        cmocka_unit_test(measure_that_is_not_finite_fails_its_criterion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

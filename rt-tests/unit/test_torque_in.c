/* The engine's answer to torque requests: what reaches the plant, and the engine alone. */
#include "target/model/driveline.h"
#include "target/torque_in.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void young_requests_act_and_old_ones_do_not(void **state)
{
    (void)state;
    struct plant_in in = {.gear = 1};
    struct torque_request r = {.limit_Nm = 50.0, .raise_Nm = -5.0, .limit = true, .age_s = 0.01};
    torque_take(&r, &in);
    assert_true(in.engine_limit == 1 && in.engine_limit_Nm == 50.0);
    assert_true(in.engine_raise == 0 && in.engine_raise_Nm == 0.0);
    r.age_s = 0.11;
    torque_take(&r, &in);
    assert_int_equal(in.engine_limit, 0);
    r.age_s = -1.0; /* before the first frame */
    torque_take(&r, &in);
    assert_int_equal(in.engine_limit, 0);
    r.age_s = 0.0;
    r.limit_Nm = (double)NAN;
    torque_take(&r, &in);
    assert_int_equal(in.engine_limit, 0);
    assert_true(in.engine_limit_Nm == 0.0);
}

/* 200 Nm times the pedal, -40 Nm without it, at every speed. */
static struct driveline_model engine(void)
{
    struct driveline_model m = {.present = 1,
                                .clutch = CLUTCH_AUTOMATIC,
                                .speeds = 2,
                                .pedals = 2,
                                .gears = 1,
                                .speed_radps = {0.0, 900.0},
                                .pedal = {0.0, 1.0},
                                .torque_Nm = {{-40.0, 200.0}, {-40.0, 200.0}},
                                .idle_radps = 80.0,
                                .idle_gain_Nmspr = 1.0,
                                .idle_max_Nm = 40.0,
                                .stall_radps = 30.0,
                                .limit_radps = 700.0,
                                .request_lag_s = 0.04,
                                .ratio = {4.0}};
    return m;
}

static double torque_after(const struct driveline_model *m, struct driveline_state *s,
                           const struct plant_in *in, int ms)
{
    struct driveline_now now;
    for (int n = 0; n < ms; n++)
        driveline_shift(m, s, in, 1e-3);
    driveline_now(m, s, in, &now);
    return now.engine_Nm;
}

static void a_limit_acts_with_a_lag_and_ends(void **state)
{
    (void)state;
    struct driveline_model m = engine();
    struct driveline_state s = {.engine_radps = 300.0, .gear = 1};
    struct plant_in in = {.throttle = 0.5, .gear = 1};
    assert_true(fabs(torque_after(&m, &s, &in, 1) - 80.0) < 1e-12);
    assert_int_equal(s.requests, 0);
    in.engine_limit = 1;
    in.engine_limit_Nm = 20.0;
    /* Implicit first order: 60 Nm of difference fall by 1 / (1 + dt / lag) a step. */
    double expected = 20.0 + 60.0 / pow(1.0 + 1e-3 / 0.04, 40.0);
    assert_true(fabs(torque_after(&m, &s, &in, 40) - expected) < 1e-9);
    assert_true(fabs(torque_after(&m, &s, &in, 1000) - 20.0) < 1e-6);
    in.throttle = 1.0; /* the driver cannot get through the limit */
    assert_true(fabs(torque_after(&m, &s, &in, 1) - 20.0) < 1e-6);
    in.throttle = 0.0; /* but may ask for less */
    assert_true(fabs(torque_after(&m, &s, &in, 1) + 40.0) < 1e-6);
    in.throttle = 0.5;
    in.engine_limit = 0;
    assert_true(torque_after(&m, &s, &in, 20) < 70.0);
    assert_true(torque_after(&m, &s, &in, 400) == 80.0);
    assert_int_equal(s.requests, 0);
    assert_true(s.cap_Nm == 0.0); /* the state of a car that nobody asked */
}

static void a_raise_lifts_the_drag_and_the_limit_goes_first(void **state)
{
    (void)state;
    struct driveline_model m = engine();
    struct driveline_state s = {.engine_radps = 300.0, .gear = 1};
    struct plant_in in = {.gear = 1, .engine_raise = 1, .engine_raise_Nm = 10.0};
    assert_true(fabs(torque_after(&m, &s, &in, 1000) - 10.0) < 1e-6);
    in.engine_raise_Nm = 1e6; /* no more than the engine has */
    assert_true(fabs(torque_after(&m, &s, &in, 1000) - 200.0) < 1e-6);
    in.engine_limit = 1;
    in.engine_limit_Nm = 30.0;
    assert_true(fabs(torque_after(&m, &s, &in, 1000) - 30.0) < 1e-6);
    in.engine_limit = in.engine_raise = 0;
    assert_true(torque_after(&m, &s, &in, 2000) == -40.0);
    assert_int_equal(s.requests, 0);
}

static void no_limit_stalls_the_engine(void **state)
{
    (void)state;
    struct driveline_model m = engine();
    struct driveline_state s = {.engine_radps = 60.0, .gear = 1};
    struct plant_in in = {.throttle = 0.5, .gear = 1, .engine_limit = 1, .engine_limit_Nm = -300.0};
    assert_true(fabs(torque_after(&m, &s, &in, 1000) - 20.0) < 1e-6); /* the governor's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(young_requests_act_and_old_ones_do_not),
        cmocka_unit_test(a_limit_acts_with_a_lag_and_ends),
        cmocka_unit_test(a_raise_lifts_the_drag_and_the_limit_goes_first),
        cmocka_unit_test(no_limit_stalls_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

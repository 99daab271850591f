/* The driver who keeps the car straight. */
#include "target/driver/straight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void on_the_line_nothing_is_steered(void **state)
{
    (void)state;
    struct straight_model m;
    struct straight_state s = {0};
    straight_defaults(&m);
    m.x_m = 10.0;
    m.y_m = -5.0;
    m.yaw_rad = 0.5;
    const struct plant_out on_line = {.pos_m = {10.0 + 7.0 * cos(0.5), -5.0 + 7.0 * sin(0.5)},
                                      .yaw_rad = 0.5};
    for (int i = 0; i < 100; i++)
        assert_true(fabs(straight_step(&m, &s, &on_line, 1e-3)) < 1e-14);
}

static void left_of_the_line_the_wheel_goes_right_with_a_lag(void **state)
{
    (void)state;
    struct straight_model m;
    struct straight_state s = {0};
    straight_defaults(&m);
    m.rate_radps = 1e9;
    const struct plant_out beside = {.pos_m = {0.0, 0.1}};
    double wanted_rad = -0.1 * m.offset_radpm, hand_rad = 0.0;
    for (int i = 0; i < 100; i++)
        hand_rad = straight_step(&m, &s, &beside, 1e-3);
    /* One lag of 100 ms: 1 - 1/e, within the first-order error of a step of 1 ms. */
    assert_true(fabs(hand_rad - wanted_rad * (1.0 - exp(-1.0))) < 0.01 * fabs(wanted_rad));
}

static void the_arms_have_limits(void **state)
{
    (void)state;
    struct straight_model m;
    struct straight_state s = {0};
    straight_defaults(&m);
    const struct plant_out far = {.pos_m = {0.0, -1000.0}};
    double before_rad = 0.0;
    for (int i = 0; i < 5000; i++) {
        double hand_rad = straight_step(&m, &s, &far, 1e-3);
        assert_true(fabs(hand_rad - before_rad) <= m.rate_radps * 1e-3 + 1e-15);
        before_rad = hand_rad;
    }
    assert_true(fabs(before_rad - m.most_rad) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_line_nothing_is_steered),
        cmocka_unit_test(left_of_the_line_the_wheel_goes_right_with_a_lag),
        cmocka_unit_test(the_arms_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The way to standstill that the sensors are led when the model cannot be trusted. */
#include "target/safe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { TEETH = 48 };
static const double pi = 3.141592653589793;

static struct safe_stop stop(void)
{
    return (struct safe_stop){.stop_s = 5.0,
                              .gravity_mps2 = 9.81,
                              .teeth = {TEETH, TEETH, TEETH, TEETH},
                              .last_ns = 2000000000};
}

/* What a unit makes of the edges is the speed that the other output says. */
static void edges_and_speed_agree_all_the_way(void **state)
{
    (void)state;
    const struct safe_stop s = stop();
    const struct sensors_out last = {.wheel_radps = {80.0, 79.0, 40.0, 0.0},
                                     .wheel_edge_ns = {1999000000, 1998000000, 1997000000, 0},
                                     .wheel_edges = {1000, 2000, 0xfffffff0u, 7}};
    struct sensors_out before = last, now;
    for (int tick = 1; tick <= 5000; tick++) {
        safe_sensors(&s, &last, 1e-3 * tick, &now);
        if (tick % 100 != 0)
            continue;
        for (int i = 0; i < 3; i++) {
            uint32_t edges = now.wheel_edges[i] - before.wheel_edges[i];
            double took_s = 1e-9 * (double)(now.wheel_edge_ns[i] - before.wheel_edge_ns[i]);
            if (tick < 200 || edges < 10)
                continue;
            double speed_radps = 2.0 * pi / TEETH * edges / took_s;
            double middle_s =
                1e-9 * 0.5 *
                (double)(now.wheel_edge_ns[i] + before.wheel_edge_ns[i] - 2 * s.last_ns);
            /* Edge times are whole microseconds of at least 16 ms: 1e-4 of the speed. */
            double expected = last.wheel_radps[i] * (1.0 - middle_s / s.stop_s);
            assert_true(fabs(speed_radps - expected) < 2e-4 * expected);
        }
        before = now;
    }
    for (int i = 0; i < WHEELS; i++)
        assert_true(now.wheel_radps[i] == 0.0);
    /* 80 rad/s to 0 in 5 s is 200 rad. */
    assert_int_equal(now.wheel_edges[0] - last.wheel_edges[0], floor(200.0 * TEETH / (2.0 * pi)));
    assert_int_equal(now.wheel_edges[3], 7);
}

static void nothing_jumps_at_the_first_tick(void **state)
{
    (void)state;
    const struct safe_stop s = stop();
    const struct sensors_out last = {.wheel_radps = {80.0, 79.0, 40.0, 0.0},
                                     .wheel_edges = {1, 2, 3, 4},
                                     .yaw_rate_radps = 0.3,
                                     .force_mps2 = {-5.0, 2.0, 9.0}};
    struct sensors_out now;
    safe_sensors(&s, &last, 1e-3, &now);
    assert_true(fabs(now.yaw_rate_radps - 0.3) < 1e-4);
    assert_true(fabs(now.force_mps2[2] - 9.0) < 1e-3);
    assert_true(now.wheel_edges[0] - 1 <= 1);
    safe_sensors(&s, &last, 100.0, &now);
    assert_true(now.force_mps2[2] == 9.81);
    assert_true(now.yaw_rate_radps == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_and_speed_agree_all_the_way),
        cmocka_unit_test(nothing_jumps_at_the_first_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

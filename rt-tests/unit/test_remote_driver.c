/* A person drives; and what happens when nothing more comes. */
#include "target/remote_driver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const double step_s = 1e-3;

static const struct driver_input turning = {.hand_wheel_rad = -1.5,
                                            .throttle = 0.5,
                                            .brake_pedal = 0.0,
                                            .gear = PLANT_GEAR_AUTO,
                                            .drives = 1};

static struct plant_in scripted(void)
{
    return (struct plant_in){.hand_wheel_rad = 0.3, .throttle = 0.9, .gear = 4};
}

/* So many steps; returns how often `who` changed. */
static int steps(struct remote_driver *d, int count)
{
    int changes = 0;
    for (int i = 0; i < count; i++)
        changes += remote_driver_receive(d, step_s);
    return changes;
}

static struct plant_in command(const struct remote_driver *d)
{
    struct plant_in in = scripted();
    remote_driver_command(d, &in);
    return in;
}

static void without_input_the_scenario_drives(void **state)
{
    (void)state;
    struct remote_driver d;
    assert_int_equal(remote_driver_init(&d, false), 0);
    assert_int_equal(steps(&d, 1000), 0);
    struct plant_in in = command(&d);
    assert_true(in.throttle == 0.9 && in.hand_wheel_rad == 0.3 && in.gear == 4);
    remote_driver_free(&d);
}

static void input_takes_over_and_gives_back(void **state)
{
    (void)state;
    struct remote_driver d;
    assert_int_equal(remote_driver_init(&d, false), 0);
    assert_true(remote_driver_put(&d, &turning));
    assert_int_equal(steps(&d, 1), 1);
    assert_int_equal(d.who, DRIVER_PERSON);
    struct plant_in in = command(&d);
    assert_true(in.throttle == 0.5 && in.hand_wheel_rad == -1.5 && in.gear == PLANT_GEAR_AUTO);
    struct driver_input back = {.drives = 0};
    assert_true(remote_driver_put(&d, &back));
    assert_int_equal(steps(&d, 1), 1);
    in = command(&d);
    assert_true(in.throttle == 0.9);
    remote_driver_free(&d);
}

/* 0.5 s: not before, and not later than one step after. */
static void lost_input_lets_go_and_brakes(void **state)
{
    (void)state;
    struct remote_driver d;
    assert_int_equal(remote_driver_init(&d, false), 0);
    (void)remote_driver_put(&d, &turning);
    (void)steps(&d, 1);
    assert_int_equal(steps(&d, 498), 0);
    assert_true(command(&d).throttle == 0.5);
    assert_int_equal(steps(&d, 3), 1);
    assert_int_equal(d.who, DRIVER_LOST);
    struct plant_in in = command(&d);
    assert_true(in.throttle == 0.0 && in.clutch_pedal == 1.0 && in.hand_wheel_rad == -1.5);
    assert_true(in.brake_pedal < 0.01);
    (void)steps(&d, 500); /* half of the second in which it is pressed */
    in = command(&d);
    assert_true(fabs(in.brake_pedal - 0.1) < 0.002 && in.hand_wheel_rad == -1.5);
    (void)steps(&d, 1000); /* half a second after the wheel began to go back, by 1 rad/s */
    in = command(&d);
    assert_true(in.brake_pedal == 0.2 && fabs(in.hand_wheel_rad + 1.0) < 0.005);
    (void)steps(&d, 5000);
    assert_true(command(&d).hand_wheel_rad == 0.0);
    (void)remote_driver_put(&d, &turning);
    assert_int_equal(steps(&d, 1), 1);
    assert_int_equal(d.who, DRIVER_PERSON);
    assert_true(command(&d).throttle == 0.5);
    remote_driver_free(&d);
}

static void harder_braking_is_kept(void **state)
{
    (void)state;
    struct remote_driver d;
    struct driver_input braking = turning;
    braking.brake_pedal = 0.8;
    assert_int_equal(remote_driver_init(&d, false), 0);
    (void)remote_driver_put(&d, &braking);
    (void)steps(&d, 2000);
    assert_true(command(&d).brake_pedal == 0.8);
    remote_driver_free(&d);
}

static void a_car_without_another_driver_waits_with_its_brake_on(void **state)
{
    (void)state;
    struct remote_driver d;
    assert_int_equal(remote_driver_init(&d, true), 0);
    assert_int_equal(steps(&d, 1), 0);
    struct plant_in in = command(&d);
    assert_true(in.throttle == 0.0 && in.brake_pedal == 0.2);
    (void)remote_driver_put(&d, &turning);
    assert_int_equal(steps(&d, 1), 1);
    struct driver_input back = {.drives = 0};
    (void)remote_driver_put(&d, &back);
    assert_int_equal(steps(&d, 1), 1);
    assert_int_equal(d.who, DRIVER_LOST);
    remote_driver_free(&d);
}

static void nonsense_is_refused_or_limited(void **state)
{
    (void)state;
    struct remote_driver d;
    struct driver_input in = turning;
    assert_int_equal(remote_driver_init(&d, false), 0);
    in.throttle = NAN;
    assert_false(remote_driver_put(&d, &in));
    in = turning;
    in.hand_wheel_rad = INFINITY;
    assert_false(remote_driver_put(&d, &in));
    in = turning;
    in.gear = 77;
    assert_false(remote_driver_put(&d, &in));
    assert_int_equal(steps(&d, 1), 0);
    in = turning;
    in.throttle = 5.0;
    in.brake_pedal = -1.0;
    assert_true(remote_driver_put(&d, &in));
    (void)steps(&d, 1);
    assert_true(command(&d).throttle == 1.0 && command(&d).brake_pedal == 0.0);
    remote_driver_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_input_the_scenario_drives),
        cmocka_unit_test(input_takes_over_and_gives_back),
        cmocka_unit_test(lost_input_lets_go_and_brakes),
        cmocka_unit_test(harder_braking_is_kept),
        cmocka_unit_test(a_car_without_another_driver_waits_with_its_brake_on),
        cmocka_unit_test(nonsense_is_refused_or_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The checks on pressures that come from the unit. */
#include "target/pressure_in.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const bool all_valid[WHEELS] = {true, true, true, true};
static const double zero[WHEELS];

/* A frame every 5 ms at 1 ms ticks; each asks for `rate` more than the one before. Returns the
 * violations that began. */
static uint32_t drive(struct pressure_state *s, double rate_Paps, int ticks)
{
    struct pressure_rule r;
    uint32_t all = 0;
    pressure_defaults(&r);
    pressure_reset(s, zero);
    for (int k = 0; k < ticks; k++) {
        double p = rate_Paps * 1e-3 * (k - k % 5);
        const double asked_Pa[WHEELS] = {p, p, p, p};
        all |= pressure_take(&r, s, asked_Pa, all_valid, zero, 1e-3 * (k % 5), 1e-3);
    }
    return all;
}

static void a_real_units_ramp_passes(void **state)
{
    (void)state;
    struct pressure_state s;
    assert_int_equal(drive(&s, 1500e5, 100), 0); /* 7.5 bar a frame */
    assert_true(fabs(s.held_Pa[FL] - 1500e5 * 0.095) < 1.0);
}

static void a_steeper_step_is_counted_and_acts_as_a_ramp(void **state)
{
    (void)state;
    struct pressure_rule r;
    struct pressure_state s;
    const double asked_Pa[WHEELS] = {100e5, 0.0, 0.0, 0.0};
    pressure_defaults(&r);
    pressure_reset(&s, zero);
    (void)pressure_take(&r, &s, zero, all_valid, zero, 0.0, 1e-3);
    for (int k = 1; k < 5; k++)
        (void)pressure_take(&r, &s, zero, all_valid, zero, 1e-3 * k, 1e-3);
    assert_int_equal(pressure_take(&r, &s, asked_Pa, all_valid, zero, 0.0, 1e-3),
                     1u << PRESSURE_RAMP);
    assert_int_equal(s.count[PRESSURE_RAMP][FL], 1);
    assert_int_equal(s.count[PRESSURE_RAMP][FR], 0);
    assert_true(fabs(s.held_Pa[FL] - 4e5) < 1e-6); /* 4,000 bar/s for 1 ms */
    for (int k = 1; k < 5; k++)
        assert_int_equal(pressure_take(&r, &s, asked_Pa, all_valid, zero, 1e-3 * k, 1e-3), 0);
    assert_true(fabs(s.held_Pa[FL] - 20e5) < 1e-5);
}

static void what_is_wrong_is_held_or_limited(void **state)
{
    (void)state;
    struct pressure_rule r;
    struct pressure_state s;
    const double start_Pa[WHEELS] = {50e5, 50e5, 50e5, 50e5};
    const double asked_Pa[WHEELS] = {-1.0, NAN, 300e5, 60e5};
    const bool valid[WHEELS] = {true, true, true, false};
    pressure_defaults(&r);
    pressure_reset(&s, start_Pa);
    uint32_t began = pressure_take(&r, &s, asked_Pa, valid, start_Pa, 0.001, 1e-3);
    assert_true(began & (1u << PRESSURE_RANGE));
    assert_true(s.held_Pa[FL] < 50e5); /* towards nothing */
    assert_true(s.held_Pa[FR] < 50e5); /* not a number counts as nothing */
    assert_true(s.held_Pa[RL] > 50e5); /* towards the most */
    assert_int_equal(s.driver, 1u << RR);
    double held_Pa = s.held_Pa[FL];
    began = pressure_take(&r, &s, start_Pa, all_valid, zero, 0.021, 1e-3);
    assert_int_equal(began, 1u << PRESSURE_OLD);
    assert_true(s.held_Pa[FL] == held_Pa);
    assert_int_equal(s.driver, 1u << RR); /* its last word */
    assert_int_equal(pressure_take(&r, &s, start_Pa, all_valid, zero, 0.022, 1e-3),
                     0); /* began once */
    assert_int_equal(s.count[PRESSURE_OLD][RR], 2);
}

/* A wheel that the unit lets go and takes again 30 ms later: the driver has 80 bar there by then.
 * The ramp begins at what acts, and that the unit asks for far less than that is no violation. */
static void a_wheel_is_the_drivers_until_the_unit_takes_it(void **state)
{
    (void)state;
    struct pressure_rule r;
    struct pressure_state s;
    double acting_Pa[WHEELS] = {20e5, 20e5, 20e5, 20e5};
    const double asked_Pa[WHEELS] = {20e5, 20e5, 20e5, 20e5};
    pressure_defaults(&r);
    pressure_reset(&s, acting_Pa);
    assert_int_equal(s.driver, 0xf); /* before the first frame */
    for (int k = 0; k < 100; k++) {
        const bool valid[WHEELS] = {k < 30 || k >= 60, true, true, true};
        acting_Pa[FL] = k < 30 ? 20e5 : fmin(20e5 + 2e5 * (k - 30), 80e5);
        assert_int_equal(pressure_take(&r, &s, asked_Pa, valid, acting_Pa, 1e-3 * (k % 5), 1e-3),
                         0);
        assert_int_equal(s.driver, k >= 30 && k < 60 ? 1u << FL : 0u);
        /* 4 bar a millisecond */
        if (k >= 60)
            assert_true(fabs(s.held_Pa[FL] - fmax(80e5 - 4e5 * (k - 59), 20e5)) < 1e-6);
        assert_true(s.held_Pa[FR] == 20e5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_units_ramp_passes),
        cmocka_unit_test(a_steeper_step_is_counted_and_acts_as_a_ramp),
        cmocka_unit_test(what_is_wrong_is_held_or_limited),
        cmocka_unit_test(a_wheel_is_the_drivers_until_the_unit_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

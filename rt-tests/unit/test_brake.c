/* The brake without hydraulics: who makes the pressure of a wheel, and faults that hold it or slow
 * it down. */
#include "rt-tests/support/near.h"
#include "target/model/brake.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BAR 1e5

static const struct brake_model model = {
    .pedal_Pa = 150.0 * BAR, .rear_knee_Pa = 20.0 * BAR, .rear_slope = 0.3, .lag_s = 0.03};
static const double step_s[] = {1e-3, 1e-4};

static void the_pedal_makes_what_the_unit_leaves_to_it(void **unused)
{
    (void)unused;
    struct plant_in in = {.brake_pedal = 0.4, .wheel_pressure_Pa = {1e5, 2e5, 3e5, 4e5}};
    /* 60 bar in front, 20 + 0.3 (60 - 20) bar at the rear */
    const double pedal_Pa[WHEELS] = {60.0 * BAR, 60.0 * BAR, 32.0 * BAR, 32.0 * BAR};
    double target_Pa[WHEELS];
    for (uint32_t driver = 0; driver < 16; driver++)
        for (int brake = PLANT_BRAKE_PEDAL; brake <= PLANT_BRAKE_PRESSURES; brake++) {
            in.brake = brake;
            in.pressure_driver = driver;
            brake_target(&model, &in, target_Pa);
            for (int i = 0; i < WHEELS; i++) {
                bool asked = brake == PLANT_BRAKE_PRESSURES && !(driver >> i & 1u);
                assert_near(target_Pa[i], asked ? in.wheel_pressure_Pa[i] : pedal_Pa[i], 1e-9);
            }
        }
}

/* The pressure of the held wheel does not move by a bit, the others go their way. */
static void a_held_wheel_keeps_its_pressure(void **unused)
{
    (void)unused;
    for (int i = 0; i < WHEELS; i++) {
        double p_Pa[WHEELS] = {17.3 * BAR, 17.3 * BAR, 17.3 * BAR, 17.3 * BAR}, free_Pa[WHEELS];
        struct plant_in in = {.brake_pedal = 0.8}, none = in;
        memcpy(free_Pa, p_Pa, sizeof free_Pa);
        in.hold = 1u << i;
        for (int n = 0; n < 300; n++) {
            in.brake_pedal = none.brake_pedal = n < 150 ? 0.8 : 0.0;
            brake_step(&model, &in, 1e-3, p_Pa);
            brake_step(&model, &none, 1e-3, free_Pa);
            for (int k = 0; k < WHEELS; k++)
                assert_true(p_Pa[k] == (k == i ? 17.3 * BAR : free_Pa[k]));
        }
    }
}

/* 100 bar/s up to 60 bar and down again, by the clock: with the lag the rate is the fault's as long
 * as the target is farther away than rate times lag, 3 bar. Then the lag's own way: 3 bar e^(-t/T)
 * is 1e-3 bar after 8 T. Without a lag it is the rate to the end. */
static void a_slow_wheel_has_its_rate_and_arrives(void **unused)
{
    (void)unused;
    const double rate_Paps = 100.0 * BAR, top_Pa = 60.0 * BAR;
    for (int k = 0; k < 2; k++)
        for (int lag = 0; lag < 2; lag++) {
            struct brake_model m = model;
            struct plant_in in = {.brake_pedal = 0.4, .slow_Paps = {rate_Paps, 0.0, 0.0, 0.0}};
            double p_Pa[WHEELS] = {0.0};
            m.lag_s = lag ? model.lag_s : 0.0;
            int count = (int)(1.0 / step_s[k] + 0.5);
            /* one step more than the lag: the step is implicit */
            double near_Pa = rate_Paps * (m.lag_s + 2.0 * step_s[k]);
            for (int n = 1; n <= 2 * count; n++) {
                double t_s = step_s[k] * (n <= count ? n : n - count);
                in.brake_pedal = n <= count ? 0.4 : 0.0;
                brake_step(&m, &in, step_s[k], p_Pa);
                double gone_Pa = n <= count ? p_Pa[FL] : top_Pa - p_Pa[FL];
                if (rate_Paps * t_s < top_Pa - near_Pa)
                    assert_near(gone_Pa, rate_Paps * t_s, 1e-5);
                if (n % count == 0) {
                    assert_near(gone_Pa, top_Pa, 1e-3 * BAR);
                    p_Pa[FL] = top_Pa; /* for the way down */
                }
            }
        }
}

/* The step goes where the rates go: over 0.1 ms to first order. */
static void rates_are_those_of_the_step(void **unused)
{
    (void)unused;
    for (int lag = 0; lag < 2; lag++) {
        struct brake_model m = model;
        m.lag_s = lag ? model.lag_s : 0.0;
        const struct plant_in in = {
            .brake_pedal = 0.4, .hold = 1u << RR, .slow_Paps = {100.0 * BAR, 5000.0 * BAR}};
        const double p_Pa[WHEELS] = {10.0 * BAR, 90.0 * BAR, 10.0 * BAR, 10.0 * BAR};
        double at_Pa[WHEELS], rate_Paps[WHEELS], next_Pa[WHEELS];
        memcpy(at_Pa, p_Pa, sizeof at_Pa);
        memcpy(next_Pa, p_Pa, sizeof next_Pa);
        brake_deriv(&m, &in, 1e-5, at_Pa, rate_Paps);
        brake_step(&m, &in, 1e-4, next_Pa);
        assert_near(rate_Paps[FL], 100.0 * BAR, 1e-6);
        assert_near(rate_Paps[RR], 0.0, 0.0);
        assert_near(at_Pa[RR], p_Pa[RR], 0.0);
        for (int i = 0; i < WHEELS; i++) {
            double want_Pa = at_Pa[i] + 1e-4 * rate_Paps[i];
            /* without lag and fault at once; else half of what the rate changes in the step */
            assert_near(next_Pa[i], want_Pa, 0.01 * fabs(want_Pa - p_Pa[i]) + 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pedal_makes_what_the_unit_leaves_to_it),
        cmocka_unit_test(a_held_wheel_keeps_its_pressure),
        cmocka_unit_test(a_slow_wheel_has_its_rate_and_arrives),
        cmocka_unit_test(rates_are_those_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

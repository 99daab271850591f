/* Wheels whose pressure a fault holds or slows down, (H-14) and (H-15): what they do is exact, the
 * fluid is kept, and the other wheels see no more of it than the line's pressure. */
#include "rt-tests/support/hydraulics_run.h"
#include "rt-tests/support/near.h"
#include "target/model/hydraulics_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BAR 1e5
#define CM3 1e-6

static struct hydraulics_model model;
static const double steps_s[] = {1e-3, 1e-4};
enum { STEPS = sizeof steps_s / sizeof steps_s[0] };

static double caliper_Pa(const struct hydraulics_state *s, int i)
{
    double p_Pa[WHEELS];
    hydraulics_caliper_Pa(&model, s, p_Pa);
    return p_Pa[i];
}

static void run(struct hydraulics_state *s, const struct plant_in *in, double for_s, double dt_s)
{
    for (int n = (int)(for_s / dt_s + 0.5); n > 0; n--)
        hydraulics_step(&model, s, in, dt_s);
}

static void settle(struct hydraulics_state *s, double pedal)
{
    struct plant_in in = hydraulics_pressed(pedal);
    hydraulics_reset(&model, s);
    run(s, &in, 0.6, 1e-3);
}

static double uniform(uint64_t *random, double low, double high)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return low + (high - low) * (double)(*random >> 11) / 9007199254740992.0;
}

/* On, off or anything between. */
static double command(uint64_t *random)
{
    return fmin(fmax(uniform(random, -1.0, 2.0), 0.0), 1.0);
}

static void anything(uint64_t *random, struct plant_in *in)
{
    in->brake_pedal = command(random);
    in->valves.pump = command(random);
    in->hydraulic_fault = in->hold = 0;
    for (int i = 0; i < WHEELS; i++) {
        in->valves.inlet[i] = command(random);
        in->valves.outlet[i] = command(random);
        in->leak.wheel[i] = fmax(uniform(random, -20.0, 1.0), 0.0);
        in->hold |= (uint32_t)(uniform(random, 0.0, 1.0) < 0.2) << i;
        in->slow_Paps[i] = 2000.0 * BAR * pow(fmax(uniform(random, -1.0, 1.0), 0.0), 3.0);
    }
    for (int c = 0; c < CIRCUITS; c++) {
        in->valves.separation[c] = command(random);
        in->valves.prime[c] = command(random);
        in->leak.circuit[c] = fmax(uniform(random, -20.0, 1.0), 0.0);
    }
}

/* Whatever pedal, valves, pump and leaks do: a held wheel keeps its fluid to the bit, a slow one
 * never goes beyond its rate, the fluid is kept to 1e-9 of what is in the brakes, and no pressure
 * leaves what booster, relief and pump can make. */
static void faults_hold_whatever_the_valves_do(void **unused)
{
    (void)unused;
    const double top_Pa = hydraulics_rod_N(&model, 1.0) / model.piston_m2 + model.relief_Pa;
    for (int k = 0; k < STEPS; k++) {
        struct hydraulics_state s;
        struct plant_in in = hydraulics_pressed(0.0);
        uint64_t random = 88172645463325252u;
        double worst_m3 = 0.0, most_Pa = 0.0, least_Pa = 0.0, over = 0.0;
        long at_rate = 0, slow = 0;
        hydraulics_reset(&model, &s);
        const double begin_m3 = hydraulics_volume_m3(&s);
        for (int n = 0; n < 100000; n++) {
            if (n % (int)(0.01 / steps_s[k] + 0.5) == 0)
                anything(&random, &in);
            const struct hydraulics_state before = s;
            hydraulics_step(&model, &s, &in, steps_s[k]);
            worst_m3 = fmax(worst_m3, fabs(hydraulics_volume_m3(&s) - begin_m3));
            for (int i = 0; i < WHEELS; i++) {
                double p_Pa = caliper_Pa(&s, i), rate_Pa = in.slow_Paps[i] * steps_s[k];
                double share = fabs(p_Pa - caliper_Pa(&before, i)) / rate_Pa;
                most_Pa = fmax(most_Pa, p_Pa);
                least_Pa = fmin(least_Pa, p_Pa);
                if (in.hold >> i & 1u)
                    assert_memory_equal(&s.caliper_m3[i], &before.caliper_m3[i], sizeof(double));
                if (!(rate_Pa > 100.0))
                    continue; /* roundings of 1e-8 Pa are no more than 1e-10 of it */
                over = fmax(over, share - 1.0);
                at_rate += fabs(share - 1.0) < 1e-9;
                slow++;
            }
            for (int c = 0; c < CIRCUITS; c++) {
                most_Pa = fmax(most_Pa, hydraulics_line_Pa(&model, &s, c));
                least_Pa = fmin(least_Pa, hydraulics_line_Pa(&model, &s, c));
            }
        }
        print_message(
            "    %.1f ms: fluid %.1e cm3 off, pressures %.2f to %.1f bar, %.0f %% of slow "
            "wheels at their rate, %.1e beyond\n",
            1e3 * steps_s[k], worst_m3 / CM3, least_Pa / BAR, most_Pa / BAR,
            100.0 * (double)at_rate / (double)slow, over);
        assert_below(worst_m3, 1e-9 * 10.0 * CM3);
        assert_below(over, 1e-9);
        assert_true(at_rate > slow / 20); /* or nothing was slowed down */
        assert_below(most_Pa, 1.1 * top_Pa);
        assert_above(least_Pa, -1.0 * BAR);
    }
}

/* Up from 20 to 100 bar and down again at 150 bar/s. As long as the line is far, 3 bar or more, the
 * wheel is where the clock says; then it gets to the line's pressure as any wheel does. */
static void a_slow_wheel_has_its_rate_and_arrives(void **unused)
{
    (void)unused;
    const double rate_Paps = 150.0 * BAR, pedals[2] = {0.7, 0.15};
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < WHEELS; i++) {
            struct hydraulics_state s;
            settle(&s, pedals[1]);
            for (int way = 0; way < 2; way++) {
                struct plant_in in = hydraulics_pressed(pedals[way]);
                double from_Pa = caliper_Pa(&s, i), begun_s = -1.0, gone_Pa = 0.0;
                in.slow_Paps[i] = rate_Paps;
                int count = (int)(1.5 / steps_s[k] + 0.5);
                for (int n = 1; n <= count; n++) {
                    hydraulics_step(&model, &s, &in, steps_s[k]);
                    double far_Pa =
                        hydraulics_line_Pa(&model, &s, model.circuit[i]) - caliper_Pa(&s, i);
                    far_Pa = way == 0 ? far_Pa : -far_Pa;
                    if (far_Pa < 3.0 * BAR)
                        continue;
                    /* From the first step in which the line is far, to the last. */
                    if (begun_s < 0.0) {
                        begun_s = n * steps_s[k];
                        from_Pa = caliper_Pa(&s, i);
                    }
                    gone_Pa = fabs(caliper_Pa(&s, i) - from_Pa);
                    assert_near(gone_Pa, rate_Paps * (n * steps_s[k] - begun_s), 1e-3);
                }
                assert_above(gone_Pa, 60.0 * BAR);
                assert_near(caliper_Pa(&s, i), hydraulics_line_Pa(&model, &s, model.circuit[i]),
                            0.02 * BAR);
            }
        }
}

/* A pedal that is still for long: the others end where they end without the fault, but for what the
 * fluid that the wheel does not take does to the pistons' springs. */
static void other_wheels_end_where_they_would(void **unused)
{
    (void)unused;
    for (int hold = 0; hold < 2; hold++)
        for (int i = 0; i < WHEELS; i++) {
            struct hydraulics_state with, without;
            struct plant_in in = hydraulics_pressed(0.5), none = in;
            settle(&with, 0.2);
            without = with;
            in.hold = hold ? 1u << i : 0;
            in.slow_Paps[i] = hold ? 0.0 : 20.0 * BAR;
            const double held_m3 = with.caliper_m3[i];
            run(&with, &in, 0.8, 1e-3);
            run(&without, &none, 0.8, 1e-3);
            assert_below(caliper_Pa(&with, i), caliper_Pa(&without, i) - 10.0 * BAR);
            if (hold)
                assert_true(with.caliper_m3[i] == held_m3);
            double springs_Pa = 0.0; /* both springs, by the way that the pistons differ in */
            for (int c = 0; c < CIRCUITS; c++)
                springs_Pa += model.spring_Npm[c] * fabs(with.piston_m[0] - without.piston_m[0]) /
                              model.piston_m2;
            for (int k = 0; k < WHEELS; k++)
                if (k != i)
                    assert_near(caliper_Pa(&with, k), caliper_Pa(&without, k),
                                springs_Pa + 0.05 * BAR);
            assert_below(springs_Pa, 1.5 * BAR);
        }
}

static int set_up(void **unused)
{
    (void)unused;
    hydraulics_defaults(&model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(faults_hold_whatever_the_valves_do, set_up),
        cmocka_unit_test_setup(a_slow_wheel_has_its_rate_and_arrives, set_up),
        cmocka_unit_test_setup(other_wheels_end_where_they_would, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

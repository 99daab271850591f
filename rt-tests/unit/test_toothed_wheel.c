/* Toothed wheels: edges against closed forms, and the speed that a unit makes of them. */
#include "target/model/math/random.h"
#include "target/model/toothed_wheel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define TWO_PI 6.283185307179586476925

/* A wheel with constant acceleration: angle = start + spin t + acc t^2 / 2. */
struct motion {
    double start_rad, spin_radps, acc_radps2;
};

static double angle_at(const struct motion *w, double t_s)
{
    return w->start_rad + w->spin_radps * t_s + 0.5 * w->acc_radps2 * t_s * t_s;
}

static struct toothed_phase phase_at(const struct toothed_model *m, const struct motion *w,
                                     double t_s)
{
    double angle_rad[WHEELS], spin_radps[WHEELS];
    for (int i = 0; i < WHEELS; i++) {
        angle_rad[i] = angle_at(w, t_s);
        spin_radps[i] = w->spin_radps + w->acc_radps2 * t_s;
    }
    return toothed_phase(m, angle_rad, spin_radps);
}

static struct toothed_model active_sensor(double step_s)
{
    struct toothed_model m;
    toothed_defaults(&m);
    m.threshold_hz = 0.0;
    toothed_prepare(&m, step_s);
    return m;
}

/* Steps from 0 to step number `steps`. */
static void run(const struct toothed_model *m, struct toothed_state *s, const struct motion *w,
                double step_s, int steps)
{
    struct toothed_phase now = phase_at(m, w, 0.0);
    toothed_reset(m, s, &now, 0.0, 1);
    for (int k = 1; k <= steps; k++) {
        now = phase_at(m, w, k * step_s);
        toothed_step(m, s, &now, k * step_s, step_s);
    }
}

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

static void edges_under_acceleration_come_at_their_closed_form_times(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    struct motion w = {0.3, 5.0, 100.0};
    struct toothed_state s;
    struct toothed_phase now = phase_at(&m, &w, 0.0);
    toothed_reset(&m, &s, &now, 0.0, 1);
    int checked = 0;
    for (int k = 1; k <= 2000; k++) {
        uint32_t before = s.edges[FL];
        now = phase_at(&m, &w, k * 1e-3);
        toothed_step(&m, &s, &now, k * 1e-3, 1e-3);
        if (s.edges[FL] == before)
            continue;
        /* 0.3 rad is 2.29 teeth: edge number n is at (2 + n) teeth */
        double rise_rad = (2.0 + (double)s.edges[FL]) * TWO_PI / 48.0 - w.start_rad;
        double t_s =
            (-w.spin_radps + sqrt(w.spin_radps * w.spin_radps + 2.0 * w.acc_radps2 * rise_rad)) /
            w.acc_radps2;
        /* the stamp shows the last whole µs: between 0 and 1 µs early; 1e-4 µs for rounding */
        double early_us = t_s * 1e6 - (double)s.edge_ns[FL] * 1e-3;
        assert_true(early_us > -1e-4 && early_us < 1.0 + 1e-4);
        checked++;
    }
    assert_true(checked > 1000);
}

static void count_follows_the_angle_without_drift(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    double spin_radps = 123.456;
    struct motion w = {0.0, spin_radps, 0.0};
    struct toothed_state s;
    struct toothed_phase now = phase_at(&m, &w, 0.0);
    toothed_reset(&m, &s, &now, 0.0, 1);
    for (int k = 1; k <= 600000; k++) { /* ten minutes */
        now = phase_at(&m, &w, k * 1e-3);
        toothed_step(&m, &s, &now, k * 1e-3, 1e-3);
        assert_int_equal(s.edges[FL], (uint32_t)floor(now.teeth[FL])); /* exact */
    }
}

static void edge_times_do_not_depend_on_the_step(void **unused)
{
    (void)unused;
    struct toothed_model coarse = active_sensor(1e-3), fine = active_sensor(5e-5);
    struct motion w = {1.0, 80.0, -60.0};
    struct toothed_state a, b;
    for (int ms = 1; ms <= 1000; ms += 37) {
        run(&coarse, &a, &w, 1e-3, ms);
        run(&fine, &b, &w, 5e-5, 20 * ms);
        assert_int_equal(a.edges[RR], b.edges[RR]);
        /* exact but for rounding at the border between two µs, hence at most one apart */
        assert_in_range((uint64_t)(a.edge_ns[RR] - b.edge_ns[RR] + 1000), 0, 2000);
    }
}

/* When the acceleration changes the interpolation is not exact but of fourth order. */
static void edge_times_stay_accurate_under_changing_acceleration(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    m.resolution_s = 1e-9;
    toothed_prepare(&m, 1e-3);
    /* wheel in an ABS cycle: 60 + 15 sin(2 pi 12 t) rad/s, up to 1130 rad/s2 and 85,000 rad/s3 */
    double w_radps = TWO_PI * 12.0;
    struct toothed_state s = {0};
    double worst_s = 0.0;
    for (int k = 0; k <= 1000; k++) {
        double t_s = k * 1e-3, angle_rad[WHEELS], spin_radps[WHEELS];
        for (int i = 0; i < WHEELS; i++) {
            angle_rad[i] = 60.0 * t_s + 15.0 / w_radps * (1.0 - cos(w_radps * t_s));
            spin_radps[i] = 60.0 + 15.0 * sin(w_radps * t_s);
        }
        struct toothed_phase now = toothed_phase(&m, angle_rad, spin_radps);
        uint32_t before = s.edges[FL];
        if (k == 0) {
            toothed_reset(&m, &s, &now, 0.0, 1);
            continue;
        }
        toothed_step(&m, &s, &now, t_s, 1e-3);
        if (s.edges[FL] == before)
            continue;
        double e_s = (double)s.edge_ns[FL] * 1e-9;
        double teeth = (60.0 * e_s + 15.0 / w_radps * (1.0 - cos(w_radps * e_s))) * 48.0 / TWO_PI;
        double late_s =
            (teeth - round(teeth)) / (48.0 / TWO_PI * (60.0 + 15.0 * sin(w_radps * e_s)));
        worst_s = fmax(worst_s, fabs(late_s));
    }
    /* h^4 / 384 times the fourth derivative, 6.4e6 rad/s4, over 45 rad/s: 0.4 ns; stamp: 1 ns */
    assert_true(worst_s < 1.5e-9);
}

static void fast_wheel_passes_many_teeth_in_one_step(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    struct motion w = {0.0, 1e6, 0.0}; /* 7639.4 teeth a step */
    struct toothed_state s;
    run(&m, &s, &w, 1e-3, 1);
    assert_int_equal(s.edges[FL], 7639);
    /* the last one at 7639 teeth of 7.639437 million a second, µs below */
    assert_int_equal(s.edge_ns[FL], 999000);
}

static void reverse_counts_upwards_too(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    double pitch = TWO_PI / 48.0;
    /* passes 3 after 5.3 ms, 2 after 15.3 ms, ...; passed 4 as long as 4.7 ms ago */
    struct motion w = {3.53 * pitch, -100.0 * pitch, 0.0};
    struct toothed_state s;
    run(&m, &s, &w, 1e-3, 5);
    assert_int_equal(s.edges[FL], 0);
    assert_near((double)s.edge_ns[FL], -4.7e6, 1000.0); /* the resolution, here and below */
    run(&m, &s, &w, 1e-3, 42);                          /* 3, 2, 1 and 0 */
    assert_int_equal(s.edges[FL], 4);
    assert_near((double)s.edge_ns[FL], 35.3e6, 1000.0);
    run(&m, &s, &w, 1e-3, 1042); /* through zero: a hundred more */
    assert_int_equal(s.edges[FL], 104);
    assert_near(s.speed_radps[FL], 100.0 * pitch, 100.0 * pitch * 1e-4); /* 1 µs in 10 ms */
}

/* Whatever angles and speeds a plant hands over: edges and their times belong to the step. */
static void any_step_gives_only_edges_of_that_step(void **unused)
{
    (void)unused;
    struct toothed_model m;
    toothed_defaults(&m);
    toothed_prepare(&m, 1e-3);
    uint64_t random = 1;
    for (int k = 0; k < 100000; k++) {
        struct toothed_phase from, to;
        for (int i = 0; i < WHEELS; i++) {
            from.teeth[i] = random_gauss(&random);
            to.teeth[i] = random_gauss(&random);
            from.teeth_hz[i] = 5000.0 * random_gauss(&random) * random_gauss(&random);
            to.teeth_hz[i] = 5000.0 * random_gauss(&random) * random_gauss(&random);
        }
        struct toothed_state s;
        toothed_reset(&m, &s, &from, 1.0, 1);
        int64_t before_ns[WHEELS];
        memcpy(before_ns, s.edge_ns, sizeof before_ns);
        toothed_step(&m, &s, &to, 1.001, 1e-3);
        for (int i = 0; i < WHEELS; i++) {
            double passed = fabs(floor(to.teeth[i]) - floor(from.teeth[i]));
            assert_true((double)s.edges[i] <= passed);
            if (s.edges[i] > 0)
                assert_true(s.edge_ns[i] >= 999999000 && s.edge_ns[i] <= 1001000000);
            else
                assert_true(s.edge_ns[i] == before_ns[i]);
        }
    }
}

static void rocking_on_a_tooth_counts_each_pass(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    struct toothed_state s;
    struct toothed_phase p = {{0.9, 0.9, 0.9, 0.9}, {0.0, 0.0, 0.0, 0.0}};
    toothed_reset(&m, &s, &p, 0.0, 1);
    for (int k = 1; k <= 10; k++) {
        double to = k % 2 ? 1.1 : 0.9, hz = k % 2 ? 200.0 : -200.0;
        for (int i = 0; i < WHEELS; i++) {
            p.teeth[i] = to;
            p.teeth_hz[i] = hz;
        }
        toothed_step(&m, &s, &p, k * 1e-3, 1e-3);
        assert_int_equal(s.edges[RL], k);
        int64_t start_ns = (k - 1) * 1000000;
        assert_in_range((uint64_t)(s.edge_ns[RL] - start_ns), 0, 1000000);
    }
}

static void passive_sensor_is_silent_below_its_threshold(void **unused)
{
    (void)unused;
    struct toothed_model m;
    toothed_defaults(&m);
    toothed_prepare(&m, 1e-3);
    struct motion slow = {0.0, 19.9 * TWO_PI / 48.0, 0.0}, fast = {0.0, 20.1 * TWO_PI / 48.0, 0.0};
    struct toothed_state s;
    run(&m, &s, &slow, 1e-3, 3000);
    assert_int_equal(s.edges[FL], 0);
    assert_true(s.speed_radps[FL] == 0.0);
    run(&m, &s, &fast, 1e-3, 3000);
    assert_int_equal(s.edges[FL], 60); /* 60.3 teeth */
}

/* From the threshold on every tooth is heard, whatever the step: 20 Hz is reached after 0.2 s at
 * 100 teeth/s2, that is after 2 teeth; the 3rd passes after 0.245 s. */
static void edges_begin_where_the_speed_passes_the_threshold(void **unused)
{
    (void)unused;
    double steps_s[] = {1e-3, 5e-5, 0.37};
    for (int j = 0; j < 3; j++) {
        struct toothed_model m;
        toothed_defaults(&m);
        toothed_prepare(&m, steps_s[j]);
        double pitch = TWO_PI / 48.0;
        struct motion w = {0.001 * pitch, 0.0, 100.0 * pitch};
        struct toothed_state s;
        int steps = (int)round(0.37 / steps_s[j]);
        run(&m, &s, &w, steps_s[j], steps);
        assert_int_equal(s.edges[FL], 4); /* 6.846 teeth passed, the first 2.001 unheard: 3 to 6 */
        /* the sixth: sqrt(2 * 5.999 / 100); one µs of resolution */
        assert_near((double)s.edge_ns[FL] * 1e-9, sqrt(2.0 * 5.999 / 100.0), 1.001e-6);
    }
}

static void speed_from_edges_is_right_at_constant_speed(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    double speeds_radps[] = {3.0, 30.0, 90.0, 250.0};
    for (int j = 0; j < 4; j++) {
        struct motion w = {0.2, speeds_radps[j], 0.0};
        struct toothed_state s;
        run(&m, &s, &w, 1e-3, 1000);
        /* two stamps of 1 µs over at least one cycle of 5 ms less a tooth */
        assert_near(s.speed_radps[FL], speeds_radps[j], speeds_radps[j] * 1e-6 / 3e-3);
    }
}

static void speed_is_right_from_the_first_tick_of_a_rolling_start(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    struct motion w = {0.2, 90.0, 0.0};
    struct toothed_state s;
    for (int steps = 0; steps < 30; steps++) {
        run(&m, &s, &w, 1e-3, steps);
        assert_near(s.speed_radps[FL], 90.0, 90.0 * 1e-6 / 3e-3); /* as above */
    }
}

static void locked_wheel_reads_zero_after_the_timeout(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    struct motion w = {0.2, 50.0, 0.0};
    struct toothed_state s;
    run(&m, &s, &w, 1e-3, 1000);
    struct toothed_phase stuck = phase_at(&m, &w, 1.0);
    for (int i = 0; i < WHEELS; i++)
        stuck.teeth_hz[i] = 0.0;
    double last = s.speed_radps[FL];
    for (int k = 1001; k <= 1120; k++) {
        toothed_step(&m, &s, &stuck, k * 1e-3, 1e-3);
        /* never more than one tooth in the time since the last edge, at most a cycle ago */
        double waited_s = fmax(k * 1e-3 - 5e-3 - (double)s.edge_ns[FL] * 1e-9, 1e-3);
        assert_true(s.speed_radps[FL] <= fmax(TWO_PI / 48.0 / waited_s, 0.0) * (1.0 + 1e-12));
        assert_true(s.speed_radps[FL] <= last);
        last = s.speed_radps[FL];
    }
    assert_true(last == 0.0); /* 120 ms; the time-out is 100 ms, the cycle 5 ms */
}

static void speed_after_standstill_does_not_average_over_it(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    struct motion w = {0.2, 50.0, 0.0};
    struct toothed_state s;
    run(&m, &s, &w, 1e-3, 1000);
    struct toothed_phase now = phase_at(&m, &w, 1.0);
    for (int k = 1001; k <= 2100; k++) {
        double turned_s = k <= 2000 ? 1.0 : 1.0 + (k - 2000) * 1e-3; /* stands for a second */
        now = phase_at(&m, &w, turned_s);
        for (int i = 0; i < WHEELS && k <= 2000; i++)
            now.teeth_hz[i] = 0.0;
        toothed_step(&m, &s, &now, k * 1e-3, 1e-3);
        if (k > 2000 && s.speed_radps[FL] > 0.0)
            assert_near(s.speed_radps[FL], 50.0, 50.0 * 1e-6 / 2e-3); /* 1 µs between two edges */
    }
    assert_true(s.speed_radps[FL] > 0.0);
}

static void jitter_scatters_edge_times_and_keeps_their_order(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    m.jitter_s = 20e-6;
    toothed_prepare(&m, 1e-3);
    struct motion w = {0.0, 40.0, 0.0};
    struct toothed_state s;
    struct toothed_phase now = phase_at(&m, &w, 0.0);
    toothed_reset(&m, &s, &now, 0.0, 7);
    double sum = 0.0;
    int n = 0;
    for (int k = 1; k <= 20000; k++) {
        int64_t before_ns = s.edge_ns[FL];
        uint32_t count = s.edges[FL];
        now = phase_at(&m, &w, k * 1e-3);
        toothed_step(&m, &s, &now, k * 1e-3, 1e-3);
        assert_true(s.edge_ns[FL] >= before_ns);
        assert_true(s.edge_ns[FL] <= (int64_t)k * 1000000);
        if (s.edges[FL] == count)
            continue;
        double off_s = (double)s.edge_ns[FL] * 1e-9 - (double)s.edges[FL] * TWO_PI / 48.0 / 40.0;
        sum += off_s * off_s;
        n++;
    }
    /* n = 6111: the standard deviation scatters by 1/sqrt(2n) = 0.9 %; edges late in a step are cut
     * at its end, which takes a few per cent away */
    assert_near(sqrt(sum / n), 20e-6, 1e-6);

    m.jitter_s = 5e-3; /* far more than between two edges */
    for (int k = 20001; k <= 21000; k++) {
        int64_t before_ns = s.edge_ns[FL];
        now = phase_at(&m, &w, k * 1e-3);
        toothed_step(&m, &s, &now, k * 1e-3, 1e-3);
        assert_true(s.edge_ns[FL] >= before_ns && s.edge_ns[FL] <= (int64_t)k * 1000000);
    }
}

static void no_angle_makes_it_misbehave(void **unused)
{
    (void)unused;
    struct toothed_model m = active_sensor(1e-3);
    struct motion w = {0.2, 50.0, 0.0};
    struct toothed_state s;
    run(&m, &s, &w, 1e-3, 10);
    uint32_t edges = s.edges[FL];
    double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int j = 0; j < 4; j++) {
        struct toothed_phase p = s.last;
        p.teeth[FL] = bad[j];
        p.teeth_hz[FR] = bad[j];
        toothed_step(&m, &s, &p, 11e-3, 1e-3);
        assert_int_equal(s.edges[FL], edges);
        assert_true(isfinite(s.last.teeth[FL]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_under_acceleration_come_at_their_closed_form_times),
        cmocka_unit_test(count_follows_the_angle_without_drift),
        cmocka_unit_test(edge_times_do_not_depend_on_the_step),
        cmocka_unit_test(edge_times_stay_accurate_under_changing_acceleration),
        cmocka_unit_test(fast_wheel_passes_many_teeth_in_one_step),
        cmocka_unit_test(reverse_counts_upwards_too),
        cmocka_unit_test(any_step_gives_only_edges_of_that_step),
        cmocka_unit_test(rocking_on_a_tooth_counts_each_pass),
        cmocka_unit_test(passive_sensor_is_silent_below_its_threshold),
        cmocka_unit_test(edges_begin_where_the_speed_passes_the_threshold),
        cmocka_unit_test(speed_from_edges_is_right_at_constant_speed),
        cmocka_unit_test(speed_is_right_from_the_first_tick_of_a_rolling_start),
        cmocka_unit_test(locked_wheel_reads_zero_after_the_timeout),
        cmocka_unit_test(speed_after_standstill_does_not_average_over_it),
        cmocka_unit_test(jitter_scatters_edge_times_and_keeps_their_order),
        cmocka_unit_test(no_angle_makes_it_misbehave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

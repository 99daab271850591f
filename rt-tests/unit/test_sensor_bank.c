/* Analog sensors: each stage against its closed form; the noise against its statistics. */
#include "target/model/math/random.h"
#include "target/model/sensor_bank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static double delays[SENSOR_DELAY_SAMPLES];

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

/* A bank with one real sensor, between ideal ones. */
enum { REAL = 3 };

struct bank {
    struct sensor_bank_model model;
    struct sensor_bank_state state;
};

static struct bank start_with_seed(const struct sensor_error *e, double x, uint64_t seed)
{
    struct bank b;
    struct sensor_error errors[5];
    double all[SENSOR_BANK];
    for (int c = 0; c < 5; c++)
        errors[c] = c == REAL ? *e : sensor_ideal();
    for (int c = 0; c < SENSOR_BANK; c++)
        all[c] = x;
    (void)sensor_bank_prepare(&b.model, errors, 5, 1e-3);
    sensor_bank_reset(&b.model, &b.state, delays, all, seed);
    return b;
}

static struct bank start(const struct sensor_error *e, double x)
{
    return start_with_seed(e, x, 1);
}

/* The reading of the real sensor; the ideal ones beside it must keep every bit. */
static double step(struct bank *b, double x)
{
    double all[SENSOR_BANK];
    for (int c = 0; c < SENSOR_BANK; c++)
        all[c] = x;
    sensor_bank_step(&b->model, &b->state, delays, all);
    for (int c = 0; c < SENSOR_BANK; c++)
        if (c != REAL)
            assert_memory_equal(&all[c], &x, sizeof x);
    return all[REAL];
}

static void ideal_sensor_passes_every_bit(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    struct bank b = start(&e, 0.0);
    double values[] = {0.0, -0.0, 1.0 / 3.0, -1e300, 4e-310};
    for (int i = 0; i < 5; i++) {
        double y = step(&b, values[i]);
        assert_memory_equal(&y, &values[i], sizeof y);
    }
}

static void delay_is_exact_in_ticks(void **unused)
{
    (void)unused;
    double delays_ms[] = {1.0, 7.0, 64.0, 1000.0};
    for (int j = 0; j < 4; j++) {
        struct sensor_error e = sensor_ideal();
        e.delay_s = delays_ms[j] * 1e-3;
        struct bank b = start(&e, -1.0);
        int ticks = (int)delays_ms[j];
        assert_int_equal(b.model.delay_ticks[REAL], ticks);
        for (int k = 0; k < 3000; k++) {
            double want = k < ticks ? -1.0 : (double)(k - ticks);
            assert_true(step(&b, (double)k) == want);
        }
    }
}

static void delay_takes_the_nearest_whole_number_of_steps(void **unused)
{
    (void)unused;
    assert_int_equal(sensor_delay_ticks(0.0, 1e-3), 0);
    assert_int_equal(sensor_delay_ticks(1e-3, 5e-5), 20);
    assert_int_equal(sensor_delay_ticks(0.4e-3, 1e-3), 0);
    assert_int_equal(sensor_delay_ticks(2.6e-3, 1e-3), 3);
    assert_int_equal(sensor_delay_ticks(NAN, 1e-3), 1000000000);
}

static void delays_keep_to_their_own_parts_of_the_memory(void **unused)
{
    (void)unused;
    struct sensor_error errors[SENSOR_BANK];
    struct bank b;
    double x[SENSOR_BANK];
    for (int c = 0; c < SENSOR_BANK; c++) {
        errors[c] = sensor_ideal();
        errors[c].delay_s = (c + 1) * 1e-3;
        x[c] = 0.0;
    }
    delays[78] = 99.0;
    assert_int_equal(sensor_bank_prepare(&b.model, errors, SENSOR_BANK, 1e-3), 78); /* 1 + .. 12 */
    sensor_bank_reset(&b.model, &b.state, delays, x, 1);
    for (int k = 1; k < 100; k++) {
        for (int c = 0; c < SENSOR_BANK; c++)
            x[c] = k + 1000.0 * c;
        sensor_bank_step(&b.model, &b.state, delays, x);
        for (int c = 0; c < SENSOR_BANK; c++)
            assert_true(x[c] == (k - (c + 1) > 0 ? k - (c + 1) + 1000.0 * c : 0.0));
    }
    assert_true(delays[78] == 99.0);
}

static void resolution_rounds_to_the_nearest_step(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    e.resolution = 0.25;
    struct bank b = start(&e, 0.0);
    double in[] = {0.0, 0.1249, 0.1251, -0.1249, -0.1251, 7.3, -7.3};
    double want[] = {0.0, 0.0, 0.25, 0.0, -0.25, 7.25, -7.25};
    for (int i = 0; i < 7; i++)
        assert_true(step(&b, in[i]) == want[i]);
    e.resolution = 1e-4; /* not a binary fraction: within half a step, 1e-12 for rounding */
    b = start(&e, 0.0);
    for (int i = -1000; i < 1000; i++) {
        double x = 0.00317 * i;
        assert_near(step(&b, x), x, 0.5e-4 + 1e-12);
    }
}

static void reading_stays_inside_the_range(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    e.low = -1.0;
    e.high = 3.0;
    e.resolution = 0.7; /* rounding must not lead outside either */
    e.noise = 10.0;
    struct bank b = start(&e, 0.0);
    double least = 1e9, most = -1e9;
    for (int k = 0; k < 1000; k++) {
        double y = step(&b, 0.0);
        least = fmin(least, y);
        most = fmax(most, y);
    }
    assert_true(least == -1.0 && most == 3.0);
}

static void gain_and_bias_are_affine(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    e.gain = 1.02;
    e.bias = -0.5;
    struct bank b = start(&e, 0.0);
    assert_near(step(&b, 10.0), 9.7, 1e-14); /* rounding */
}

static void bandwidth_gives_the_exact_step_response(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    e.bandwidth_hz = 50.0;
    struct bank b = start(&e, 2.0);
    assert_true(step(&b, 2.0) == 2.0); /* starts settled */
    for (int k = 1; k <= 50; k++) {
        /* 1 - exp(-2 pi f t), solved exactly a step; rounding only */
        double want = 2.0 + 1.0 - exp(-2.0 * 3.14159265358979324 * 50.0 * k * 1e-3);
        assert_near(step(&b, 3.0), want, 1e-13);
    }
}

static void noise_has_the_stated_mean_deviation_and_shape(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    e.noise = 0.002;
    struct bank b = start(&e, 0.0);
    enum { N = 200000 };
    double sum = 0.0, sum2 = 0.0, sum4 = 0.0, lag = 0.0, before = 0.0;
    for (int k = 0; k < N; k++) {
        double z = (step(&b, 1.5) - 1.5) / 0.002;
        sum += z;
        sum2 += z * z;
        sum4 += z * z * z * z;
        lag += z * before;
        before = z;
    }
    /* four standard errors each: 1/sqrt N, sqrt(1.85/N), sqrt(90/N) and 1/sqrt N */
    assert_near(sum / N, 0.0, 4.0 * sqrt(1.0 / N));
    assert_near(sum2 / N, 1.0, 4.0 * sqrt(1.85 / N));
    assert_near(sum4 / N, 2.85, 4.0 * sqrt(90.0 / N));
    assert_near(lag / N, 0.0, 4.0 * sqrt(1.0 / N));
}

static void noise_repeats_bit_by_bit_and_differs_between_seeds_and_sensors(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    e.noise = 1.0;
    struct bank a = start(&e, 0.0), b = start(&e, 0.0), other = start_with_seed(&e, 0.0, 2);
    struct sensor_error both[2] = {e, e};
    struct bank pair = other;
    (void)sensor_bank_prepare(&pair.model, both, 2, 1e-3);
    double seeds = 0.0, sensors = 0.0;
    enum { N = 10000 };
    for (int k = 0; k < N; k++) {
        double ya = step(&a, 0.5), yb = step(&b, 0.5);
        assert_memory_equal(&ya, &yb, sizeof ya);
        seeds += (ya - 0.5) * (step(&other, 0.5) - 0.5);
        double x[SENSOR_BANK] = {0.0};
        sensor_bank_step(&pair.model, &pair.state, delays, x);
        sensors += x[0] * x[1];
    }
    /* uncorrelated: four standard errors */
    assert_near(seeds / N, 0.0, 4.0 / sqrt(N));
    assert_near(sensors / N, 0.0, 4.0 / sqrt(N));
}

/* Against a plain transcription of xorshift128+ and of the sum of eight 16-bit numbers. */
static void noise_comes_from_the_published_generator(void **unused)
{
    (void)unused;
    struct sensor_error e = sensor_ideal();
    e.noise = 0.5;
    struct bank b = start(&e, 0.0);
    uint64_t s0 = b.state.random[0][REAL], s1 = b.state.random[1][REAL];
    for (int k = 0; k < 1000; k++) {
        uint64_t x = s0, y = s1;
        s0 = y;
        x ^= x << 23;
        s1 = x ^ y ^ (x >> 18) ^ (y >> 5);
        double sum = 0.0;
        for (int shift = 0; shift < 64; shift += 16)
            sum += (double)(((s1 + y) >> shift) & 0xffff) + (double)((s1 >> shift) & 0xffff);
        double deviation = sqrt(8.0 * (65536.0 * 65536.0 - 1.0) / 12.0);
        /* rounding of numbers up to 2.5 */
        assert_near(step(&b, 0.0), 0.5 * (sum - 8.0 * 65535.0 / 2.0) / deviation, 1e-15);
    }
}

static void single_numbers_have_the_stated_mean_and_deviation(void **unused)
{
    (void)unused;
    uint64_t state = random_stream(5, 0);
    enum { N = 200000 };
    double sum = 0.0, sum2 = 0.0;
    for (int k = 0; k < N; k++) {
        double z = random_gauss(&state);
        sum += z;
        sum2 += z * z;
    }
    /* four standard errors, as above */
    assert_near(sum / N, 0.0, 4.0 * sqrt(1.0 / N));
    assert_near(sum2 / N, 1.0, 4.0 * sqrt(1.85 / N));
}

static void generator_is_the_published_one(void **unused)
{
    (void)unused;
    uint64_t state = 1234567; /* with the first outputs of SplitMix64 */
    assert_true(random_next(&state) == 6457827717110365317u);
    assert_true(random_next(&state) == 3203168211198807973u);
    assert_true(random_next(&state) == 9817491932198370423u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ideal_sensor_passes_every_bit),
        cmocka_unit_test(delay_is_exact_in_ticks),
        cmocka_unit_test(delay_takes_the_nearest_whole_number_of_steps),
        cmocka_unit_test(delays_keep_to_their_own_parts_of_the_memory),
        cmocka_unit_test(resolution_rounds_to_the_nearest_step),
        cmocka_unit_test(reading_stays_inside_the_range),
        cmocka_unit_test(gain_and_bias_are_affine),
        cmocka_unit_test(bandwidth_gives_the_exact_step_response),
        cmocka_unit_test(noise_has_the_stated_mean_deviation_and_shape),
        cmocka_unit_test(noise_repeats_bit_by_bit_and_differs_between_seeds_and_sensors),
        cmocka_unit_test(noise_comes_from_the_published_generator),
        cmocka_unit_test(single_numbers_have_the_stated_mean_and_deviation),
        cmocka_unit_test(generator_is_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

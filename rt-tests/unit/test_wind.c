/* Wind: steady part, gusts against their closed form, turbulence against its statistics. */
#include "target/scenario/wind.h"
#include "target/scenario/wind_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979324;

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

static void default_is_calm(void **unused)
{
    (void)unused;
    struct wind_model m;
    struct wind_state s;
    wind_defaults(&m);
    wind_reset(&m, &s);
    double w[3] = {1.0, 1.0, 1.0};
    for (int k = 0; k < 10; k++) {
        wind_step(&m, &s, 1e-3, w);
        assert_true(w[0] == 0.0 && w[1] == 0.0 && w[2] == 0.0);
    }
}

static void gust_rises_and_falls_as_one_minus_cosine(void **unused)
{
    (void)unused;
    struct wind_model m;
    struct wind_state s;
    wind_defaults(&m);
    m.mean_mps = 3.0;
    m.towards[0] = 0.0;
    m.towards[1] = 1.0;
    m.gusts = 1;
    m.gust[0] = (struct wind_gust){1.0, 2.0, 0.0, {-4.0, 10.0}};
    wind_reset(&m, &s);
    for (int k = 0; k < 5000; k++) {
        double w[3], t = k * 1e-3 - 1.0;
        double share = t > 0.0 && t < 2.0 ? 0.5 * (1.0 - cos(pi * t)) : 0.0;
        wind_step(&m, &s, 1e-3, w);
        /* 5000 additions of the time lose 1e-12 s, times 16 m/s2 at the steepest */
        assert_near(w[0], -4.0 * share, 1e-10);
        assert_near(w[1], 3.0 + 10.0 * share, 1e-10);
        assert_true(w[2] == 0.0);
    }
}

static void held_gust_stays_at_its_top(void **unused)
{
    (void)unused;
    struct wind_model m;
    struct wind_state s;
    wind_defaults(&m);
    m.gusts = 2;
    m.gust[0] = (struct wind_gust){0.5, 0.25, 1.0, {0.0, 8.0}};
    m.gust[1] = (struct wind_gust){1.0, 0.25, 0.0, {2.0, 0.0}};
    wind_reset(&m, &s);
    double dt_s = 1.0 / 1024.0; /* adds without rounding */
    double last = 0.0;
    for (int k = 0; k < 2048; k++) {
        double w[3], t = k * dt_s;
        wind_step(&m, &s, dt_s, w);
        if (t <= 0.5 || t >= 1.75)
            assert_true(w[1] == 0.0);
        if (t > 0.625 && t < 1.625)
            assert_true(w[1] == 8.0);
        /* no jump: at most 8 pi / 2 / 0.125 m/s2 */
        assert_true(fabs(w[1] - last) < 101.0 * dt_s);
        last = w[1];
        if (k == 1024 + 128)               /* the top of the second, on top of the first */
            assert_near(w[0], 2.0, 1e-14); /* rounding */
    }
}

static struct wind_model rough(void)
{
    struct wind_model m;
    wind_defaults(&m);
    m.mean_mps = 10.0;
    m.sigma_mps[0] = 2.0;
    m.sigma_mps[1] = 1.0;
    m.sigma_mps[2] = 0.5;
    m.turbulence_s = 0.05;
    return m;
}

static void turbulence_has_the_stated_deviation_and_memory(void **unused)
{
    (void)unused;
    double steps_s[] = {1e-3, 0.02};
    for (int j = 0; j < 2; j++) {
        struct wind_model m = rough();
        struct wind_state s;
        wind_reset(&m, &s);
        enum { N = 400000 };
        double sum[3] = {0}, square[3] = {0}, lag = 0.0, before = 0.0;
        for (int k = 0; k < N; k++) {
            double w[3];
            wind_step(&m, &s, steps_s[j], w);
            w[0] -= 10.0;
            for (int i = 0; i < 3; i++) {
                sum[i] += w[i];
                square[i] += w[i] * w[i];
            }
            lag += w[0] * before;
            before = w[0];
        }
        /* the values hang together over 2 tau: N dt / (2 tau) of them are independent; four
         * standard errors */
        double n = N * steps_s[j] / 0.1;
        for (int i = 0; i < 3; i++) {
            assert_near(sum[i] / N / m.sigma_mps[i], 0.0, 4.0 / sqrt(n));
            assert_near(square[i] / N / (m.sigma_mps[i] * m.sigma_mps[i]), 1.0,
                        4.0 * sqrt(2.0 / n));
        }
        /* correlation from step to step: exp(-dt / tau); error below (1 - rho^2)^(1/2) / sqrt N */
        double rho = exp(-steps_s[j] / 0.05);
        assert_near(lag / square[0], rho, 4.0 * sqrt((1.0 - rho * rho) / N));
    }
}

static void turbulence_turns_with_the_wind(void **unused)
{
    (void)unused;
    struct wind_model east = rough(), north = rough();
    north.towards[0] = 0.0;
    north.towards[1] = 1.0;
    struct wind_state a, b;
    wind_reset(&east, &a);
    wind_reset(&north, &b);
    for (int k = 0; k < 100; k++) {
        double e[3], n[3];
        wind_step(&east, &a, 1e-3, e);
        wind_step(&north, &b, 1e-3, n);
        assert_true(n[1] == e[0] && n[0] == -e[1] && n[2] == e[2]);
    }
}

static void same_seed_same_bits(void **unused)
{
    (void)unused;
    struct wind_model m = rough(), other = rough();
    other.seed = 2;
    struct wind_state a, b, c;
    wind_reset(&m, &a);
    wind_reset(&m, &b);
    wind_reset(&other, &c);
    for (int k = 0; k < 1000; k++) {
        double wa[3], wb[3], wc[3];
        wind_step(&m, &a, 1e-3, wa);
        wind_step(&m, &b, 1e-3, wb);
        wind_step(&other, &c, 1e-3, wc);
        assert_memory_equal(wa, wb, sizeof wa);
        assert_true(wa[0] != wc[0]);
    }
    assert_memory_equal(&a, &b, sizeof a);
}

static struct cfg_doc *load(const char *text, struct wind_model *m)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("drive.yaml", text, strlen(text), &doc), 0);
    wind_defaults(m);
    wind_load(cfg_map(cfg_root(doc), "wind"), m);
    return doc;
}

static void yaml_sets_every_key(void **unused)
{
    (void)unused;
    struct wind_model m;
    struct cfg_doc *doc =
        load("wind:\n"
             "  speed_mps: 8\n"
             "  towards_deg: 90\n"
             "  gusts:\n"
             "    - {start_s: 3, duration_s: 2, speed_mps: 10}\n"
             "    - {start_s: 6, duration_s: 1, speed_mps: 5, towards_deg: 180, hold_s: 0.5}\n"
             "  turbulence: {intensity: 0.25, across: 0.5, up: 0.25, length_m: 60, speed_mps: 30,\n"
             "               seed: 9}\n",
             &m);
    cfg_print_messages(doc, stderr);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
    /* 1e-15 of the largest: rounding of pi / 2 */
    assert_true(m.mean_mps == 8.0 && m.gusts == 2 && m.seed == 9);
    assert_near(m.towards[0], 0.0, 1e-15);
    assert_near(m.towards[1], 1.0, 1e-15);
    assert_near(m.gust[0].peak_mps[1], 10.0, 1e-14);
    assert_near(m.gust[1].peak_mps[0], -5.0, 1e-14);
    assert_true(m.gust[1].start_s == 6.0 && m.gust[1].duration_s == 1.0);
    assert_true(m.gust[1].hold_s == 0.5);
    assert_true(m.sigma_mps[0] == 2.0 && m.sigma_mps[1] == 1.0 && m.sigma_mps[2] == 0.5);
    assert_true(m.turbulence_s == 2.0);
}

static void yaml_mistakes_are_named(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "wind: {speed_mps: -1}\n",
        "wind: {speed_kmh: 10}\n",
        "wind: {gusts: [1]}\n",
        "wind: {gusts: [{start_s: 1, duration_s: 0, speed_mps: 1}]}\n",
        "wind: {gusts: [{duration_s: 1, speed_mps: 1}]}\n",
        "wind: {gusts: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}\n",
        "wind: {turbulence: {intensity: 9}}\n"};
    for (int i = 0; i < 7; i++) {
        struct wind_model m;
        struct cfg_doc *doc = load(texts[i], &m);
        assert_true(cfg_message_count(doc) >= 1);
        assert_true(m.gusts <= WIND_GUSTS);
        cfg_close(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_is_calm),
        cmocka_unit_test(gust_rises_and_falls_as_one_minus_cosine),
        cmocka_unit_test(held_gust_stays_at_its_top),
        cmocka_unit_test(turbulence_has_the_stated_deviation_and_memory),
        cmocka_unit_test(turbulence_turns_with_the_wind),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(yaml_sets_every_key),
        cmocka_unit_test(yaml_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Wheel speeds from modulo counters, against a wheel whose edges are computed in closed form. */
#include "rt-tests/support/near.h"
#include "target/ecu/ecu.h"
#include "target/ecu/ecu_signals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ecu_params params;

/* A wheel at v0 + a t: the way s(t) passes a whole pitch at each edge. */
struct ring {
    double v0_mps, a_mps2, pitch_m;
    int missing; /* every so many-th edge does not come; 0: none */
};

static double way_m(const struct ring *r, double t_s)
{
    return r->v0_mps * t_s + 0.5 * r->a_mps2 * t_s * t_s;
}

static double time_of_s(const struct ring *r, double s_m)
{
    if (fabs(r->a_mps2) < 1e-12)
        return s_m / r->v0_mps;
    return (sqrt(r->v0_mps * r->v0_mps + 2.0 * r->a_mps2 * s_m) - r->v0_mps) / r->a_mps2;
}

/* Count of edges until t, and the time of the last one in whole microseconds. */
static double edges_until(const struct ring *r, double t_s, double *last_us)
{
    double n = floor(way_m(r, t_s) / r->pitch_m), count = n;
    if (r->missing > 0) {
        count = n - floor(n / r->missing);
        if (fmod(n, r->missing) < 0.5 && n > 0.0)
            n -= 1.0;
    }
    *last_us = floor(1e6 * time_of_s(r, n * r->pitch_m));
    return count;
}

static void run(const struct ring *r, double from_s, double to_s, struct wheel_speed *w)
{
    struct ecu_source source = {.frames = w->frames};
    for (long n = lround(from_s / ECU_CYCLE_S); n < lround(to_s / ECU_CYCLE_S); n++) {
        double us, count = edges_until(r, (double)n * ECU_CYCLE_S, &us);
        source.frames++;
        source.time_ns = n * ECU_CYCLE_NS;
        wheel_speed_step(&params.wheel_speed, r->pitch_m, &source, fmod(count, 256.0),
                         fmod(us, 65536.0), w);
    }
}

/* From 1 m/s, where an edge comes every eighth cycle, to 80 m/s: eleven edges a cycle, and the
 * counter goes round every 120 ms. */
static void constant_speed_is_exact(void **unused)
{
    (void)unused;
    static const double speeds[] = {1.0, 2.0, 5.0, 12.3, 30.0, 80.0};
    for (int k = 0; k < 6; k++) {
        struct ring r = {.v0_mps = speeds[k], .pitch_m = wheel_pitch_m(&params.car, ECU_FL)};
        struct wheel_speed w;
        memset(&w, 0, sizeof w);
        run(&r, 0.0, 3.0, &w);
        /* Edge times are cut to a microsecond; spans are at least nearly a cycle or a pitch. */
        assert_ratio(w.speed_mps, speeds[k], 2e-6 / 3e-3);
        assert_int_equal(w.jumps, 0);
        assert_near(w.accel_mps2, 0.0, 0.02 * speeds[k]);
    }
}

static void acceleration_follows(void **unused)
{
    (void)unused;
    struct ring r = {.v0_mps = 25.0, .a_mps2 = -10.0, .pitch_m = 0.0404};
    struct wheel_speed w;
    memset(&w, 0, sizeof w);
    run(&r, 0.0, 1.5, &w);
    /* The speed is the mean of the last span of about a cycle, as of the last frame. */
    assert_near(w.speed_mps, 10.0 + 10.0 * ECU_CYCLE_S * 1.5, 10.0 * ECU_CYCLE_S);
    assert_near(w.accel_mps2, -10.0, 1.0); /* a microsecond of 5 ms at 10 m/s: 0.4 m/s2 */
}

/* A locked wheel sends no edge: the speed falls with the time waited, then it stands. */
static void standstill_shows(void **unused)
{
    (void)unused;
    struct ring r = {.v0_mps = 20.0, .pitch_m = 0.0404};
    struct wheel_speed w;
    struct ecu_source source;
    memset(&w, 0, sizeof w);
    run(&r, 0.0, 1.0, &w);
    double last = w.speed_mps;
    for (int n = 0; n < 30; n++) {
        source = (struct ecu_source){.frames = w.frames + 1,
                                     .time_ns = w.edge_ns + (n + 1) * ECU_CYCLE_NS};
        wheel_speed_step(&params.wheel_speed, r.pitch_m, &source, w.edges, w.edge_us, &w);
        assert_true(w.speed_mps <= last);
        assert_true(w.speed_mps <= r.pitch_m / (1e-9 * (double)(n + 1) * ECU_CYCLE_NS) + 1e-9);
        last = w.speed_mps;
    }
    assert_true(w.speed_mps <= 0.0);
    assert_int_equal(w.moving, 0);
}

/* Frames that do not come change nothing: no false deceleration. */
static void lost_frames_do_not_slow_the_wheel(void **unused)
{
    (void)unused;
    struct ring r = {.v0_mps = 20.0, .pitch_m = 0.0404};
    struct wheel_speed w;
    memset(&w, 0, sizeof w);
    run(&r, 0.0, 1.0, &w);
    struct ecu_source stale = {.frames = w.frames, .time_ns = w.edge_ns};
    for (int n = 0; n < 10; n++)
        wheel_speed_step(&params.wheel_speed, r.pitch_m, &stale, w.edges, w.edge_us, &w);
    assert_ratio(w.speed_mps, 20.0, 1e-3);
    run(&r, 1.05, 2.0, &w); /* and the first frame after the gap measures over it */
    assert_ratio(w.speed_mps, 20.0, 1e-3);
    assert_int_equal(w.jumps, 0);
}

/* One tooth of 48 gone: each turn shows a speed that no wheel can reach; it is not used. */
static void missing_tooth_is_counted_not_used(void **unused)
{
    (void)unused;
    struct ring r = {.v0_mps = 20.0, .pitch_m = 0.0404, .missing = 48};
    struct wheel_speed w;
    memset(&w, 0, sizeof w);
    double low = 20.0;
    run(&r, 0.0, 0.1, &w);
    for (int n = 20; n < 600; n++) {
        run(&r, n * ECU_CYCLE_S, (n + 1) * ECU_CYCLE_S, &w);
        low = fmin(low, w.speed_mps);
    }
    /* 2.9 s at 10.3 turns a second */
    assert_in_range(w.jumps, 20, 62);
    assert_above(low, 19.9);
}

static void names_of_slots_are_unique(void **unused)
{
    (void)unused;
    for (int a = 0; a < ECU_RX_SLOTS; a++) {
        assert_true(ecu_rx_slots[a].source >= ECU_SOURCE_NONE &&
                    ecu_rx_slots[a].source < ECU_SOURCES);
        assert_true(ecu_rx_slots[a].offset + sizeof(double) <= sizeof(struct ecu_rx));
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(ecu_rx_slots[a].name, ecu_rx_slots[b].name);
            assert_int_not_equal(ecu_rx_slots[a].offset, ecu_rx_slots[b].offset);
        }
    }
    for (int a = 0; a < ECU_TX_SLOTS; a++) {
        assert_true(ecu_tx_slots[a].offset + sizeof(double) <= sizeof(struct ecu_tx));
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(ecu_tx_slots[a].name, ecu_tx_slots[b].name);
            assert_int_not_equal(ecu_tx_slots[a].offset, ecu_tx_slots[b].offset);
        }
    }
    /* Every number that is sent can be bound. */
    assert_int_equal(ECU_TX_SLOTS * sizeof(double), sizeof(struct ecu_tx));
    struct ecu_rx rx;
    ecu_rx_reset(&rx);
    *ecu_rx_at(&rx, ECU_RX_rr_edges) = 7.0;
    assert_true(rx.edges[ECU_RR] > 6.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_speed_is_exact),
        cmocka_unit_test(acceleration_follows),
        cmocka_unit_test(standstill_shows),
        cmocka_unit_test(lost_frames_do_not_slow_the_wheel),
        cmocka_unit_test(missing_tooth_is_counted_not_used),
        cmocka_unit_test(names_of_slots_are_unique),
    };
    ecu_defaults(&params);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

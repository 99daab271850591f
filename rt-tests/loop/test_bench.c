/* The missed-deadline benchmark on the virtual clock: every count is exact. */
#include "target/bench_compare.h"
#include "target/bench_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000 };

static const char scenario[] = "config/scenarios/torque_and_steering.yaml";

static void no_progress(void *argument, const struct loop_live *live)
{
    (void)argument;
    (void)live;
}

static struct bench_setup set_up(int feed)
{
    return (struct bench_setup){.scenario = scenario,
                                .integrator = VEHICLE_AS_FILE,
                                .steps = 1200,
                                .core = &rt_virtual,
                                .virtual_clock = true,
                                .rt = {.cpu = -1, .priority = 1, .allow_nonrt = true},
                                .feed = feed,
                                .label = "a \"label\"",
                                .model = "lumped15",
                                .load = "none"};
}

static uint64_t offline_hash_of(int64_t steps)
{
    struct offline *o = calloc(1, sizeof *o);
    struct offline_options options = {
        .step_s = 1e-3, .duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    assert_non_null(o);
    assert_int_equal(offline_open(scenario, &options, o), 0);
    for (int64_t i = 0; i < steps; i++)
        offline_step(o);
    uint64_t hash = offline_hash(o);
    offline_close(o);
    free(o);
    return hash;
}

static void inputs_of_a_process_give_the_offline_state(void **state)
{
    (void)state;
    struct bench_setup s = set_up(FEED_PROCESS);
    struct bench_result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(bench_period_run(&s, PERIOD_NS, no_progress, NULL, r), BENCH_DONE);
    assert_int_equal(r->feed.made, 1200);
    assert_int_equal(r->feed.in_time, 1200);
    assert_int_equal(r->feed.late + r->feed.held + r->feed.unused, 0);
    assert_int_equal(r->feed.outputs, 1200);
    assert_int_equal(r->stats.now.misses, 0);
    assert_true(r->inputs_in_order);
    assert_true(r->hash == r->hash_offline);
    assert_true(r->hash == offline_hash_of(1200));
    /* made a period ahead, seen when sent: one period */
    assert_int_equal(r->feed.times.now.spread[DEADLINE_RESPONSE].min_ns, PERIOD_NS);
    assert_int_equal(r->feed.times.now.spread[DEADLINE_RESPONSE].max_ns, PERIOD_NS);
    free(r);
}

static void the_table_gives_the_same_state(void **state)
{
    (void)state;
    struct bench_setup s = set_up(FEED_TABLE);
    struct bench_result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(bench_period_run(&s, PERIOD_NS, no_progress, NULL, r), BENCH_DONE);
    assert_true(r->hash == r->hash_offline);
    assert_true(r->hash == offline_hash_of(1200));
    free(r);
}

/* A ring without a process: inputs are put there by the test. */
struct link_bed {
    struct bench_shared shared;
    struct bench_feed feed;
    struct plant_in in;
    struct loop loop;
    struct offline car;
    int32_t used[32];
};

static struct link_bed *link_open(void)
{
    struct link_bed *b = calloc(1, sizeof *b);
    assert_non_null(b);
    assert_int_equal(ring_init(&b->shared.inputs, sizeof(struct bench_input), 16, NULL), 0);
    assert_int_equal(ring_init(&b->shared.outputs, sizeof(struct bench_output), 16, NULL), 0);
    b->loop.car = &b->car;
    b->feed.shared = &b->shared;
    b->feed.used = b->used;
    b->feed.held.number = -1;
    return b;
}

static void link_close(struct link_bed *b)
{
    ring_free(&b->shared.inputs);
    ring_free(&b->shared.outputs);
    free(b);
}

static void arrive(struct link_bed *b, int64_t number)
{
    const struct bench_input in = {.number = number, .hand_wheel_rad = 0.01 * (double)number};
    assert_true(ring_push(&b->shared.inputs, &in));
}

/* The input that the step of this release uses. */
static int64_t used_at(struct link_bed *b, int64_t tick)
{
    b->loop.tick = tick;
    bench_link.receive(&b->loop, &b->feed);
    bench_link.command(&b->loop, &b->feed, &b->in);
    assert_true(b->in.hand_wheel_rad == 0.01 * (double)b->feed.held.number ||
                b->feed.held.number == -1);
    return b->used[b->feed.steps - 1];
}

static void an_input_is_used_in_its_own_step(void **state)
{
    (void)state;
    struct link_bed *b = link_open();
    arrive(b, 0);
    arrive(b, 1); /* early: stays for its release */
    assert_int_equal(used_at(b, 0), 0);
    assert_int_equal(used_at(b, 1), 1);
    link_close(b);
}

static void a_late_input_is_replaced_by_the_last_one(void **state)
{
    (void)state;
    struct link_bed *b = link_open();
    assert_int_equal(used_at(b, 0), -1); /* nothing has come yet */
    arrive(b, 0);
    arrive(b, 1);
    assert_int_equal(used_at(b, 1), 1);
    assert_int_equal(used_at(b, 2), 1); /* held */
    arrive(b, 2);
    assert_int_equal(used_at(b, 3), 2); /* late by one */
    arrive(b, 3);
    arrive(b, 4);
    arrive(b, 5);
    assert_int_equal(used_at(b, 4), 4); /* the newest that is due */
    assert_int_equal(used_at(b, 9), 5); /* releases were skipped */
    link_close(b);
}

static void inputs_that_wrap_in_the_ring_are_all_seen(void **state)
{
    (void)state;
    struct link_bed *b = link_open();
    int64_t n = 0;
    for (; n < 10; n++)
        arrive(b, n);
    assert_int_equal(used_at(b, 9), 9);
    for (; n < 24; n++)
        arrive(b, n); /* over the end of the 16 slots */
    assert_int_equal(used_at(b, 23), 23);
    assert_int_equal(ring_fill(&b->shared.inputs), 0);
    link_close(b);
}

static void a_full_ring_of_outputs_is_counted(void **state)
{
    (void)state;
    struct link_bed *b = link_open();
    b->car.out.time_s = 1.0;
    for (int64_t tick = 0; tick < 20; tick++) {
        b->loop.tick = tick;
        bench_link.send(&b->loop, &b->feed, 5 * tick);
    }
    assert_int_equal(ring_dropped(&b->shared.outputs), 4);
    const void *span;
    assert_int_equal(ring_peek(&b->shared.outputs, &span), 16);
    const struct bench_output *o = span;
    assert_int_equal(o[3].tick, 3);
    assert_int_equal(o[3].input, -1);
    assert_int_equal(o[3].sent_ns, 15);
    assert_true(o[3].state.time_s == 1.0);
    link_close(b);
}

/* What --json writes --compare reads. */
static void a_result_survives_writing_and_reading(void **state)
{
    (void)state;
    struct bench_setup s = set_up(FEED_TABLE);
    struct bench_result *r = calloc(1, sizeof *r);
    r->model = "lumped15";
    struct bench_curve *c = calloc(1, sizeof *c);
    struct bench_machine machine;
    struct err e = {""};
    char path[] = "/tmp/skidpad-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && r && c);
    (void)close(fd);
    deadline_init(&r->stats);
    r->period_ns = 50000;
    r->steps = 100;
    for (int i = 0; i < 98; i++) {
        const struct deadline_tick t = {.release_ns = 0,
                                        .wake_ns = -200 + 100 * i,
                                        .end_ns = 9000 + 500 * i,
                                        .deadline_ns = 50000};
        (void)deadline_account(&r->stats, &t);
    }
    deadline_skip(&r->stats, 2);
    bench_machine_read(&machine);
    struct out_file f;
    assert_int_equal(out_file_open_stream(&f, path, &e), 0);
    assert_int_equal(bench_json_write(&f, &s, &machine, r, 1, &e), 0);
    if (bench_curve_read(path, c, &e))
        fail_msg("%s", e.text);
    assert_string_equal(c->label, "a \"label\"");
    assert_int_equal(c->count, 1);
    assert_true(c->points[0].period_us == 50.0 && c->points[0].steps == 100.0);
    assert_true(c->points[0].missed == (double)r->stats.now.misses);
    assert_true(c->points[0].wake_max_us > 9.4 && c->points[0].wake_max_us < 9.6);
    const struct bench_histogram *h = &c->points[0].wake;
    double sum = 0.0;
    for (size_t i = 0; i < h->count; i++)
        sum += h->ticks[i];
    assert_true(sum == 98.0); /* skipped releases have no time */
    assert_true(h->fine_us == 10.0);
    /* One in each bin of 0.1 us, from before zero on. */
    assert_true(h->us[0] == -0.2 && h->ticks[0] == 1.0);
    assert_true(h->us[2] == 0.0 && h->ticks[2] == 1.0);
    assert_true(h->us[97] == 9.5 && h->ticks[97] == 1.0);
    assert_int_equal(h->count, 98);
    assert_true(c->points[0].wake_min_us == -0.2);
    assert_true(c->points[0].left == -1.0); /* this core does not tell */
    (void)unlink(path);
    free(r);
    free(c);
}

/* Periods measured one by one make one curve; a second measurement of a period makes another. */
static void results_of_one_label_are_one_curve(void **state)
{
    (void)state;
    struct bench_curve *all = calloc(BENCH_CURVES + 1, sizeof *all);
    assert_non_null(all);
    struct bench_curve *one = &all[BENCH_CURVES];
    struct err e = {""};
    int count = 0;
    const struct {
        const char *label;
        double period_us;
    } files[] = {{"a", 50.0}, {"a", 200.0}, {"b", 50.0}, {"a", 100.0}, {"a", 100.0}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(one->label, sizeof one->label, "%s", files[i].label);
        one->count = 1;
        one->points[0].period_us = files[i].period_us;
        one->points[0].missed = (double)i;
        assert_int_equal(bench_curves_add(all, &count, one, &e), 0);
    }
    assert_int_equal(count, 3);
    assert_int_equal(all[0].count, 3);
    assert_true(all[0].points[0].period_us == 200.0 && all[0].points[0].missed == 1.0);
    assert_true(all[0].points[1].period_us == 100.0 && all[0].points[1].missed == 3.0);
    assert_true(all[0].points[2].period_us == 50.0 && all[0].points[2].missed == 0.0);
    assert_string_equal(all[1].label, "b");
    assert_true(all[2].count == 1 && all[2].points[0].missed == 4.0);
    while (count < BENCH_CURVES)
        assert_int_equal(bench_curves_add(all, &count, one, &e), 0);
    assert_true(bench_curves_add(all, &count, one, &e) < 0);
    assert_non_null(strstr(e.text, "8 curves"));
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_of_a_process_give_the_offline_state),
        cmocka_unit_test(the_table_gives_the_same_state),
        cmocka_unit_test(an_input_is_used_in_its_own_step),
        cmocka_unit_test(a_late_input_is_replaced_by_the_last_one),
        cmocka_unit_test(inputs_that_wrap_in_the_ring_are_all_seen),
        cmocka_unit_test(a_full_ring_of_outputs_is_counted),
        cmocka_unit_test(a_result_survives_writing_and_reading),
        cmocka_unit_test(results_of_one_label_are_one_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

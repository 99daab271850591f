/* The loop on the virtual clock: nothing takes time but what is provoked, so every count is exact.
 */
#include "rt-tests/support/lumped15_of.h"
#include "target/loop.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000 };

struct bed {
    struct loop loop;
    struct rt rt;
    struct offline car;
    char text[200];
};

static struct bed *bed_open(int64_t ticks)
{
    struct bed *b = calloc(1, sizeof *b);
    struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    struct err e;
    assert_non_null(b);
    assert_int_equal(offline_open("config/scenarios/brake_in_turn.yaml", &options, &b->car), 0);
    b->rt.ops = &rt_virtual;
    assert_int_equal(rt_virtual.start(&b->rt, &e), 0);
    b->loop.rt = &b->rt;
    b->loop.car = &b->car;
    b->loop.setup = (struct loop_setup){
        .period_ns = PERIOD_NS, .deadline_ns = PERIOD_NS, .catch_up_max = 3, .ticks = ticks};
    assert_int_equal(loop_rings_init(&b->loop, 2.0), 0);
    return b;
}

static void bed_close(struct bed *b)
{
    loop_rings_free(&b->loop);
    offline_close(&b->car);
    free(b);
}

static void provoke(struct bed *b, int64_t tick, int64_t ticks, double periods)
{
    b->loop.setup.provoke[b->loop.setup.provokes++] = (struct loop_provoke){
        .tick = tick, .ticks = ticks, .delay_ns = (int64_t)(periods * PERIOD_NS)};
}

/* A request, and its answer once the loop has run. */
static uint64_t ask(struct bed *b, int kind, uint64_t safe)
{
    struct request r = {.kind = kind, .safe = safe};
    assert_int_equal(requests_post(&b->loop.requests, &r, &(struct request_words){"anna", ""}), 0);
    return r.number;
}

static int result(struct bed *b, uint64_t number)
{
    struct request_done done;
    assert_true(requests_read(&b->loop.requests, number, &done));
    assert_int_equal(done.number, number);
    return done.result;
}

/* What the event of a request says. */
static const char *said(struct bed *b, const struct loop_event *e)
{
    assert_int_equal(e->kind, EVENT_REQUEST);
    request_event_text(&b->loop.requests, e->value, b->text, sizeof b->text);
    return b->text;
}

/* Events of one kind; their values are added up in *sum. */
static int events(struct bed *b, int kind, int64_t *sum)
{
    struct loop_event all[256];
    size_t n = ring_pop(&b->loop.events, all, 256);
    int count = 0;
    *sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (all[i].kind != kind)
            continue;
        count++;
        *sum += all[i].value;
    }
    return count;
}

static void a_run_without_overrun_is_the_offline_run(void **state)
{
    (void)state;
    struct bed *b = bed_open(1500);
    struct offline *alone = calloc(1, sizeof *alone);
    struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    assert_non_null(alone);
    assert_int_equal(offline_open("config/scenarios/brake_in_turn.yaml", &options, alone), 0);
    loop_run(&b->loop);
    for (int i = 0; i < 1500; i++)
        offline_step(alone);
    assert_true(offline_hash(&b->car) == offline_hash(alone)); /* the same bits, no tolerance */
    assert_int_equal(b->loop.stats.now.ticks, 1500);
    assert_int_equal(b->loop.stats.now.misses, 0);
    assert_int_equal(ring_fill(&b->loop.records), 1500);
    offline_close(alone);
    free(alone);
    bed_close(b);
}

/* A tick of 3.5 periods: late itself, and the two releases after the next one's begin are gone. */
static void a_long_step_misses_itself_and_the_releases_it_covers(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    int64_t skipped;
    provoke(b, 10, 1, 3.5);
    loop_run(&b->loop);
    assert_int_equal(b->loop.stats.now.misses, 3);
    assert_int_equal(b->loop.stats.now.skipped, 2);
    assert_int_equal(b->loop.stats.now.ticks, 98);
    assert_int_equal(b->loop.stats.now.lateness_worst_ns, 2 * PERIOD_NS + PERIOD_NS / 2);
    assert_int_equal(b->loop.stats.now.run_longest, 3);
    assert_int_equal(events(b, EVENT_SKIPPED, &skipped), 1);
    assert_int_equal(skipped, 2);
    bed_close(b);
}

static void a_step_that_ends_at_its_deadline_is_in_time(void **state)
{
    (void)state;
    struct bed *b = bed_open(50);
    provoke(b, 10, 1, 1.0);
    loop_run(&b->loop);
    assert_int_equal(b->loop.stats.now.misses, 0);
    bed_close(b);
}

static void slipping_makes_one_step_and_lags(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    provoke(b, 10, 1, 3.5);
    loop_run(&b->loop);
    assert_int_equal(b->car.tick, 98);
    assert_int_equal(b->loop.lag_ns, 2 * PERIOD_NS);
    bed_close(b);
}

static void catching_up_makes_the_steps_that_are_missing(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    b->loop.setup.overrun = LOOP_CATCH_UP;
    provoke(b, 10, 1, 3.5);
    loop_run(&b->loop);
    assert_int_equal(b->car.tick, 100);
    assert_int_equal(b->loop.lag_ns, 0);
    bed_close(b);
}

static void catching_up_is_bounded(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    b->loop.setup.overrun = LOOP_CATCH_UP;
    provoke(b, 10, 1, 8.5); /* 7 releases gone, 3 extra steps allowed */
    loop_run(&b->loop);
    assert_int_equal(b->loop.stats.now.misses, 8);
    assert_int_equal(b->car.tick, 96);
    assert_int_equal(b->loop.lag_ns, 4 * PERIOD_NS);
    bed_close(b);
}

static void misses_in_a_row_lead_to_the_safe_state_and_the_rate_is_kept(void **state)
{
    (void)state;
    struct bed *b = bed_open(2000);
    int64_t cause;
    b->loop.setup.row_limit = 4;
    provoke(b, 100, 4, 1.25); /* four late ticks, no release skipped before the fifth */
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_MISSED);
    assert_int_equal(events(b, EVENT_SAFE, &cause), 1);
    assert_int_equal(cause, CAUSE_MISSED);
    assert_true(b->loop.stats.now.ticks > 1990);
    /* Braked with a quarter of the pedal from 100 km/h for 1.9 s, the car is much slower. */
    assert_true(b->car.out.vel_mps[0] < 22.0);
    assert_int_equal(b->car.in.gear, PLANT_GEAR_NEUTRAL);
    bed_close(b);
}

static void three_misses_in_a_row_are_not_four(void **state)
{
    (void)state;
    struct bed *b = bed_open(500);
    b->loop.setup.row_limit = 4;
    provoke(b, 100, 3, 1.25);
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_NONE);
    assert_int_equal(b->loop.stats.now.misses, 3);
    bed_close(b);
}

/* Goes on for so many ticks. */
static void run_on(struct bed *b, int64_t ticks)
{
    b->loop.setup.ticks = b->loop.tick + ticks;
    b->loop.setup.start_ns = b->loop.first_ns;
    loop_run(&b->loop);
}

static void the_operator_stops_and_resets(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    uint64_t stop = ask(b, REQUEST_SAFE, 0);
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_OPERATOR);
    assert_int_equal(result(b, stop), REQUEST_DONE);
    uint64_t wrong = ask(b, REQUEST_RESET, 2), right = ask(b, REQUEST_RESET, 1),
             late = ask(b, REQUEST_RESET, 1);
    run_on(b, 100);
    assert_int_equal(result(b, wrong), REQUEST_OTHER_SAFE);
    assert_int_equal(result(b, right), REQUEST_DONE);
    assert_int_equal(result(b, late), REQUEST_NOT_SAFE);
    assert_int_equal(b->loop.cause, CAUSE_NONE);
    bed_close(b);
}

/* Whatever the order in which they come: the stop holds, and the other is told so. */
static void a_stop_beats_everything_in_its_tick(void **state)
{
    (void)state;
    static const int others[] = {REQUEST_RESET, REQUEST_END, REQUEST_FAULT_ON, REQUEST_START};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        for (int first = 0; first < 2; first++) {
            struct bed *b = bed_open(10);
            (void)ask(b, REQUEST_SAFE, 0);
            loop_run(&b->loop);
            uint64_t other = 0, stop;
            if (first)
                other = ask(b, others[i], 1);
            stop = ask(b, REQUEST_SAFE, 0);
            if (!first)
                other = ask(b, others[i], 1);
            run_on(b, 10);
            assert_int_equal(result(b, stop), REQUEST_DONE);
            assert_int_equal(result(b, other), REQUEST_STOP_BEATS);
            assert_int_equal(b->loop.cause, CAUSE_OPERATOR);
            assert_int_equal(b->loop.safe_number, 2);
            assert_int_equal(b->loop.tick, 20);
            bed_close(b);
        }
    }
}

static void a_reset_that_is_older_than_a_stop_does_not_undo_it(void **state)
{
    (void)state;
    struct bed *b = bed_open(10);
    (void)ask(b, REQUEST_SAFE, 0);
    loop_run(&b->loop);
    (void)ask(b, REQUEST_SAFE, 0); /* once more, in the safe state already */
    run_on(b, 10);
    uint64_t old = ask(b, REQUEST_RESET, 1);
    run_on(b, 10);
    assert_int_equal(result(b, old), REQUEST_OTHER_SAFE);
    assert_int_equal(b->loop.cause, CAUSE_OPERATOR);
    bed_close(b);
}

static void requests_in_one_tick_are_carried_out_in_their_order(void **state)
{
    (void)state;
    struct bed *b = bed_open(10);
    (void)ask(b, REQUEST_FAULT_ON, 0);
    (void)ask(b, REQUEST_FAULT_OFF, 0);
    (void)ask(b, REQUEST_FAULT_ON, 0);
    loop_run(&b->loop);
    assert_int_equal(b->loop.fault_state.by_hand, 1);
    bed_close(b);
}

/* Before the start nobody ticks: the thread that waits carries out. */
static void a_bench_that_was_stopped_does_not_start(void **state)
{
    (void)state;
    struct bed *b = bed_open(10);
    atomic_store(&b->loop.waiting, true);
    uint64_t reset = ask(b, REQUEST_RESET, 0);
    assert_false(loop_may_begin(&b->loop));
    uint64_t stop = ask(b, REQUEST_SAFE, 0);
    assert_false(loop_may_begin(&b->loop));
    uint64_t start = ask(b, REQUEST_START, 0);
    assert_false(loop_may_begin(&b->loop));
    assert_int_equal(result(b, reset), REQUEST_NOT_SAFE);
    assert_int_equal(result(b, stop), REQUEST_DONE);
    assert_int_equal(result(b, start), REQUEST_IN_SAFE);
    assert_int_equal(loop_live(&b->loop)->cause, CAUSE_OPERATOR);
    reset = ask(b, REQUEST_RESET, 1);
    start = ask(b, REQUEST_START, 0);
    uint64_t again = ask(b, REQUEST_START, 0);
    assert_true(loop_may_begin(&b->loop));
    assert_int_equal(result(b, reset), REQUEST_DONE);
    assert_int_equal(result(b, start), REQUEST_DONE);
    assert_int_equal(result(b, again), REQUEST_BEGUN);
    bed_close(b);
}

static void what_comes_after_the_last_tick_is_answered_so(void **state)
{
    (void)state;
    struct bed *b = bed_open(10);
    loop_run(&b->loop);
    uint64_t late = ask(b, REQUEST_SAFE, 0);
    requests_close(&b->loop.requests);
    assert_int_equal(result(b, late), REQUEST_ENDED);
    struct request r = {.kind = REQUEST_SAFE};
    assert_int_equal(requests_post(&b->loop.requests, &r, &(struct request_words){"anna", ""}),
                     -ESHUTDOWN);
    bed_close(b);
}

/* Nobody reads answers, and somebody asks for more and more: places are left for stops, and a stop
 * acts even when those are taken. */
static void a_stop_is_carried_out_however_many_requests_wait(void **state)
{
    (void)state;
    struct bed *b = bed_open(10);
    struct request r;
    for (int i = 0; i < REQUESTS - REQUESTS_FOR_STOPS; i++)
        (void)ask(b, REQUEST_FAULT_ON, 0);
    r = (struct request){.kind = REQUEST_FAULT_ON};
    assert_int_equal(requests_post(&b->loop.requests, &r, &(struct request_words){"anna", ""}),
                     -EAGAIN);
    uint64_t stop = 0;
    for (int i = 0; i < REQUESTS_FOR_STOPS; i++)
        stop = ask(b, REQUEST_SAFE, 0);
    loop_run(&b->loop);
    assert_int_equal(b->loop.safe_number, 1);
    r = (struct request){.kind = REQUEST_SAFE};
    assert_int_equal(requests_post(&b->loop.requests, &r, &(struct request_words){"bert", ""}),
                     -EAGAIN);
    int64_t sum;
    (void)events(b, EVENT_REQUEST, &sum); /* of the run so far */
    run_on(b, 10);
    assert_int_equal(b->loop.safe_number, 2); /* carried out all the same */
    struct loop_event e;
    assert_int_equal(ring_pop(&b->loop.events, &e, 1), 1);
    assert_string_equal(said(b, &e), "safe by bert: done");
    assert_int_equal(result(b, stop), REQUEST_DONE);
    (void)ask(b, REQUEST_SAFE, 0); /* a place is free again */
    bed_close(b);
}

/* Of the newest requests; who reads events thousands of requests later learns that much. */
static void it_is_known_who_asked(void **state)
{
    (void)state;
    struct bed *b = bed_open(10);
    struct request_done done;
    struct loop_event e = {.kind = EVENT_REQUEST};
    struct request_words words = {"", "start"};
    for (uint64_t i = 1; i <= REQUESTS_NAMED + 10; i++) {
        struct request r = {.kind = REQUEST_START};
        (void)snprintf(words.who, sizeof words.who, "page%d@PC", (int)i);
        assert_int_equal(requests_post(&b->loop.requests, &r, &words), 0);
        loop_take_requests(&b->loop);
        assert_true(requests_read(&b->loop.requests, r.number, &done));
        e.value = request_event_value(&done);
        if (i == 3)
            assert_string_equal(said(b, &e), "3 start by page3@PC: the run has begun already");
    }
    assert_string_equal(said(b, &e), "4106 start by page4106@PC: the run has begun already");
    requests_words(&b->loop.requests, 11, &words);
    assert_string_equal(words.who, "page11@PC");
    e.value = request_event_value(&(struct request_done){.number = 10, .kind = REQUEST_SAFE});
    assert_string_equal(said(b, &e), "10 safe by somebody: done");
    bed_close(b);
}

static void a_state_that_is_not_finite_leads_the_sensors_to_rest(void **state)
{
    (void)state;
    struct bed *b = bed_open(8000);
    int64_t fault;
    b->loop.setup.ticks = 100;
    loop_run(&b->loop);
    lumped15_state_of(&b->car)->vel_mps[1] = 0.0 / 0.0 * lumped15_state_of(&b->car)->vel_mps[0];
    b->loop.setup.ticks = 8000;
    b->loop.rt->virtual_ns = 0;
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_NONFINITE);
    assert_int_equal(events(b, EVENT_FAULT, &fault), 1);
    assert_int_equal(b->loop.stats.now.ticks, 8000); /* the loop keeps its rate */
    for (int i = 0; i < WHEELS; i++)
        assert_true(b->loop.sense.wheel_radps[i] == 0.0);
    assert_true(b->loop.sense.force_mps2[2] == lumped15_of(b->car.vehicle)->gravity_mps2);
    bed_close(b);
}

/* On its way to infinity: no car is that fast, and its numbers are no good for a unit. */
static void a_state_that_no_car_has_is_a_fault_too(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct bed *b = bed_open(110);
        b->loop.setup.ticks = 100;
        loop_run(&b->loop);
        double *fast = k == 2 ? &lumped15_state_of(&b->car)->rate_radps[2]
                              : &lumped15_state_of(&b->car)->vel_mps[2];
        *fast = k == 0 ? 300.0 : -1100.0; /* 300 m/s is a car in a storm of errors, but a number */
        b->loop.setup.ticks = 102;
        b->loop.rt->virtual_ns = 0;
        loop_run(&b->loop);
        assert_int_equal(b->loop.cause, k == 0 ? CAUSE_NONE : CAUSE_NONFINITE);
        bed_close(b);
    }
}

/* The model fails while the car is braked to standstill for another reason. */
static void a_model_that_fails_in_the_safe_state_is_not_trusted_either(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    int64_t cause;
    (void)ask(b, REQUEST_SAFE, 0);
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_OPERATOR);
    lumped15_state_of(&b->car)->vel_mps[1] = 0.0 / 0.0 * lumped15_state_of(&b->car)->vel_mps[0];
    b->loop.setup.ticks = 8000;
    b->loop.rt->virtual_ns = 0;
    loop_run(&b->loop);
    assert_int_equal(b->loop.cause, CAUSE_NONFINITE);
    assert_int_equal(events(b, EVENT_SAFE, &cause), 2);
    assert_int_equal(cause, CAUSE_OPERATOR + CAUSE_NONFINITE);
    for (int i = 0; i < WHEELS; i++)
        assert_true(b->loop.sense.wheel_radps[i] == 0.0);
    uint64_t reset = ask(b, REQUEST_RESET, b->loop.safe_number);
    b->loop.setup.ticks = 8010;
    b->loop.rt->virtual_ns = 0;
    loop_run(&b->loop);
    assert_int_equal(result(b, reset), REQUEST_MODEL); /* only a new start helps */
    assert_int_equal(b->loop.cause, CAUSE_NONFINITE);
    bed_close(b);
}

/* Whatever was the cause before: the run has lost its bus, and no reset gives that back. */
static void no_reset_leaves_what_the_watchdog_did(void **state)
{
    (void)state;
    struct bed *b = bed_open(10);
    (void)ask(b, REQUEST_SAFE, 0);
    loop_run(&b->loop);
    loop_enter_safe(&b->loop, CAUSE_WATCHDOG);
    assert_int_equal(b->loop.safe_number, 2);
    uint64_t reset = ask(b, REQUEST_RESET, 2);
    run_on(b, 10);
    assert_int_equal(result(b, reset), REQUEST_BUS_TAKEN);
    assert_int_equal(b->loop.cause, CAUSE_WATCHDOG);
    bed_close(b);
}

static void a_full_ring_drops_counts_and_goes_on(void **state)
{
    (void)state;
    struct bed *b = bed_open(5000);
    int64_t dropped;
    size_t room = ring_capacity(&b->loop.records);
    loop_run(&b->loop);
    assert_int_equal(b->loop.stats.now.ticks, 5000);
    assert_int_equal(ring_dropped(&b->loop.records), 5000 - room);
    /* one event for the first record lost, one for all others, together as many as were lost */
    assert_int_equal(events(b, EVENT_DROPPED, &dropped), 2);
    assert_int_equal(dropped, 5000 - room);
    bed_close(b);
}

/* Empties the ring at tick 3000, which has lost records by then. */
static void empty_late(struct loop *l, void *peer)
{
    struct bed *b = peer;
    struct loop_record *all = l->tick == 3000 ? calloc(4096, sizeof *all) : NULL;
    if (all)
        (void)ring_pop(&b->loop.records, all, 4096);
    free(all);
}

static void leave_inputs(struct loop *l, void *peer, struct plant_in *in)
{
    (void)l;
    (void)peer;
    (void)in;
}

static void send_nothing(struct loop *l, void *peer, int64_t now_ns)
{
    (void)l;
    (void)peer;
    (void)now_ns;
}

static void the_record_after_a_gap_says_how_many_were_lost(void **state)
{
    (void)state;
    static const struct loop_link link = {
        .receive = empty_late, .command = leave_inputs, .send = send_nothing};
    struct bed *b = bed_open(4000);
    struct loop_record r;
    int64_t room = (int64_t)ring_capacity(&b->loop.records), dropped;
    assert_in_range(room, 2000, 2999); /* or the test would not test */
    b->loop.link = &link;
    b->loop.peer = b;
    loop_run(&b->loop);
    assert_int_equal(ring_pop(&b->loop.records, &r, 1), 1);
    assert_int_equal(r.tick, 3000);
    assert_int_equal(r.dropped, 3000 - room);
    assert_int_equal(ring_pop(&b->loop.records, &r, 1), 1);
    assert_int_equal(r.dropped, 0);
    assert_int_equal(events(b, EVENT_DROPPED, &dropped), 2);
    assert_int_equal(dropped, 3000 - room);
    bed_close(b);
}

static void releases_skipped_at_the_end_count_as_lag(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    provoke(b, 97, 1, 50.0); /* 98 and 99 are gone, and there are no more */
    loop_run(&b->loop);
    assert_int_equal(b->loop.stats.now.ticks, 98);
    assert_int_equal(b->loop.stats.now.skipped, 2);
    assert_int_equal(b->loop.lag_ns, 2 * PERIOD_NS);
    bed_close(b);
}

static void an_event_of_skipped_releases_has_the_first_of_them(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    struct loop_event all[8];
    provoke(b, 10, 1, 3.5);
    loop_run(&b->loop);
    assert_int_equal(ring_pop(&b->loop.events, all, 8), 3); /* provoked, missed, skipped */
    assert_int_equal(all[1].kind, EVENT_MISSED);
    assert_int_equal(all[1].phase, PHASE_STEP);
    assert_int_equal(all[2].kind, EVENT_SKIPPED);
    assert_int_equal(all[2].tick, 11);
    assert_int_equal(all[2].release_ns, 11 * PERIOD_NS);
    assert_int_equal(all[2].end_ns, 10 * PERIOD_NS + 3 * PERIOD_NS + PERIOD_NS / 2);
    assert_int_equal(all[2].phase, LOOP_PHASES);
    bed_close(b);
}

static void telemetry_goes_on_when_its_own_ticks_are_skipped(void **state)
{
    (void)state;
    struct bed *b = bed_open(100);
    struct loop_sample r;
    uint64_t number = 0;
    b->loop.setup.publish_every = 10;
    provoke(b, 39, 1, 2.5); /* tick 40 is skipped */
    loop_run(&b->loop);
    for (int64_t tick = 0; tick < 40; tick += 10) {
        assert_int_equal(ring_pop(&b->loop.telemetry, &r, 1), 1);
        assert_int_equal(r.record.tick, tick);
        assert_int_equal(r.number, number++);
    }
    for (int64_t tick = 41; tick < 100; tick += 10) {
        assert_int_equal(ring_pop(&b->loop.telemetry, &r, 1), 1);
        assert_int_equal(r.record.tick, tick);
        assert_int_equal(r.number, number++);
    }
    assert_int_equal(ring_pop(&b->loop.telemetry, &r, 1), 0);
    bed_close(b);
}

static void a_snapshot_is_there_for_displays(void **state)
{
    (void)state;
    struct bed *b = bed_open(120);
    assert_int_equal(loop_live(&b->loop)->tick, 0);
    provoke(b, 10, 1, 1.5);
    loop_run(&b->loop);
    const struct loop_live *live = loop_live(&b->loop);
    assert_int_equal(live->tick, 120); /* the last one is written at the end */
    assert_int_equal(live->deadlines.misses, 1);
    assert_true(live->speed_mps == b->car.out.vel_mps[0]); /* a copy */
    assert_int_equal(live->cause, CAUSE_NONE);
    bed_close(b);
}

static void faults_begin_and_end_as_events_and_alter_what_leaves(void **state)
{
    (void)state;
    struct bed *b = bed_open(2500);
    struct fault_set *set = calloc(1, sizeof *set);
    assert_non_null(set);
    set->count = 2;
    set->fault[0] = (struct fault){.kind = FAULT_OFFSET,
                                   .sensor = FAULT_YAW_RATE,
                                   .amount = 1.0,
                                   .start_s = 0.5,
                                   .end_s = 0.6};
    set->fault[1] =
        (struct fault){.kind = FAULT_PRESSURE_STUCK, .wheel = FL, .start_s = 0.0, .end_s = 10.0};
    b->loop.faults = set;
    loop_run(&b->loop);
    const struct loop_record *r;
    const void *span;
    assert_int_equal(ring_peek(&b->loop.records, &span), 2048); /* the ring is full then */
    r = span;
    for (int i = 0; i < 2000; i++) {
        bool on = i >= 500 && i < 600;
        assert_int_equal(r[i].signals.faults_active, on ? 3 : 2);
        /* Offset by one radian a second; the car itself turns at less than half of that. */
        assert_true((r[i].signals.sensor_yaw_rate_radps > 0.5) == on);
    }
    /* The pedal is pressed from 2 s on: the other wheels have pressure, this one not. */
    assert_true(b->loop.signals.fl_pressure_Pa == 0.0);
    assert_true(b->loop.signals.fr_pressure_Pa > 1e6);
    struct loop_event all[16];
    size_t n = ring_pop(&b->loop.events, all, 16);
    assert_true(n >= 3); /* and the full ring's */
    assert_int_equal(all[0].kind, EVENT_FAULT_ON);
    assert_int_equal(all[0].value, 1);
    assert_int_equal(all[1].tick, 500);
    assert_int_equal(all[2].kind, EVENT_FAULT_OFF);
    assert_int_equal(all[2].tick, 600);
    free(set);
    bed_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_without_overrun_is_the_offline_run),
        cmocka_unit_test(a_long_step_misses_itself_and_the_releases_it_covers),
        cmocka_unit_test(a_step_that_ends_at_its_deadline_is_in_time),
        cmocka_unit_test(slipping_makes_one_step_and_lags),
        cmocka_unit_test(catching_up_makes_the_steps_that_are_missing),
        cmocka_unit_test(catching_up_is_bounded),
        cmocka_unit_test(misses_in_a_row_lead_to_the_safe_state_and_the_rate_is_kept),
        cmocka_unit_test(three_misses_in_a_row_are_not_four),
        cmocka_unit_test(the_operator_stops_and_resets),
        cmocka_unit_test(a_stop_beats_everything_in_its_tick),
        cmocka_unit_test(no_reset_leaves_what_the_watchdog_did),
        cmocka_unit_test(a_reset_that_is_older_than_a_stop_does_not_undo_it),
        cmocka_unit_test(requests_in_one_tick_are_carried_out_in_their_order),
        cmocka_unit_test(a_bench_that_was_stopped_does_not_start),
        cmocka_unit_test(what_comes_after_the_last_tick_is_answered_so),
        cmocka_unit_test(a_stop_is_carried_out_however_many_requests_wait),
        cmocka_unit_test(it_is_known_who_asked),
        cmocka_unit_test(a_state_that_is_not_finite_leads_the_sensors_to_rest),
        cmocka_unit_test(a_state_that_no_car_has_is_a_fault_too),
        cmocka_unit_test(a_model_that_fails_in_the_safe_state_is_not_trusted_either),
        cmocka_unit_test(a_full_ring_drops_counts_and_goes_on),
        cmocka_unit_test(the_record_after_a_gap_says_how_many_were_lost),
        cmocka_unit_test(releases_skipped_at_the_end_count_as_lag),
        cmocka_unit_test(an_event_of_skipped_releases_has_the_first_of_them),
        cmocka_unit_test(telemetry_goes_on_when_its_own_ticks_are_skipped),
        cmocka_unit_test(a_snapshot_is_there_for_displays),
        cmocka_unit_test(faults_begin_and_end_as_events_and_alter_what_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

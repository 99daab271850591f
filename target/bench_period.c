#include "target/bench_period.h"

#include "shared/base/time.h"
#include "target/rt/rt_filter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Records are made as in any run and thrown away by the waiting thread: what its ring holds. */
static const double records_s = 0.25;
static const int64_t settle_ns = 50 * NS_PER_MS; /* from the thread's start to the first release */

struct period {
    const struct bench_setup *setup;
    struct offline car;
    struct loop loop;
    struct rt rt;
    struct rt_thread thread;
    struct bench_feed feed;
    struct monitor monitor;
    struct err start_error; /* of the real-time thread */
    int start_status;
    int64_t cpu_ns;
    bool memory_locked;
    atomic_bool ended;
};

static int refuse(const struct err *e, int status)
{
    fprintf(stderr, "skidpad bench: %s\n", e->text);
    return status;
}

void bench_signals_block(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    rt_ignore_stray_signals();
}

/* ---- the real-time thread */

static void work(void *argument)
{
    struct period *p = argument;
    p->start_status = rt_start(&p->rt, &p->start_error);
    if (!p->start_status && p->setup->strict_syscalls)
        p->start_status = rt_filter_install(false, &p->start_error);
    if (!p->start_status) {
        /* Both processes go by the same first release. */
        p->loop.setup.start_ns = p->setup->virtual_clock ? p->loop.setup.period_ns
                                                         : p->rt.ops->now_ns(&p->rt) + settle_ns;
        if (p->feed.shared)
            atomic_store(&p->feed.shared->start_ns, p->loop.setup.start_ns);
        int64_t before_ns = p->rt.ops->cpu_ns(&p->rt);
        loop_run(&p->loop);
        p->cpu_ns = p->rt.ops->cpu_ns(&p->rt) - before_ns;
        p->rt.ops->stop(&p->rt);
    }
    atomic_store(&p->ended, true);
}

/* The simulated clock waits for the other process, and for the reader of the records. */
static void pace(void *argument)
{
    struct period *p = argument;
    const struct timespec pause = {.tv_nsec = 100 * NS_PER_US};
    while (!atomic_load(&p->loop.stop) && p->feed.shared && ring_fill(&p->feed.shared->inputs) == 0)
        (void)sched_yield();
    while (!atomic_load(&p->loop.stop) &&
           ring_fill(&p->loop.records) > ring_capacity(&p->loop.records) / 2)
        (void)nanosleep(&pause, NULL);
}

/* ---- the thread around it */

static int open_car(const struct bench_setup *s, int64_t period_ns, struct offline *car)
{
    const struct cfg_change model = {"model", s->model};
    const struct offline_options options = {.step_s = 1e-9 * (double)period_ns,
                                            .duration_s = -1.0,
                                            .integrator = s->integrator,
                                            .vehicle = s->car,
                                            .vehicle_change = &model,
                                            .vehicle_changes = s->model ? 1 : 0};
    return offline_open(s->scenario, &options, car) ? BENCH_BAD : BENCH_DONE;
}

static int start(struct period *p, int64_t period_ns)
{
    const struct bench_setup *s = p->setup;
    struct err e = {""};
    if (open_car(s, period_ns, &p->car))
        return BENCH_BAD;
    if (s->feed == FEED_PROCESS && p->car.scenario->script.steer != PLANT_STEER_ANGLE)
        return refuse(&(struct err){"the scenario must steer by angle (hand_wheel_deg)"},
                      BENCH_BAD);
    if (s->feed == FEED_PROCESS && bench_feed_open(&p->feed, &p->car.scenario->script, period_ns,
                                                   s->steps, s->virtual_clock, &s->rt, &e))
        return refuse(&e, BENCH_FAULT);
    p->loop.setup = (struct loop_setup){
        .period_ns = period_ns, .deadline_ns = period_ns, .overrun = LOOP_SLIP, .ticks = s->steps};
    p->loop.rt = &p->rt;
    p->loop.car = &p->car;
    if (p->feed.shared) {
        p->loop.link = &bench_link;
        p->loop.peer = &p->feed;
    }
    p->rt.ops = s->core;
    if (p->rt.ops->open && p->rt.ops->open(&p->rt, &e))
        return refuse(&e, BENCH_BAD);
    if (s->virtual_clock) {
        p->rt.pace = pace;
        p->rt.pace_argument = p;
    }
    if (loop_rings_init(&p->loop, records_s))
        return refuse(&(struct err){"out of memory for the rings"}, BENCH_FAULT);
    /* After the fork: pages that it made copy-on-write are copied now, not in a tick. */
    if (!s->virtual_clock && rt_memory_lock(&s->rt, &p->memory_locked, &e))
        return refuse(&e, BENCH_BAD);
    int bad = s->virtual_clock ? rt_thread_start_plain(&p->thread, work, p, &e)
                               : rt_thread_start(&p->thread, &s->rt, work, p, &e);
    p->monitor.tid = p->thread.tid;
    return bad ? refuse(&e, BENCH_BAD) : BENCH_DONE;
}

static void discard(struct ring *r)
{
    const void *span;
    size_t count;
    while ((count = ring_peek(r, &span)) > 0)
        ring_release(r, count);
}

static int wait_end(struct period *p, void (*progress)(void *, const struct loop_live *),
                    void *argument)
{
    const struct timespec pause = {.tv_nsec = p->setup->virtual_clock ? NS_PER_MS : 20 * NS_PER_MS};
    int64_t begin_ns = rt_posix.now_ns(NULL), warm_ns = begin_ns + settle_ns + NS_PER_S;
    sigset_t signals;
    int status = BENCH_DONE;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    while (!atomic_load(&p->ended)) {
        if (rt_start_hangs(&p->rt, begin_ns, status != BENCH_DONE, &p->start_error)) {
            /* The thread cannot be joined. The children end with this process. */
            (void)refuse(&p->start_error, BENCH_BAD);
            (void)fflush(NULL);
            _exit(BENCH_BAD);
        }
        if (sigtimedwait(&signals, NULL, &pause) > 0)
            status = BENCH_INTERRUPTED;
        if (p->feed.shared && status == BENCH_DONE && !bench_feed_alive(&p->feed))
            status = BENCH_FAULT;
        if (status)
            atomic_store(&p->loop.stop, true);
        discard(&p->loop.records);
        discard(&p->loop.events);
        if (!p->setup->virtual_clock && rt_posix.now_ns(NULL) > warm_ns && !atomic_load(&p->ended))
            (void)monitor_update(&p->monitor);
        progress(argument, loop_live(&p->loop));
    }
    rt_thread_join(&p->thread);
    return status;
}

/* The same steps with the same inputs, offline. */
static int replay(const struct period *p, uint64_t *hash)
{
    struct offline *twin = calloc(1, sizeof *twin);
    if (!twin)
        return refuse(&(struct err){"out of memory"}, BENCH_FAULT);
    const int64_t period_ns = p->loop.setup.period_ns;
    int status = open_car(p->setup, period_ns, twin);
    for (uint64_t i = 0; status == BENCH_DONE && i < p->car.tick; i++) {
        struct bench_input in;
        offline_command(twin);
        if (p->feed.shared) {
            bench_input_make(&twin->scenario->script, 1e-9 * (double)period_ns, p->feed.used[i],
                             &in);
            bench_input_apply(&in, &twin->in);
        }
        offline_plant(twin);
        offline_sense(twin);
    }
    *hash = offline_hash(twin);
    offline_close(twin);
    free(twin);
    return status;
}

static void fill(const struct period *p, struct bench_result *r)
{
    const struct plant_out *out = &p->car.out;
    r->period_ns = p->loop.setup.period_ns;
    r->steps = p->setup->steps;
    r->stats = p->loop.stats;
    r->steps_made = (int64_t)p->car.tick;
    r->cpu_ns = p->cpu_ns;
    r->substeps = p->car.vehicle->facts.substeps;
    r->integrator = p->car.vehicle->facts.integrator;
    r->realtime = p->thread.realtime && p->memory_locked;
    r->inputs_in_order = r->steps_made == r->steps;
    for (int64_t i = 0; p->feed.shared && i < r->steps_made; i++)
        r->inputs_in_order = r->inputs_in_order && p->feed.used[i] == i;
    if (p->feed.shared) {
        r->feed = p->feed.shared->report;
        r->outputs_lost = ring_dropped(&p->feed.shared->outputs);
    }
    r->monitored = p->monitor.based;
    r->kernel = monitor_since(&p->monitor);
    memcpy(r->core_about, p->rt.about, sizeof r->core_about);
    r->switches = p->loop.switches;
    r->switches_start = p->rt.switches_start;
    r->switch_notes = p->loop.switch_notes;
    r->switch_first = p->loop.switch_first;
    r->hash = offline_hash(&p->car);
    r->final_x_m = out->pos_m[0];
    r->final_y_m = out->pos_m[1];
    r->final_mps = out->vel_mps[0];
    (void)snprintf(r->car, sizeof r->car, "%s", p->car.vehicle->name);
    r->model = p->car.vehicle->ops->name;
}

static int finish(struct period *p, struct bench_result *r)
{
    struct err e = {""};
    if (p->start_status)
        return refuse(&p->start_error, BENCH_BAD);
    if (p->feed.shared && bench_feed_finish(&p->feed, &e))
        return refuse(&e, BENCH_FAULT);
    if (p->loop.error)
        return refuse(&(struct err){"waiting for the release failed"}, BENCH_FAULT);
    fill(p, r);
    int status = replay(p, &r->hash_offline);
    if (status == BENCH_DONE && p->loop.cause == CAUSE_NONFINITE)
        return refuse(&(struct err){"the state became not finite: use a shorter period, "
                                    "--integrator semi-implicit or another car"},
                      BENCH_FAULT);
    return status;
}

int bench_period_run(const struct bench_setup *setup, int64_t period_ns,
                     void (*progress)(void *, const struct loop_live *), void *argument,
                     struct bench_result *result)
{
    memset(result, 0, sizeof *result);
    struct period *p = calloc(1, sizeof *p);
    if (!p)
        return refuse(&(struct err){"out of memory"}, BENCH_FAULT);
    p->setup = setup;
    int status = start(p, period_ns);
    if (status == BENCH_DONE) {
        bench_stress_rest(setup->stress, false);
        status = wait_end(p, progress, argument);
        bench_stress_rest(setup->stress, true);
        if (status != BENCH_INTERRUPTED) {
            int ended = finish(p, result);
            status = status ? status : ended;
        }
    }
    bench_feed_close(&p->feed);
    loop_rings_free(&p->loop);
    offline_close(&p->car);
    free(p);
    return status;
}

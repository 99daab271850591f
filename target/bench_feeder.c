/* The process that makes the inputs and gets the outputs back. */
#include "shared/base/time.h"
#include "target/bench_feed.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct feeder {
    struct bench_shared *shared;
    struct bench_feed_report *report;
    const struct script *script;
    struct rt rt;
    double step_s;
    int64_t next; /* number of the next input */
    int64_t last; /* input that the last output used */
    int64_t used; /* inputs that were used at least once */
};

static int64_t now_ns(struct feeder *f)
{
    return f->rt.ops->now_ns(&f->rt);
}

static int64_t due_ns(const struct feeder *f, int64_t number)
{
    return f->shared->start_ns + (number - 1) * f->shared->period_ns;
}

static void make_input(struct feeder *f, int64_t made_ns)
{
    struct bench_input in = {.made_ns = made_ns};
    int64_t late_ns = made_ns - due_ns(f, f->next);
    bench_input_make(f->script, f->step_s, f->next++, &in);
    if (late_ns > f->report->made_late_worst_ns)
        f->report->made_late_worst_ns = late_ns;
    (void)ring_push(&f->shared->inputs, &in); /* full: it never arrives */
    f->report->made++;
}

static void see_output(struct feeder *f, const struct bench_output *o, int64_t seen_ns)
{
    struct bench_feed_report *r = f->report;
    r->outputs++;
    if (o->input == o->tick)
        r->in_time++;
    else if (o->input != f->last)
        r->late++;
    else
        r->held++;
    if (o->input == f->last)
        return;
    f->last = o->input;
    f->used++;
    const struct deadline_tick t = {.release_ns = o->made_ns,
                                    .wake_ns = o->sent_ns,
                                    .end_ns = seen_ns,
                                    .deadline_ns = INT64_MAX};
    (void)deadline_account(&r->times, &t);
}

/* Takes all outputs that are there. Returns how many. */
static size_t see_outputs(struct feeder *f)
{
    size_t all = 0, count;
    const void *span;
    while ((count = ring_peek(&f->shared->outputs, &span)) > 0) {
        const struct bench_output *o = span;
        int64_t seen_ns = f->shared->lockstep ? 0 : now_ns(f);
        for (size_t i = 0; i < count; i++)
            see_output(f, &o[i], f->shared->lockstep ? o[i].sent_ns : seen_ns);
        ring_release(&f->shared->outputs, count);
        all += count;
    }
    return all;
}

/* By the clock: at each release the outputs that are due and the input of the next release. */
static void feed_by_clock(struct feeder *f)
{
    struct bench_shared *s = f->shared;
    /* After the last input two more releases, then until the loop has returned. */
    for (int64_t n = 0; n < s->steps + 2 && !atomic_load(&s->ended); n++) {
        if (f->rt.ops->wait(&f->rt, due_ns(f, n)))
            return;
        (void)see_outputs(f);
        int64_t made_ns = now_ns(f);
        while (f->next < s->steps && due_ns(f, f->next) <= made_ns)
            make_input(f, made_ns);
    }
    while (!atomic_load(&s->ended)) {
        (void)see_outputs(f);
        (void)f->rt.ops->wait(&f->rt, now_ns(f) + NS_PER_MS);
    }
}

/* On the simulated clock: an input, its output, the next input. */
static void feed_in_lockstep(struct feeder *f)
{
    while (f->next < f->shared->steps && !atomic_load(&f->shared->ended)) {
        make_input(f, due_ns(f, f->next));
        while (see_outputs(f) == 0 && !atomic_load(&f->shared->ended))
            (void)sched_yield();
    }
    while (!atomic_load(&f->shared->ended))
        (void)f->rt.ops->wait(&f->rt, now_ns(f) + NS_PER_MS);
}

/* Every CPU but the loop's, if there is another; just less urgent than the loop. */
static bool be_realtime(const struct rt_settings *rt)
{
    cpu_set_t set;
    struct sched_param p = {.sched_priority = rt->priority > 1 ? rt->priority - 1 : 1};
    if (rt->cpu >= 0 && sched_getaffinity(0, sizeof set, &set) == 0) {
        CPU_CLR((size_t)rt->cpu, &set);
        if (CPU_COUNT(&set) > 0)
            (void)sched_setaffinity(0, sizeof set, &set);
    }
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    return sched_setscheduler(0, SCHED_FIFO, &p) == 0;
}

void bench_feeder_run(struct bench_shared *s, const struct script *script,
                      const struct rt_settings *rt)
{
    struct feeder f = {.shared = s,
                       .report = &s->report,
                       .script = script,
                       .rt = {.ops = &rt_posix},
                       .step_s = 1e-9 * (double)s->period_ns,
                       .last = -1};
    s->report.realtime = !s->lockstep && be_realtime(rt);
    atomic_store(&s->ready, true);
    while (atomic_load(&s->start_ns) == 0 && !atomic_load(&s->ended))
        (void)f.rt.ops->wait(&f.rt, now_ns(&f) + NS_PER_MS);
    if (atomic_load(&s->start_ns) != 0) {
        if (s->lockstep)
            feed_in_lockstep(&f);
        else
            feed_by_clock(&f);
    }
    (void)see_outputs(&f);
    s->report.unused = s->report.made - f.used;
}

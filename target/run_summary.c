/* What a run was like, in a few lines. */
#include "target/run.h"

#include <inttypes.h>

static void print_times(const struct deadline_stats *s, FILE *to)
{
    static const char *const names[DEADLINE_TIMES] = {"wake-up", "execution", "response"};
    fprintf(to, "            %9s %9s %9s %9s %9s %9s   in us\n", "min", "mean", "p50", "p99",
            "p99.9", "max");
    for (enum deadline_time k = DEADLINE_WAKE; k < DEADLINE_TIMES; k++) {
        const struct deadline_spread *d = &s->now.spread[k];
        fprintf(to, "  %-9s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", names[k],
                deadline_us(d->min_ns), deadline_us(deadline_mean_ns(&s->now, k)),
                deadline_us(deadline_percentile_ns(s, k, 500000)),
                deadline_us(deadline_percentile_ns(s, k, 990000)),
                deadline_us(deadline_percentile_ns(s, k, 999000)), deadline_us(d->max_ns));
    }
}

static void print_telemetry(const struct run *r, FILE *to)
{
    const struct bench *b = r->bench;
    fprintf(to, "telemetry  ");
    if (b->telemetry_port > 0)
        fprintf(to, "to %s:%d, ", b->telemetry_host, b->telemetry_port);
    if (b->listen_port > 0)
        fprintf(to, "at %s:%d, ", b->listen_host, b->listen_port);
    fprintf(to, "%" PRIu64 " sent, %" PRIu64 " refused, %" PRIu64 " lost", r->publish.sent,
            r->publish.refused, r->publish.failed + ring_dropped(&r->loop.telemetry));
    if (r->publish.commands > 0 || r->publish.rejected > 0)
        fprintf(to, "; %" PRIu64 " commands done, %" PRIu64 " packets rejected",
                r->publish.commands, r->publish.rejected);
    fprintf(to, "%s\n",
            r->publish.hosts == 0 && r->publish.refused > 0 ? "; no host listened" : "");
}

/* What a crash of this process, or a power cut, could have taken at the worst moment. */
static void print_exposure(const struct run *r, FILE *to)
{
    const struct run_log_sync *s = &r->log.sync;
    fprintf(
        to, "crash      would have lost the last %.0f ms at most%s\n", 1e-6 * (double)r->log.gap_ns,
        r->log.gap_ns > run_log_bound_ns ? ", MORE than the 100 ms aimed at: the log thread was "
                                           "held up"
                                         : "");
    if (s->count > 0)
        fprintf(to,
                "power cut  would have lost the last %.2f s at most; stored %" PRIu64
                " times, %.1f ms each, longest %.1f ms\n",
                1e-9 * (double)(s->exposed_ns + r->log.gap_ns), s->count,
                1e-6 * (double)s->sum_ns / (double)s->count, 1e-6 * (double)s->longest_ns);
    else
        fprintf(to,
                "power cut  not bounded: `sync:` in the bench file stores the log on the disk\n");
}

static void print_log(const struct run *r, FILE *to)
{
    uint64_t dropped = ring_dropped(&r->loop.records), events = ring_dropped(&r->loop.events);
    if (r->log.path[0] != '\0') {
        fprintf(to, "log        %s, %" PRIu64 " records", r->log.path, r->log.records);
        if (dropped > 0)
            fprintf(to, ", %" PRIu64 " LOST: the log thread did not keep up", dropped);
        if (events > 0)
            fprintf(to, ", %" PRIu64 " events LOST", events);
        if (r->log.lost > 0)
            fprintf(to, ", %" PRIu64 " records and events NOT WRITTEN", r->log.lost);
        fprintf(to, "\nmisses     %s\nevents     %s\n", r->log.texts.misses_path,
                r->log.texts.story_path);
        if (r->bench->core != BENCH_VIRTUAL)
            print_exposure(r, to);
    }
    if (r->bench->telemetry)
        print_telemetry(r, to);
}

static void print_switches(const struct run *r, FILE *to)
{
    const struct loop *l = &r->loop;
    fprintf(to, "switches   %" PRIu64 " %s since the warm-up (%" PRIu64 " before)", l->switches,
            r->rt.ops->switch_name, r->rt.switches_start);
    if (l->switch_notes > 0)
        fprintf(to, ", LEFT REAL TIME first in tick %" PRId64 ": %s", l->switch_first.tick,
                r->rt.ops->reason_name(l->switch_first.reason));
    fputc('\n', to);
}

static void print_status(const struct run *r, FILE *to)
{
    char why[RUN_WHY];
    int status = run_status(r, why, sizeof why);
    if (status != RUN_CLEAN)
        fprintf(to, "status     %d: %s\n", status, why);
}

void run_print_summary(const struct run *r, FILE *to)
{
    const struct deadline_now *n = &r->loop.stats.now;
    struct monitor_counts m = monitor_since(&r->monitor);
    bool is_stopped = r->loop.cause == CAUSE_OPERATOR && r->log.stopped_by[0] != '\0';
    fprintf(to, "bench      %s\n", r->bench->name);
    fprintf(to, "car        %s, %s\n", r->car.vehicle->name, r->car.scenario->name);
    fprintf(to, "core       %s%s%s%s, period %g us, %s\n", r->rt.ops->name,
            r->rt.about[0] ? " (" : "", r->rt.about, r->rt.about[0] ? ")" : "",
            1e-3 * (double)r->loop.setup.period_ns,
            r->bench->core == BENCH_VIRTUAL          ? "simulated clock"
            : r->thread.realtime && r->memory_locked ? "SCHED_FIFO, memory locked"
                                                     : "NOT real-time (--allow-nonrt)");
    if (n->ticks == 0) {
        fprintf(to, "ticks      none: the run was ended before its start\n");
        print_status(r, to);
        return;
    }
    if (r->bench->core == BENCH_VIRTUAL && r->wall_s > 0.0)
        fprintf(to, "speed      %.0f times real time\n",
                1e-9 * (double)((int64_t)n->ticks * r->loop.setup.period_ns) / r->wall_s);
    fprintf(to,
            "ticks      %" PRIu64 ", deadlines missed %" PRIu64 " (%" PRIu64
            " of them skipped releases), worst late by %.1f us\n",
            n->ticks, n->misses, n->skipped, 1e-3 * (double)n->lateness_worst_ns);
    if (r->loop.over_tick >= 0 && r->loop.tick > r->loop.over_tick)
        fprintf(to,
                "           %" PRId64 " of the releases came after the drive, which is what the "
                "log has: trouble codes were read\n",
                r->loop.tick - r->loop.over_tick);
    print_times(&r->loop.stats, to);
    if (r->monitor.based)
        fprintf(to,
                "kernel     page faults %" PRIu64 "%s, context switches %" PRIu64
                " voluntary, %" PRIu64 " involuntary since 1 s\n",
                m.minor_faults + m.major_faults,
                m.minor_faults + m.major_faults > 0 ? " (must be 0)" : "", m.voluntary,
                m.involuntary);
    if (r->rt.ops->switch_name)
        print_switches(r, to);
    if (r->loop.lag_ns > 0)
        fprintf(to, "lag        the model is %.6g s behind the clock\n",
                1e-9 * (double)r->loop.lag_ns);
    if (r->bench->link)
        can_link_print(r->bench->link, to);
    if (r->bench->link)
        diagnosis_print(&r->bench->link->diagnosis, r->code_name, to);
    if (r->loop.cause)
        fprintf(to, "SAFE STATE %s%s%s\n", loop_cause_name(r->loop.cause), is_stopped ? " by " : "",
                is_stopped ? r->log.stopped_by : "");
    else if (r->loop.safe_number > 0)
        fprintf(to, "safe state entered %" PRIu64 " time%s, left by a reset; the events say when\n",
                r->loop.safe_number, r->loop.safe_number == 1 ? "" : "s");
    print_log(r, to);
    /* Of the drive, as the log: what a tester needed after it does not count. */
    fprintf(to, "state      %016" PRIx64 " after %" PRIu64 " steps\n", offline_kept_hash(&r->car),
            r->car.moment.steps);
    print_status(r, to);
}

#include "target/bench_report.h"

#include <inttypes.h>

double bench_cpu_share(const struct bench_result *r)
{
    double time_ns = (double)r->period_ns * (double)r->stats.now.ticks;
    return time_ns > 0.0 ? (double)r->cpu_ns / time_ns : 0.0;
}

int64_t bench_inputs_late(const struct bench_result *r)
{
    return r->feed.late + r->feed.held;
}

void bench_table_head(const struct bench_setup *s, const struct bench_machine *m, FILE *to)
{
    const char *counts = s->core->switch_name;
    fprintf(to, "machine    %s, %ld CPUs, clock %s\n", m->cpu, m->cpus, m->clock_source);
    fprintf(to, "kernel     %s %s %s%s\n", m->system, m->release, m->version,
            m->realtime_kernel ? " (real-time)" : "");
    if (s->virtual_clock)
        fprintf(to, "loop       simulated clock: nothing takes time\n");
    else if (s->rt.cpu >= 0)
        fprintf(to, "loop       %s, CPU %d, SCHED_FIFO %d, load %s\n", s->core->name, s->rt.cpu,
                s->rt.priority, s->load);
    else
        fprintf(to, "loop       %s, any CPU, SCHED_FIFO %d, load %s\n", s->core->name,
                s->rt.priority, s->load);
    fprintf(to, "inputs     %s\n",
            s->feed == FEED_PROCESS ? "from another process, a period ahead"
                                    : "from the scripted table in the loop, NOT from a process");
    fprintf(to,
            "\n%6s %8s %9s | %-41s | %-23s |       |      |%s\n"
            "%6s %8s %9s | %7s %7s %8s %8s %7s | %7s %7s %7s | %5s | %4s |%s%s%s %s\n",
            "period", "missed", "latest", "wake-up in us", "execution in us",
            counts ? "      |" : "", "us", "of steps", "by us", "min", "mean", "p99", "p99.9",
            "max", "p50", "p99", "max", "CPU %", "sub", counts ? "  " : "", counts ? counts : "",
            counts ? " |" : "", s->feed == FEED_PROCESS ? "inputs late" : "inputs");
}

static double us_at(const struct bench_result *r, enum deadline_time which, uint32_t millionths)
{
    return deadline_us(deadline_percentile_ns(&r->stats, which, millionths));
}

void bench_table_line(const struct bench_setup *s, const struct bench_result *r, FILE *to)
{
    const struct deadline_now *n = &r->stats.now;
    const struct deadline_spread *wake = &n->spread[DEADLINE_WAKE];
    fprintf(to, "%6g %8" PRIu64 " %9.1f | %7.1f %7.1f %8.1f %8.1f %7.1f | %7.1f %7.1f %7.1f | ",
            1e-3 * (double)r->period_ns, n->misses, 1e-3 * (double)n->lateness_worst_ns,
            n->ticks ? deadline_us(wake->min_ns) : 0.0,
            deadline_us(deadline_mean_ns(n, DEADLINE_WAKE)), us_at(r, DEADLINE_WAKE, 990000),
            us_at(r, DEADLINE_WAKE, 999000), us_at(r, DEADLINE_WAKE, 1000000),
            us_at(r, DEADLINE_EXECUTION, 500000), us_at(r, DEADLINE_EXECUTION, 990000),
            us_at(r, DEADLINE_EXECUTION, 1000000));
    fprintf(to, "%5.1f | %4d | ", 100.0 * bench_cpu_share(r), r->substeps);
    if (s->core->switch_name)
        fprintf(to, "%4" PRIu64 " | ", r->switches);
    if (s->feed == FEED_PROCESS)
        fprintf(to, "%" PRId64 "\n", bench_inputs_late(r));
    else
        fprintf(to, "table\n");
    (void)fflush(to);
}

static void print_feed(const struct bench_setup *s, const struct bench_result *r, FILE *to)
{
    const struct bench_feed_report *f = &r->feed;
    const struct deadline_stats *t = &f->times;
    fprintf(to,
            "  %6g %8" PRId64 " %8" PRId64 " %7" PRId64 " %7" PRId64 " %7" PRId64 " | %8" PRId64
            " %6" PRIu64 " | %8.1f %8.1f %8.1f %8.1f%s\n",
            1e-3 * (double)r->period_ns, f->made, f->in_time, f->late, f->held, f->unused,
            f->outputs, r->outputs_lost,
            t->now.ticks ? 1e-3 * (double)t->now.spread[DEADLINE_RESPONSE].min_ns : 0.0,
            1e-3 * (double)deadline_percentile_ns(t, DEADLINE_RESPONSE, 500000),
            1e-3 * (double)deadline_percentile_ns(t, DEADLINE_RESPONSE, 990000),
            1e-3 * (double)deadline_percentile_ns(t, DEADLINE_RESPONSE, 1000000),
            f->realtime || s->virtual_clock ? "" : "  not SCHED_FIFO");
}

static void print_hash(const struct bench_setup *s, const struct bench_result *r, FILE *to)
{
    char why[96] = "";
    if (!r->inputs_in_order && r->steps_made < r->steps)
        (void)snprintf(why, sizeof why, "; %" PRId64 " of %" PRId64 " steps made", r->steps_made,
                       r->steps);
    else if (!r->inputs_in_order)
        (void)snprintf(why, sizeof why, "; offline with the inputs as they came");
    fprintf(to, "  %6g %016" PRIx64 " %016" PRIx64 " %s%s%s\n", 1e-3 * (double)r->period_ns,
            r->hash, r->hash_offline, r->hash == r->hash_offline ? "equal" : "DIFFERENT",
            r->inputs_in_order                                ? ", every input in its step"
            : s->feed == FEED_PROCESS && bench_inputs_late(r) ? ", inputs were late"
                                                              : "",
            why);
}

void bench_table_end(const struct bench_setup *s, const struct bench_result *r, int count, FILE *to)
{
    if (count == 0)
        return;
    if (s->feed == FEED_PROCESS) {
        fprintf(to,
                "\ninputs, and outputs seen by the process that made them; round trip in us\n"
                "  period     made  in time    late    held  unused |  outputs   lost |      min  "
                "    p50      p99      max\n");
        for (int i = 0; i < count; i++)
            print_feed(s, &r[i], to);
    }
    fprintf(to, "\nfinal state: here, offline with the same inputs\n");
    for (int i = 0; i < count; i++)
        print_hash(s, &r[i], to);
    for (int i = 0; i < count; i++) {
        uint64_t faults = r[i].kernel.minor_faults + r[i].kernel.major_faults;
        if (r[i].monitored && faults > 0)
            fprintf(to, "period %g us: %" PRIu64 " page faults of the real-time thread\n",
                    1e-3 * (double)r[i].period_ns, faults);
    }
    for (int i = 0; i < count; i++)
        if (r[i].switch_notes > 0)
            fprintf(to, "period %g us: LEFT REAL TIME first in tick %" PRId64 ": %s\n",
                    1e-3 * (double)r[i].period_ns, r[i].switch_first.tick,
                    s->core->reason_name(r[i].switch_first.reason));
    if (s->core->switch_name)
        fprintf(to, "%s; %s counted from a baseline after the warm-up\n", r[0].core_about,
                s->core->switch_name);
    if (!s->virtual_clock && !r[0].realtime)
        fprintf(to, "NOT real-time (--allow-nonrt): no SCHED_FIFO or memory not locked\n");
}

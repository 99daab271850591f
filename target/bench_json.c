#include "shared/base/json_write.h"
#include "shared/base/out_file.h"
#include "shared/base/version.h"
#include "target/bench_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const int64_t us = 1000;

static void put_machine(struct json_writer *w, const struct bench_machine *m)
{
    json_open(w, "machine", '{');
    json_text(w, "system", m->system);
    json_text(w, "release", m->release);
    json_text(w, "version", m->version);
    json_text(w, "hardware", m->hardware);
    json_text(w, "proc_version", m->proc_version);
    json_text(w, "command_line", m->boot);
    json_bool(w, "realtime_kernel", m->realtime_kernel);
    json_text(w, "cpu", m->cpu);
    json_int(w, "cpus", m->cpus);
    json_text(w, "clock_source", m->clock_source);
    json_close(w);
}

static void put_command(struct json_writer *w, const struct bench_setup *s)
{
    json_open_flat(w, "command");
    for (int i = 0; i < s->argc; i++)
        json_text(w, NULL, s->argv[i]);
    json_close(w);
}

static void put_options(struct json_writer *w, const struct bench_setup *s)
{
    json_open(w, "options", '{');
    json_text(w, "model", s->model ? s->model : "(car)");
    json_text(w, "scenario", s->scenario);
    json_text(w, "car", s->car ? s->car : "(scenario)");
    json_text(w, "core", s->core->name);
    json_int(w, "steps", s->steps);
    json_int(w, "cpu", s->rt.cpu);
    json_int(w, "priority", s->rt.priority);
    json_bool(w, "allow_nonrt", s->rt.allow_nonrt);
    json_text(w, "load", s->load);
    json_text(w, "feed", s->feed == FEED_TABLE ? "table" : "process");
    json_bool(w, "strict_syscalls", s->strict_syscalls);
    json_close(w);
}

/* The lower edge of the bin that a bin of deadline.h is a part of. */
static int64_t edge_ns(size_t bin)
{
    if (bin == 0)
        return -2 * BENCH_EARLY_US * us; /* everything below -1 ms */
    int64_t low_ns = deadline_bin_low_ns(bin);
    if (low_ns >= -BENCH_FINE_US * us && low_ns < BENCH_FINE_US * us)
        return low_ns;
    return low_ns / us * us; /* below -10 us a whole number already */
}

/* Bins of 0.1 us up to 10 us before and after zero, then of 1 us, those that are not empty; above 1
 * ms the bins of deadline.h; by their lower edges. */
static void put_histogram(struct json_writer *w, const uint64_t *bins)
{
    uint64_t sum = 0;
    json_int(w, "histogram_fine_us", BENCH_FINE_US);
    json_open_flat(w, "histogram_us");
    for (size_t i = 0; i < DEADLINE_BINS; i++) {
        int64_t at_ns = edge_ns(i);
        sum += bins[i];
        bool last = i + 1 == DEADLINE_BINS || edge_ns(i + 1) != at_ns;
        if (!last || sum == 0)
            continue;
        json_open_flat(w, NULL);
        json_double(w, NULL, (double)at_ns / (double)us);
        json_int(w, NULL, (int64_t)sum);
        json_close(w);
        sum = 0;
    }
    json_close(w);
}

static void put_times(struct json_writer *w, const char *key, const struct deadline_stats *s,
                      enum deadline_time which)
{
    const struct deadline_spread *d = &s->now.spread[which];
    bool any = s->now.ticks > 0;
    json_open(w, key, '{');
    json_int(w, "min_ns", any ? d->min_ns : 0);
    json_int(w, "mean_ns", deadline_mean_ns(&s->now, which));
    json_int(w, "p50_ns", deadline_percentile_ns(s, which, 500000));
    json_int(w, "p99_ns", deadline_percentile_ns(s, which, 990000));
    json_int(w, "p99_9_ns", deadline_percentile_ns(s, which, 999000));
    json_int(w, "max_ns", any ? d->max_ns : 0);
    put_histogram(w, s->bins[which]);
    json_close(w);
}

static void put_feed(struct json_writer *w, const struct bench_result *r)
{
    const struct bench_feed_report *f = &r->feed;
    json_open(w, "inputs", '{');
    json_int(w, "made", f->made);
    json_int(w, "in_time", f->in_time);
    json_int(w, "late", f->late);
    json_int(w, "held", f->held);
    json_int(w, "unused", f->unused);
    json_int(w, "made_late_worst_ns", f->made_late_worst_ns);
    json_bool(w, "realtime", f->realtime);
    json_int(w, "outputs_seen", f->outputs);
    json_int(w, "outputs_lost", (int64_t)r->outputs_lost);
    put_times(w, "made_to_sent", &f->times, DEADLINE_WAKE);
    put_times(w, "round_trip", &f->times, DEADLINE_RESPONSE);
    json_close(w);
}

static void put_hash(struct json_writer *w, const char *key, uint64_t hash)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_text(w, key, text);
}

static void put_result(struct json_writer *w, const struct bench_setup *s,
                       const struct bench_result *r)
{
    const struct deadline_now *n = &r->stats.now;
    json_open(w, NULL, '{');
    json_double(w, "period_us", 1e-3 * (double)r->period_ns);
    json_int(w, "steps", r->steps);
    json_int(w, "steps_made", r->steps_made);
    json_int(w, "missed", (int64_t)n->misses);
    json_int(w, "skipped", (int64_t)n->skipped);
    json_int(w, "longest_row", (int64_t)n->run_longest);
    json_int(w, "late_worst_ns", n->lateness_worst_ns);
    json_double(w, "cpu_share", bench_cpu_share(r));
    json_text(w, "car", r->car);
    json_text(w, "model", r->model);
    json_text(w, "integrator", model_integrator_name(r->integrator));
    json_int(w, "substeps", r->substeps);
    json_bool(w, "realtime", r->realtime);
    if (r->monitored) {
        json_int(w, "page_faults", (int64_t)(r->kernel.minor_faults + r->kernel.major_faults));
        json_int(w, "switches_voluntary", (int64_t)r->kernel.voluntary);
        json_int(w, "switches_involuntary", (int64_t)r->kernel.involuntary);
    }
    if (s->core->switch_name) {
        json_text(w, "core_version", r->core_about);
        json_int(w, "realtime_left", (int64_t)r->switches);
        json_int(w, "realtime_left_before", (int64_t)r->switches_start);
        if (r->switch_notes > 0) {
            json_int(w, "realtime_left_tick", r->switch_first.tick);
            json_text(w, "realtime_left_reason", s->core->reason_name(r->switch_first.reason));
        }
    }
    put_times(w, "wake_up", &r->stats, DEADLINE_WAKE);
    put_times(w, "execution", &r->stats, DEADLINE_EXECUTION);
    put_times(w, "response", &r->stats, DEADLINE_RESPONSE);
    if (s->feed == FEED_PROCESS)
        put_feed(w, r);
    put_hash(w, "state", r->hash);
    put_hash(w, "state_offline", r->hash_offline);
    json_bool(w, "state_equal", r->hash == r->hash_offline);
    json_bool(w, "inputs_in_order", r->inputs_in_order);
    json_close(w);
}

int bench_json_write(struct out_file *f, const struct bench_setup *s, const struct bench_machine *m,
                     const struct bench_result *r, int count, struct err *e)
{
    struct json_writer w = {.to = f->stream};
    json_open(&w, NULL, '{');
    json_text(&w, "format", "skidpad bench 1");
    json_text(&w, "skidpad", version_text());
    json_text(&w, "revision", version_revision());
    json_text(&w, "label", s->label);
    put_command(&w, s);
    put_machine(&w, m);
    put_options(&w, s);
    json_open(&w, "periods", '[');
    for (int i = 0; i < count; i++)
        put_result(&w, s, &r[i]);
    json_close(&w);
    json_close(&w);
    return out_file_finish(f, json_finish(&w), e);
}

/* skidpad demo: the car brakes with an ABS unit in the loop, then with none, and both are compared.
 *
 * Each drive is a real-time run with a log; the log is then replayed, to the bit, for the numbers
 * and the picture. */
#include "shared/base/options.h"
#include "target/replay.h"
#include "target/run.h"
#include "target/sim_plot.h"
#include "target/sim_summary.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WITH_UNIT, WITHOUT_UNIT, DRIVES };

/* One drive, and what its log says. */
struct drive {
    const char *title, *stem;
    int status;      /* of the run */
    bool realtime;   /* rights were there */
    uint64_t misses; /* deadlines */
    uint32_t cause;  /* of the safe state, enum loop_cause */
    bool replayed;   /* the log gave the same bits */
    double latency_ms;
    double side_m; /* largest distance from the line */
    struct sim_summary sum;
    struct sim_plot plot;
};

static void view(void *self, const struct offline *car)
{
    struct drive *d = self;
    sim_summary_add(&d->sum, car);
    sim_plot_add(&d->plot, car);
    d->side_m = fmax(d->side_m, fabs(car->out.pos_m[1]));
}

/* The numbers and the picture of a log. */
static int look_at(struct drive *d, const char *log)
{
    static struct offline car; /* large: not for the stack */
    struct mdf_reader *reader = NULL;
    struct replay_result result;
    const struct replay_viewer viewer = {.tick = view, .self = d};
    struct err e = {""};
    char svg[BENCH_PATH];
    int bad = mdf_read_open(log, &reader, &e);
    if (!bad)
        bad = replay_open(reader, NULL, NULL, &car, &e);
    if (!bad) {
        sim_summary_begin(&d->sum, &car);
        sim_plot_begin(&d->plot, &car);
        bad = replay_run(reader, &car, &viewer, &result, &e);
        d->replayed = !bad && !result.differs && !result.cut;
    }
    if (!bad) {
        (void)snprintf(svg, sizeof svg, "out/%s.svg", d->stem);
        bad = sim_plot_write(&d->plot, &car, svg);
    } else {
        fprintf(stderr, "skidpad demo: %s: %s\n", log, e.text);
    }
    offline_close(&car);
    mdf_read_close(reader);
    return bad;
}

/* A laptop or a container has no real-time rights, even for root; the demo goes on and does not
 * judge timing then. */
static bool may_be_realtime(void)
{
    const struct sched_param fifo = {.sched_priority = 1}, other = {.sched_priority = 0};
    struct rlimit locked = {0};
    bool may = sched_setscheduler(0, SCHED_FIFO, &fifo) == 0;
    (void)sched_setscheduler(0, SCHED_OTHER, &other);
    (void)getrlimit(RLIMIT_MEMLOCK, &locked);
    return may && (geteuid() == 0 || locked.rlim_cur == RLIM_INFINITY);
}

static int drive(struct drive *d, const char *path, bool unit)
{
    static struct run run; /* large: not for the stack */
    struct bench *bench = bench_open(path);
    if (!bench)
        return RUN_BAD_INPUT;
    memset(&run, 0, sizeof run);
    run.core = &rt_posix; /* on any kernel */
    bench->core = BENCH_POSIX;
    bench->no_unit = !unit;
    (void)snprintf(bench->log, sizeof bench->log, "out/%s.mf4", d->stem);
    if (unit)
        (void)snprintf(bench->frames, sizeof bench->frames, "out/%s.log", d->stem);
    printf("\n%s\n", d->title);
    bench->rt.allow_nonrt = !may_be_realtime();
    d->status = run_open(&run, bench, path);
    if (d->status == 0) {
        d->status = run_wait(&run);
        run_print_summary(&run, stdout);
        d->realtime = run.thread.realtime && run.memory_locked;
        d->misses = run.loop.stats.now.misses;
        d->cause = run.loop.cause;
        if (bench->link)
            d->latency_ms = 1e-6 * (double)timing_percentile_ns(
                                       &bench->link->latency.hop[LATENCY_TOTAL], 990000);
    }
    run_close(&run);
    int bad = d->status == RUN_BAD_INPUT ? 0 : look_at(d, bench->log);
    bench_free(bench);
    return bad ? RUN_FAULT : d->status;
}

static double longest_lock_s(const struct drive *d)
{
    double most = 0.0;
    for (int i = 0; i < WHEELS; i++)
        most = fmax(most, d->sum.locked_s[i]);
    return most;
}

static void print_row(const char *name, const char *unit, double with, double without, int digits)
{
    printf("  %-34s %12.*f %12.*f  %s\n", name, digits, with, digits, without, unit);
}

static void print_table(const struct drive d[DRIVES])
{
    const double deg = 180.0 / 3.14159265358979323846;
    const struct sim_summary *a = &d[WITH_UNIT].sum, *b = &d[WITHOUT_UNIT].sum;
    printf("\n  %-34s %12s %12s\n", "", "with unit", "without");
    print_row("distance to standstill", "m", a->stop_s >= 0.0 ? a->stop_m : a->path_m,
              b->stop_s >= 0.0 ? b->stop_m : b->path_m, 1);
    print_row("time to standstill", "s", a->stop_s, b->stop_s, 2);
    print_row("largest yaw rate", "deg/s", a->yaw_radps * deg, b->yaw_radps * deg, 1);
    print_row("largest sideslip", "deg", a->sideslip_rad * deg, b->sideslip_rad * deg, 1);
    print_row("distance from the line", "m", d[0].side_m, d[1].side_m, 2);
    for (int i = 0; i < WHEELS; i++) {
        static const char *const names[] = {"front left", "front right", "rear left", "rear right"};
        char name[64];
        (void)snprintf(name, sizeof name, "locked above 15 km/h, %s", names[i]);
        print_row(name, "s", a->locked_s[i], b->locked_s[i], 2);
    }
    print_row("deadlines missed", "", (double)d[0].misses, (double)d[1].misses, 0);
}

/* A unit that this machine let wait beyond its time-out is a matter of timing, as misses are. */
static bool is_sound(const struct drive *d)
{
    return d->status != RUN_FAULT || d->cause == CAUSE_SILENT;
}

/* Loop and physics. */
static bool verdict(const struct drive d[DRIVES])
{
    const struct drive *a = &d[WITH_UNIT], *b = &d[WITHOUT_UNIT];
    bool kept = longest_lock_s(a) <= 0.2, locks = longest_lock_s(b) > 0.5;
    bool straight = a->sum.sideslip_rad < 0.2 && a->side_m < 1.75;
    bool same = a->replayed && b->replayed, ran = is_sound(a) && is_sound(b);
    printf("\nwith the unit no wheel locks for more than 0.2 s: %s\n", kept ? "yes" : "NO");
    printf("with the unit the car stays in its lane of 3.5 m:  %s\n", straight ? "yes" : "NO");
    printf("without it wheels lock:                            %s\n", locks ? "yes" : "NO");
    printf("both logs replay to the same bits:                 %s\n", same ? "yes" : "NO");
    printf("model and frames are sound throughout:             %s\n", ran ? "yes" : "NO");
    return kept && straight && locks && same && ran;
}

static bool judge_timing(const struct drive d[DRIVES])
{
    if (!d[0].realtime || !d[1].realtime) {
        printf("timing: not judged (no real-time rights: run as root, or see docs/real-time.md)\n");
        return true;
    }
    unsigned long long misses = d[0].misses + d[1].misses;
    bool heard = d[WITH_UNIT].cause != CAUSE_SILENT;
    bool in_time = misses == 0 && d[0].latency_ms <= 12.0 && heard;
    printf("timing: %s (%llu deadlines missed, edge to pressure %.1f ms at p99, allowed 12%s)\n",
           in_time ? "pass" : "fail", misses, d[0].latency_ms,
           heard ? "" : "; the unit was silent beyond its time-out");
    return in_time;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"strict-timing", NULL, NULL, "missed deadlines make the status 1, too"},
        {0},
    };
    static const struct options_program program = {
        .name = "demo",
        .summary = "a stop on split friction with an ABS unit in the loop, and without",
        .arguments = "[BENCH.yaml]",
        .args_max = 1,
        .specs = specs,
        .example = "skidpad demo",
        .notes = "Real time: twice the length of the scenario. Logs and pictures go to out/. "
                 "Status: 0 the loop\nand the physics are right, 1 they are not, 2 bad input.",
    };
    static struct drive d[DRIVES] = {
        {.title = "With the unit in the loop", .stem = "demo_with_unit"},
        {.title = "Without a unit: the pedal makes the pressures", .stem = "demo_without_unit"}};
    struct options o;
    char path[BENCH_PATH];
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    if (o.arg_count > 0)
        (void)snprintf(path, sizeof path, "%s", o.args[0]);
    else
        (void)snprintf(path, sizeof path, "%s/benches/abs_split.yaml", folder ? folder : "config");
    for (int i = 0; i < DRIVES; i++)
        if (drive(&d[i], path, i == WITH_UNIT) == RUN_BAD_INPUT)
            return RUN_BAD_INPUT;
    print_table(d);
    bool good = verdict(d), in_time = judge_timing(d);
    printf("pictures   out/%s.svg, out/%s.svg\n", d[0].stem, d[1].stem);
    printf("verdict: %s\n", good ? "pass" : "fail");
    return good && (in_time || !options_given(&o, "strict-timing")) ? 0 : 1;
}

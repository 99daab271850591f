/* skidpad demo: the car brakes with an ABS unit in the loop and with none, and both are compared.
 *
 * Three drives, each with a log that is then replayed, to the bit, for the numbers and the picture.
 * Two of them are on the simulated clock, with the unit in lock-step: they judge the physics, and
 * give the same result on every machine, however busy. The third is the same bench in real time,
 * with the unit in a process of its own: it judges this machine's timing. */
#include "shared/base/options.h"
#include "target/ecu/ecu_unit_load.h"
#include "target/replay.h"
#include "target/rt/rt_thread.h"
#include "target/run.h"
#include "target/sim_plot.h"
#include "target/sim_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WITH_UNIT, WITHOUT_UNIT, REAL_TIME, DRIVES };

static const double lock_limit_s = 0.2, lock_least_s = 0.5; /* with the unit; without */
static const double lane_m = 3.5, latency_limit_ms = 12.0;

/* One drive, and what its log says. */
struct drive {
    const char *title, *stem;
    const char *variant; /* for the title of its picture */
    bool unit, simulated;
    int status;        /* of the run */
    bool interrupted;  /* by the user */
    bool realtime;     /* rights were there */
    uint64_t misses;   /* deadlines */
    uint64_t lost;     /* records */
    double held_up_ms; /* the longest time from a release to the end of its tick */
    uint32_t cause;    /* of the safe state, enum loop_cause; it is never left here */
    char why[RUN_WHY]; /* the status is not 0 */
    bool unit_ended;   /* the unit's process, before the run */
    bool replayed;     /* the log gave the same bits, */
    bool differs;      /* or others */
    double latency_ms;
    double side_m; /* largest distance from the line */
    struct sim_summary sum;
    struct sim_plot plot;
};

/* ---- driving */

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
        d->differs = !bad && result.differs;
        d->replayed = !bad && !result.differs && !result.cut;
    }
    if (!bad) {
        (void)snprintf(svg, sizeof svg, "out/%s.svg", d->stem);
        bad = sim_plot_write(&d->plot, &car, d->variant, svg);
    } else {
        fprintf(stderr, "skidpad demo: %s: %s\n", log, e.text);
    }
    offline_close(&car);
    mdf_read_close(reader);
    return bad;
}

/* What of the bench this drive takes. Nobody but the demo commands it. */
static void prepare(const struct drive *d, struct bench *bench)
{
    bench->core = d->simulated ? BENCH_VIRTUAL : BENCH_POSIX; /* on any kernel */
    bench->no_unit = !d->unit;
    bench->control[0] = '\0';
    bench->frames[0] = '\0';
    bench->wait_for_start = false;
    (void)snprintf(bench->log, sizeof bench->log, "out/%s.mf4", d->stem);
    if (d->simulated) {
        bench->telemetry = false;
        bench->loop.provokes = 0; /* stalls on purpose are a matter of timing */
    } else {
        (void)snprintf(bench->frames, sizeof bench->frames, "out/%s.log", d->stem);
        /* A laptop or a container has no real-time rights, even for root; the demo goes on and does
         * not judge timing then. */
        bench->rt.allow_nonrt = !rt_may_be_realtime();
    }
}

static void take_results(struct drive *d, const struct run *run)
{
    const struct deadline_now *n = &run->loop.stats.now;
    const struct can_link *link = run->bench->link;
    d->interrupted = run->interrupted;
    d->realtime = run->thread.realtime && run->memory_locked;
    d->misses = n->misses;
    d->lost = ring_dropped(&run->loop.records) + run->log.lost;
    d->held_up_ms = 1e-6 * (double)n->spread[DEADLINE_RESPONSE].max_ns;
    d->cause = run->loop.cause;
    d->unit_ended = run_unit_ended(run);
    (void)run_status(run, d->why, sizeof d->why);
    if (link)
        d->latency_ms =
            1e-6 * (double)timing_percentile_ns(&link->latency.hop[LATENCY_TOTAL], 990000);
}

static int drive_bench(struct drive *d, struct bench *bench, const char *path,
                       struct ecu_unit *unit)
{
    static struct run run; /* large: not for the stack */
    memset(&run, 0, sizeof run);
    run.core = d->simulated ? &rt_virtual : &rt_posix;
    if (unit)
        bench->link->unit = (struct can_unit){.step = ecu_unit_step_any, .self = unit};
    int status = run_open(&run, bench, path);
    if (status == 0) {
        printf("%s", d->title);
        if (!d->simulated)
            printf(" (%.0f s)", run.car.scenario->duration_s);
        printf("\n");
        (void)fflush(stdout);
        status = run_wait(&run);
        if (!d->simulated)
            run_print_summary(&run, stdout);
        take_results(d, &run);
    }
    run_close(&run);
    return status;
}

/* Returns the status of the run; RUN_BAD_INPUT: it did not start. */
static int drive(struct drive *d, const char *path)
{
    struct ecu_unit *unit = NULL;
    struct bench *bench = bench_open(path);
    if (!bench)
        return RUN_BAD_INPUT;
    int bad = 0;
    if (bench->stand_in[0] == '\0') {
        fprintf(stderr, "skidpad demo: %s: has no `stand_in:`, with which the physics is judged\n",
                path);
        bad = RUN_BAD_INPUT;
    }
    prepare(d, bench);
    if (!bad && d->simulated && d->unit &&
        ecu_unit_open_file(bench->stand_in, bench->stand_in_bus, stderr, &unit))
        bad = RUN_BAD_INPUT;
    d->status = bad ? bad : drive_bench(d, bench, path, unit);
    if (d->status != RUN_BAD_INPUT && !d->interrupted && look_at(d, bench->log))
        d->status = RUN_FAULT;
    bench_free(bench);
    ecu_unit_close(unit);
    return d->status;
}

/* ---- what was seen */

static double longest_lock_s(const struct drive *d)
{
    double most = 0.0;
    for (int i = 0; i < WHEELS; i++)
        most = fmax(most, d->sum.locked_s[i]);
    return most;
}

static bool started(const struct drive *d)
{
    return d->status != RUN_BAD_INPUT;
}

static void print_row(const struct drive d[DRIVES], const char *name, const char *unit,
                      const double value[DRIVES], int digits)
{
    printf("  %-34s", name);
    for (int i = 0; i < DRIVES; i++) {
        if (started(&d[i]) && value[i] >= 0.0)
            printf(" %12.*f", digits, value[i]);
        else
            printf(" %12s", "-");
    }
    printf("  %s\n", unit);
}

static void print_table(const struct drive d[DRIVES])
{
    const double deg = 180.0 / 3.14159265358979323846;
    static const char *const wheels[] = {"front left", "front right", "rear left", "rear right"};
    double v[8 + WHEELS][DRIVES];
    for (int i = 0; i < DRIVES; i++) {
        const struct sim_summary *s = &d[i].sum;
        /* None: it still drives. */
        v[0][i] = s->stop_s >= 0.0 ? sim_summary_braking_m(s) : -1.0;
        v[1][i] = s->stop_s >= 0.0 ? sim_summary_braking_s(s) : -1.0;
        v[2][i] = s->yaw_radps * deg;
        v[3][i] = s->sideslip_rad * deg;
        v[4][i] = d[i].side_m;
        v[5][i] = (double)d[i].misses;
        for (int w = 0; w < WHEELS; w++)
            v[8 + w][i] = s->locked_s[w];
    }
    printf("\n  %-34s %25s %12s\n", "", "simulated clock", "real time");
    printf("  %-34s %12s %12s %12s\n", "", "with unit", "without", "with unit");
    print_row(d, "distance from pedal to standstill", "m", v[0], 1);
    print_row(d, "time from pedal to standstill", "s", v[1], 2);
    print_row(d, "largest yaw rate", "deg/s", v[2], 1);
    print_row(d, "largest sideslip", "deg", v[3], 1);
    print_row(d, "distance from the line", "m", v[4], 2);
    for (int w = 0; w < WHEELS; w++) {
        char name[64];
        (void)snprintf(name, sizeof name, "locked above 15 km/h, %s", wheels[w]);
        print_row(d, name, "s", v[8 + w], 2);
    }
    print_row(d, "deadlines missed", "", v[5], 0);
}

/* ---- judging */

static bool say(const char *claim, bool holds)
{
    printf("  %-56s %s\n", claim, holds ? "yes" : "NO");
    return holds;
}

/* The machine, not the car: the loop was late, or the unit, or its frames were. */
static bool is_stall(const struct drive *d)
{
    return !d->unit_ended && (d->cause == CAUSE_MISSED || d->cause == CAUSE_SILENT ||
                              (d->cause == CAUSE_PROTECTION && d->misses > 0));
}

/* What no busy machine explains in the real-time drive. */
static bool has_fault(const struct drive *d)
{
    return d->status == RUN_FAULT && !is_stall(d);
}

/* On the simulated clock. */
static bool judge_physics(const struct drive d[DRIVES])
{
    const struct drive *a = &d[WITH_UNIT], *b = &d[WITHOUT_UNIT], *r = &d[REAL_TIME];
    bool good = true;
    printf("\n");
    good &=
        say("with the unit no wheel locks for more than 0.2 s", longest_lock_s(a) <= lock_limit_s);
    good &= say("with the unit the car stays in its lane of 3.5 m",
                a->sum.sideslip_rad < 0.2 && a->side_m < 0.5 * lane_m);
    good &= say("without it wheels lock", longest_lock_s(b) > lock_least_s);
    good &= say("no safe state is entered on the simulated clock",
                a->status == RUN_CLEAN && b->status == RUN_CLEAN);
    good &= say("logs replay to the same bits", a->replayed && b->replayed && !r->differs);
    printf("physics: %s (on the simulated clock: the same on every machine)\n",
           good ? "pass" : "fail");
    return good;
}

/* What the machine did to the drive, and what helps. */
static void tell_stall(const struct drive *d)
{
    static const char remedy[] = "close other programs, or give the loop a CPU of its own "
                                 "(docs/real-time.md), and run it again";
    if (d->cause == CAUSE_SILENT)
        printf("  this machine held the unit up: it was silent past its time-out, "
               "so the bench went to the safe state");
    else
        printf("  this machine held the loop up for as long as %.1f ms", d->held_up_ms);
    if (d->cause == CAUSE_MISSED)
        printf(": too many deadlines in a row were missed, so the bench went to the safe state");
    else if (d->cause == CAUSE_PROTECTION)
        printf(": too many frames of the unit were wrong, so the bench went to the safe state");
    printf("; %s\n", remedy);
}

static bool judge_timing(const struct drive *d)
{
    if (!started(d)) {
        printf("timing: not judged (the real-time drive did not start: see above)\n");
        return false;
    }
    if (has_fault(d)) {
        printf("timing: not judged (the real-time drive failed: %s)\n", d->why);
        return false;
    }
    bool good = d->misses == 0 && d->latency_ms <= latency_limit_ms && d->cause == CAUSE_NONE &&
                d->lost == 0;
    if (!d->realtime)
        printf("timing: not judged (no real-time rights: run as root, or see docs/real-time.md)\n");
    else
        printf(
            "timing: %s (%llu deadlines missed, edge to pressure %.1f ms at p99, allowed %.0f)\n",
            good ? "pass" : "fail", (unsigned long long)d->misses, d->latency_ms, latency_limit_ms);
    if (d->lost > 0)
        printf("  %llu records of the log were lost\n", (unsigned long long)d->lost);
    if (d->misses > 0 || d->cause)
        tell_stall(d);
    return good && d->realtime;
}

/* What was seen, where the pictures are, what to try next. */
static void print_end(const struct drive d[DRIVES], bool good, bool fault)
{
    const struct drive *a = &d[WITH_UNIT], *b = &d[WITHOUT_UNIT];
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    bool tree = access("./skidpad", X_OK) == 0; /* not installed */
    const char *front = tree ? "./skidpad" : "skidpad";
    if (fault)
        printf("\nseen      the real-time drive FAILED: %s\n", d[REAL_TIME].why);
    else if (good)
        printf("\nseen      with the unit the car %s %.1f m and keeps its lane; without it "
               "wheels lock for %.1f s, and it %s %.1f m off its line\n",
               a->sum.stop_s >= 0.0 ? "stops in" : "does not stop within",
               a->sum.stop_s >= 0.0 ? sim_summary_braking_m(&a->sum) : a->sum.path_m,
               longest_lock_s(b), b->sum.sideslip_rad > 1.57 ? "spins" : "slides", b->side_m);
    else
        printf("\nseen      the drive is NOT as it must be: the lines with NO say where\n");
    printf("pictures  out/%s.svg, out/%s.svg", a->stem, b->stem);
    if (started(&d[REAL_TIME]))
        printf(", out/%s.svg", d[REAL_TIME].stem);
    printf("\nnext      drive it yourself in a browser: %s host, and in another terminal %s run "
           "%s/benches/cockpit.yaml --serve --allow-nonrt\n",
           front, front, tree || !folder ? "config" : folder);
}

/* ---- the program */

/* The bench named, or the one that ships. */
static void bench_path(struct options *o, char path[BENCH_PATH])
{
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    if (o->arg_count > 0)
        options_copy_path(o, "BENCH.yaml", o->args[0], path, BENCH_PATH);
    else
        (void)snprintf(path, BENCH_PATH, "%s/benches/abs_split.yaml", folder ? folder : "config");
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"strict-timing", NULL, NULL, "timing that fails or is not judged: status 1, too"},
        {0},
    };
    static const struct options_program program = {
        .name = "demo",
        .summary = "a stop on split friction with an ABS unit in the loop, and without",
        .arguments = "[BENCH.yaml]",
        .args_max = 1,
        .specs = specs,
        .example = "skidpad demo",
        .notes = "Physics is judged on the simulated clock; the same bench is then driven in real "
                 "time, where\ntiming is judged. Logs and pictures go to out/. Status: 0 the "
                 "physics is right, 1 it is not or\nthe real-time drive failed for another reason "
                 "than a busy machine, 2 bad input.",
    };
    static struct drive d[DRIVES] = {
        {.title = "1 of 3: simulated clock, with the ABS unit",
         .stem = "demo_with_unit",
         .variant = "with the unit",
         .unit = true,
         .simulated = true},
        {.title = "2 of 3: simulated clock, without a unit: the pedal makes the pressures",
         .stem = "demo_without_unit",
         .variant = "without a unit",
         .simulated = true},
        {.title = "3 of 3: real time, with the ABS unit in a process of its own",
         .stem = "demo_real_time",
         .variant = "with the unit, in real time",
         .unit = true}};
    struct options o;
    char path[BENCH_PATH];
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    bench_path(&o, path);
    if (!options_ok(&o))
        return RUN_BAD_INPUT;
    for (int i = 0; i < DRIVES; i++) {
        if (drive(&d[i], path) == RUN_BAD_INPUT && d[i].simulated)
            return RUN_BAD_INPUT;
        if (d[i].interrupted) {
            fprintf(stderr, "skidpad demo: interrupted, nothing is judged\n");
            return 1;
        }
    }
    print_table(d);
    bool good = judge_physics(d), in_time = judge_timing(&d[REAL_TIME]);
    bool fault = has_fault(&d[REAL_TIME]);
    print_end(d, good, fault);
    return good && !fault && (in_time || !options_given(&o, "strict-timing")) ? 0 : 1;
}

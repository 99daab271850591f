/* skidpad bench: how many deadlines does this PC miss? After Mundo et al. */
#include "shared/base/options.h"
#include "shared/base/time.h"
#include "target/bench_compare.h"
#include "target/bench_report.h"
#include "target/bench_stress.h"
#include "target/core_choose.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_MISSED = 1, STATUS_BAD = 2, PATH_SIZE = 1024 };

/* ---- progress */

struct progress {
    const struct bench_setup *setup;
    const struct bench_machine *machine;
    int period; /* index */
    bool terminal, headed;
    int64_t next_ns;
};

/* The head of the table is printed once something runs: not before a refusal. */
static void progress_head(struct progress *p)
{
    if (p->headed)
        return;
    p->headed = true;
    bench_table_head(p->setup, p->machine, stdout);
    (void)fflush(stdout); /* or a child would print it as well */
}

static void progress(void *argument, const struct loop_live *live)
{
    struct progress *p = argument;
    progress_head(p);
    int64_t now_ns = p->terminal ? rt_posix.now_ns(NULL) : 0;
    if (!p->terminal || now_ns < p->next_ns)
        return;
    p->next_ns = now_ns + 250 * NS_PER_MS;
    const struct bench_setup *s = p->setup;
    int64_t period_ns = s->period_ns[p->period];
    double left_s = 1e-9 * (double)((s->steps - live->tick) * period_ns);
    for (int i = p->period + 1; i < s->periods; i++)
        left_s += 1e-9 * (double)(s->steps * s->period_ns[i]);
    fprintf(stderr, "\r%6g us  %3.0f %%  missed %llu  ", 1e-3 * (double)period_ns,
            100.0 * (double)live->tick / (double)s->steps,
            (unsigned long long)live->deadlines.misses);
    if (!s->virtual_clock)
        fprintf(stderr, "%.0f min %02.0f s left ", floor(left_s / 60.0), fmod(left_s, 60.0));
}

static void progress_clear(const struct progress *p)
{
    if (p->terminal)
        fprintf(stderr, "\r%*s\r", 60, "");
}

/* ---- the experiment */

static int run(const struct bench_setup *s, struct out_file *json, bool strict)
{
    struct bench_machine machine;
    struct bench_result *results = calloc((size_t)s->periods, sizeof *results);
    struct progress p = {.setup = s, .machine = &machine, .terminal = isatty(STDERR_FILENO) != 0};
    struct err e = {""};
    int status = BENCH_DONE, done = 0;
    bool missed = false, differs = false, left = false;
    if (!results) {
        fprintf(stderr, "skidpad bench: out of memory\n");
        return BENCH_FAULT;
    }
    bench_machine_read(&machine);
    for (p.period = 0; p.period < s->periods && status == BENCH_DONE; p.period++) {
        struct bench_result *r = &results[p.period];
        status = bench_period_run(s, s->period_ns[p.period], progress, &p, r);
        progress_clear(&p);
        if (status)
            break;
        progress_head(&p);
        bench_table_line(s, r, stdout);
        missed = missed || r->stats.now.misses > 0;
        left = left || r->switches > 0 || r->switch_notes > 0;
        differs = differs || r->hash != r->hash_offline;
        done++;
    }
    bench_table_end(s, results, done, stdout);
    if (status == BENCH_INTERRUPTED)
        fprintf(stderr, "skidpad bench: interrupted%s\n", json->path ? "; no result written" : "");
    if (status == BENCH_DONE && json->path &&
        bench_json_write(json, s, &machine, results, done, &e)) {
        fprintf(stderr, "skidpad bench: %s\n", e.text);
        status = STATUS_BAD;
    }
    if (status == BENCH_DONE && differs) {
        fprintf(stderr, "skidpad bench: the state differs from that of the offline run\n");
        status = BENCH_FAULT;
    }
    free(results);
    return status == BENCH_DONE && ((strict && missed) || left) ? STATUS_MISSED : status;
}

static int run_loaded(struct bench_setup *s, int load, const char *json_path, bool strict)
{
    struct bench_stress stress;
    struct out_file json = {0};
    struct err e = {""};
    /* Opened before minutes are spent on measuring. What is there stays until the result is. */
    if (json_path && out_file_open_stream(&json, json_path, &e)) {
        fprintf(stderr, "skidpad bench: %s\n", e.text);
        return STATUS_BAD;
    }
    bench_signals_block();
    s->stress = &stress;
    int status = STATUS_BAD;
    if (bench_stress_start(&stress, load, &e))
        fprintf(stderr, "skidpad bench: %s\n", e.text);
    else
        status = run(s, &json, strict);
    int gone = bench_stress_stop(&stress);
    s->stress = NULL;
    out_file_drop(&json);
    if (gone > 0)
        fprintf(stderr,
                "skidpad bench: %d processes of the load gave up; is TMPDIR a folder that can be "
                "written to?\n",
                gone);
    return status;
}

/* ---- the command line */

static void read_periods(struct options *o, struct bench_setup *s)
{
    const char *text = options_text(o, "periods-us");
    const char *at = text;
    for (;;) {
        char *end = NULL;
        double us = strspn(at, ".0123456789") > 0 ? strtod(at, &end) : NAN;
        if (!(us >= 10.0 && us <= 1e6) || (*end != ',' && *end != '\0')) {
            (void)options_complain(
                o, "--periods-us %s: not a list of periods; allowed: 10 to 1000000, as in 1000,50",
                text);
            return;
        }
        if (s->periods == BENCH_PERIODS) {
            (void)options_complain(o, "--periods-us: more than %d periods", BENCH_PERIODS);
            return;
        }
        s->period_ns[s->periods++] = llround(us * (double)NS_PER_US);
        if (*end == '\0')
            return;
        at = end + 1;
    }
}

/* The last CPU that may be used: interrupts tend to the first. */
static int last_cpu(void)
{
    cpu_set_t set;
    int last = -1;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            last = CPU_ISSET((size_t)cpu, &set) ? cpu : last;
    return last;
}

static int read_options(struct options *o, struct bench_setup *s, char *scenario, char *label,
                        int *core)
{
    static const char *const integrators[] = {"forward", "semi-implicit", NULL};
    static const char *const feeds[] = {"process", "table", NULL};
    static const char *const loads[] = {"none", "cpu", "io", "all", NULL};
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    int load = 0;
    int64_t cpu = last_cpu(), priority = 0;
    options_choice(o, "rt", core, core_names);
    options_choice(o, "feed", &s->feed, feeds);
    options_choice(o, "load", &load, loads);
    s->integrator = VEHICLE_AS_FILE;
    if (options_given(o, "integrator"))
        options_choice(o, "integrator", &s->integrator, integrators);
    options_int(o, "steps", &s->steps, 1, 100000000);
    if (options_given(o, "cpu"))
        options_int(o, "cpu", &cpu, -1, CPU_SETSIZE - 1);
    options_int(o, "priority", &priority, 1, RT_PRIORITY_MAX);
    read_periods(o, s);
    s->car = options_text(o, "car");
    s->virtual_clock = *core == BENCH_VIRTUAL;
    s->rt = (struct rt_settings){
        .cpu = (int)cpu, .priority = (int)priority, .allow_nonrt = options_given(o, "allow-nonrt")};
    s->strict_syscalls = options_given(o, "strict-syscalls");
    if (s->strict_syscalls && s->virtual_clock)
        (void)options_complain(o, "--strict-syscalls needs a real clock: the simulated one waits "
                                  "for the other process");
    s->model = options_given(o, "model") ? options_text(o, "model") : NULL;
    s->load = loads[load];
    struct bench_machine machine;
    bench_machine_read(&machine);
    (void)snprintf(label, PATH_SIZE, "%s", machine.release);
    s->label = options_given(o, "label") ? options_text(o, "label") : label;
    (void)snprintf(scenario, PATH_SIZE, "%s/scenarios/torque_and_steering.yaml",
                   folder ? folder : "config");
    s->scenario = options_given(o, "scenario") ? options_text(o, "scenario") : scenario;
    return load;
}

static int compare(struct options *o)
{
    const char *svg = options_text(o, "svg"), *png = options_text(o, "png");
    if (o->arg_count == 0)
        return options_complain(o, "--compare needs the files that --json wrote");
    if (o->arg_count > BENCH_FILES)
        return options_complain(o, "--compare takes %d files at most", BENCH_FILES);
    return bench_compare(o->args, o->arg_count, svg, png);
}

static bool choose_core(int core, char **argv, struct bench_setup *s)
{
    struct err e = {""};
    if (core_choose(core, "bench", argv, &s->core, &e)) {
        fprintf(stderr, "skidpad bench: %s\n", e.text);
        return false;
    }
    if (s->strict_syscalls && s->core->switch_name) {
        fprintf(stderr, "skidpad bench: --strict-syscalls goes with --rt posix: the other cores "
                        "tell of every system call of the real-time thread by themselves\n");
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"periods-us", "LIST", "1000,500,200,100,50", "periods, one after the other"},
        {"steps", "N", "100000", "steps at each period"},
        {"model", "NAME", "(car)", "drive the car as this model"},
        {"car", "FILE", "(scenario)", "vehicle file"},
        {"integrator", "NAME", "(car)", "forward or semi-implicit"},
        {"scenario", "FILE", "(torque and steering)", "where the inputs come from"},
        {"feed", "HOW", "process", "inputs from another process, or from the table in the loop"},
        {"load", "KIND", "none", "none, cpu, io or all: load on the machine meanwhile"},
        {"rt", "CORE", "auto", "auto, posix, cobalt, evl or virtual (simulated clock)"},
        {"cpu", "N", "(last)", "CPU of the real-time thread; -1: any"},
        {"priority", "N", "80", "SCHED_FIFO priority, 1 to 98"},
        {"allow-nonrt", NULL, NULL, "go on without real-time rights (laptops)"},
        {"strict", NULL, NULL, "status 1 if a deadline was missed"},
        {"strict-syscalls", NULL, NULL,
         "kill the run if the real-time thread makes a call it must not"},
        {"json", "FILE", NULL, "write everything, with histograms"},
        {"label", "TEXT", "(kernel)", "name of this run in drawings"},
        {"compare", NULL, NULL, "measure nothing, compare the results in FILE.json..."},
        {"svg", "FILE", NULL, "with --compare: draw misses and latencies"},
        {"png", "FILE", NULL, "with --compare: the same, by rsvg-convert"},
        {0},
    };
    static const struct options_program program = {
        .name = "bench",
        .summary = "count missed deadlines from 1 ms down to 0.05 ms",
        .arguments = "[--compare FILE.json...]",
        .args_max = -1,
        .specs = specs,
        .example = "skidpad bench --steps 2000 --periods-us 1000,500 --allow-nonrt",
        .notes = "Status: 0 measured, 1 missed with --strict or real time left, 2 bad input or no "
                 "rights,\n3 the model failed or the state is not that of the offline run, 130 "
                 "interrupted.",
    };
    struct bench_setup setup = {0};
    struct options o;
    char scenario[PATH_SIZE], label[PATH_SIZE];
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    if (options_given(&o, "compare"))
        return compare(&o);
    if (o.arg_count > 0)
        return options_complain(&o, "unexpected argument '%s'; files need --compare", o.args[0]);
    if (options_given(&o, "svg") || options_given(&o, "png"))
        return options_complain(&o, "--svg and --png need --compare");
    setup.argc = argc;
    setup.argv = argv;
    int core = BENCH_AUTO, load = read_options(&o, &setup, scenario, label, &core);
    if (!options_ok(&o) || !choose_core(core, argv, &setup))
        return STATUS_BAD;
    return run_loaded(&setup, load, options_text(&o, "json"), options_given(&o, "strict"));
}

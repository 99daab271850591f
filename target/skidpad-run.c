/* skidpad run: a car at a fixed rate in real time. */
#include "shared/base/console.h"
#include "shared/base/options.h"
#include "shared/base/time.h"
#include "target/ecu/ecu_unit_load.h"
#include "target/run.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bench named, or the one that ships. */
static void bench_path(struct options *o, char *path, size_t size)
{
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    if (o->arg_count > 0)
        options_copy_path(o, "BENCH.yaml", o->args[0], path, size);
    else
        (void)snprintf(path, size, "%s/benches/scripted.yaml", folder ? folder : "config");
}

/* The stand-in unit, for runs on the simulated clock; NULL: there is none. */
static int load_unit(const struct bench *b, const struct cfg_doc *doc, struct ecu_unit **unit)
{
    const struct cfg_node *bus = cfg_item(cfg_list(cfg_root(doc), "can"), 0);
    *unit = NULL;
    return b->stand_in[0] == '\0' ? 0 : ecu_unit_open(b->stand_in, bus, stderr, unit);
}

static struct bench *load(const char *path, double period_us, struct ecu_unit **unit)
{
    struct bench *b = NULL;
    struct cfg_doc *doc = NULL;
    int bad = bench_load(path, period_us, &b, &doc);
    if (!bad)
        bad = load_unit(b, doc, unit);
    if (doc)
        cfg_print_messages(doc, stderr);
    else
        fprintf(stderr, "skidpad run: out of memory\n");
    cfg_close(doc);
    if (!bad)
        return b;
    bench_free(b);
    return NULL;
}

/* What the command line sets in place of the file. */
static void override(struct options *o, struct bench *b)
{
    int64_t cpu = b->rt.cpu, priority = b->rt.priority;
    if (options_given(o, "for"))
        options_double(o, "for", &b->duration_s, 0.0, 1e9);
    if (options_given(o, "rt"))
        options_choice(o, "rt", &b->core, core_names);
    if (options_given(o, "cpu"))
        options_int(o, "cpu", &cpu, -1, 1023);
    if (options_given(o, "priority"))
        options_int(o, "priority", &priority, 1, RT_PRIORITY_MAX);
    b->rt.cpu = (int)cpu;
    b->rt.priority = (int)priority;
    b->rt.allow_nonrt = options_given(o, "allow-nonrt");
    if (b->core == BENCH_VIRTUAL && options_given(o, "strict-syscalls"))
        (void)options_complain(o, "--strict-syscalls needs a real clock: the simulated one waits "
                                  "for the log");
    if (options_given(o, "scenario"))
        options_copy_path(o, "--scenario", options_text(o, "scenario"), b->scenario,
                          sizeof b->scenario);
    if (options_given(o, "serve") && b->control[0] == '\0' && !b->telemetry)
        (void)options_complain(o, "--serve: nobody could start a run; give the bench file "
                                  "`control:` or `telemetry:`");
    if (options_given(o, "log"))
        options_copy_path(o, "--log", options_text(o, "log"), b->log, sizeof b->log);
    const size_t room = sizeof b->log - SERVE_NUMBER;
    if (options_given(o, "serve") && (strlen(b->log) >= room || strlen(b->frames) >= room))
        (void)options_complain(o,
                               "--serve: the names of the log and of the log of frames get the "
                               "number of the run and may have %zu bytes",
                               room - 1);
}

static bool choose_core(const struct bench *b, char **argv, struct run *run)
{
    struct err e = {""};
    int bad = core_choose(b->core, "run", argv, &run->core, &e);
    if (bad)
        fprintf(stderr, "skidpad run: %s\n", e.text);
    return bad == 0;
}

/* What every run of this process or its children has in common. */
static struct {
    const char *path;
    struct ecu_unit *unit;
    bool quiet;
} all;
static struct run run; /* large: not for the stack */
/* The next run of a bench that stays must not wait for whoever reads the summary. */
static const int serve_patience_ms = 2000;

/* The signals that ended the run end the program again: it may wait for whoever reads stdout. */
static void give_signals_back(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    /* Those that came since the last tick, e.g. while a host was waited for, asked for this end. */
    const struct timespec now = {0};
    while (sigtimedwait(&set, NULL, &now) > 0)
        ;
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* The summary, or at least why the status is not 0; to be freed. */
static char *summary(bool driven, bool serving)
{
    char *text = NULL, why[RUN_WHY];
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return NULL;
    if (!all.quiet && (driven || !serving))
        run_print_summary(&run, to);
    int status = run_status(&run, why, sizeof why);
    if (all.quiet && status != RUN_CLEAN && run.start_status == 0)
        console_say("skidpad run: status %d: %s\n", status, why);
    (void)fclose(to);
    return text;
}

/* When nothing of the run is left that anybody could wait for. */
static void print(const char *text, bool serving)
{
    give_signals_back();
    if (serving) {
        if (!console_write(STDOUT_FILENO, text, serve_patience_ms))
            fprintf(stderr, "skidpad run: nobody took the summary\n");
        return;
    }
    (void)fputs(text, stdout);
    (void)fflush(stdout);
}

static int one_run(struct bench *bench, struct serve *serve)
{
    char *text = NULL;
    run.serve = serve;
    if (all.unit)
        bench->link->unit = (struct can_unit){.step = ecu_unit_step_any, .self = all.unit};
    int status = run_open(&run, bench, all.path);
    if (status == 0) {
        if (serve)
            console_say("skidpad run: %s waits for a start\n", run.car.scenario->name);
        status = run_wait(&run);
        bool driven = run.loop.stats.now.ticks > 0;
        if (serve)
            serve->next.driven = driven;
        text = summary(driven, serve != NULL);
    } else if (serve) {
        serve->next.refused = true;
    }
    run_close(&run);
    if (text)
        print(text, serve != NULL);
    free(text);
    return status;
}

/* Run after run; the last line tells how all of them ended. */
static int serve(struct bench *bench)
{
    struct serve_tally tally = {0};
    char text[RUN_WHY], line[RUN_WHY + 32];
    int status = serve_runs(bench, one_run, &tally);
    serve_tally_text(&tally, text, sizeof text);
    if (tally.runs == 0 || (all.quiet && status == RUN_CLEAN))
        return status; /* nothing to tell */
    if (status != RUN_CLEAN)
        (void)snprintf(line, sizeof line, "status     %d: %s\n", status, text);
    else
        (void)snprintf(line, sizeof line, "runs       %s\n", text);
    if (all.quiet)
        fprintf(stderr, "skidpad run: status %d: %s\n", status, text);
    else if (!console_write(STDOUT_FILENO, line, serve_patience_ms))
        fprintf(stderr, "skidpad run: nobody took the last line: %s", line);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"for", "SECONDS", "(bench)", "stop after this time; 0: until Ctrl-C"},
        {"rt", "CORE", "(bench)", "auto, posix, cobalt, evl or virtual (simulated clock)"},
        {"period-us", "US", "(bench)", "period of the loop and step of the car"},
        {"cpu", "N", "(bench)", "CPU of the real-time thread; -1: any"},
        {"priority", "N", "(bench)", "SCHED_FIFO priority, 1 to 98"},
        {"no-watchdog", NULL, NULL, "leave out the watchdog of the bench"},
        {"no-unit", NULL, NULL, "leave out buses and unit: the pedal makes the pressures"},
        {"scenario", "FILE", "(bench)", "drive this scenario instead"},
        {"serve", NULL, NULL, "stay: run after run, each waits for a start from host or control"},
        {"log", "FILE.mf4", "(bench)", "where the log goes"},
        {"allow-nonrt", NULL, NULL, "go on without real-time rights (laptops)"},
        {"strict-syscalls", NULL, NULL,
         "kill the run if the real-time thread makes a call it must not"},
        {"quiet", NULL, NULL, "no summary"},
        {0},
    };
    static const struct options_program program = {
        .name = "run",
        .summary = "drive a car in real time and count missed deadlines",
        .arguments = "[BENCH.yaml]",
        .args_max = 1,
        .specs = specs,
        .example = "skidpad run config/benches/scripted.yaml --for 5",
        .notes =
            "Status: 0 clean, 1 more deadlines missed than the bench allows, real time left, a "
            "trouble code that\nwas not expected, or records lost, 2 bad input or no rights, 3 a "
            "fault: the model failed, the unit\nwas silent, or the clock. The last line says why. "
            "With --serve: the worst status of all runs;\nthe last line says which run had which.",
    };
    struct options o;
    char path[BENCH_PATH];
    double period_us = 0.0;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    bench_path(&o, path, sizeof path);
    options_double(&o, "period-us", &period_us, 10.0, 1e6);
    struct ecu_unit *unit = NULL;
    struct bench *bench = options_ok(&o) ? load(path, period_us, &unit) : NULL;
    if (!bench)
        return RUN_BAD_INPUT;
    override(&o, bench);
    bench->no_unit = options_given(&o, "no-unit");
    if (bench->no_unit || options_given(&o, "no-watchdog")) {
        free(bench->watchdog);
        bench->watchdog = NULL;
    }
    all.path = path;
    all.unit = unit;
    all.quiet = options_given(&o, "quiet");
    run.strict_syscalls = options_given(&o, "strict-syscalls");
    run.code_name = bench->stand_in[0] != '\0' ? dtc_name : NULL;
    run.code_at = bench->stand_in[0] != '\0' ? dtc_code : NULL;
    status = RUN_BAD_INPUT;
    if (options_ok(&o) && choose_core(bench, argv, &run))
        status = options_given(&o, "serve") ? serve(bench) : one_run(bench, NULL);
    bench_free(bench);
    ecu_unit_close(unit);
    return status;
}

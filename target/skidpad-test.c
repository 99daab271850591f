/* skidpad test: manoeuvres with a verdict. */
#include "shared/base/options.h"
#include "shared/base/out_file.h"
#include "target/bench_load.h"
#include "target/core_choose.h"
#include "target/ecu/ecu_unit_load.h"
#include "target/trial_on_bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_FAILED = 1, STATUS_BAD_INPUT = 2 };

static int unit_open(const char *params, const char *bus, FILE *complaints, struct can_unit *unit)
{
    struct ecu_unit *u = NULL;
    int bad = ecu_unit_open_file(params, bus, complaints, &u);
    *unit = (struct can_unit){.step = ecu_unit_step_any, .self = u};
    return bad;
}

static void unit_close(struct can_unit *unit)
{
    ecu_unit_close(unit->self);
}

static const struct trial_units stand_in = {.open = unit_open, .close = unit_close};

/* Writes a report to the file of an option, if it was given. */
static int report(const struct options *o, const char *name, const struct trials *t,
                  int (*write)(const struct trials *t, FILE *to))
{
    const char *path = options_given(o, name) ? options_text(o, name) : NULL;
    if (!path)
        return 0;
    struct out_file f;
    struct err e = {""};
    int bad = out_file_open_stream(&f, path, &e);
    if (!bad)
        bad = out_file_finish(&f, write(t, f.stream), &e);
    if (bad)
        fprintf(stderr, "skidpad test: %s\n", e.text);
    return bad;
}

static int load_all(const struct options *o, struct trials *t)
{
    char path[1024];
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    int bad = 0;
    for (int i = 0; i < o->arg_count; i++)
        if (trials_add(t, o->args[i]))
            bad = 1;
    if (o->arg_count == 0) {
        (void)snprintf(path, sizeof path, "%s/suites/catalogue.yaml", folder ? folder : "config");
        bad = trials_add(t, path) != 0;
    }
    return bad;
}

static void bench_options(struct options *o, struct trial_on_bench *b)
{
    trial_on_bench_init(b);
    b->path = options_text(o, "bench");
    b->logs = options_text(o, "logs");
    if (b->logs && strlen(b->logs) >= BENCH_PATH - TRIAL_NAME)
        (void)options_complain(o, "--logs: the name of the folder is too long");
    b->core = -1;
    b->allow_nonrt = options_given(o, "allow-nonrt");
    if (options_given(o, "rt"))
        options_choice(o, "rt", &b->core, core_names);
    if (!options_given(o, "bench") &&
        (options_given(o, "rt") || options_given(o, "allow-nonrt") || options_given(o, "logs")))
        (void)options_complain(o, "--rt, --allow-nonrt and --logs go with --bench");
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"jobs", "N", "(cores)", "manoeuvres driven at a time"},
        {"vehicle", "FILE", "(scenario)", "another car in all of them"},
        {"unit", "WHICH", "(suite)", "the control unit: none, or car (the stand-in, for that car)"},
        {"bench", "FILE", NULL,
         "drive in real time on this bench, with its unit; judged by the logs"},
        {"rt", "CORE", "(bench)", "with --bench: posix or virtual"},
        {"allow-nonrt", NULL, NULL, "with --bench: without real-time rights, deadlines not judged"},
        {"logs", "FOLDER", "out/test", "with --bench: where the logs go"},
        {"junit", "FILE", NULL, "verdicts as JUnit XML"},
        {"json", "FILE", NULL, "verdicts and measures as JSON"},
        {"html", "FILE", NULL, "a report with charts, one page"},
        {"list", NULL, NULL, "what there is to drive, as a table; nothing is driven"},
        {"quiet", NULL, NULL, "no table"},
        {0},
    };
    static const struct options_program program = {
        .name = "test",
        .summary = "drive manoeuvres and judge them",
        .arguments = "[SCENARIO.yaml | SUITE.yaml]...",
        .args_max = -1,
        .specs = specs,
        .example = "skidpad test config/scenarios/slalom.yaml --html slalom.html",
        .notes = "Status: 0 all as they should be, 1 a manoeuvre failed, 2 bad input.",
    };
    static const char *const units[] = {"none", "car", NULL};
    int unit = -1;
    struct trial_on_bench bench = {.units = &stand_in};
    static struct trials all; /* large: not for the stack */
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t jobs = cores > 0 ? cores : 1;
    if (options_given(&o, "jobs"))
        options_int(&o, "jobs", &jobs, 1, 64);
    if (options_given(&o, "unit"))
        options_choice(&o, "unit", &unit, units);
    bench_options(&o, &bench);
    if (!options_ok(&o) || load_all(&o, &all))
        return STATUS_BAD_INPUT;
    if (options_given(&o, "list"))
        return trial_list(&all, stdout) ? STATUS_BAD_INPUT : 0;
    for (int i = 0; i < all.count && options_given(&o, "vehicle"); i++)
        (void)snprintf(all.trial[i].vehicle, sizeof all.trial[i].vehicle, "%s",
                       options_text(&o, "vehicle"));
    for (int i = 0; i < all.count && unit >= 0; i++)
        all.trial[i].unit.kind = unit == 0 ? UNIT_NONE : UNIT_OF_CAR;
    all.units = &stand_in;
    if (options_given(&o, "bench")) {
        all.bench = &bench.bench;
        jobs = 1;
    }
    trials_drive(&all, (int)jobs, options_given(&o, "html"));
    status = trials_failed(&all) ? STATUS_FAILED : 0;
    for (int i = 0; i < all.count; i++)
        if (all.trial[i].status == 2)
            status = STATUS_BAD_INPUT;
    if (!options_given(&o, "quiet"))
        (void)trial_table(&all, stdout);
    if (report(&o, "junit", &all, trial_junit) || report(&o, "json", &all, trial_json) ||
        report(&o, "html", &all, trial_html))
        status = STATUS_BAD_INPUT;
    trials_free(&all);
    return status;
}

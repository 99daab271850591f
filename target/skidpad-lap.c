/* skidpad lap: transient laps of a circuit over variants of a set-up. */
#include "shared/base/folders.h"
#include "shared/base/options.h"
#include "shared/base/out_file.h"
#include "target/crew.h"
#include "target/lap.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_NOT_FINISHED = 1, STATUS_BAD_INPUT = 2, PATH_SIZE = 1024 };

/* A road is driven in the scenario shipped for it; a scenario is taken as it is. */
static int choose_scenario(struct laps *l, const char *given, char *path, size_t size, char *road)
{
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    char kind[32] = "";
    struct cfg_doc *doc = NULL;
    (void)snprintf(path, size, "%s/scenarios/lap.yaml", folder ? folder : "config");
    l->scenario = path;
    if (!given)
        return 0;
    if (cfg_open(given, &doc) == 0)
        cfg_string(cfg_root(doc), "kind", kind, sizeof kind);
    else if (doc)
        cfg_print_messages(doc, stderr);
    bool readable = doc && cfg_ok(doc);
    cfg_close(doc);
    if (!readable)
        return -EINVAL;
    if (strcmp(kind, "road") != 0) {
        l->scenario = given;
        return 0;
    }
    if (!realpath(given, road)) {
        fprintf(stderr, "skidpad lap: %s: %s\n", given, strerror(errno));
        return -errno;
    }
    l->fixed[l->fixed_count++] = (struct cfg_change){"road.file", road};
    return 0;
}

/* --driver and --grip become values of the scenario. */
static void choose_driver(struct options *o, struct laps *l, char *grip, size_t size)
{
    static const char *const drivers[] = {"position", "aggressive", "relaxed", NULL};
    int driver = -1;
    double share = 0.0;
    if (options_given(o, "driver"))
        options_choice(o, "driver", &driver, drivers);
    if (driver == 0)
        l->fixed[l->fixed_count++] = (struct cfg_change){"driver.kind", "position"};
    if (driver > 0) {
        l->fixed[l->fixed_count++] = (struct cfg_change){"driver.kind", "preview"};
        l->fixed[l->fixed_count++] = (struct cfg_change){"driver.style", drivers[driver]};
    }
    if (options_given(o, "grip")) {
        options_double(o, "grip", &share, 0.05, 1.2);
        (void)snprintf(grip, size, "%.10g", share);
        l->fixed[l->fixed_count++] = (struct cfg_change){"driver.path.limits.grip", grip};
    }
}

/* --vary and every argument with an equals sign; the other argument is the circuit. */
static int choose_variants(struct options *o, struct laps *l, const char **circuit)
{
    struct err e = {""};
    int bad = 0;
    *circuit = NULL;
    if (options_given(o, "vary"))
        bad = lap_vary(l, options_text(o, "vary"), &e);
    for (int i = 0; i < o->arg_count && !bad; i++) {
        if (strchr(o->args[i], '='))
            bad = lap_vary(l, o->args[i], &e);
        else if (*circuit)
            return options_complain(o, "%s: one circuit at a time", o->args[i]);
        else
            *circuit = o->args[i];
    }
    if (!bad)
        bad = lap_combine(l, &e);
    return bad ? options_complain(o, "%s", e.text) : 0;
}

static int report(const struct options *o, const char *name, const struct laps *l,
                  int (*write)(const struct laps *l, FILE *to))
{
    const char *path = options_given(o, name) ? options_text(o, name) : NULL;
    if (!path)
        return 0;
    struct out_file f;
    struct err e = {""};
    folders_make(path);
    int bad = out_file_open_stream(&f, path, &e);
    if (!bad)
        bad = out_file_finish(&f, write(l, f.stream), &e);
    if (bad)
        fprintf(stderr, "skidpad lap: %s\n", e.text);
    return bad;
}

/* The first variant is opened before all are driven, so that a mistake is told once. */
static int try_first(struct laps *l)
{
    struct offline *o = malloc(sizeof *o);
    int bad = o ? lap_open(l, 0, l->seek_m > 0.0 ? 0.4 : 0.0, o) : -ENOMEM;
    if (!bad) {
        const struct curve *c = &o->scenario->manoeuvre.path.line;
        (void)snprintf(l->name, sizeof l->name, "%s", o->scenario->name);
        (void)snprintf(l->car, sizeof l->car, "%s", o->vehicle->name);
        l->lap_m = c->end_m - c->loop_m;
    }
    if (o)
        offline_close(o);
    free(o);
    return bad;
}

static int conclude(const struct options *o, const struct laps *l)
{
    int status = 0;
    for (int i = 0; i < l->count; i++) {
        int end = l->variant[i].result.end;
        if (end == LAP_BAD_INPUT)
            status = STATUS_BAD_INPUT;
        else if (end != LAP_DONE && status == 0)
            status = STATUS_NOT_FINISHED;
    }
    if (!options_given(o, "quiet"))
        (void)lap_table(l, stdout); /* the end of the program looks at stdout */
    if (report(o, "csv", l, lap_csv) || report(o, "json", l, lap_json) ||
        report(o, "svg", l, lap_svg))
        status = STATUS_BAD_INPUT;
    return status;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"vary", "KEY=VALUES", NULL, "FROM:TO:STEP or a list; more KEY=VALUES as arguments"},
        {"vehicle", "FILE", "(scenario)", "another car"},
        {"driver", "NAME", "(scenario)", "position, aggressive or relaxed"},
        {"grip", "SHARE", "(scenario)", "of the grip that the speed makes use of"},
        {"seek", "METRES", NULL, "find for each variant the most grip that keeps it so near"},
        {"laps", "N", "1", "flying laps after the out lap"},
        {"step-ms", "MS", "(scenario)", "step of the plant"},
        {"jobs", "N", "(cores)", "variants driven at a time"},
        {"csv", "FILE", NULL, "results as a table"},
        {"json", "FILE", NULL, "results as JSON"},
        {"svg", "FILE", NULL, "draw circuit, speed, offset, lap times"},
        {"quiet", NULL, NULL, "no table"},
        {0},
    };
    static const struct options_program program = {
        .name = "lap",
        .summary = "drive laps of a circuit with variants of the set-up",
        .arguments = "[ROAD.yaml | SCENARIO.yaml] [KEY=VALUES]...",
        .args_max = -1,
        .specs = specs,
        .example = "skidpad lap config/roads/circuit.yaml --vary front_bar=0.5:1.5:0.5",
        .notes = "KEY is a name of the set-up (front_spring, rear_bar, ...: a factor), friction "
                 "(a factor),\na key of the vehicle file (body.mass_kg, front.inflation_kPa, "
                 "aero.clr, ...)\nor one of the scenario (scenario.driver.path.limits.grip).\n"
                 "Status: 0 all finished, 1 some did not, 2 bad input.",
    };
    static struct laps all; /* large: not for the stack */
    static char path[PATH_SIZE], road[PATH_MAX], grip[32];
    struct options o;
    const char *circuit;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t jobs = cores > 0 ? cores : 1, flying = 1;
    double step_ms = 0.0;
    if (options_given(&o, "jobs"))
        options_int(&o, "jobs", &jobs, 1, 64);
    options_int(&o, "laps", &flying, 1, 100);
    if (options_given(&o, "step-ms"))
        options_double(&o, "step-ms", &step_ms, 0.001, 20.0);
    if (options_given(&o, "seek"))
        options_double(&o, "seek", &all.seek_m, 0.01, 20.0);
    if (options_given(&o, "vehicle"))
        all.vehicle = options_text(&o, "vehicle");
    all.laps = (int)flying;
    all.step_s = 1e-3 * step_ms;
    all.traces = options_given(&o, "svg");
    choose_driver(&o, &all, grip, sizeof grip);
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    status = choose_variants(&o, &all, &circuit);
    if (!status && (choose_scenario(&all, circuit, path, sizeof path, road) || try_first(&all)))
        status = STATUS_BAD_INPUT;
    if (!status) {
        crew_run((int)jobs, all.count, lap_drive, &all);
        status = conclude(&o, &all);
    }
    lap_free(&all);
    return status;
}

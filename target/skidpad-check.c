/* skidpad check: validates any file of the project and prints what follows from it. */
#include "shared/base/options.h"
#include "target/bench_load.h"
#include "target/check_suite.h"
#include "target/check_vehicle.h"
#include "target/ecu/ecu_load.h"
#include "target/model/kinematics_load.h"
#include "target/model/tyre/tyre_file.h"
#include "target/offline.h"
#include "target/road/road_load.h"
#include "target/scenario/scenario_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static int check_tyre(const char *path)
{
    static struct tir_report report;
    struct tyre_model tyre;
    memset(&report, 0, sizeof report);
    int bad = tyre_model_read(path, &tyre, &report, NULL);
    tir_report_print(&report, true, stderr);
    if (!bad)
        printf("%s: good (tyre, Magic Formula %s)\n", path, tyre_version_text(tyre.version));
    return bad;
}

static int check_csv(const char *path)
{
    static struct kinematics_model m;
    struct err e = {""}, other = {""};
    if (!kinematics_load_file(path, false, &m, &e) ||
        !kinematics_load_file(path, true, &m, &other)) {
        printf("%s: good (kinematics, %d travels, %d rack positions)\n", path, m.travel_points,
               m.rack_points);
        return 0;
    }
    fprintf(stderr, "%s\n", strstr(e.text, "not steered") ? other.text : e.text);
    return -1;
}

static void close_doc(struct cfg_doc *doc)
{
    if (doc)
        cfg_print_messages(doc, stderr);
    else
        fprintf(stderr, "skidpad check: out of memory\n");
    cfg_close(doc);
}

/* sc: the scenario that it drives in, of this path; NULL: none. */
static int check_vehicle(const char *path, double step_s, bool quiet, const struct scenario *sc,
                         const char *scenario)
{
    struct vehicle_options options = {.step_s = step_s, .integrator = VEHICLE_AS_FILE};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    int bad = vehicle_load(path, &options, &v, &doc);
    close_doc(doc);
    if (!bad && sc)
        bad = offline_check_ground(v, path, sc, scenario);
    if (!bad)
        printf("%s: good (vehicle)\n", path);
    if (!bad && !quiet)
        bad = check_vehicle_print(v, step_s, stdout);
    free(v);
    return bad;
}

static int check_scenario(const char *path)
{
    struct scenario *s = NULL;
    struct cfg_doc *doc = NULL;
    int bad = scenario_load(path, &s, &doc);
    close_doc(doc);
    if (bad)
        return bad;
    bad = check_befores(s);
    if (!bad) {
        printf("%s: good (scenario, %g s in steps of %g ms)\n", path, s->duration_s,
               1e3 * s->step_s);
        bad = check_vehicle(s->vehicle, s->step_s, true, s, path);
    }
    scenario_free(s);
    return bad;
}

static int check_bench(const char *path)
{
    struct bench *b = NULL;
    struct cfg_doc *doc = NULL;
    int bad = bench_load(path, 0.0, &b, &doc);
    close_doc(doc);
    if (bad)
        return bad;
    printf("%s: good (bench, %g us)\n", path, 1e-3 * (double)b->loop.period_ns);
    bad = check_scenario(b->scenario);
    bench_free(b);
    return bad;
}

static void print_crg(const char *path, const char *kind, const struct crg *c)
{
    printf("%s: good (%s, %.1f m long%s, %.1f m wide, grid of %d x %d)\n", path, kind,
           c->parts * c->increment_m, c->is_closed ? " and closed" : "",
           c->v_m[c->columns - 1] - c->v_m[0], c->parts + 1, c->columns);
}

static int check_crg(const char *path)
{
    static const struct crg_wish none = {.mode_u = -1, .mode_v = -1};
    struct crg_file f;
    struct crg *c = NULL;
    struct err e = {""};
    int bad = crg_file_read(path, &f, &e);
    if (!bad)
        bad = crg_build(path, &f, &none, &c, &e);
    crg_file_free(&f);
    if (bad)
        fprintf(stderr, "%s\n", e.text[0] ? e.text : "skidpad check: out of memory");
    else
        print_crg(path, "measured surface", c);
    crg_free(c);
    return bad;
}

static int check_road(const char *path)
{
    struct road r;
    struct cfg_doc *doc = NULL;
    int bad = road_load(path, &r, &doc);
    close_doc(doc);
    if (bad)
        return bad;
    if (r.crg)
        print_crg(path, "road, measured surface", r.crg);
    else
        printf("%s: good (road, %.1f m long%s)\n", path, r.segments->length_m,
               r.segments->line.is_closed ? " and closed" : "");
    road_free(&r);
    return 0;
}

static int check_trials(const char *path)
{
    int manoeuvres = 0, bad = check_suite(path, &manoeuvres);
    if (!bad)
        printf("%s: good (suite, %d manoeuvre%s)\n", path, manoeuvres, manoeuvres == 1 ? "" : "s");
    return bad;
}

static int check_ecu(const char *path)
{
    struct ecu_params p;
    char name[ECU_NAME] = "";
    struct cfg_doc *doc = NULL;
    int bad = ecu_load(path, &p, name, &doc);
    close_doc(doc);
    if (!bad)
        printf("%s: good (parameters of the stand-in unit)\n", path);
    return bad;
}

/* A bus means something only together with what is bound to it. */
static int check_bus(const char *path)
{
    fprintf(stderr, "%s: a bus is checked with a bench that names it: skidpad check BENCH.yaml\n",
            path);
    return -1;
}

/* The kind stands in the file. */
static int check_yaml(const char *path, double step_s, bool quiet)
{
    static const char *const kinds[] = {"vehicle", "scenario", "bench", "road",
                                        "suite",   "ecu",      "bus",   NULL};
    static int (*const checks[])(const char *path) = {
        NULL, check_scenario, check_bench, check_road, check_trials, check_ecu, check_bus};
    struct cfg_doc *doc = NULL;
    int kind = -1;
    if (!cfg_open(path, &doc)) {
        cfg_need(cfg_root(doc), "kind");
        cfg_choice(cfg_root(doc), "kind", &kind, kinds);
    }
    if (kind < 0) {
        close_doc(doc);
        return -1;
    }
    cfg_close(doc);
    if (kind == 0)
        return check_vehicle(path, step_s, quiet, NULL, NULL);
    return checks[kind](path);
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"step-ms", "MS", "1", "step that a vehicle is judged for"},
        {"quiet", NULL, NULL, "only whether the files are good"},
        {0},
    };
    static const struct options_program program = {
        .name = "check",
        .summary = "validate files and print what follows from them",
        .arguments = "FILE...",
        .args_min = 1,
        .args_max = -1,
        .specs = specs,
        .example = "skidpad check config/vehicles/sedan.yaml",
        .notes = "Files are known by their end and, of .yaml, their `kind`:\n"
                 "  .yaml  vehicle, scenario, suite, road, bench (with its buses), ecu\n"
                 "  .tir   tyre        .csv  kinematics        .crg  measured surface\n"
                 "DBC files: skidpad dbc.\n"
                 "Status: 0 all are good, 2 at least one is not.",
    };
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    double step_ms = 1.0;
    options_double(&o, "step-ms", &step_ms, 0.001, 20.0);
    if (!options_ok(&o))
        return OPTIONS_USAGE;
    status = 0;
    for (int i = 0; i < o.arg_count; i++) {
        const char *path = o.args[i];
        int bad = ends_with(path, ".tir")   ? check_tyre(path)
                  : ends_with(path, ".csv") ? check_csv(path)
                  : ends_with(path, ".crg")
                      ? check_crg(path)
                      : check_yaml(path, 1e-3 * step_ms, options_given(&o, "quiet"));
        if (bad)
            status = OPTIONS_USAGE;
    }
    return status;
}

/* skidpad check: validates any file of the project and prints what follows from it. */
#include "shared/base/options.h"
#include "target/bench_load.h"
#include "target/check_vehicle.h"
#include "target/model/kinematics_load.h"
#include "target/model/tyre/tyre_file.h"
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

static int check_vehicle(const char *path, double step_s, bool quiet)
{
    struct vehicle_options options = {.step_s = step_s, .integrator = VEHICLE_AS_FILE};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    int bad = vehicle_load(path, &options, &v, &doc);
    close_doc(doc);
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
    printf("%s: good (scenario, %g s in steps of %g ms)\n", path, s->duration_s, 1e3 * s->step_s);
    bad = check_vehicle(s->vehicle, s->step_s, true);
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

/* The kind stands in the file. */
static int check_yaml(const char *path, double step_s, bool quiet)
{
    static const char *const kinds[] = {"vehicle", "scenario", "bench", NULL};
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
        return check_vehicle(path, step_s, quiet);
    return kind == 1 ? check_scenario(path) : check_bench(path);
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
        .notes =
            "Vehicles, scenarios and benches (.yaml), tyres (.tir), kinematics tables (.csv).\n"
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
        int bad = ends_with(path, ".tir") ? check_tyre(path)
                  : ends_with(path, ".csv")
                      ? check_csv(path)
                      : check_yaml(path, 1e-3 * step_ms, options_given(&o, "quiet"));
        if (bad)
            status = OPTIONS_USAGE;
    }
    return status;
}

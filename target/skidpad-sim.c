/* skidpad sim: a car driven offline with scripted inputs. */
#include "shared/base/options.h"
#include "target/offline.h"
#include "target/sim_plot.h"
#include "target/sim_summary.h"
#include "target/sim_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_BAD_INPUT = 2, STATUS_FAULT = 3, PATH_SIZE = 1024 };

static double clock_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void progress(bool terminal, uint64_t tick, uint64_t ticks, double *next_s)
{
    double now = terminal ? clock_s() : 0.0;
    if (!terminal || now < *next_s)
        return;
    *next_s = now + 0.2;
    fprintf(stderr, "\r%3.0f %%", 100.0 * (double)tick / (double)ticks);
}

/* Tells which signal went wrong first, in the order of the table. */
static int report_fault(const struct offline *o)
{
    struct signals record = {0};
    double time_s = (double)o->tick * o->scenario->step_s;
    if (!(o->out.fault & PLANT_FAULT_NONFINITE)) {
        fprintf(stderr, "skidpad sim: tick %" PRIu64 " (%.6g s): %s; the run stops here.\n",
                o->tick, time_s, model_fault_text(o->out.fault));
        return STATUS_FAULT;
    }
    signals_fill(&record, &o->in, &o->out, &o->sense);
    const char *name = "state";
    for (size_t i = 0; i < signal_count; i++) {
        if (isfinite(signal_value(&record, i)))
            continue;
        name = signal_table[i].name;
        break;
    }
    fprintf(stderr,
            "skidpad sim: tick %" PRIu64 " (%.6g s): %s is not finite; the run stops here. Try a "
            "shorter step (--step-ms)%s.\n",
            o->tick, time_s, name,
            o->vehicle->facts.integrator == MODEL_FORWARD ? " or the semi-implicit integrator"
                                                          : "");
    return STATUS_FAULT;
}

/* The table, which may go to standard output. */
static int not_written(void)
{
    return ferror(stdout) ? OPTIONS_NOT_PRINTED : STATUS_BAD_INPUT;
}

static int drive(struct offline *o, struct sim_table *table, struct sim_summary *sum,
                 struct sim_plot *plot)
{
    uint64_t ticks = (uint64_t)offline_ticks(o);
    bool terminal = isatty(STDERR_FILENO) != 0;
    double next_s = clock_s() + 0.5;
    int status = 0;
    sim_summary_begin(sum, o);
    sim_plot_begin(plot, o);
    double begin_s = clock_s();
    if (sim_table_row(table, o))
        status = not_written();
    while (!status && o->tick < ticks && !o->course.is_over) {
        offline_step(o);
        if (o->out.fault)
            status = report_fault(o);
        else if (sim_table_row(table, o))
            status = not_written();
        sim_summary_add(sum, o);
        sim_plot_add(plot, o);
        if (o->tick % 1024 == 0)
            progress(terminal, o->tick, ticks, &next_s);
    }
    sum->wall_s = clock_s() - begin_s;
    if (terminal)
        fprintf(stderr, "\r     \r");
    return status;
}

/* The scenario named, or the one that `make run` shows. */
static void scenario_path(struct options *o, char *path, size_t size)
{
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    if (o->arg_count > 0)
        options_copy_path(o, "SCENARIO.yaml", o->args[0], path, size);
    else
        (void)snprintf(path, size, "%s/scenarios/brake_in_turn.yaml", folder ? folder : "config");
}

/* out/NAME.csv for .../NAME.yaml, unless --out says otherwise. */
static void out_path(struct options *o, const char *scenario, char *path, size_t size)
{
    const char *given = options_text(o, "out"), *slash = strrchr(scenario, '/');
    const char *base = slash ? slash + 1 : scenario, *dot = strrchr(base, '.');
    int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    if (given && given[0] != '(')
        options_copy_path(o, "--out", given, path, size);
    else
        (void)snprintf(path, size, "out/%.*s.csv", length, base);
}

int main(int argc, char **argv)
{
    static const char *const integrators[] = {"forward", "semi-implicit", NULL};
    static const struct option_spec specs[] = {
        {"duration", "SECONDS", "(scenario)", "stop after this simulated time"},
        {"step-ms", "MS", "(scenario)", "step of the plant"},
        {"integrator", "NAME", "(scenario)", "forward or semi-implicit"},
        {"vehicle", "FILE", "(scenario)", "another car in the same scenario"},
        {"out", "FILE", "(out/NAME.csv)", "where the table goes; - is standard output"},
        {"svg", "FILE", NULL, "draw path, speeds, accelerations, loads, pressures"},
        {"quiet", NULL, NULL, "no summary"},
        {0},
    };
    static const struct options_program program = {
        .name = "sim",
        .summary = "drive a car offline with scripted inputs",
        .arguments = "[SCENARIO.yaml]",
        .args_max = 1,
        .specs = specs,
        .example = "skidpad sim config/scenarios/brake_in_turn.yaml --step-ms 0.5",
        .notes = "Status: 0 done, 2 bad input (nothing is written), 3 the state became not "
                 "finite,\nor the car left what its model knows.",
    };
    struct options o;
    char path[PATH_SIZE], out[PATH_SIZE];
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    double step_ms = 0.0;
    struct offline_options set = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    if (options_given(&o, "duration"))
        options_double(&o, "duration", &set.duration_s, 0.0, 1e6);
    if (options_given(&o, "step-ms"))
        options_double(&o, "step-ms", &step_ms, 0.001, 20.0);
    if (options_given(&o, "integrator"))
        options_choice(&o, "integrator", &set.integrator, integrators);
    if (options_given(&o, "vehicle"))
        set.vehicle = options_text(&o, "vehicle");
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    set.step_s = 1e-3 * step_ms;

    static struct offline run; /* large: not for the stack */
    static struct sim_plot plot;
    struct sim_table table;
    struct sim_summary sum;
    scenario_path(&o, path, sizeof path);
    out_path(&o, path, out, sizeof out);
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    if (offline_open(path, &set, &run)) {
        offline_close(&run);
        return STATUS_BAD_INPUT;
    }
    if (sim_table_open(&table, out, run.scenario)) {
        offline_close(&run);
        return STATUS_BAD_INPUT;
    }
    status = drive(&run, &table, &sum, &plot);
    if (sim_table_close(&table) && !status)
        status = not_written();
    if (options_given(&o, "svg") && sim_plot_write(&plot, &run, NULL, options_text(&o, "svg")) &&
        !status)
        status = STATUS_BAD_INPUT;
    if (!options_given(&o, "quiet") && status != STATUS_FAULT)
        sim_summary_print(&sum, &run, out, strcmp(out, "-") == 0 ? stderr : stdout);
    offline_close(&run);
    return status;
}

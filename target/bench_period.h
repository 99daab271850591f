/* One period of the missed-deadline benchmark: so many steps at one rate, and their offline twin.
 */
#ifndef SKIDPAD_TARGET_BENCH_PERIOD_H
#define SKIDPAD_TARGET_BENCH_PERIOD_H

#include "target/bench_feed.h"
#include "target/bench_stress.h"
#include "target/monitor.h"

enum { BENCH_PERIODS = 16 };
enum bench_feed_kind { FEED_PROCESS, FEED_TABLE };

/* What the command line asks for. */
struct bench_setup {
    const char *scenario; /* the inputs */
    const char *car;      /* NULL: the scenario's */
    int integrator;       /* VEHICLE_AS_FILE: as the files say */
    int64_t steps;
    int64_t period_ns[BENCH_PERIODS];
    int periods;
    const struct rt_ops *core;
    bool virtual_clock; /* core is rt_virtual */
    struct rt_settings rt;
    int feed; /* enum bench_feed_kind */
    bool strict_syscalls;
    const struct bench_stress *stress; /* works while the loop is measured, else rests */
    const char *model;                 /* in place of the car's; NULL: as its file says */
    /* for the result only */
    const char *label, *load;
    int argc; /* the command as given */
    char *const *argv;
};

struct bench_result {
    int64_t period_ns, steps; /* asked for */
    struct deadline_stats stats;
    int64_t steps_made;
    int64_t cpu_ns; /* of the real-time thread, in the loop */
    int substeps, integrator;
    bool realtime;        /* SCHED_FIFO and locked memory */
    bool inputs_in_order; /* step n used input n, for every n: the plain sequence */
    uint64_t outputs_lost;
    struct bench_feed_report feed; /* FEED_PROCESS */
    bool monitored;                /* runs longer than the warm-up of 1 s */
    struct monitor_counts kernel;
    char core_about[RT_ABOUT];
    uint64_t switches, switches_start; /* out of real time: in the ticks, in the warm-up */
    uint64_t switch_notes;
    struct rt_note switch_first;
    uint64_t hash, hash_offline;
    double final_x_m, final_y_m, final_mps;
    char car[VEHICLE_NAME];
    const char *model;
};

enum { BENCH_DONE = 0, BENCH_BAD = 2, BENCH_FAULT = 3, BENCH_INTERRUPTED = 130 };

/* Blocks SIGINT and SIGTERM, which bench_period_run() then takes. Before anything is forked. */
void bench_signals_block(void);

/* Runs one period and calls progress(argument, how it goes) now and then; messages go to stderr.
 * Returns BENCH_DONE or why not. */
int bench_period_run(const struct bench_setup *setup, int64_t period_ns,
                     void (*progress)(void *, const struct loop_live *), void *argument,
                     struct bench_result *result);

#endif

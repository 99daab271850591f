/* A bench file: the car and scenario, the real-time core, limits, where results go. */
#ifndef SKIDPAD_TARGET_BENCH_LOAD_H
#define SKIDPAD_TARGET_BENCH_LOAD_H

#include "shared/config/config.h"
#include "target/can_link.h"
#include "target/core_choose.h"
#include "target/loop.h"
#include "target/rt/rt_thread.h"

enum { BENCH_NAME = 80, BENCH_PATH = 1024, BENCH_HOST = 64 };

struct bench {
    char name[BENCH_NAME];
    char scenario[BENCH_PATH];
    char vehicle[BENCH_PATH];     /* empty: the scenario's */
    struct parameters parameters; /* of the scenario, set by the caller */
    int integrator;               /* the same: enum model_integrator, or VEHICLE_AS_FILE */
    int core;                     /* enum bench_core */
    struct rt_settings rt;
    struct loop_setup loop;
    double duration_s;              /* < 0: the scenario's; 0: until stopped */
    int64_t missed_limit;           /* more than so many misses: status 1 */
    int64_t violation_limit;        /* wrong frames in a second; more: safe state; 0: never */
    char log[BENCH_PATH];           /* MDF file; empty: none */
    double sync_s;                  /* how often the disk is asked to store the log; 0: never */
    char control[BENCH_PATH];       /* socket for requests; empty: none */
    char control_group[BENCH_NAME]; /* whose members may use it, too; empty: none */
    bool wait_for_start;            /* the first tick comes on request */
    bool telemetry;                 /* there is some */
    char telemetry_name[BENCH_NAME];
    char telemetry_host[BENCH_HOST], listen_host[BENCH_HOST];
    int telemetry_port, listen_port; /* 0: none */
    double telemetry_hz;
    char key[BENCH_PATH];          /* who may command over the network; empty: the usual file */
    struct can_link *link;         /* the buses; NULL: none */
    struct fault_set faults;       /* none: count 0 */
    struct sequence sequence;      /* supply and ignition */
    char stand_in[BENCH_PATH];     /* parameters of the stand-in unit; empty: a real one, or none */
    char stand_in_can[BENCH_PATH]; /* its end of the bus; empty: follows from the bench's */
    char stand_in_bus[BENCH_PATH]; /* bus file of the first bus */
    bool no_unit;                  /* the pedal acts: no buses, no unit */
    char frames[BENCH_PATH];       /* candump log of every frame; empty: none */
    struct watchdog_plan *watchdog; /* NULL: none */
};

/* Reads and checks. Returns 0 or a negative errno. *doc holds the messages and is closed by the
 * caller (NULL if memory ran out). period_us replaces the file's if it is above 0. *out is NULL on
 * failure; bench_free() frees it. */
int bench_load(const char *path, double period_us, struct bench **out, struct cfg_doc **doc);
/* The same with messages on stderr; NULL on failure. */
struct bench *bench_open(const char *path);
void bench_free(struct bench *b);

#endif

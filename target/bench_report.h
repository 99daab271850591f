/* The results of the missed-deadline benchmark: as a table, and as JSON. */
#ifndef SKIDPAD_TARGET_BENCH_REPORT_H
#define SKIDPAD_TARGET_BENCH_REPORT_H

#include "shared/base/out_file.h"
#include "target/bench_period.h"

#include <stdio.h>

/* Histograms in files: 0.1 us wide up to this far from zero; what is further before it is one bin.
 */
enum { BENCH_FINE_US = 10, BENCH_EARLY_US = 1000 };

/* Where it was measured. Texts that could not be read say so. */
struct bench_machine {
    char system[65], release[65], version[65], hardware[65]; /* uname */
    char proc_version[512], boot[2048];                      /* /proc/version, /proc/cmdline */
    char cpu[256];
    long cpus;
    char clock_source[64];
    bool realtime_kernel; /* /sys/kernel/realtime, or PREEMPT_RT in its version */
};

void bench_machine_read(struct bench_machine *m);

/* Head of the table, then a line per period as it is done, then what the lines say together. */
void bench_table_head(const struct bench_setup *s, const struct bench_machine *m, FILE *to);
void bench_table_line(const struct bench_setup *s, const struct bench_result *r, FILE *to);
void bench_table_end(const struct bench_setup *s, const struct bench_result *r, int count,
                     FILE *to);

/* Everything, into an open stream, which is closed. Returns 0 or a negative errno and a message. */
int bench_json_write(struct out_file *f, const struct bench_setup *s, const struct bench_machine *m,
                     const struct bench_result *r, int count, struct err *e);

/* CPU time of the real-time thread over the time that its ticks had. */
double bench_cpu_share(const struct bench_result *r);
/* Steps that did not use their own input. */
int64_t bench_inputs_late(const struct bench_result *r);

#endif

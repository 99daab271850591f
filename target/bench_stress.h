/* Load on the machine while the loop is measured, without any other program: busy CPUs and memory,
 * files and context switches. All of it in children of ordinary priority that end with the bench,
 * however that ends, and rest while nothing is measured. */
#ifndef SKIDPAD_TARGET_BENCH_STRESS_H
#define SKIDPAD_TARGET_BENCH_STRESS_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <sys/types.h>

enum { BENCH_STRESS_MAX = 1024 };
enum bench_stress_kind { STRESS_NONE, STRESS_CPU, STRESS_IO, STRESS_ALL };

struct bench_stress {
    pid_t children[BENCH_STRESS_MAX];
    int count;
};

/* Starts the children, at rest. Must be called while there is one thread only. Returns 0 or a
 * negative errno and a message; stop in both cases. */
int bench_stress_start(struct bench_stress *s, int kind, struct err *e);
/* Lets the children rest or work. s may be NULL: there are none. */
void bench_stress_rest(const struct bench_stress *s, bool rest);
/* Returns how many of the children had given up before, for want of memory or a writable folder. */
int bench_stress_stop(struct bench_stress *s);

#endif

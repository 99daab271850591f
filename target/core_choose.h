/* Which real-time core a run takes, and which program has it.
 *
 * libcobalt and libevl change a process from its first line on, so each core has its own program,
 * linked from the same sources: skidpad-run, skidpad-run-cobalt, skidpad-run-evl, and the same of
 * bench. The ordinary one picks by what the kernel offers. */
#ifndef SKIDPAD_TARGET_CORE_CHOOSE_H
#define SKIDPAD_TARGET_CORE_CHOOSE_H

#include "target/rt/rt.h"

enum bench_core { BENCH_AUTO, BENCH_POSIX, BENCH_VIRTUAL, BENCH_COBALT, BENCH_EVL };

/* In the order of enum bench_core, as in files and options; ends with NULL. */
extern const char *const core_names[];

/* What the kernel offers: BENCH_COBALT, BENCH_EVL or BENCH_POSIX. root: of the file system, ""
 * except in tests. */
int core_offered(const char *root);

/* The table of the core that was asked for (enum bench_core). If it belongs to another program,
 * that one takes over with the same arguments and this does not return. command: "run", "bench".
 * Returns 0, or a negative errno with a message that says what to do. */
int core_choose(int core, const char *command, char **argv, const struct rt_ops **ops,
                struct err *e);

/* Goes on as the program skidpad-COMMAND-CORE, with the same arguments. Comes back only if that
 * cannot be run: a negative errno with a message. */
int core_hand_over(int core, const char *command, char **argv, struct err *e);

#endif

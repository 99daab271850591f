/* What the kernel says of the real-time thread: page faults and context switches, from /proc. For
 * an ordinary thread. */
#ifndef SKIDPAD_TARGET_MONITOR_H
#define SKIDPAD_TARGET_MONITOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct monitor_counts {
    uint64_t minor_faults, major_faults;
    uint64_t voluntary, involuntary; /* context switches */
};

struct monitor {
    pid_t tid;
    bool based; /* the baseline has been taken */
    struct monitor_counts base, last;
};

/* Reads the counts. Returns 0 or a negative errno. */
int monitor_read(pid_t tid, struct monitor_counts *out);
/* Takes the baseline (after warm-up), later calls update `last`. */
int monitor_update(struct monitor *m);
/* Since the baseline. */
struct monitor_counts monitor_since(const struct monitor *m);

#endif

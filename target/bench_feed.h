/* Inputs from another process, outputs back to it: `skidpad bench --feed process`.
 *
 * Input n belongs to release n, at r_n. The process makes it one period ahead, at r_(n-1), stamps
 * it and puts it into a ring in shared memory. At r_n the loop takes the newest input whose number
 * is n or less; one that comes early stays in the ring. If nothing new is there the last one is
 * held. Each output carries the number of its release and of the input that made it, so the process
 * can tell by number which of its inputs were used in time, late, or not at all:
 *
 *   in time   step n used input n
 *   late      step n used an older input, for the first time
 *   held      step n had nothing new and used an input again
 *   unused    no step used the input: its release was skipped or a newer one was there
 *
 * The process sleeps from release to release and sees the output of step n at r_(n+1), when it is
 * due, or later; its round trip from making an input to seeing its output is two periods at best.
 */
#ifndef SKIDPAD_TARGET_BENCH_FEED_H
#define SKIDPAD_TARGET_BENCH_FEED_H

#include "shared/base/deadline.h"
#include "shared/base/ring.h"
#include "target/loop.h"
#include "target/rt/rt_thread.h"
#include "target/scenario/script.h"

#include <sys/types.h>

struct bench_input {
    int64_t number, made_ns;
    double hand_wheel_rad;
    double wheel_torque_Nm[WHEELS];
};

struct bench_output {
    int64_t tick;             /* release */
    int64_t input;            /* number of the input it used; -1: none had come yet */
    int64_t made_ns, sent_ns; /* that input, this output */
    struct plant_out state;
};

/* What the process counted. */
struct bench_feed_report {
    int64_t made, in_time, late, held, unused;
    int64_t outputs; /* seen */
    int64_t made_late_worst_ns;
    bool realtime; /* the process has SCHED_FIFO */
    /* Of inputs used for the first time: wake-up is made to output sent, execution is sent to
     * seen, response is the round trip. */
    struct deadline_stats times;
};

/* Lies in memory that both processes map at the same address. */
struct bench_shared {
    int64_t period_ns, steps;
    bool lockstep;            /* simulated clock: no sleeping, stamps by number */
    _Atomic int64_t start_ns; /* first release; 0: not known yet */
    atomic_bool ready;        /* the process waits for the start */
    atomic_bool ended;        /* the loop has returned */
    struct ring inputs, outputs;
    struct bench_feed_report report;
};

/* The loop's side. */
struct bench_feed {
    struct bench_shared *shared; /* NULL: the table feeds */
    size_t shared_bytes;
    pid_t pid; /* of the process; 0: none */
    struct bench_input held;
    int32_t *used; /* number of the input of each step made */
    int64_t steps; /* made */
};

extern const struct loop_link bench_link;

/* The input of one release, as the table has it. */
void bench_input_make(const struct script *script, double step_s, int64_t number,
                      struct bench_input *in);
void bench_input_apply(const struct bench_input *in, struct plant_in *to);

/* Forks the process; must be called while there is one thread only. The feeder's CPU and priority
 * come from those of the loop: every CPU but the loop's, if there is another, and one less. */
int bench_feed_open(struct bench_feed *f, const struct script *script, int64_t period_ns,
                    int64_t steps, bool lockstep, const struct rt_settings *rt, struct err *e);
/* Whether the process still lives. */
bool bench_feed_alive(struct bench_feed *f);
/* Lets the process end; its report is in shared memory then. Returns 0 or a negative errno. */
int bench_feed_finish(struct bench_feed *f, struct err *e);
/* Also after a failure; ends the process by force if it lives. */
void bench_feed_close(struct bench_feed *f);

/* The process itself: returns when the loop has ended. */
void bench_feeder_run(struct bench_shared *s, const struct script *script,
                      const struct rt_settings *rt);

#endif

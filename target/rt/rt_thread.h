/* The one real-time thread: priority, CPU, memory. The same for every core that is a Linux. */
#ifndef SKIDPAD_RT_RT_THREAD_H
#define SKIDPAD_RT_RT_THREAD_H

#include "shared/base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Half a megabyte of it is touched before the first tick; the rest leaves room for what lies on the
 * same memory, such as the thread-local data of sanitizers. */
enum { RT_STACK_BYTES = 2 << 20, RT_PREFAULT_BYTES = 1 << 19, RT_PRIORITY_MAX = 98 };

struct rt_settings {
    int cpu;          /* < 0: not bound */
    int priority;     /* SCHED_FIFO 1 to 98 */
    bool allow_nonrt; /* for laptops: without rights go on with ordinary scheduling */
};

struct rt_thread {
    pthread_t thread;
    pid_t tid;      /* set before the work begins */
    int latency_fd; /* /dev/cpu_dma_latency held at 0, or -1 */
    bool realtime;  /* SCHED_FIFO and locked memory are in force */
    bool started;
    void *stack;
    void (*work)(void *);
    void *argument;
    pthread_barrier_t ready;
};

/* A run ends by SIGINT, SIGTERM and SIGHUP. Other signals whose default is to end a process at
 * once, and with it a drive and its log, are ignored: SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE and
 * others. */
void rt_ignore_stray_signals(void);

/* Whether this process has the rights for SCHED_FIFO and locked memory; nothing stays changed. */
bool rt_may_be_realtime(void);

/* Locks all memory of the process, present and future, and keeps malloc from giving memory back.
 * Call before the rings and models are allocated, or after: both are locked. */
int rt_memory_lock(const struct rt_settings *s, bool *locked, struct err *e);

/* Starts work(argument) in the real-time thread; returns once it runs. A lost SCHED_FIFO or CPU is
 * an error that says what to do, unless allow_nonrt. */
int rt_thread_start(struct rt_thread *t, const struct rt_settings *s, void (*work)(void *),
                    void *argument, struct err *e);
/* The same in an ordinary thread: for the simulated clock. */
int rt_thread_start_plain(struct rt_thread *t, void (*work)(void *), void *argument, struct err *e);
void rt_thread_join(struct rt_thread *t);

#endif

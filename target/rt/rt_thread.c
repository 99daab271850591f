#include "target/rt/rt_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void rt_ignore_stray_signals(void)
{
    static const int strays[] = {SIGUSR1,   SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
                                 SIGSTKFLT, SIGIO,   SIGPIPE, SIGPWR};
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++)
        (void)signal(strays[i], SIG_IGN);
}

bool rt_may_be_realtime(void)
{
    const struct sched_param fifo = {.sched_priority = 1};
    struct sched_param before = {0};
    struct rlimit locked = {0};
    int policy = sched_getscheduler(0);
    (void)sched_getparam(0, &before);
    bool may = sched_setscheduler(0, SCHED_FIFO, &fifo) == 0;
    if (may)
        (void)sched_setscheduler(0, policy, &before);
    (void)getrlimit(RLIMIT_MEMLOCK, &locked);
    return may && (geteuid() == 0 || locked.rlim_cur == RLIM_INFINITY);
}

int rt_memory_lock(const struct rt_settings *s, bool *locked, struct err *e)
{
    /* No page shall go back to the kernel and come in again as a fault. */
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    (void)mallopt(M_MMAP_MAX, 0);
    /* The kernel shall not gather our pages into huge ones: it copies 2 MB without a break. */
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    *locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    if (*locked || s->allow_nonrt)
        return 0;
    int error = errno;
    return err_set(e, -error,
                   "memory cannot be locked (%s): run as root, or raise the limit (ulimit -l "
                   "unlimited; memlock in /etc/security/limits.conf), or use --allow-nonrt where "
                   "deadlines do not matter",
                   strerror(error));
}

/* Holds the CPU out of deep sleep states for as long as the file is open. */
static int hold_latency(void)
{
    int32_t zero_us = 0;
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, &zero_us, sizeof zero_us) != sizeof zero_us) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

/* Touches more of the stack than a tick uses, so that it is mapped before the first one. */
static void prefault_stack(void)
{
    volatile char pages[RT_PREFAULT_BYTES];
    for (size_t i = 0; i < sizeof pages; i += 4096)
        pages[i] = 0;
}

static void *run(void *argument)
{
    struct rt_thread *t = argument;
    t->tid = (pid_t)syscall(SYS_gettid);
    /* Ordinary threads are woken up to 50 us late on purpose; real-time ones are not anyway. */
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    prefault_stack();
    (void)pthread_barrier_wait(&t->ready);
    t->work(t->argument);
    return NULL;
}

static int set_attributes(pthread_attr_t *a, const struct rt_settings *s, bool realtime,
                          struct err *e)
{
    struct sched_param p = {.sched_priority = s->priority};
    int error = pthread_attr_setstacksize(a, RT_STACK_BYTES);
    if (!error && s->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)s->cpu, &set);
        error = pthread_attr_setaffinity_np(a, sizeof set, &set);
    }
    if (!error && realtime) {
        error = pthread_attr_setinheritsched(a, PTHREAD_EXPLICIT_SCHED);
        if (!error)
            error = pthread_attr_setschedpolicy(a, SCHED_FIFO);
        if (!error)
            error = pthread_attr_setschedparam(a, &p);
    }
    return error ? err_set(e, -error, "the thread's attributes were refused: %s", strerror(error))
                 : 0;
}

static int explain(const struct rt_settings *s, int error, struct err *e)
{
    if (error == EPERM)
        return err_set(e, -error,
                       "SCHED_FIFO priority %d was refused: run as root, or allow it (ulimit -r "
                       "%d; rtprio in /etc/security/limits.conf), or use --allow-nonrt where "
                       "deadlines do not matter",
                       s->priority, s->priority);
    if (error == EINVAL && s->cpu >= 0)
        return err_set(e, -error,
                       "CPU %d cannot be used: this machine has %ld, or it is not allowed for this "
                       "process (taskset, cgroup)",
                       s->cpu, sysconf(_SC_NPROCESSORS_ONLN));
    return err_set(e, -error, "the real-time thread could not be started: %s", strerror(error));
}

static int create(struct rt_thread *t, const struct rt_settings *s, bool realtime, struct err *e)
{
    pthread_attr_t a;
    int error = pthread_attr_init(&a);
    if (error)
        return explain(s, error, e);
    int bad = set_attributes(&a, s, realtime, e);
    if (!bad) {
        error = pthread_create(&t->thread, &a, run, t);
        bad = error ? explain(s, error, e) : 0;
    }
    (void)pthread_attr_destroy(&a);
    return bad;
}

int rt_thread_start(struct rt_thread *t, const struct rt_settings *s, void (*work)(void *),
                    void *argument, struct err *e)
{
    memset(t, 0, sizeof *t);
    t->work = work;
    t->argument = argument;
    t->latency_fd = hold_latency();
    (void)pthread_barrier_init(&t->ready, NULL, 2);
    t->realtime = true;
    int bad = create(t, s, true, e);
    if (bad == -EPERM && s->allow_nonrt) {
        t->realtime = false;
        bad = create(t, s, false, e);
    }
    if (bad) {
        (void)pthread_barrier_destroy(&t->ready);
        if (t->latency_fd >= 0)
            (void)close(t->latency_fd);
        return bad;
    }
    t->started = true;
    (void)pthread_barrier_wait(&t->ready);
    return 0;
}

int rt_thread_start_plain(struct rt_thread *t, void (*work)(void *), void *argument, struct err *e)
{
    const struct rt_settings none = {.cpu = -1};
    memset(t, 0, sizeof *t);
    t->work = work;
    t->argument = argument;
    t->latency_fd = -1;
    (void)pthread_barrier_init(&t->ready, NULL, 2);
    int bad = create(t, &none, false, e);
    if (bad) {
        (void)pthread_barrier_destroy(&t->ready);
        return bad;
    }
    t->started = true;
    (void)pthread_barrier_wait(&t->ready);
    return 0;
}

void rt_thread_join(struct rt_thread *t)
{
    if (!t->started)
        return;
    (void)pthread_join(t->thread, NULL);
    (void)pthread_barrier_destroy(&t->ready);
    if (t->latency_fd >= 0)
        (void)close(t->latency_fd);
    t->started = false;
}

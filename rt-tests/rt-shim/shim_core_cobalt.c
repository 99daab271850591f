/* libcobalt's part of the stand-in: process, thread, clock. */
#include "shim_mode.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/cobalt.h>
#include <time.h>
#include <xenomai/init.h>

int __cobalt_control_bind = 0;

/* The words of the real one, in its form. */
static void give_up(const char *why)
{
    fprintf(stderr, "   0\"000.000| BUG in low_init(): [main] %s\n", why);
    exit(EXIT_FAILURE);
}

void xenomai_init(int *argc, char *const **argv)
{
    *argc = 1; /* as the real one, which takes its own options away */
    if (!(*argv)[0])
        give_up("no name");
    if (shim_core_is("absent"))
        give_up("Cobalt core not enabled in kernel");
    if (shim_core_is("abi"))
        give_up("ABI mismatch: required r19, provided r17");
    if (shim_core_is("stopped") && !__cobalt_control_bind)
        give_up("Cobalt core present but stopped (use corectl --start)");
    if (shim_core_is("crash"))
        abort();
    if (!__cobalt_control_bind)
        give_up("the stand-in does not make the main thread one of Cobalt's");
}

int cobalt_corectl(int request, void *data, size_t size)
{
    const int version = 3 << 16 | 3 << 8 | 1;
    const int state = shim_core_is("stopped") ? COBALT_STATE_STOPPED : COBALT_STATE_RUNNING;
    if ((request != _CC_COBALT_GET_VERSION && request != _CC_COBALT_GET_CORE_STATUS) ||
        size != sizeof version)
        return -EINVAL;
    memcpy(data, request == _CC_COBALT_GET_VERSION ? &version : &state, sizeof version);
    return 0;
}

int cobalt_thread_stat(pid_t pid, struct cobalt_threadstat *out)
{
    if (pid != 0 || !shim_joined())
        return -EPERM;
    memset(out, 0, sizeof *out);
    out->msw = shim_switches();
    out->csw = shim_waits();
    out->xtime = shim_cpu_ns();
    return 0;
}

int __cobalt_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
    if (!pthread_equal(thread, pthread_self()) || policy != SCHED_FIFO || param->sched_priority < 1)
        return EINVAL;
    return -shim_join();
}

/* Real-time whatever the rights of the one who tests. */
int __cobalt_pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
    (void)thread;
    *policy = shim_core_is("not-fifo") ? SCHED_OTHER : SCHED_FIFO;
    param->sched_priority = 80;
    return 0;
}

int __cobalt_pthread_setname_np(pthread_t thread, const char *name)
{
    (void)thread;
    return name[0] && shim_joined() ? 0 : ESRCH;
}

int pthread_setmode_np(int clear, int set, int *old)
{
    if (old)
        *old = 0;
    if (!shim_joined())
        return EPERM;
    shim_warn(set & PTHREAD_WARNSW && !(clear & PTHREAD_WARNSW));
    return 0;
}

int __cobalt_clock_gettime(clockid_t clock, struct timespec *t)
{
    return clock_gettime(clock, t);
}

int __cobalt_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
                             struct timespec *left)
{
    if (clock != CLOCK_MONOTONIC || flags != TIMER_ABSTIME || left)
        return EINVAL;
    return shim_wait(until);
}

/* ---- semaphores: their value is the first number in the memory */

int __cobalt_sem_init(sem_t *semaphore, int shared, unsigned value)
{
    if (shared)
        return -1;
    memset(semaphore, 0, sizeof *semaphore);
    atomic_init((atomic_int *)semaphore, (int)value);
    return 0;
}

int __cobalt_sem_destroy(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

int __cobalt_sem_post(sem_t *semaphore)
{
    shim_semaphore_post((atomic_int *)semaphore);
    return 0;
}

int __cobalt_sem_wait(sem_t *semaphore)
{
    int error = shim_semaphore_wait((atomic_int *)semaphore);
    errno = error ? error : errno;
    return error ? -1 : 0;
}

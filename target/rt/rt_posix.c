#include "target/rt/rt.h"

#include "shared/base/time.h"

#include <errno.h>
#include <time.h>

static int64_t now_ns(struct rt *rt)
{
    struct timespec t;
    (void)rt;
    (void)clock_gettime(CLOCK_MONOTONIC, &t); /* through the vDSO; cannot fail */
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int start(struct rt *rt, struct err *e)
{
    struct timespec resolution;
    (void)rt;
    if (clock_getres(CLOCK_MONOTONIC, &resolution))
        return err_set(e, -errno, "CLOCK_MONOTONIC cannot be used");
    if (resolution.tv_sec > 0 || resolution.tv_nsec > 1)
        return err_set(e, -ENOTSUP,
                       "the kernel's timers have a resolution of %ld ns, 1 ns is needed: boot with "
                       "high-resolution timers (CONFIG_HIGH_RES_TIMERS, no highres=off)",
                       resolution.tv_nsec);
    return 0;
}

static int wait(struct rt *rt, int64_t until_ns)
{
    struct timespec t = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                         .tv_nsec = (long)(until_ns % NS_PER_S)};
    int error;
    (void)rt;
    /* A signal handler may run in between: SIGSTOP and SIGCONT, a debugger. */
    do
        error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    while (error == EINTR);
    return -error; /* it returns a positive error */
}

const struct rt_ops rt_posix = {
    .name = "posix",
    .start = start,
    .wait = wait,
    .now_ns = now_ns,
    .switches = rt_no_switches,
    .cpu_ns = rt_thread_cpu_ns,
    .burn = rt_spin,
    .stop = rt_nothing,
};

#include "target/rt/rt_switch.h"

#include "shared/base/time.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WARM_UP_WAITS = 20 };

/* The handler has no argument: each thread knows by itself whether it is the one that is watched.
 */
static _Thread_local struct rt *watched;

/* Async-signal-safe and free of locks: plain stores, then one that publishes them. */
static void note(struct rt *rt, int32_t reason)
{
    unsigned n = atomic_load_explicit(&rt->noted, memory_order_relaxed);
    if (n - atomic_load_explicit(&rt->taken, memory_order_acquire) < RT_NOTES)
        rt->notes[n % RT_NOTES] = (struct rt_note){
            .tick = atomic_load_explicit(&rt->tick, memory_order_relaxed), .reason = reason};
    else
        return; /* the core counts it all the same */
    atomic_store_explicit(&rt->noted, n + 1, memory_order_release);
}

static void on_debug(int signal_number, siginfo_t *info, void *context)
{
    unsigned code = (unsigned)info->si_value.sival_int;
    bool marked = info->si_code == SI_QUEUE && (code & RT_SIGDEBUG_MARK_BITS) == RT_SIGDEBUG_MARK;
    (void)context;
    if (watched) {
        note(watched, marked ? (int32_t)(code & 0xffu) : 0);
    } else if (!marked) {
        /* Not ours: the limit of CPU time, whose signal has the same number. */
        (void)signal(signal_number, SIG_DFL);
        (void)raise(signal_number);
    }
}

int rt_switch_watch(struct rt *rt, struct err *e)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_debug;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    watched = rt;
    if (sigaction(RT_SIGDEBUG, &action, NULL)) {
        int error = errno;
        watched = NULL;
        return err_set(e, -error, "the handler of SIGDEBUG was refused: %s", strerror(error));
    }
    return 0;
}

void rt_switch_unwatch(struct rt *rt)
{
    if (watched == rt)
        watched = NULL;
}

int rt_switch_warm_up(struct rt *rt)
{
    for (int i = 0; i < WARM_UP_WAITS; i++) {
        int bad = rt->ops->wait(rt, rt->ops->now_ns(rt) + NS_PER_MS);
        if (bad)
            return bad;
        (void)rt->ops->switches(rt);
        (void)rt->ops->cpu_ns(rt);
    }
    return 0;
}

int rt_switch_baseline(struct rt *rt, uint64_t waits, uint64_t switches, const char *core,
                       const char *option, struct err *e)
{
    if (waits == 0)
        return err_set(e, -ENOTSUP, "the %s of this kernel counts nothing: build it with %s", core,
                       option);
    rt->switches_start = switches;
    atomic_store_explicit(&rt->taken, atomic_load_explicit(&rt->noted, memory_order_acquire),
                          memory_order_release);
    return 0;
}

bool rt_switch_take(struct rt *rt, struct rt_note *out)
{
    unsigned n = atomic_load_explicit(&rt->taken, memory_order_relaxed);
    if (n == atomic_load_explicit(&rt->noted, memory_order_acquire))
        return false;
    *out = rt->notes[n % RT_NOTES];
    atomic_store_explicit(&rt->taken, n + 1, memory_order_release);
    return true;
}

void rt_switch_provoke(void)
{
    (void)syscall(SYS_getppid);
}

/* What cores have in common. */
#include "target/rt/rt.h"

#include "shared/base/time.h"

#include <errno.h>
#include <time.h>

/* The warm-up takes 20 ms of waiting. */
static const int64_t start_ns = 5 * NS_PER_S, hurry_ns = NS_PER_S;

int rt_start(struct rt *rt, struct err *e)
{
    int bad = rt->ops->start(rt, e);
    atomic_store_explicit(&rt->begun, true, memory_order_release);
    return bad;
}

bool rt_start_hangs(const struct rt *rt, int64_t since_ns, bool hurry, struct err *e)
{
    int64_t waited_ns = rt_posix.now_ns(NULL) - since_ns;
    if (atomic_load_explicit(&rt->begun, memory_order_acquire) ||
        waited_ns < (hurry ? hurry_ns : start_ns))
        return false;
    (void)err_set(e, -ETIMEDOUT,
                  "the core %s did not wake the real-time thread for %.0f s before the first tick: "
                  "is it running (Cobalt: corectl --status, then corectl --start; EVL: evl test), "
                  "and on the CPU of the thread? Or use --rt posix",
                  rt->ops->name, 1e-9 * (double)waited_ns);
    return true;
}

void rt_spin(struct rt *rt, int64_t for_ns)
{
    int64_t end_ns = rt->ops->now_ns(rt) + for_ns;
    while (rt->ops->now_ns(rt) < end_ns)
        ;
}

int64_t rt_thread_cpu_ns(struct rt *rt)
{
    struct timespec t;
    (void)rt;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

uint64_t rt_no_switches(struct rt *rt)
{
    (void)rt;
    return 0;
}

void rt_nothing(struct rt *rt)
{
    (void)rt;
}

const char *rt_reason(const char *const *names, size_t count, int reason)
{
    return reason >= 0 && (size_t)reason < count && names[reason] ? names[reason]
                                                                  : "unknown reason";
}

/* What cores have in common. */
#include "target/rt/rt.h"

#include "shared/base/time.h"

#include <time.h>

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

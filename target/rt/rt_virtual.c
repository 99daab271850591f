#include "target/rt/rt.h"

#include "shared/base/time.h"

#include <time.h>

static int64_t now_ns(struct rt *rt)
{
    return rt->virtual_ns;
}

static int start(struct rt *rt, struct err *e)
{
    (void)e;
    rt->virtual_ns = 0;
    return 0;
}

static int wait(struct rt *rt, int64_t until_ns)
{
    if (rt->pace)
        rt->pace(rt->pace_argument);
    if (until_ns > rt->virtual_ns)
        rt->virtual_ns = until_ns;
    return 0;
}

static void burn(struct rt *rt, int64_t for_ns)
{
    rt->virtual_ns += for_ns;
}

const struct rt_ops rt_virtual = {
    .name = "virtual",
    .start = start,
    .wait = wait,
    .now_ns = now_ns,
    .switches = rt_no_switches,
    .cpu_ns = rt_thread_cpu_ns,
    .burn = burn,
    .stop = rt_nothing,
};

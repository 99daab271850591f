#include "target/watchdog_judge.h"

#include "shared/base/time.h"

static const int64_t least_ns = 100 * NS_PER_US, most_ns = 10 * NS_PER_MS;

int64_t watchdog_judge_every_ns(int64_t timeout_ns)
{
    const int64_t quarter_ns = timeout_ns / 4;
    return quarter_ns < least_ns ? least_ns : quarter_ns > most_ns ? most_ns : quarter_ns;
}

bool watchdog_judge_look(struct watchdog_judge *j, int64_t tick, int64_t now_ns)
{
    const int64_t since_ns = now_ns - j->looked_ns, look_ns = 2 * j->every_ns;
    if (!j->started || tick != j->tick) {
        j->started = true;
        j->silent_ns = 0;
    } else {
        j->silent_ns += since_ns < look_ns ? since_ns : look_ns;
    }
    j->tick = tick;
    j->looked_ns = now_ns;
    return j->silent_ns >= j->timeout_ns;
}

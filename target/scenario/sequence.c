#include "target/scenario/sequence.h"

#include <string.h>

void sequence_default(struct sequence *q)
{
    memset(q, 0, sizeof *q);
    q->count = 1;
    q->step[0].terminal = TERMINAL_ON;
    q->step[0].supply_V = 13.8;
}

const char *sequence_terminal_name(int terminal)
{
    static const char *const names[] = {"off", "accessory", "on", "start"};
    return terminal >= TERMINAL_OFF && terminal <= TERMINAL_START ? names[terminal] : "unknown";
}

/* Whether the step is over with this tick. */
static bool is_over(const struct sequence_step *p, const struct sequence_state *s,
                    const struct signals *now)
{
    if (p->has_until && expr_holds(&p->until, now))
        return true;
    return p->for_s > 0.0 && s->in_step_s >= p->for_s - 1e-9; /* ticks add up to a bit less */
}

bool sequence_update(const struct sequence *q, struct sequence_state *s, double step_s,
                     struct signals *now)
{
    bool began = s->in_step_s <= 0.0;
    if (s->step + 1 < q->count && is_over(&q->step[s->step], s, now)) {
        s->step++;
        s->in_step_s = 0.0;
        began = true;
    }
    const struct sequence_step *p = &q->step[s->step];
    s->in_step_s += step_s;
    now->power_terminal = (uint32_t)p->terminal;
    now->power_supply_V = p->supply_V;
    return began;
}

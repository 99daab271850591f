#include "target/scenario/sequence_load.h"

#include "target/scenario/expr_load.h"

static void step_load(const struct cfg_node *n, bool last, struct sequence_step *p)
{
    static const char *const terminals[] = {"off", "accessory", "on", "start", NULL};
    int terminal = p->terminal;
    cfg_choice(n, "ignition", &terminal, terminals);
    p->terminal = terminal;
    cfg_double(n, "supply_V", &p->supply_V, CFG_BETWEEN(0.0, 25.5));
    p->for_s = 0.0;
    cfg_double(n, "for_s", &p->for_s, CFG_BETWEEN(0.001, 1e9));
    p->has_until = expr_load(n, "until", EXPR_CONDITION, NULL, &p->until);
    if (!last && !p->has_until && !cfg_has(n, "until") && !(p->for_s > 0.0))
        cfg_complain(n, NULL, "only the last step lasts for ever; give `for_s` or `until`");
    cfg_done(n);
}

void sequence_load(const struct cfg_node *root, struct sequence *q)
{
    const struct cfg_node *list = cfg_list(root, "sequence");
    sequence_default(q);
    if (!list)
        return;
    size_t count = cfg_count(list);
    if (count < 1 || count > SEQUENCE_STEPS) {
        cfg_complain(root, "sequence", "1 to %d steps are allowed", SEQUENCE_STEPS);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0) /* what a step does not name stays */
            q->step[i] = q->step[i - 1];
        step_load(cfg_item(list, i), i + 1 == count, &q->step[i]);
    }
    q->count = (int)count;
}

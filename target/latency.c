#include "target/latency.h"

#include <string.h>

void latency_init(struct latency *l, uint32_t counter_mask)
{
    memset(l, 0, sizeof *l);
    l->counter_mask = counter_mask < LATENCY_FRAMES ? counter_mask : LATENCY_FRAMES - 1;
    for (int i = 0; i < LATENCY_HOPS; i++)
        timing_init(&l->hop[i]);
}

void latency_sent(struct latency *l, uint32_t counter, const struct sensors_out *s,
                  int64_t offset_ns, int64_t now_ns)
{
    struct latency_frame *f = &l->frame[counter & l->counter_mask];
    /* Of the newest edges of the four wheels the oldest that no frame had before. */
    f->waiting = false;
    for (int i = 0; i < WHEELS; i++) {
        if (s->wheel_edges[i] == l->edges[i])
            continue;
        l->edges[i] = s->wheel_edges[i];
        int64_t edge_ns = s->wheel_edge_ns[i] + offset_ns;
        if (!f->waiting || edge_ns < f->edge_ns)
            f->edge_ns = edge_ns;
        f->waiting = true;
    }
    f->sent_ns = now_ns;
}

void latency_answer(struct latency *l, uint32_t counter, int64_t unit_ns, int64_t received_ns,
                    int64_t release_ns)
{
    struct latency_frame *f = &l->frame[counter & l->counter_mask];
    if (!f->waiting)
        return;
    f->waiting = false;
    timing_add(&l->hop[LATENCY_EDGE], f->sent_ns - f->edge_ns);
    if (unit_ns <= received_ns - f->sent_ns) {
        timing_add(&l->hop[LATENCY_BUS], received_ns - f->sent_ns - unit_ns);
        timing_add(&l->hop[LATENCY_UNIT], unit_ns);
    }
    timing_add(&l->hop[LATENCY_TICK], release_ns - received_ns);
    timing_add(&l->hop[LATENCY_TOTAL], release_ns - f->edge_ns);
}

void latency_print(const struct latency *l, FILE *to)
{
    static const char *const names[LATENCY_HOPS] = {"edge to frame", "bus, both ways", "the unit",
                                                    "wait for tick", "edge to pressure"};
    if (l->hop[LATENCY_TOTAL].count == 0)
        return;
    fprintf(to, "latency    %16s %9s %9s %9s %9s   in ms, %llu edges\n", "", "mean", "p50", "p99",
            "max", (unsigned long long)l->hop[LATENCY_TOTAL].count);
    for (int i = 0; i < LATENCY_HOPS; i++) {
        const struct timing *t = &l->hop[i];
        if (t->count == 0)
            continue; /* the unit does not tell */
        fprintf(to, "  %-25s %9.2f %9.2f %9.2f %9.2f\n", names[i], 1e-6 * (double)timing_mean_ns(t),
                1e-6 * (double)timing_percentile_ns(t, 500000),
                1e-6 * (double)timing_percentile_ns(t, 990000), 1e-6 * (double)t->spread.max_ns);
    }
}

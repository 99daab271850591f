/* From the plan to the tables of the tick. */
#include "shared/base/time.h"
#include "shared/can/bus_load_plan.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_TICKS = 1 << 18 };

static int64_t ms_to_ns(double ms)
{
    return (int64_t)(ms * (double)NS_PER_MS + 0.5);
}

/* Cycle time: the description's, the database's, the one for all others; 0 if nobody says. Times in
 * the description were checked when it was read. */
static double cycle_of(const struct plan *plan, const struct plan_message *m)
{
    if (m->cycle_ms > 0.0)
        return m->cycle_ms;
    if (!(m->dbc->cycle_ms > 0.0))
        return plan->cycle_ms > 0.0 ? plan->cycle_ms : 0.0;
    if (m->dbc->cycle_ms >= 0.01 && m->dbc->cycle_ms <= 1e6)
        return m->dbc->cycle_ms;
    cfg_complain(m->map ? m->map : plan->top, "cycle_ms",
                 "%s has a cycle time of %g ms in the database; allowed are 0.01 to 1e6: give "
                 "cycle_ms for it",
                 m->dbc->name, m->dbc->cycle_ms);
    return 1000.0;
}

/* The number of ticks of a time in the description; complains if it is no whole number. */
static uint32_t ticks_of(const struct plan *plan, const struct plan_message *m, const char *key,
                         double ms)
{
    uint32_t ticks = 0;
    const struct cfg_node *at = m->map ? m->map : plan->top;
    int bad = schedule_ticks(ms_to_ns(ms), plan->setup->tick_ns, &ticks);
    double tick_ms = (double)plan->setup->tick_ns / (double)NS_PER_MS;
    if (bad == -EDOM)
        cfg_complain(at, key,
                     "%s: %g ms is not a whole number of ticks of %g ms; the nearest is "
                     "%.9g ms",
                     m->dbc->name, ms, tick_ms, ticks * tick_ms);
    else if (bad)
        cfg_complain(at, key, "%s: %g ms are too many ticks", m->dbc->name, ms);
    return bad ? 1 : ticks;
}

static void make_frame(const struct plan *plan, const struct dbc_message *m, struct can_msg *frame)
{
    bool fd = m->fd || m->length > CAN_CLASSIC_DATA;
    *frame = (struct can_msg){
        .id = m->id,
        .bus = (uint8_t)plan->setup->index,
        .len = (uint8_t)(fd ? can_frame_fd_length((int)m->length) : (int)m->length),
        .flags = (uint8_t)(!fd      ? 0
                           : m->brs ? CAN_MSG_FD | CAN_MSG_BRS
                                    : CAN_MSG_FD)};
}

/* A field of the protection and a bound signal cannot share bits. */
static void check_overlap(const struct plan_message *m, size_t signal, const struct can_code *code)
{
    const struct plan_signal *p = &m->signals[signal];
    if (!m->protect_on || p->use == PLAN_START)
        return;
    const struct protect_rule *r = &m->protect;
    struct protect_rule counter = *r;
    uint8_t taken[CAN_MSG_DATA] = {0}, ours[CAN_MSG_DATA] = {0};
    counter.sum = PROTECT_NO_SUM;
    counter.id_mode = PROTECT_ID_NONE;
    counter.counter_last = UINT32_MAX;
    protect_apply(&counter, UINT32_MAX, taken);
    if (r->sum != PROTECT_NO_SUM)
        taken[r->sum_at] = 0xff;
    if (r->sum == PROTECT_CRC16_1021)
        taken[r->sum_at + 1] = 0xff;
    if (r->id_mode == PROTECT_ID_NIBBLE)
        taken[r->nibble_at / 8] |= (uint8_t)(0xf << r->nibble_at % 8);
    code_put_raw(code, ours, UINT64_MAX);
    for (int i = 0; i < CAN_MSG_DATA; i++) {
        if (taken[i] & ours[i]) {
            cfg_complain(p->map, p->key,
                         "lies on the checksum, counter or data id of the protection, which would "
                         "overwrite it");
            return;
        }
    }
}

/* How many switches stand above a signal. */
static int depth_of(const struct dbc_message *m, size_t signal)
{
    int depth = 0, at = m->signals[signal].switch_index;
    while (at >= 0 && depth < CAN_MUX_DEPTH) {
        at = m->signals[at].switch_index;
        depth++;
    }
    return depth;
}

struct tables {
    struct bus *bus;
    uint32_t signals, muxes;
};

static bool add_mux(const struct plan_message *m, size_t signal, struct tables *t, int32_t *index)
{
    *index = -1;
    if (m->dbc->signals[signal].switch_index < 0)
        return true;
    if (mux_compile(m->dbc, &m->dbc->signals[signal], &t->bus->mux[t->muxes]) != 0) {
        cfg_complain(m->signals[signal].map, m->signals[signal].key,
                     "the signal's multiplexing is too deep or does not fit");
        return false;
    }
    *index = (int32_t)t->muxes++;
    return true;
}

static void sent_signal(const struct plan *plan, const struct plan_message *m, size_t signal,
                        bool pages, struct bus_sent *out, struct tables *t)
{
    struct bus_signal entry;
    if (!plan_compile_sent(plan, m, signal, &entry))
        return;
    check_overlap(m, signal, &entry.code);
    if (entry.kind == BUS_FIXED && !pages) {
        code_put_raw(&entry.code, out->frame.data, entry.first);
        return;
    }
    if (!add_mux(m, signal, t, &entry.mux))
        return;
    t->bus->signals[t->signals++] = entry;
    out->signal_count++;
}

/* Signals that are just values go first: the tick has a short way for them. Returns how many. */
static uint32_t plain_first(struct bus_signal *list, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind != BUS_VALUE || list[i].times >= 0 || list[i].mux >= 0 ||
            !code_is_simple(&list[i].code))
            continue;
        struct bus_signal plain = list[i];
        list[i] = list[found];
        list[found++] = plain;
    }
    return found;
}

static void compile_sent(const struct plan *plan, const struct plan_message *m,
                         struct bus_sent *out, struct tables *t)
{
    double cycle_ms = cycle_of(plan, m);
    *out = (struct bus_sent){.protect = m->protect,
                             .protect_on = m->protect_on,
                             .period_ticks = 1,
                             .offset_ticks = SCHEDULE_FREE,
                             .signal = t->signals,
                             .name = m->dbc->name};
    make_frame(plan, m->dbc, &out->frame);
    out->protect.length = out->frame.len;
    (void)protect_check(&out->protect); /* the length was checked with the message's */
    if (!(cycle_ms > 0.0))
        cfg_complain(m->map ? m->map : plan->top, "cycle_ms",
                     "%s has no cycle time in the database; give cycle_ms for it or for the bus",
                     m->dbc->name);
    else
        out->period_ticks = ticks_of(plan, m, "cycle_ms", cycle_ms);
    if (m->offset_ms == 0.0)
        out->offset_ticks = 0;
    else if (m->offset_ms > 0.0)
        out->offset_ticks = ticks_of(plan, m, "offset_ms", m->offset_ms);
    if (m->offset_ms >= 0.0 && out->offset_ticks >= out->period_ticks)
        cfg_complain(m->map, "offset_ms", "must be below the cycle time of %g ms", cycle_ms);
    bool pages = false;
    for (size_t i = 0; i < m->dbc->signal_count; i++)
        pages = pages || m->dbc->signals[i].switch_index >= 0;
    for (int depth = 0; depth <= CAN_MUX_DEPTH; depth++)
        for (size_t i = 0; i < m->dbc->signal_count; i++)
            if (depth_of(m->dbc, i) == depth)
                sent_signal(plan, m, i, pages, out, t);
    if (!pages)
        out->plain_count = plain_first(t->bus->signals + out->signal, out->signal_count);
}

static void compile_received(const struct plan *plan, const struct plan_message *m,
                             struct bus_received *out, struct tables *t)
{
    double cycle_ms = cycle_of(plan, m);
    double timeout_ms = m->timeout_ms >= 0.0 ? m->timeout_ms : 5.0 * cycle_ms;
    struct can_msg frame;
    make_frame(plan, m->dbc, &frame);
    *out = (struct bus_received){.id = m->dbc->id,
                                 .signal = t->signals,
                                 .name = m->dbc->name,
                                 .rule = {.protect = m->protect,
                                          .timeout_ns = ms_to_ns(timeout_ms),
                                          .startup_ns = ms_to_ns(plan->startup_ms)}};
    out->rule.protect.length = frame.len;
    (void)protect_check(&out->rule.protect);
    if (m->tolerance > 0.0) {
        out->rule.late_ns = ms_to_ns(cycle_ms * (1.0 + m->tolerance));
        if (m->tolerance < 1.0)
            out->rule.early_ns = ms_to_ns(cycle_ms * (1.0 - m->tolerance));
    }
    for (size_t i = 0; i < m->dbc->signal_count; i++) {
        struct bus_signal *entry = &t->bus->signals[t->signals];
        if (m->signals[i].use != PLAN_SLOT || !plan_compile_received(plan, m, i, entry) ||
            !add_mux(m, i, t, &entry->mux))
            continue;
        t->signals++;
        out->signal_count++;
    }
    out->plain_count = plain_first(t->bus->signals + out->signal, out->signal_count);
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = can_frame_rank(&((const struct bus_sent *)a)->frame);
    uint32_t y = can_frame_rank(&((const struct bus_sent *)b)->frame);
    return (x > y) - (x < y);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const struct bus_received *)a)->id, y = ((const struct bus_received *)b)->id;
    return (x > y) - (x < y);
}

static int spread(const struct plan *plan, struct bus *bus)
{
    struct schedule_item *items = calloc(bus->sent_count + 1u, sizeof *items);
    uint32_t *scratch = malloc(SCRATCH_TICKS * sizeof *scratch);
    double bits_per_s = 0.0;
    if (!items || !scratch) {
        free(items);
        free(scratch);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < bus->sent_count; i++) {
        const struct bus_sent *m = &bus->sent[i];
        struct can_frame_bits bits = can_frame_bits(&m->frame);
        items[i] = (struct schedule_item){m->period_ticks, m->offset_ticks,
                                          (uint32_t)(bits.nominal + bits.data)};
        bits_per_s += 1e9 * bits.nominal / ((double)m->period_ticks * (double)bus->tick_ns);
    }
    schedule_spread(items, bus->sent_count, scratch, SCRATCH_TICKS, &bus->busiest);
    for (uint32_t i = 0; i < bus->sent_count; i++)
        bus->sent[i].offset_ticks = items[i].offset_ticks;
    free(items);
    free(scratch);
    if (bus->bit_rate > 0)
        bus->load = bits_per_s / (double)bus->bit_rate;
    if (bus->load > 1.0 && cfg_ok(cfg_doc_of(plan->top))) /* else it may be a mere consequence */
        cfg_complain(plan->top, "bit_rate",
                     "the frames to be sent need %.0f %% of the %lld bit/s of the bus; send fewer "
                     "(send) or slower (cycle_ms)",
                     100.0 * bus->load, (long long)bus->bit_rate);
    return 0;
}

/* Which sources are used, and which message each sink comes from. */
static int index_slots(const struct plan *plan, struct bus *bus)
{
    size_t sources = plan->setup->source_count;
    bool *used = calloc(sources + 1, sizeof *used);
    bus->used = calloc(sources + 1, sizeof *bus->used);
    bus->sink_count = (uint32_t)plan->setup->sink_count;
    bus->sink_message = malloc((bus->sink_count + 1u) * sizeof *bus->sink_message);
    if (!used || !bus->used || !bus->sink_message) {
        free(used);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < bus->sent_count; i++) {
        const struct bus_signal *s = bus->signals + bus->sent[i].signal;
        for (uint32_t k = 0; k < bus->sent[i].signal_count; k++) {
            if (s[k].slot >= 0)
                used[s[k].slot] = true;
            if (s[k].times >= 0)
                used[s[k].times] = true;
        }
    }
    for (uint32_t i = 0; i < sources; i++)
        if (used[i])
            bus->used[bus->used_count++] = i;
    free(used);
    for (uint32_t i = 0; i < bus->sink_count; i++)
        bus->sink_message[i] = -1;
    for (uint32_t i = 0; i < bus->received_count; i++) {
        const struct bus_signal *s = bus->signals + bus->received[i].signal;
        for (uint32_t k = 0; k < bus->received[i].signal_count; k++) {
            int32_t *message = &bus->sink_message[s[k].slot];
            if (*message >= 0)
                cfg_complain(plan->top, "bind", "two received signals go to %s, of %s and %s",
                             plan->setup->sinks[s[k].slot].name, bus->received[*message].name,
                             bus->received[i].name);
            *message = (int32_t)i;
        }
    }
    return 0;
}

static int allocate(const struct plan *plan, struct bus *bus)
{
    size_t sent = 0, received = 0, signals = 0;
    for (size_t i = 0; i < plan->dbc.message_count; i++) {
        sent += plan->messages[i].sent;
        received += plan->messages[i].received;
        signals += plan->dbc.messages[i].signal_count;
    }
    if (sent > BUS_SENT || received > BUS_RECEIVED) {
        cfg_complain(plan->top, sent > BUS_SENT ? "send" : "receive",
                     "%zu messages, at most %d can be %s; list those that are needed",
                     sent > BUS_SENT ? sent : received, sent > BUS_SENT ? BUS_SENT : BUS_RECEIVED,
                     sent > BUS_SENT ? "sent" : "received");
        return -EINVAL;
    }
    bus->sent = calloc(sent + 1, sizeof *bus->sent);
    bus->received = calloc(received + 1, sizeof *bus->received);
    bus->signals = calloc(signals + 1, sizeof *bus->signals);
    bus->mux = calloc(signals + 1, sizeof *bus->mux);
    return bus->sent && bus->received && bus->signals && bus->mux ? 0 : -ENOMEM;
}

int plan_compile(const struct plan *plan, struct bus *bus)
{
    struct tables t = {.bus = bus};
    bus->tick_ns = plan->setup->tick_ns;
    bus->index = plan->setup->index;
    bus->bit_rate = plan->bit_rate;
    int bad = allocate(plan, bus);
    if (bad)
        return bad;
    for (size_t i = 0; i < plan->dbc.message_count; i++) {
        const struct plan_message *m = &plan->messages[i];
        if (m->sent)
            compile_sent(plan, m, &bus->sent[bus->sent_count++], &t);
        if (m->received)
            compile_received(plan, m, &bus->received[bus->received_count++], &t);
    }
    qsort(bus->sent, bus->sent_count, sizeof *bus->sent, by_rank);
    qsort(bus->received, bus->received_count, sizeof *bus->received, by_id);
    bad = spread(plan, bus);
    return bad ? bad : index_slots(plan, bus);
}

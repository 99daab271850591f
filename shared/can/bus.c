#include "shared/can/bus.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static_assert(sizeof(struct bus_state) ==
                  sizeof(int64_t) + BUS_SENT * (sizeof(int64_t) + sizeof(uint32_t)) +
                      BUS_RECEIVED * sizeof(struct can_rx_status) + 5 * sizeof(uint64_t),
              "no padding: states are compared and hashed as bytes");

void bus_reset(const struct bus *bus, struct bus_state *state, int64_t tick, int64_t now_ns)
{
    memset(state, 0, sizeof *state);
    state->soonest = INT64_MAX;
    for (uint32_t i = 0; i < bus->sent_count; i++) {
        state->next_tick[i] = tick + bus->sent[i].offset_ticks;
        if (state->next_tick[i] < state->soonest)
            state->soonest = state->next_tick[i];
    }
    for (uint32_t i = 0; i < bus->received_count; i++)
        can_rx_reset(&state->received[i], now_ns);
}

static void count_status(struct bus_state *state, int status)
{
    if (status == CODE_NAN)
        state->no_number++;
    else if (status != CODE_OK)
        state->clamped++;
}

static void put_value(const struct bus_signal *s, const double *sources, uint8_t *data,
                      struct bus_state *state)
{
    double value = sources[s->slot];
    if (s->times >= 0)
        value *= sources[s->times];
    count_status(state, s->kind == BUS_WRAPPED ? code_put_wrapped(&s->code, data, value)
                                               : code_put(&s->code, data, value));
}

/* Not inlined: alone it keeps what it needs in registers. */
static __attribute__((noinline)) void put_plain(const struct bus_signal *s, uint32_t count,
                                                const double *sources, uint8_t *data,
                                                struct bus_state *state)
{
    for (const struct bus_signal *end = s + count; s < end; s++) {
        int status = code_put_simple(&s->code, data, sources[s->slot]);
        if (status != CODE_OK)
            count_status(state, status);
    }
}

/* Switches stand before what they select, so that the conditions see this frame's page. */
static __attribute__((noinline)) void put_others(const struct bus *bus, const struct bus_signal *s,
                                                 uint32_t count, uint32_t sent,
                                                 const double *sources, uint8_t *data,
                                                 struct bus_state *state)
{
    for (const struct bus_signal *end = s + count; s < end; s++) {
        if (s->mux >= 0 && !mux_present(&bus->mux[s->mux], data))
            continue;
        if (s->kind <= BUS_WRAPPED)
            put_value(s, sources, data, state);
        else
            code_put_raw(&s->code, data,
                         s->kind == BUS_CYCLE ? s->first + sent % s->values : s->first);
    }
}

static inline void put_signals(const struct bus *bus, const struct bus_sent *m, uint32_t sent,
                               const double *sources, uint8_t *data, struct bus_state *state)
{
    const struct bus_signal *s = bus->signals + m->signal;
    if (m->plain_count > 0)
        put_plain(s, m->plain_count, sources, data, state);
    if (m->signal_count > m->plain_count)
        put_others(bus, s + m->plain_count, m->signal_count - m->plain_count, sent, sources, data,
                   state);
}

int bus_encode(const struct bus *bus, struct bus_state *state, int64_t tick, const double *sources,
               struct can_msg *out, int max)
{
    int count = 0;
    int64_t soonest = INT64_MAX;
    if (!bus_due(state, tick))
        return 0;
    for (uint32_t i = 0; i < bus->sent_count; i++) {
        const struct bus_sent *m = &bus->sent[i];
        bool due = schedule_due(m->period_ticks, tick, &state->next_tick[i]);
        if (state->next_tick[i] < soonest)
            soonest = state->next_tick[i];
        if (!due)
            continue;
        uint32_t sent = state->sent[i]++;
        if (count >= max) {
            state->left_out++;
            continue;
        }
        struct can_msg *msg = &out[count++];
        *msg = m->frame;
        put_signals(bus, m, sent, sources, msg->data, state);
        if (m->protect_on)
            protect_apply(&m->protect, sent, msg->data);
    }
    state->soonest = soonest;
    return count;
}

static int find_received(const struct bus *bus, uint32_t id)
{
    uint32_t low = 0, high = bus->received_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bus->received[middle].id == id)
            return (int)middle;
        if (bus->received[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static void count_unknown(const struct bus *bus, struct bus_state *state, uint32_t id)
{
    for (uint32_t i = 0; i < bus->sent_count; i++) {
        if (bus->sent[i].frame.id == id) {
            state->foreign++;
            return;
        }
    }
    state->unknown++;
}

static void get_plain(const struct bus_signal *s, uint32_t count, const struct can_msg *msg,
                      double *sinks, int64_t *stamps_ns)
{
    for (const struct bus_signal *end = s + count; s < end; s++) {
        sinks[s->slot] = code_get_simple(&s->code, msg->data);
        if (stamps_ns)
            stamps_ns[s->slot] = msg->time_ns;
    }
}

static void get_others(const struct bus *bus, const struct bus_signal *s, uint32_t count,
                       const struct can_msg *msg, double *sinks, int64_t *stamps_ns,
                       struct bus_state *state)
{
    for (const struct bus_signal *end = s + count; s < end; s++) {
        if (s->mux >= 0 && !mux_present(&bus->mux[s->mux], msg->data))
            continue;
        double value = code_get(&s->code, msg->data);
        if (!(value - value == 0.0)) { /* only floating-point signals can be that */
            state->no_number++;
            continue;
        }
        sinks[s->slot] = value;
        if (stamps_ns)
            stamps_ns[s->slot] = msg->time_ns;
    }
}

int bus_decode(const struct bus *bus, struct bus_state *state, const struct can_msg *msg,
               double *sinks, int64_t *stamps_ns, struct can_rx_events *events)
{
    if (msg->flags & (CAN_MSG_OWN | CAN_MSG_ERROR | CAN_MSG_REMOTE))
        return -1;
    int index = find_received(bus, msg->id);
    if (index < 0) {
        count_unknown(bus, state, msg->id);
        return -1;
    }
    const struct bus_received *m = &bus->received[index];
    if (!can_rx_take(&m->rule, &state->received[index], msg, (uint32_t)index, events))
        return -1;
    const struct bus_signal *s = bus->signals + m->signal;
    get_plain(s, m->plain_count, msg, sinks, stamps_ns);
    if (m->signal_count > m->plain_count)
        get_others(bus, s + m->plain_count, m->signal_count - m->plain_count, msg, sinks, stamps_ns,
                   state);
    return index;
}

int bus_supervise(const struct bus *bus, struct bus_state *state, int64_t now_ns,
                  struct can_rx_events *events)
{
    int silent = 0;
    for (uint32_t i = 0; i < bus->received_count; i++)
        silent += can_rx_watch(&bus->received[i].rule, &state->received[i], now_ns, i, events);
    return silent;
}

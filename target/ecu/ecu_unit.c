#include "target/ecu/ecu_unit.h"

#include <string.h>

void ecu_unit_reset(struct ecu_unit *u)
{
    ecu_reset(&u->state);
    ecu_rx_reset(&u->rx);
    memset(&u->tx, 0, sizeof u->tx);
    for (int i = 0; i < ECU_RX_SLOTS; i++)
        u->sinks[i] = *ecu_rx_at(&u->rx, i); /* what no frame carries stays so */
    u->next_ns = INT64_MIN;
    u->cycles = 0;
    u->on = 0;
    u->violations = 0;
}

static uint32_t frame_fault(uint32_t kind)
{
    switch (kind) {
    case CAN_RX_TIMEOUT:
        return ECU_FRAME_TIMEOUT;
    case CAN_RX_SUM:
        return ECU_FRAME_CRC;
    case CAN_RX_REPEATED:
    case CAN_RX_SEQUENCE:
        return ECU_FRAME_COUNTER;
    case CAN_RX_LENGTH:
        return ECU_FRAME_LENGTH;
    default:
        return 0;
    }
}

/* What the receive rules found, to the sources of that message; kept until the cycle. */
static void note(struct ecu_unit *u, const struct can_rx_events *events)
{
    for (uint32_t i = 0; i < events->count; i++) {
        uint32_t fault = frame_fault(events->list[i].kind);
        u->violations += fault != 0;
        for (int k = 0; k < ECU_SOURCES; k++)
            if (u->sources_of[events->list[i].message] >> k & 1u)
                u->rx.source[k].faults |= fault;
    }
}

/* A source of several frames is as old as the oldest of them. */
static void age_sources(struct ecu_unit *u)
{
    for (int k = 0; k < ECU_SOURCES; k++) {
        struct ecu_source *s = &u->rx.source[k];
        s->frames = 0;
        s->time_ns = INT64_MAX;
        for (uint32_t m = 0; m < u->bus->received_count; m++) {
            const struct can_rx_status *r = &u->bus_state.received[m];
            if (!(u->sources_of[m] >> k & 1u))
                continue;
            s->frames += r->protect.good;
            if (r->good_ns < s->time_ns)
                s->time_ns = r->good_ns;
        }
    }
}

void ecu_unit_take(struct ecu_unit *u, int64_t now_ns, const struct can_msg *received, int n)
{
    struct can_rx_event list[ECU_UNIT_EVENTS];
    struct can_rx_events events = {.list = list, .room = ECU_UNIT_EVENTS};
    if (!u->on)
        bus_reset(u->bus, &u->bus_state, 0, now_ns);
    u->on = 1;
    for (int i = 0; i < n; i++)
        if (!(received[i].flags & (CAN_MSG_OWN | CAN_MSG_ERROR)) &&
            !diag_take(&u->diag, &received[i], now_ns))
            (void)bus_decode(u->bus, &u->bus_state, &received[i], u->sinks, NULL, &events);
    note(u, &events);
}

int ecu_unit_cycle(struct ecu_unit *u, int64_t now_ns, struct can_msg *sent, int max)
{
    struct can_rx_event list[ECU_UNIT_EVENTS];
    struct can_rx_events events = {.list = list, .room = ECU_UNIT_EVENTS};
    (void)bus_supervise(u->bus, &u->bus_state, now_ns, &events);
    note(u, &events);
    for (int i = 0; i < ECU_RX_SLOTS; i++)
        *ecu_rx_at(&u->rx, i) = u->sinks[i];
    age_sources(u);
    ecu_step(&u->params, &u->state, &u->rx, &u->tx, now_ns);
    for (int k = 0; k < ECU_SOURCES; k++)
        u->rx.source[k].faults = 0;
    for (int i = 0; i < ECU_TX_SLOTS; i++)
        u->values[i] = *ecu_tx_at(&u->tx, i);
    struct uds_unit view = {.params = &u->params, .state = &u->state, .rx = &u->rx, .tx = &u->tx};
    int n = 0;
    if (u->state.power.state != ECU_POWER_OFF) /* asleep: the alive counters wait */
        n = bus_encode(u->bus, &u->bus_state, u->cycles++, u->values, sent, max);
    return n + diag_cycle(&u->diag, &view, now_ns, sent + n, max - n);
}

int ecu_unit_step(struct ecu_unit *u, int64_t now_ns, const struct can_msg *received, int n,
                  struct can_msg *sent, int max)
{
    if (u->next_ns == INT64_MIN)
        u->next_ns = now_ns;
    ecu_unit_take(u, now_ns, received, n);
    if (now_ns < u->next_ns)
        return 0;
    u->next_ns += ECU_CYCLE_NS;
    if (u->next_ns <= now_ns)
        u->next_ns += (now_ns - u->next_ns) / ECU_CYCLE_NS * ECU_CYCLE_NS + ECU_CYCLE_NS;
    return ecu_unit_cycle(u, now_ns, sent, max);
}

int ecu_unit_step_any(void *self, int64_t now_ns, const struct can_msg *received, int n,
                      struct can_msg *sent, int max)
{
    return ecu_unit_step(self, now_ns, received, n, sent, max);
}

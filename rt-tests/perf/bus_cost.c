/* The demo bus for measurements: what the bench does with its frames in one tick.
 *
 *   bus_cost spread    frames at the ticks that the loader chose
 *   bus_cost together  in every tick all twelve frames, and the unit's four received
 *
 * Under callgrind each call of bus_tick() is one tick: frames decoded, checked and supervised,
 * frames encoded and protected. */
#include "shared/base/time.h"
#include "shared/can/bus_load.h"
#include "shared/wire/signals.h"
#include "target/ecu/ecu_signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 512, FRAMES = 32, TICKS = 500 };

struct side {
    struct bus *bus;
    struct bus_state state;
    double sources[SLOTS], sinks[SLOTS];
    int64_t stamps_ns[SLOTS];
    struct can_msg out[FRAMES], in[FRAMES];
    int out_count, in_count;
    struct signals signals;
    struct can_rx_event list[FRAMES];
    struct can_rx_events events;
};

/* Not static, so that callgrind finds it. */
__attribute__((noinline)) void bus_tick(struct side *s, int64_t tick);
void bus_tick(struct side *s, int64_t tick)
{
    for (int i = 0; i < s->in_count; i++)
        (void)bus_decode(s->bus, &s->state, &s->in[i], s->sinks, s->stamps_ns, &s->events);
    (void)bus_supervise(s->bus, &s->state, tick * s->bus->tick_ns, &s->events);
    s->out_count = bus_encode(s->bus, &s->state, tick, s->sources, s->out, FRAMES);
}

/* All messages of the side in every tick. */
static void put_together(struct bus *bus)
{
    for (uint32_t i = 0; i < bus->sent_count; i++) {
        bus->sent[i].period_ticks = 1;
        bus->sent[i].offset_ticks = 0;
    }
    for (uint32_t i = 0; i < bus->received_count; i++)
        bus->received[i].rule.early_ns = 0;
}

static int open_side(struct side *s, enum bus_role role, bool together)
{
    static const char text[] = "name: chassis\nbus: config/can/skidpad_chassis.yaml\n";
    static struct bus_slot sources[SLOTS], sinks[SLOTS];
    struct bus_setup setup = {.role = role,
                              .tick_ns = NS_PER_MS,
                              .sources = sources,
                              .source_count = role == BUS_BENCH ? signal_count : ECU_TX_SLOTS,
                              .sinks = sinks,
                              .sink_count = role == BUS_BENCH ? signal_count : ECU_RX_SLOTS};
    for (size_t i = 0; role == BUS_BENCH && i < signal_count; i++)
        sources[i] = sinks[i] = (struct bus_slot){signal_table[i].name, signal_table[i].unit};
    for (size_t i = 0; role == BUS_UNIT && i < ECU_TX_SLOTS; i++)
        sources[i] = (struct bus_slot){ecu_tx_slots[i].name, ecu_tx_slots[i].unit};
    for (size_t i = 0; role == BUS_UNIT && i < ECU_RX_SLOTS; i++)
        sinks[i] = (struct bus_slot){ecu_rx_slots[i].name, ecu_rx_slots[i].unit};
    struct cfg_doc *doc = NULL;
    if (cfg_open_text("bench.yaml", text, sizeof text - 1, &doc) ||
        bus_load(cfg_root(doc), &setup, &s->bus)) {
        cfg_print_messages(doc, stderr);
        cfg_close(doc);
        return 2;
    }
    cfg_close(doc);
    if (together)
        put_together(s->bus);
    s->events = (struct can_rx_events){.list = s->list, .room = FRAMES};
    bus_reset(s->bus, &s->state, 0, 0);
    return 0;
}

/* Values that fill the signals, so that no shortcut is taken. */
static void drive(struct side *s, int64_t tick)
{
    for (size_t i = 0; i < signal_count; i++)
        if (signal_table[i].type == SIGNAL_f64)
            *(double *)(void *)((char *)&s->signals + signal_table[i].offset) =
                0.07 * (double)(tick % 11);
    s->signals.fl_sensor_edges = (uint32_t)(7 * tick);
    s->signals.fl_sensor_edge_ns = 999983 * tick;
    s->signals.sensor_master_Pa = 4e6;
    s->signals.gear = 3;
}

int main(int argc, char **argv)
{
    static struct side bench, unit; /* large: not for the stack */
    if (argc != 2 || (strcmp(argv[1], "spread") != 0 && strcmp(argv[1], "together") != 0)) {
        fprintf(stderr, "usage: bus_cost spread|together\n");
        return 2;
    }
    bool together = strcmp(argv[1], "together") == 0;
    if (open_side(&bench, BUS_BENCH, together) || open_side(&unit, BUS_UNIT, together))
        return 2;
    int sent = 0, received = 0;
    for (int64_t tick = 0; tick < TICKS; tick++) {
        drive(&bench, tick);
        bench.in_count = bus_encode(unit.bus, &unit.state, tick, unit.sources, bench.in, FRAMES);
        for (int i = 0; i < bench.in_count; i++)
            bench.in[i].time_ns = tick * bench.bus->tick_ns;
        for (uint32_t i = 0; i < bench.bus->used_count; i++)
            bench.sources[bench.bus->used[i]] = signal_value(&bench.signals, bench.bus->used[i]);
        bus_tick(&bench, tick);
        sent = bench.out_count > sent ? bench.out_count : sent;
        received = bench.in_count > received ? bench.in_count : received;
    }
    printf("%d %d\n", sent, received);
    bus_free(bench.bus);
    bus_free(unit.bus);
    return 0;
}

#include "rt-tests/support/bus_demo.h"

#include "shared/wire/signals.h"
#include "target/ecu/ecu_signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t bus_demo_slots(enum bus_role role, bool sinks, struct bus_slot slots[BUS_DEMO_SLOTS])
{
    if (role == BUS_BENCH) {
        for (size_t i = 0; i < signal_count; i++)
            slots[i] = (struct bus_slot){signal_table[i].name, signal_table[i].unit};
        return signal_count;
    }
    const struct ecu_slot *table = sinks ? ecu_rx_slots : ecu_tx_slots;
    size_t count = sinks ? ECU_RX_SLOTS : ECU_TX_SLOTS;
    for (size_t i = 0; i < count; i++)
        slots[i] = (struct bus_slot){table[i].name, table[i].unit};
    return count;
}

int bus_demo_slot(enum bus_role role, bool sinks, const char *name)
{
    struct bus_slot slots[BUS_DEMO_SLOTS];
    size_t count = bus_demo_slots(role, sinks, slots);
    for (size_t i = 0; i < count; i++)
        if (strcmp(slots[i].name, name) == 0)
            return (int)i;
    fprintf(stderr, "no slot %s\n", name);
    exit(1);
}

struct bus *bus_demo_text(const char *text, enum bus_role role, int64_t tick_ns,
                          struct cfg_doc **doc)
{
    struct bus_slot sources[BUS_DEMO_SLOTS], sinks[BUS_DEMO_SLOTS];
    struct bus_setup setup = {.role = role,
                              .tick_ns = tick_ns,
                              .index = 1,
                              .sources = sources,
                              .source_count = bus_demo_slots(role, false, sources),
                              .sinks = sinks,
                              .sink_count = bus_demo_slots(role, true, sinks)};
    struct bus *bus = NULL;
    if (cfg_open_text("config/can/bench.yaml", text, strlen(text), doc) == 0)
        (void)bus_load(cfg_root(*doc), &setup, &bus);
    return bus;
}

struct bus *bus_demo(enum bus_role role, int64_t tick_ns)
{
    struct cfg_doc *doc = NULL;
    struct bus *bus = bus_demo_text("name: chassis\ntransport: memory\nbus: skidpad_chassis.yaml\n",
                                    role, tick_ns, &doc);
    if (!bus) {
        cfg_print_messages(doc, stderr);
        exit(1);
    }
    cfg_close(doc);
    return bus;
}

#include "rt-tests/support/bus_demo.h"

#include "shared/wire/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bus_slot unit_sinks[] = {
    {"fl_edges", "1"},         {"fr_edges", "1"},      {"rl_edges", "1"},
    {"rr_edges", "1"},         {"fl_edge_us", "us"},   {"fr_edge_us", "us"},
    {"rl_edge_us", "us"},      {"rr_edge_us", "us"},   {"yaw_rate_radps", "rad/s"},
    {"acc_x_mps2", "m/s2"},    {"acc_y_mps2", "m/s2"}, {"hand_wheel_rad", "rad"},
    {"master_Pa", "Pa"},       {"brake_switch", "1"},  {"accelerator", "1"},
    {"engine_radps", "rad/s"}, {"engine_Nm", "Nm"},    {"gear", "1"},
};

static const struct bus_slot unit_sources[] = {
    {"fl_pressure_Pa", "Pa"}, {"fr_pressure_Pa", "Pa"},
    {"rl_pressure_Pa", "Pa"}, {"rr_pressure_Pa", "Pa"},
    {"control", "1"},         {"fl_phase", "1"},
    {"fr_phase", "1"},        {"rl_phase", "1"},
    {"rr_phase", "1"},        {"fl_mps", "m/s"},
    {"fr_mps", "m/s"},        {"rl_mps", "m/s"},
    {"rr_mps", "m/s"},        {"reference_mps", "m/s"},
    {"abs_active", "1"},      {"ebd_active", "1"},
    {"lamp_abs", "1"},        {"lamp_brake", "1"},
    {"lamp_esp", "1"},        {"mode", "1"},
    {"fault", "1"},           {"friction", "1"},
};

size_t bus_demo_slots(enum bus_role role, bool sinks, struct bus_slot slots[BUS_DEMO_SLOTS])
{
    if (role == BUS_BENCH) {
        for (size_t i = 0; i < signal_count; i++)
            slots[i] = (struct bus_slot){signal_table[i].name, signal_table[i].unit};
        return signal_count;
    }
    size_t count = sinks ? sizeof unit_sinks / sizeof unit_sinks[0]
                         : sizeof unit_sources / sizeof unit_sources[0];
    memcpy(slots, sinks ? unit_sinks : unit_sources, count * sizeof slots[0]);
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

/* The states of the sensors by name. */
#include "target/model/sensors.h"

#define BANK struct sensors_state

static const struct state_info states[] = {
    STATE(BANK, bank.filtered, f64, NUMBERED, LAG, "1", 1.0),
    STATE(BANK, bank.random, u64, NUMBERED, MEMORY, "1", 1.0),
    STATE(BANK, bank.delay_at, u32, NUMBERED, MEMORY, "1", 1.0),
    STATE(BANK, toothed.last.teeth, f64, WHEELS, MEMORY, "1", 1.0),
    STATE(BANK, toothed.last.teeth_hz, f64, WHEELS, MEMORY, "1/s", 1.0),
    STATE(BANK, toothed.tooth, f64, WHEELS, MEMORY, "1", 1.0),
    STATE(BANK, toothed.speed_radps, f64, WHEELS, MEMORY, "rad/s", 1.0),
    STATE(BANK, toothed.edge_ns, i64, WHEELS, MEMORY, "ns", 1e6),
    STATE(BANK, toothed.used_ns, i64, WHEELS, MEMORY, "ns", 1e6),
    STATE(BANK, toothed.edges, u32, WHEELS, MEMORY, "1", 1.0),
    STATE(BANK, toothed.used_edges, u32, WHEELS, MEMORY, "1", 1.0),
    STATE(BANK, toothed.random, u64, WHEELS, MEMORY, "1", 1.0),
    STATE(BANK, toothed.usable, u32, ONE, MEMORY, "1", 1.0),
    STATE(BANK, toothed.cycle_tick, u32, ONE, MEMORY, "1", 1.0),
    STATE(BANK, toothed_delay_at, u32, ONE, MEMORY, "1", 1.0),
    STATE(BANK, switch_delay_at, u32, ONE, MEMORY, "1", 1.0),
    STATE(BANK, switch_closed, u32, ONE, MEMORY, "1", 1.0),
    STATE(BANK, delays, f64, NUMBERED, MEMORY, "1", 1.0),
};

const struct state_table sensors_states = {states, sizeof states / sizeof states[0]};

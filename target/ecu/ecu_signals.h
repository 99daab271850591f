/* Names of the unit's slots, for whoever binds CAN signals to them. */
#ifndef SKIDPAD_ECU_ECU_SIGNALS_H
#define SKIDPAD_ECU_ECU_SIGNALS_H

#include "target/ecu/ecu_io.h"

#include <stddef.h>

struct ecu_slot {
    const char *name, *unit, *meaning;
    size_t offset; /* of the double in struct ecu_rx or struct ecu_tx */
    int source;    /* enum ecu_source_id; of a sent one: -1 */
};

/* Index of each slot, in the order of the tables. */
enum ecu_rx_slot {
#define ECU_RX(name, field, unit, source, meaning) ECU_RX_##name,
#define ECU_TX(name, field, unit, meaning)
#include "target/ecu/ecu_signals.def"
#undef ECU_RX
#undef ECU_TX
    ECU_RX_SLOTS
};
enum ecu_tx_slot {
#define ECU_RX(name, field, unit, source, meaning)
#define ECU_TX(name, field, unit, meaning) ECU_TX_##name,
#include "target/ecu/ecu_signals.def"
#undef ECU_RX
#undef ECU_TX
    ECU_TX_SLOTS
};

extern const struct ecu_slot ecu_rx_slots[ECU_RX_SLOTS];
extern const struct ecu_slot ecu_tx_slots[ECU_TX_SLOTS];

static inline double *ecu_rx_at(struct ecu_rx *rx, int slot)
{
    return (double *)(void *)((char *)rx + ecu_rx_slots[slot].offset);
}

static inline const double *ecu_tx_at(const struct ecu_tx *tx, int slot)
{
    return (const double *)(const void *)((const char *)tx + ecu_tx_slots[slot].offset);
}

#endif

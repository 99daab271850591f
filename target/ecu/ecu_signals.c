#include "target/ecu/ecu_signals.h"

#define ECU_TX(name, field, unit, meaning)
#define ECU_RX(name, field, unit, source, meaning)                                                 \
    {#name, unit, meaning, offsetof(struct ecu_rx, field), ECU_SOURCE_##source},
const struct ecu_slot ecu_rx_slots[ECU_RX_SLOTS] = {
#include "target/ecu/ecu_signals.def"
};
#undef ECU_RX
#undef ECU_TX

#define ECU_RX(name, field, unit, source, meaning)
#define ECU_TX(name, field, unit, meaning)                                                         \
    {#name, unit, meaning, offsetof(struct ecu_tx, field), -1},
const struct ecu_slot ecu_tx_slots[ECU_TX_SLOTS] = {
#include "target/ecu/ecu_signals.def"
};
#undef ECU_RX
#undef ECU_TX

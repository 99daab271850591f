/* The stand-in unit with its bus: frames in, frames out. The same object is the program
 * `skidpad ecu` and the unit that runs in lock-step inside a simulated run.
 *
 * ecu_unit_load.h makes it; after that nothing allocates. */
#ifndef SKIDPAD_ECU_ECU_UNIT_H
#define SKIDPAD_ECU_ECU_UNIT_H

#include "shared/can/bus.h"
#include "target/ecu/diag.h"
#include "target/ecu/ecu.h"
#include "target/ecu/ecu_signals.h"

enum { ECU_UNIT_EVENTS = 64 };

struct ecu_unit {
    /* const */
    struct ecu_params params;
    struct bus *bus;
    uint32_t sources_of[BUS_RECEIVED]; /* bit k: the message feeds source k */
    /* state */
    struct bus_state bus_state;
    struct ecu_state state;
    struct ecu_rx rx;
    struct ecu_tx tx;
    struct diag diag;
    double sinks[ECU_RX_SLOTS], values[ECU_TX_SLOTS];
    int64_t next_ns; /* of the cycle of ecu_unit_step() */
    int64_t cycles;
    uint32_t on; /* frames are supervised since the first call */
    uint32_t reserved;
    uint64_t violations; /* of the receive rules */
};

/* As after switching on; codes and what names the unit are kept. */
void ecu_unit_reset(struct ecu_unit *u);

/* Takes the n frames that have arrived. */
void ecu_unit_take(struct ecu_unit *u, int64_t now_ns, const struct can_msg *received, int n);
/* One cycle, to be called every 5 ms. Returns how many frames are in sent, at most max. */
int ecu_unit_cycle(struct ecu_unit *u, int64_t now_ns, struct can_msg *sent, int max);
/* Both, for a caller with shorter ticks and an exact clock: a cycle every 5 ms of now_ns from the
 * first call on; cycles that were missed are left out, as in a unit that was held up. Returns how
 * many frames are in sent; 0 between cycles. */
int ecu_unit_step(struct ecu_unit *u, int64_t now_ns, const struct can_msg *received, int n,
                  struct can_msg *sent, int max);
/* The same for callers that know it as a unit among others: self is the ecu_unit. */
int ecu_unit_step_any(void *self, int64_t now_ns, const struct can_msg *received, int n,
                      struct can_msg *sent, int max);

#endif

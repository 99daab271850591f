/* The buses of a bench file, docs/can.md and docs/faults.md. Set-up only. */
#ifndef SKIDPAD_TARGET_CAN_LINK_LOAD_H
#define SKIDPAD_TARGET_CAN_LINK_LOAD_H

#include "shared/config/config.h"
#include "target/can_link.h"
#include "target/scenario/fault_load.h"

/* Reads `can:`, `pressures:`, `latency:` of a bench file. Complaints go into its document. Returns
 * NULL if there is no bus, or on failure. period_ns is the tick's. */
struct can_link *can_link_load(const struct cfg_node *root, int64_t period_ns);
/* Reads what is special to frame faults; the owner is the link. */
extern void can_link_load_fault(void *owner, const struct cfg_node *entry, int index);
/* Ports are closed with it. */
void can_link_free(struct can_link *c);

/* Opens the ports: as the bench file says, or, with a simulated clock, a bus in memory with the
 * unit on its other side. Returns 0 or a negative errno. */
int can_link_open(struct can_link *c, bool simulated, struct err *e);
/* The first tick. */
void can_link_start(struct can_link *c, int64_t now_ns);

#endif

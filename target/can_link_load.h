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
void can_link_load_fault(void *owner, const struct cfg_node *n, int index);
/* Ports are closed with it. */
void can_link_free(struct can_link *c);

/* Opens the ports: as the bench file says, or, with a simulated clock, a bus in memory with the
 * unit on its other side (replayed logs stay what they are). Below 0.5 ms a gateway's thread makes
 * the system calls. frames: a candump log of everything; empty: none. Returns 0 or a negative
 * errno. */
struct can_link_ports {
    bool simulated;
    int64_t period_ns;
    int priority; /* of the real-time thread */
    int cpu;      /* likewise; < 0: any */
    bool allow_nonrt;
    bool gateway;            /* always: the real-time thread may call nothing of Linux */
    const atomic_bool *mute; /* when it is set nothing is sent any more; NULL: never */
};

int can_link_open(struct can_link *c, const struct can_link_ports *p, struct err *e);
/* Whether there are FD frames on that bus. */
bool can_link_has_fd(const struct can_link *c, int bus);
/* Every frame goes into a candump log from now on; an older file of that name stays until
 * can_link_record_keep(). */
int can_link_record(struct can_link *c, const char *path, bool simulated, struct err *e);
int can_link_record_keep(struct can_link *c, struct err *e);
/* For a thread that may wait for the disk: writes the frames that have come. */
void can_link_record_drain(void *link);
/* For another one: asks the disk to store them. Returns 0 or a negative errno. */
int can_link_record_sync(void *link);
/* Outside the tick, now and then: what the ports want done. */
void can_link_service(struct can_link *c);
/* The simulated clock is faster than the disk: writes the log of frames when it is half full. */
void can_link_pace(struct can_link *c);
/* After the loop has ended: the last frames leave, counts and the log of frames are complete. */
void can_link_finish(struct can_link *c);
/* The first tick. */
void can_link_start(struct can_link *c, int64_t now_ns);
/* Before it: forgets frames that came while the run waited. */
void can_link_drain(struct can_link *c, int64_t now_ns);

#endif

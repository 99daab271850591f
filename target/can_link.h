/* The buses of a bench in the tick: what the unit sends becomes signals and pressures, what the car
 * does becomes frames.
 *
 * can_link_load.c makes it from the bench file; after that nothing here allocates. The real-time
 * thread owns it while the loop runs; others may read what is const and, after the end, the rest.
 */
#ifndef SKIDPAD_TARGET_CAN_LINK_H
#define SKIDPAD_TARGET_CAN_LINK_H

#include "shared/base/ring.h"
#include "shared/can/bus.h"
#include "shared/can/frame_fault.h"
#include "target/diagnosis.h"
#include "target/io/can_gateway.h"
#include "target/io/can_memory.h"
#include "target/io/can_record.h"
#include "target/io/can_watch.h"
#include "target/latency.h"
#include "target/loop.h"
#include "target/pressure_in.h"
#include "target/torque_in.h"
#include "target/valve_in.h"
#include "target/watchdog_page.h"

enum { CAN_LINK_BUSES = 4, CAN_LINK_WINDOW = 10, CAN_LINK_RECEIVE = 4 * CAN_BATCH };

/* One bus: its tables, its port, and the faults put on its frames. */
struct can_link_bus {
    struct bus *bus;
    struct can_port *port;
    struct can_memory *memory; /* of a simulated clock; NULL: the port is of another kind */
    struct bus_state state;
    struct can_watch watch;
    struct frame_faults sent_faults, received_faults;
    struct frame_fault_state sent_state, received_state;
    struct can_wait to_tick; /* from the stamp of a frame until the tick that takes it */
};

/* A unit that runs in lock-step in this process, on the other side of the first bus: it gets the
 * frames that have arrived by now and says what it sends. */
struct can_unit {
    int (*step)(void *self, int64_t now_ns, const struct can_msg *received, int n,
                struct can_msg *sent, int max);
    void *self;
    struct can_port *port; /* NULL: there is none */
};

/* Which fault of the bench is which frame fault of which bus. */
struct can_link_fault {
    int bus;   /* -1: not given */
    bool sent; /* of frames to the unit, else from it */
    uint32_t index;
};

struct can_link {
    int buses;
    struct can_link_bus bus[CAN_LINK_BUSES];
    struct can_unit unit;
    struct can_link_fault fault[FAULTS];  /* by the fault's frame number */
    struct can_record *record;            /* every frame goes there; NULL: nowhere */
    bool drain_in_tick;                   /* simulated clock: the tick writes them itself */
    uint64_t frames_written, frames_lost; /* after the end */
    int frames_error;                     /* the file is not complete: a negative errno */
    /* the slots: one source for each signal, one sink for each linked signal */
    double *sources, *sinks;
    int64_t *stamps_ns;
    int *sink_signal; /* index in signal_table */
    int *bound;       /* sinks that some bus fills */
    int bound_count;
    /* pressures */
    bool takes_pressures;
    bool takes_valves, valve_pulses; /* valves and pump are bound: they act, not the pressures */
    bool valves_old;                 /* the last frame is too old: at rest */
    int pressure_bus, pressure_message, pressure_sink; /* of the front left one; -1: none */
    int echo_bus, echo_message;
    int echo_sink; /* -1: the unit echoes nothing */
    struct pressure_rule rule;
    struct pressure_state pressure;
    int torque_sink;                /* the unit's torque request; -1: no frame has one */
    bool started;                   /* a good pressure frame was seen */
    bool may_sleep;                 /* the ignition is off: silence is no fault */
    struct diagnosis diagnosis;     /* the tester */
    struct watchdog_page *watchdog; /* shared with it; NULL: there is none */
    bool muted;                     /* it has acted: nothing is sent any more */
    /* latency */
    int wheel_bus, wheel_message; /* the frame whose counter the unit echoes; -1: none */
    struct latency latency;
    /* violations of the receive rules: in all, and in a window of one second */
    uint32_t violations;
    int64_t violation_limit; /* per second; more: safe state; 0: never */
    uint32_t window[CAN_LINK_WINDOW];
    int64_t window_tick, window_slot; /* ticks a slot; the slot of this tick, counted on */
    /* scratch of the tick */
    struct can_msg in[CAN_LINK_RECEIVE], faulty[BUS_SENT], out[BUS_SENT];
};

extern const struct loop_link can_link;

/* For the seccomp filter: whether a port makes system calls in the tick. */
bool can_link_uses_sockets(const struct can_link *c);

void can_link_print(const struct can_link *c, FILE *to);

#endif

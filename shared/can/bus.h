/* A compiled bus: the messages this side sends and those it receives.
 *
 * bus_load() (shared/can/bus_load.h) makes it from a DBC file and the bench file; the loop and the
 * stand-in unit use the same tables with roles swapped. In the tick there are no strings, no heap,
 * no unbounded loop; all that changes is in struct bus_state.
 *
 * Values are doubles in slots of the caller, found by name at load: sources are what sent signals
 * are taken from, sinks what received ones go to, each in its own unit. A double holds whole
 * numbers up to 2^53, so times in ns stay exact for 104 days.
 *
 *     in every tick:
 *         for each received frame:  bus_decode(bus, state, &msg, sinks, stamps_ns, &events);
 *         bus_supervise(bus, state, now_ns, &events);
 *         ...
 *         if (bus_due(state, tick))
 *             fill sources[bus->used[0 .. used_count - 1]], then
 *             n = bus_encode(bus, state, tick, sources, msgs, BUS_SENT); */
#ifndef SKIDPAD_CAN_BUS_H
#define SKIDPAD_CAN_BUS_H

#include "shared/can/codec.h"
#include "shared/can/msg.h"
#include "shared/can/protect.h"
#include "shared/can/receive.h"
#include "shared/can/schedule.h"

#include <stdbool.h>
#include <stdint.h>

enum { BUS_SENT = 512, BUS_RECEIVED = 256, BUS_TEXT = 128 };

enum bus_signal_kind {
    BUS_VALUE,   /* a slot; clamped to what the signal can hold */
    BUS_WRAPPED, /* a slot, modulo 2^bits: counts and time stamps */
    BUS_FIXED,   /* a raw value (in multiplexed messages; elsewhere it is in the template) */
    BUS_CYCLE    /* raw first, first + 1, ..., values of them, one step for each frame */
};

struct bus_signal {
    struct can_code code; /* between the raw bits and the value of the slot */
    int32_t slot;         /* source or sink; -1: none */
    int32_t times;        /* sent: this source is a factor; -1: none */
    uint32_t kind;        /* enum bus_signal_kind */
    int32_t mux;          /* index of the condition in bus.mux; -1: always in the frame */
    uint64_t first, values;
};

struct bus_sent {
    struct can_msg frame; /* id, length, flags, and all that never changes */
    struct protect_rule protect;
    uint32_t protect_on; /* 0: neither checksum nor counter */
    uint32_t period_ticks, offset_ticks;
    uint32_t signal, signal_count; /* in bus.signals */
    uint32_t plain_count; /* so many of them, the first, are just values (code_is_simple()) */
    const char *name;
};

struct bus_received {
    uint32_t id;
    uint32_t signal, signal_count;
    uint32_t plain_count; /* so many of them, the first, are simple and in every frame */
    struct can_rx_rule rule;
    const char *name;
};

/* Identifiers of the diagnosis of the unit under test, with CAN_ID_EXTENDED; request 0: none. */
struct bus_diagnosis {
    uint32_t request, response;
    uint32_t functional; /* requests to all units; 0: none */
};

/* Const after loading. */
struct bus {
    char name[BUS_TEXT], transport[BUS_TEXT];
    int64_t tick_ns;
    int64_t bit_rate; /* bit/s, of the arbitration; 0: not known */
    bool gateway;     /* always through the gateway's thread, whatever the period */
    bool newest;      /* of frames that are late by a cycle only the newest is sent, else all */
    struct bus_sent *sent; /* in the order in which the bus would let them through */
    uint32_t sent_count;
    struct bus_received *received; /* by rising id */
    uint32_t received_count;
    struct bus_signal *signals;
    struct can_mux *mux;
    uint32_t *used; /* the sources that are used, rising: the others need not be filled */
    uint32_t used_count;
    int32_t *sink_message; /* for each sink: index of its received message, -1 if none */
    uint32_t sink_count;
    struct schedule_load busiest; /* weight: bits on the wire */
    struct bus_diagnosis diagnosis;
    uint32_t index; /* of the bus in the bench; goes into every frame */
    double load;    /* share of the bus that the sent frames take; 0: not known */
    void *dbc;      /* struct dbc, which holds the names and ranges used above */
};

/* Plain data: copying it is a snapshot. */
struct bus_state {
    int64_t soonest; /* the least of next_tick */
    int64_t next_tick[BUS_SENT];
    uint32_t sent[BUS_SENT]; /* frames of each message so far; the alive counter follows it */
    struct can_rx_status received[BUS_RECEIVED];
    uint64_t unknown;   /* received ids that are not in the tables */
    uint64_t foreign;   /* received ids that this side sends: somebody else sends them too */
    uint64_t clamped;   /* values that the signal could not hold */
    uint64_t no_number; /* values that were NaN or infinite: the one before stayed */
    uint64_t left_out;  /* frames that did not fit into the caller's array */
};

void bus_reset(const struct bus *bus, struct bus_state *state, int64_t tick, int64_t now_ns);

/* Whether a frame is due in this tick: otherwise the sources need not be filled. */
static inline bool bus_due(const struct bus_state *state, int64_t tick)
{
    return tick >= state->soonest;
}

/* Encodes and protects the frames due in this tick. Returns how many are in out. */
int bus_encode(const struct bus *bus, struct bus_state *state, int64_t tick, const double *sources,
               struct can_msg *out, int max);

/* Takes one received frame. If it is good, its values go to their sinks, and stamps_ns of those
 * becomes the frame's time: the age of a value is now minus its stamp. stamps_ns may be NULL.
 * Returns the index of the message, or -1 if nothing was taken. */
int bus_decode(const struct bus *bus, struct bus_state *state, const struct can_msg *msg,
               double *sinks, int64_t *stamps_ns, struct can_rx_events *events);

/* Once a tick after all frames: looks for time-outs. Returns how many messages are timed out. */
int bus_supervise(const struct bus *bus, struct bus_state *state, int64_t now_ns,
                  struct can_rx_events *events);

#endif

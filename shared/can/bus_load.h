/* A bus from its description: the item of the bench file's list `can`, perhaps with a bus file, and
 * a DBC file. docs/can.md, "Bus description", has the keys. Set-up only. */
#ifndef SKIDPAD_CAN_BUS_LOAD_H
#define SKIDPAD_CAN_BUS_LOAD_H

#include "shared/can/bus.h"
#include "shared/config/config.h"

#include <stddef.h>

enum bus_role {
    BUS_BENCH, /* sends what the unit does not send, receives what it sends */
    BUS_UNIT   /* the other way round */
};

/* A value of the caller that can be bound; its index in the list is its slot. */
struct bus_slot {
    const char *name;
    const char *unit; /* as in shared/can/units.c */
};

struct bus_setup {
    enum bus_role role;
    int64_t tick_ns; /* bus_encode() is called every tick */
    uint32_t index;  /* of the bus in the bench */
    const struct bus_slot *sources;
    size_t source_count;
    const struct bus_slot *sinks;
    size_t sink_count;
    /* Only the messages of this mapping are sent, with its values: like `bind`, but numbers and
     * texts only. Their other signals have the constants of `bind`, else their start values.
     * Nothing is received. NULL: all as the description says. */
    const struct cfg_node *safe;
};

/* Reads and checks everything below the mapping (and calls cfg_done() on it). Returns 0 or a
 * negative errno; -EINVAL: the messages are in the document, those of a bus file and of the DBC
 * file with their own place. *out is NULL on failure; bus_free() frees it. */
int bus_load(const struct cfg_node *map, const struct bus_setup *setup, struct bus **out);
void bus_free(struct bus *bus);

/* The keys request_id, response_id, functional_id of a mapping; what is absent stays. Identifiers
 * above 0x7ff have 29 bits. */
void bus_diagnosis_load(const struct cfg_node *map, struct bus_diagnosis *d);

/* Index of a sent or received message by its name; -1 if it is not there. */
int bus_find_sent(const struct bus *bus, const char *name);
int bus_find_received(const struct bus *bus, const char *name);

#endif

/* What the parts of the bus loader share: a plan for each message of the database, filled from the
 * descriptions one after the other, checked and then compiled. */
#ifndef SKIDPAD_CAN_BUS_LOAD_PLAN_H
#define SKIDPAD_CAN_BUS_LOAD_PLAN_H

#include "shared/can/bus_load.h"
#include "shared/can/dbc.h"

enum plan_use { PLAN_START, PLAN_CONSTANT, PLAN_COUNTER, PLAN_SLOT };

struct plan_signal {
    const struct cfg_node *map; /* the mapping that binds it, and its key: for messages */
    const char *key;
    int use;         /* enum plan_use */
    double constant; /* physical */
    int slot, times; /* -1: none */
    double scale, offset;
    bool scaled, wrap;
};

struct plan_message {
    const struct dbc_message *dbc;
    const struct cfg_node *map; /* where it is described last; NULL: nowhere */
    const char *key;
    bool by_unit, sent, received, bound;
    bool use;                                          /* false: not there for either side */
    double cycle_ms, offset_ms, timeout_ms, tolerance; /* < 0: not given */
    bool protect_on;
    struct protect_rule protect;
    struct plan_signal *signals;
};

struct plan {
    const struct bus_setup *setup;
    const struct cfg_node *top; /* the item of the bench file */
    struct dbc dbc;
    struct plan_message *messages;
    struct plan_signal *signals;
    double cycle_ms, startup_ms;
    int64_t bit_rate;
    struct bus_diagnosis diagnosis;
};

/* A whole number up to max, decimal or 0x hexadecimal; leaves *value alone if absent or wrong. */
void plan_code(const struct cfg_node *map, const char *key, uint64_t max, uint64_t *value);
bool plan_parse_code(const char *text, uint64_t max, uint64_t *value);

/* The mapping `protection` of a message. */
void plan_protection(const struct cfg_node *map, struct plan_message *m);

/* A mapping of message names to mappings of signals. For each signal of a message that is sent or
 * received; what the other side does is passed over. */
void plan_bind(const struct plan *plan, const struct cfg_node *map);

/* One signal into its table entry. Returns false with a message. */
bool plan_compile_sent(const struct plan *plan, const struct plan_message *m, size_t signal,
                       struct bus_signal *out);
bool plan_compile_received(const struct plan *plan, const struct plan_message *m, size_t signal,
                           struct bus_signal *out);

/* The message of a name; NULL with a message at the key. */
struct plan_message *plan_find(const struct plan *plan, const struct cfg_node *map,
                               const char *name);

/* All messages into the tables of the bus. Returns 0 or a negative errno. */
int plan_compile(const struct plan *plan, struct bus *bus);

#endif

/* The numbers that make up a state, each with a name: what is hashed, compared and counted.
 *
 * A state is plain memory; a table of these says what lies where. What is not in the table is no
 * state: outputs kept for the next call, padding. */
#ifndef SKIDPAD_MODEL_STATE_INFO_H
#define SKIDPAD_MODEL_STATE_INFO_H

#include <stddef.h>
#include <stdint.h>

enum state_type { STATE_f64, STATE_i64, STATE_u64, STATE_i32, STATE_u32 };

/* What a number is to a solver. */
enum state_kind {
    STATE_PLACE,  /* its rate is a speed */
    STATE_SPEED,  /* its rate is an acceleration */
    STATE_LAG,    /* of first order: a pressure, a deflection of a tyre, a filter */
    STATE_MEMORY, /* has no rate: counters, flags, guesses, random generators */
    STATE_KINDS
};

/* How the numbers of an array are called. */
enum state_label { STATE_ONE, STATE_WHEELS, STATE_AXES, STATE_QUATERNION, STATE_NUMBERED };

struct state_info {
    const char *name, *unit;
    double scale; /* a usual change of it, for tolerances */
    uint32_t offset, count;
    uint8_t kind, type, label; /* enum state_kind, state_type, state_label */
};

struct state_table {
    const struct state_info *info;
    size_t count;
};

/* An entry of the member of a struct: STATE(struct car, travel_m, f64, WHEELS, PLACE, "m", 0.01) */
#define STATE(of, member, type, label, kind, unit, scale)                                          \
    {                                                                                              \
#member, unit, scale, (uint32_t)offsetof(of, member),                                      \
            (uint32_t)(sizeof(((of *)0)->member) / STATE_BYTES_##type), STATE_##kind,              \
            STATE_##type, STATE_##label                                                            \
    }
#define STATE_BYTES_f64 8u
#define STATE_BYTES_i64 8u
#define STATE_BYTES_u64 8u
#define STATE_BYTES_i32 4u
#define STATE_BYTES_u32 4u

/* Goes on with a hash over the values, in the order of the table: the same on every machine, and
 * whatever else lies in the memory. */
uint64_t state_hash(const struct state_table *t, const void *state, uint64_t hash);

/* Numbers of a kind, or of all with STATE_KINDS. */
size_t state_count(const struct state_table *t, int kind);

/* The i-th number of an entry as a double. */
double state_value(const struct state_info *info, const void *state, uint32_t i);

#endif

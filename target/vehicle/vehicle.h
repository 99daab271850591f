/* A car as loaded: its model, what others know of it, and its sensors.
 *
 * One block of memory: free() ends it, whoever holds it. Const for the real-time thread. */
#ifndef SKIDPAD_VEHICLE_VEHICLE_H
#define SKIDPAD_VEHICLE_VEHICLE_H

#include "target/model/model_load.h"
#include "target/model/sensors.h"
#include "target/vehicle/model_memory.h"

enum { VEHICLE_NAME = 80 };

struct vehicle {
    char name[VEHICLE_NAME];
    uint64_t content;   /* hash of what the file says, and the files it names */
    struct setup setup; /* what of the file was changed */
    const struct model_kind *kind;
    const struct model_ops *ops; /* of the kind */
    void *model;                 /* behind this struct, in the same block */
    size_t model_bytes;
    struct car_facts facts;
    struct sensors_model sensors;
};

/* A zeroed block for a model of this size; NULL: out of memory. */
struct vehicle *vehicle_new(size_t model_bytes);
/* Puts the model into its place and fills the facts, whose pointers lead there. */
void vehicle_settle(struct vehicle *v, const struct model_kind *kind, const void *model);
/* Whether two cars are the same to the bit. */
bool vehicle_same(const struct vehicle *a, const struct vehicle *b);
/* A copy with a block of its own; NULL: out of memory. */
struct vehicle *vehicle_copy(const struct vehicle *v);

/* The car at rest on a level plane. Returns 0 or -ENOMEM. */
int vehicle_at_rest(const struct vehicle *v, struct plant_out *out);

#endif

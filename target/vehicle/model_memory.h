/* State and scratch of a model: one block, aligned, zeroed and touched once. */
#ifndef SKIDPAD_VEHICLE_MODEL_MEMORY_H
#define SKIDPAD_VEHICLE_MODEL_MEMORY_H

#include "target/model/model.h"

struct model_memory {
    void *state, *scratch; /* scratch is NULL where the model needs none */
    size_t state_bytes;
};

/* Returns 0 or -ENOMEM. */
int model_memory_open(struct model_memory *m, const struct model_ops *ops, const void *model);
void model_memory_close(struct model_memory *m);

#endif

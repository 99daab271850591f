/* The inside of a car that is known to be a lumped15, for tests of that model. */
#ifndef SKIDPAD_TESTS_LUMPED15_OF_H
#define SKIDPAD_TESTS_LUMPED15_OF_H

#include "target/model/lumped15/lumped15.h"
#include "target/offline.h"

#include <assert.h>

/* After a change of the model the facts are those from before. */
static inline struct lumped15_model *lumped15_of(const struct vehicle *v)
{
    assert(v->ops == &lumped15_ops);
    return v->model;
}

static inline struct lumped15_state *lumped15_state_of(const struct offline *o)
{
    assert(o->vehicle->ops == &lumped15_ops);
    return o->plant.state;
}

#endif

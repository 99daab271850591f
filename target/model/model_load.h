/* A kind of model: how a vehicle file becomes one, and what can be studied of it outside real
 * time. The registry (target/vehicle/registry.c) lists all kinds. */
#ifndef SKIDPAD_MODEL_MODEL_LOAD_H
#define SKIDPAD_MODEL_MODEL_LOAD_H

#include "shared/config/config.h"
#include "shared/wire/setup.h"
#include "target/model/model.h"
#include "target/model/steady_load.h"

#include <stdbool.h>

enum { MODEL_AS_FILE = -1 };

/* What a caller may set in place of the file. */
struct model_options {
    double step_s;             /* of the plant: forward Euler's substeps depend on it */
    int integrator;            /* enum model_integrator, or MODEL_AS_FILE */
    const struct setup *setup; /* never NULL */
};

struct model_kind {
    const struct model_ops *ops;
    /* A new model, aligned_alloc'ed to MODEL_ALIGNMENT, from the root of a vehicle file; NULL if
     * memory ran out. Mistakes become messages. Reads every key but kind, model, name and sensors.
     */
    void *(*load)(const struct cfg_node *root, const struct model_options *options, size_t *bytes);
    uint32_t setup;   /* bits of enum setup_id: what of the set-up it knows */
    bool needs_plane; /* it drives on planes only: the session refuses other ground */
    /* What follows from the file, for `skidpad check`, besides what every car has. Returns 0 or a
     * negative errno. NULL: nothing. */
    int (*check)(const void *model, double step_s, FILE *to);
    const struct steady_ops *steady; /* NULL: it has no steady turns */
};

#endif

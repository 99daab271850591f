#include "target/vehicle/model_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t rounded(size_t bytes)
{
    return (bytes + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT * MODEL_ALIGNMENT;
}

int model_memory_open(struct model_memory *m, const struct model_ops *ops, const void *model)
{
    size_t state = ops->state_size(model);
    size_t scratch = ops->scratch_size ? ops->scratch_size(model) : 0;
    size_t bytes = rounded(state) + rounded(scratch);
    char *block = aligned_alloc(MODEL_ALIGNMENT, bytes);
    *m = (struct model_memory){0};
    if (!block)
        return -ENOMEM;
    memset(block, 0, bytes);
    m->state = block;
    m->scratch = scratch > 0 ? block + rounded(state) : NULL;
    m->state_bytes = state;
    return 0;
}

void model_memory_close(struct model_memory *m)
{
    free(m->state);
    *m = (struct model_memory){0};
}

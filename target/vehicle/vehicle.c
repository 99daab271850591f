#include "target/vehicle/vehicle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Behind the vehicle, so that both are one block. */
static size_t model_offset(void)
{
    return (sizeof(struct vehicle) + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT * MODEL_ALIGNMENT;
}

struct vehicle *vehicle_new(size_t model_bytes)
{
    size_t bytes = model_offset() + model_bytes;
    bytes = (bytes + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT * MODEL_ALIGNMENT;
    struct vehicle *v = aligned_alloc(MODEL_ALIGNMENT, bytes);
    if (!v)
        return NULL;
    memset(v, 0, bytes);
    v->model = (char *)v + model_offset();
    v->model_bytes = model_bytes;
    return v;
}

void vehicle_settle(struct vehicle *v, const struct model_kind *kind, const void *model)
{
    v->kind = kind;
    v->ops = kind->ops;
    memcpy(v->model, model, v->model_bytes);
    v->ops->facts(v->model, &v->facts);
}

bool vehicle_same(const struct vehicle *a, const struct vehicle *b)
{
    return a->kind == b->kind && a->content == b->content && a->model_bytes == b->model_bytes &&
           memcmp(a->model, b->model, a->model_bytes) == 0 &&
           memcmp(&a->sensors, &b->sensors, sizeof a->sensors) == 0 &&
           memcmp(&a->setup, &b->setup, sizeof a->setup) == 0 && strcmp(a->name, b->name) == 0;
}

struct vehicle *vehicle_copy(const struct vehicle *v)
{
    struct vehicle *c = vehicle_new(v->model_bytes);
    if (!c)
        return NULL;
    memcpy(c->name, v->name, sizeof c->name);
    c->content = v->content;
    c->setup = v->setup;
    c->sensors = v->sensors;
    vehicle_settle(c, v->kind, v->model);
    return c;
}

static void level(const void *road, double x_m, double y_m, struct ground_point *out)
{
    (void)road;
    (void)x_m;
    (void)y_m;
    *out = (struct ground_point){.normal = {0.0, 0.0, 1.0}, .friction = 1.0};
}

int vehicle_at_rest(const struct vehicle *v, struct plant_out *out)
{
    const struct ground ground = {.query = level};
    const struct plant_start start = {.speed_mps = 0.0};
    struct model_memory m;
    if (model_memory_open(&m, v->ops, v->model))
        return -ENOMEM;
    v->ops->reset(v->model, m.state, m.scratch, &start, &ground);
    v->ops->output(v->model, m.state, out);
    model_memory_close(&m);
    return 0;
}

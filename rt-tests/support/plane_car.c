#include "rt-tests/support/plane_car.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void plane_car_take(struct plane_car *c, struct vehicle *v, double step_s)
{
    memset(c, 0, sizeof *c);
    c->v = v;
    c->step_s = step_s;
    plane_defaults(&c->road);
    assert_int_equal(model_memory_open(&c->mem, v->ops, v->model), 0);
}

void plane_car_open(struct plane_car *c, const char *name, const char *model, double step_s)
{
    char path[256];
    const struct cfg_change change = {"model", model};
    const struct vehicle_options options = {
        .step_s = step_s, .integrator = VEHICLE_AS_FILE, .change = &change, .changes = 1};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    (void)snprintf(path, sizeof path, "config/vehicles/%s.yaml", name);
    int bad = vehicle_load(path, &options, &v, &doc);
    if (bad && doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    if (bad)
        fail_msg("%s cannot be loaded as %s", path, model);
    plane_car_take(c, v, step_s);
}

void plane_car_reset(struct plane_car *c, double speed_mps, int32_t gear)
{
    const struct plant_start start = {.speed_mps = speed_mps, .gear = gear};
    c->ground = plane_ground(&c->road);
    memset(&c->in, 0, sizeof c->in);
    c->in.gear = gear;
    c->in.brake = PLANT_BRAKE_PRESSURES;
    c->v->ops->reset(c->v->model, c->mem.state, c->mem.scratch, &start, &c->ground);
    c->v->ops->output(c->v->model, c->mem.state, &c->o);
}

void plane_car_step(struct plane_car *c)
{
    c->v->ops->step(c->v->model, c->mem.state, c->mem.scratch, &c->in, &c->ground, c->step_s);
    c->v->ops->output(c->v->model, c->mem.state, &c->o);
    assert_int_equal(c->o.fault, 0);
}

void plane_car_for(struct plane_car *c, double time_s)
{
    for (int n = 0; n * c->step_s < time_s - 0.5 * c->step_s; n++)
        plane_car_step(c);
}

void plane_car_close(struct plane_car *c)
{
    free(c->v);
    model_memory_close(&c->mem);
    memset(c, 0, sizeof *c);
}

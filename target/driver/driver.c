#include "target/driver/driver.h"

#include <string.h>

void driver_init(struct driver_model *m, const struct driver_settings *set,
                 const struct car_facts *car, const struct path *path)
{
    memset(m, 0, sizeof *m);
    m->kind = set->kind;
    if (m->kind == DRIVER_PREVIEW)
        preview_init(&m->preview, &set->preview, car, path);
    else
        position_init(&m->position, &set->position, car, path);
}

void driver_take_car(struct driver_model *m, const struct car_facts *car)
{
    m->position.car = car;
    m->preview.car = car;
}

void driver_reset(struct driver_state *s)
{
    position_reset(NULL, &s->position);
    preview_reset(&s->preview);
}

void driver_step(const struct driver_model *m, struct driver_state *s, const struct plant_out *now,
                 double dt_s, struct plant_in *in)
{
    if (m->kind == DRIVER_PREVIEW)
        preview_step(&m->preview, &s->preview, now, dt_s, in);
    else
        position_step(&m->position, &s->position, now, dt_s, in);
}

void driver_let_steer(struct driver_state *s, double hand_rad)
{
    s->position.hand_rad = hand_rad;
    s->preview.hand_rad = hand_rad;
}

double driver_along_m(const struct driver_model *m, const struct driver_state *s)
{
    return m->kind == DRIVER_PREVIEW ? s->preview.along_m : s->position.along_m;
}

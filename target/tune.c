#include "target/tune.h"

#include "shared/base/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tune_open(struct tune *t, const struct offline *car)
{
    *t = (struct tune){.car = car, .now = car->vehicle->setup, .like = vehicle_copy(car->vehicle)};
    return t->like ? 0 : -ENOMEM;
}

/* A file that was edited since the start would bring more than was asked for. */
static int check_files(const struct tune *t, struct err *e)
{
    struct vehicle *again = offline_vehicle(t->car, &t->like->setup);
    bool same = again && vehicle_same(again, t->like);
    free(again);
    return same ? 0
                : err_set(e, -EINVAL, "%s has changed since the start: start the run again",
                          t->car->vehicle_path);
}

static int check_value(const struct setup_info *s, double value, struct err *e)
{
    bool plain = strcmp(s->unit, "1") == 0;
    if (value >= s->low && value <= s->high)
        return 0;
    return err_set(e, -ERANGE, "%s must be between %g and %g%s%s", s->name, s->low, s->high,
                   plain ? "" : " ", plain ? "" : s->unit);
}

static const char *nearest(const char *name)
{
    const char *names[SETUP_COUNT];
    for (int i = 0; i < SETUP_COUNT; i++)
        names[i] = setup_table[i].name;
    return nearest_word(name, names, SETUP_COUNT);
}

int tune_build(struct tune *t, const char *name, double value, struct vehicle **out, struct err *e)
{
    int i = setup_find(name);
    *out = NULL;
    if (i < 0) {
        const char *near = nearest(name);
        return err_set(e, -ENOENT, "nothing of the set-up is called \"%s\"%s%s%s", name,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    if (!(t->car->vehicle->kind->setup >> (unsigned)i & 1u))
        return err_set(e, -ENOTSUP, "%s: the model %s has nothing of that kind", name,
                       t->car->vehicle->ops->name);
    int bad = check_value(&setup_table[i], value, e);
    if (!bad)
        bad = check_files(t, e);
    if (bad)
        return bad;
    t->wanted = t->now;
    t->wanted.value[i] = value;
    *out = offline_vehicle(t->car, &t->wanted);
    return *out ? 0 : err_set(e, -EINVAL, "the car cannot be built so");
}

void tune_commit(struct tune *t)
{
    t->now = t->wanted;
}

void tune_close(struct tune *t)
{
    free(t->like);
    *t = (struct tune){0};
}

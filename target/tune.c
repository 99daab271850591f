#include "target/tune.h"

#include "shared/base/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct vehicle *copy(const struct vehicle *v)
{
    struct vehicle *c = aligned_alloc(_Alignof(struct vehicle), sizeof *c);
    if (c)
        memcpy(c, v, sizeof *c);
    return c;
}

int tune_open(struct tune *t, struct loop *loop)
{
    *t = (struct tune){.loop = loop, .now = loop->car->vehicle->setup};
    (void)pthread_mutex_init(&t->lock, NULL);
    t->like = copy(loop->car->vehicle);
    if (!t->like)
        return -ENOMEM;
    loop->tune = t;
    return 0;
}

/* What the loop is done with. */
static void collect(struct tune *t)
{
    free(atomic_exchange(&t->loop->vehicle_old, NULL));
}

/* A file that was edited since the start would bring more than was asked for. */
static int check_files(const struct tune *t, struct err *e)
{
    struct vehicle *again = offline_vehicle(t->loop->car, &t->like->setup);
    bool same = again && memcmp(again, t->like, sizeof *again) == 0;
    free(again);
    return same ? 0
                : err_set(e, -EINVAL, "%s has changed since the start: start the run again",
                          t->loop->car->vehicle_path);
}

int tune_set(struct tune *t, const struct setup *wanted, struct err *e)
{
    for (int i = 0; i < SETUP_COUNT; i++) {
        const struct setup_info *s = &setup_table[i];
        if (!(wanted->value[i] >= s->low && wanted->value[i] <= s->high))
            return err_set(e, -ERANGE, "%s must be between %g and %g%s%s", s->name, s->low, s->high,
                           strcmp(s->unit, "1") == 0 ? "" : " ",
                           strcmp(s->unit, "1") == 0 ? "" : s->unit);
    }
    int bad = check_files(t, e);
    if (bad)
        return bad;
    struct vehicle *next = offline_vehicle(t->loop->car, wanted);
    if (!next)
        return err_set(e, -EINVAL, "the car cannot be built so");
    collect(t);
    /* One that the loop has not taken yet is outdated. */
    free(atomic_exchange(&t->loop->vehicle_next, next));
    t->now = *wanted;
    return 0;
}

static const char *nearest(const char *name)
{
    const char *names[SETUP_COUNT];
    for (int i = 0; i < SETUP_COUNT; i++)
        names[i] = setup_table[i].name;
    return nearest_word(name, names, SETUP_COUNT);
}

int tune_set_one(struct tune *t, const char *name, double value, struct err *e)
{
    int i = setup_find(name);
    if (i < 0) {
        const char *near = nearest(name);
        return err_set(e, -ENOENT, "nothing of the set-up is called \"%s\"%s%s%s", name,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    (void)pthread_mutex_lock(&t->lock);
    struct setup wanted = t->now;
    wanted.value[i] = value;
    int bad = tune_set(t, &wanted, e);
    (void)pthread_mutex_unlock(&t->lock);
    return bad;
}

void tune_tend(struct tune *t)
{
    (void)pthread_mutex_lock(&t->lock);
    collect(t);
    (void)pthread_mutex_unlock(&t->lock);
}

void tune_close(struct tune *t)
{
    if (!t->loop)
        return;
    collect(t);
    free(atomic_exchange(&t->loop->vehicle_next, NULL));
    free(t->like);
    (void)pthread_mutex_destroy(&t->lock);
    t->loop->tune = NULL;
    *t = (struct tune){0};
}

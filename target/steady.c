#include "target/steady.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum steady_sort steady_sort(const struct steady_point *p)
{
    if (!(p->unsettled < 1e-3))
        return STEADY_NOT_FOUND;
    return p->rest_mps2 < STEADY_ENOUGH_MPS2 ? STEADY_IS : STEADY_BEYOND;
}

int steady_open(struct steady *s, const struct vehicle *car, double friction, enum steady_hold hold)
{
    *s = (struct steady){.car = car, .ops = car->kind->steady};
    if (!s->ops)
        return -ENOTSUP;
    size_t blocks = (s->ops->bytes + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT;
    s->solver = aligned_alloc(MODEL_ALIGNMENT, blocks * MODEL_ALIGNMENT);
    if (!s->solver)
        return -ENOMEM;
    s->ops->open(s->solver, car->model, friction, hold);
    return 0;
}

void steady_solve(struct steady *s, double speed_mps, double curvature_1pm,
                  struct steady_point *out)
{
    s->ops->solve(s->solver, speed_mps, curvature_1pm, out);
}

void steady_keep(const struct steady *s, double guess[STEADY_GUESS])
{
    size_t count;
    const double *now = s->ops->guess(s->solver, &count);
    memcpy(guess, now, count * sizeof *now);
}

void steady_go_back(struct steady *s, const double guess[STEADY_GUESS])
{
    size_t count;
    double *now = s->ops->guess(s->solver, &count);
    memcpy(now, guess, count * sizeof *now);
}

void steady_close(struct steady *s)
{
    free(s->solver);
    *s = (struct steady){0};
}

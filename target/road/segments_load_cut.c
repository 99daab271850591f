/* Arc lengths at which a road is cut. */
#include "target/road/segments_load_plan.h"

#include <errno.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int cut(struct cuts *c, double s_m)
{
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 1024;
        if (room > PLAN_PIECES_MAX)
            return -E2BIG;
        double *more = realloc(c->s_m, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        c->s_m = more;
        c->room = room;
    }
    c->s_m[c->count++] = s_m;
    return 0;
}

void cuts_finish(struct cuts *c, double length_m, double apart_m)
{
    size_t kept = 0;
    qsort(c->s_m, c->count, sizeof *c->s_m, by_size);
    for (size_t i = 0; i < c->count; i++) {
        double s_m = c->s_m[i];
        if (s_m < 0.0 || s_m > length_m || (kept && s_m < c->s_m[kept - 1] + apart_m))
            continue;
        c->s_m[kept++] = s_m;
    }
    c->s_m[kept - 1] = length_m; /* what was merged into the end is the end */
    c->count = kept;
}

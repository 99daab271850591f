/* Strips: the road cut across at the sides of the areas and bumps that it has there. */
#include "target/model/math/scalar.h"
#include "target/road/segments_load_plan.h"

#include <math.h>
#include <stdlib.h>

/* An area or a bump. */
struct patch {
    double from_m, to_m, right_m, left_m;
    int32_t area, bump; /* numbers of the lists; -1: it is none */
};

/* All of them in the order of their begin, and those that the slice at hand has. */
struct patches {
    const struct plan *plan;
    struct patch *all;
    const struct patch **here;
    double *side_m;
    size_t count, next, active;
};

static int by_begin(const void *a, const void *b)
{
    double x = ((const struct patch *)a)->from_m, y = ((const struct patch *)b)->from_m;
    return (x > y) - (x < y);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void patches_close(struct patches *s)
{
    if (!s)
        return;
    free(s->all);
    free(s->here);
    free(s->side_m);
    free(s);
}

struct patches *patches_open(const struct plan *p)
{
    size_t count = p->areas + p->bumps;
    struct patches *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->plan = p;
    s->all = calloc(count + 1, sizeof *s->all);
    s->here = calloc(count + 1, sizeof(struct patch *));
    s->side_m = calloc(2 * count + 1, sizeof *s->side_m);
    if (!s->all || !s->here || !s->side_m) {
        patches_close(s);
        return NULL;
    }
    for (size_t i = 0; i < p->areas; i++) {
        const struct segments_area *a = &p->area[i];
        s->all[s->count++] =
            (struct patch){a->from_m, a->to_m, a->right_m, a->left_m, (int32_t)i, -1};
    }
    for (size_t i = 0; i < p->bumps; i++) {
        const struct plan_bump *b = &p->bump[i];
        s->all[s->count++] =
            (struct patch){b->from_m, b->to_m, b->right_m, b->left_m, -1, (int32_t)i};
    }
    qsort(s->all, s->count, sizeof *s->all, by_begin);
    return s;
}

void patches_rewind(struct patches *s)
{
    s->next = s->active = 0;
}

/* Goes on to a slice behind the last one. */
static void patches_at(struct patches *s, double mid_m)
{
    size_t kept = 0;
    while (s->next < s->count && s->all[s->next].from_m < mid_m)
        s->here[s->active++] = &s->all[s->next++];
    for (size_t i = 0; i < s->active; i++)
        if (s->here[i]->to_m > mid_m)
            s->here[kept++] = s->here[i];
    s->active = kept;
}

/* The sides of the strips, from right to left; those that nobody named are no sides. */
static size_t sides_of(const struct patches *s)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < s->active; i++) {
        if (s->here[i]->right_m > -PLAN_ASIDE_M)
            s->side_m[count++] = s->here[i]->right_m;
        if (s->here[i]->left_m < PLAN_ASIDE_M)
            s->side_m[count++] = s->here[i]->left_m;
    }
    qsort(s->side_m, count, sizeof *s->side_m, by_size);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || s->side_m[i] > s->side_m[kept - 1])
            s->side_m[kept++] = s->side_m[i];
    return kept;
}

/* Height and slope of a bump at an arc length, (R-8). */
static void bump_at(const struct plan_bump *b, double s_m, double out[2])
{
    double up = (s_m - b->from_m) / b->edge_m, down = (b->to_m - s_m) / b->edge_m;
    double u = clamp01(at_most(up, down));
    out[0] = b->height_m * u * u * (3.0 - 2.0 * u);
    out[1] = b->height_m * 6.0 * u * (1.0 - u) / b->edge_m * (up < down ? 1.0 : -1.0);
}

static void add_bump(const struct plan_bump *b, double from_m, double to_m,
                     struct segments_strip *s)
{
    double begin[2], end[2], c[4];
    bump_at(b, from_m, begin);
    bump_at(b, to_m, end);
    hermite_between(begin, end, to_m - from_m, c);
    for (int i = 0; i < 4; i++)
        s->z_bank[i][0] += c[i];
}

static void add_area(const struct segments_area *a, int32_t number, struct segments_strip *s)
{
    s->area = number;
    s->weather = (int16_t)a->weather;
    s->friction[0] = a->friction[0];
    s->friction[1] = a->friction[1];
    s->chequers = a->cells_1pm[0] > 0.0;
    s->per_cell_1pm = (v2){a->cells_1pm[0], a->cells_1pm[1]};
    s->begin = (v2){-a->from_m, -a->right_m} * s->per_cell_1pm;
}

/* The strip around offset n of a slice. */
static struct segments_strip strip_of(const struct patches *s, double from_m, double to_m,
                                      double n_m)
{
    const struct plan *p = s->plan;
    struct segments_strip out = {
        .weather = (int16_t)p->weather, .area = -1, .friction = {p->friction, p->friction}};
    double z_m[4], bank[4];
    hermite_cubic(&p->elevation, from_m, to_m, z_m);
    hermite_cubic(&p->bank, from_m, to_m, bank);
    for (int i = 0; i < 4; i++)
        out.z_bank[i] = (v2){z_m[i], bank[i]};
    for (size_t i = 0; i < s->active; i++) {
        const struct patch *q = s->here[i];
        bool is_right = q->right_m > -PLAN_ASIDE_M && n_m < q->right_m;
        bool is_left = q->left_m < PLAN_ASIDE_M && n_m >= q->left_m;
        if (is_right || is_left)
            continue;
        if (q->area >= 0)
            add_area(&p->area[q->area], q->area, &out);
        else
            add_bump(&p->bump[q->bump], from_m, to_m, &out);
    }
    return out;
}

size_t strips_of(struct patches *s, double from_m, double to_m, struct segments_strip *out)
{
    patches_at(s, 0.5 * (from_m + to_m));
    size_t sides = sides_of(s);
    for (size_t i = 0; out && i <= sides; i++) {
        double right_m = i > 0 ? s->side_m[i - 1] : s->side_m[0] - 1.0;
        double left_m = i < sides ? s->side_m[i] : right_m + 1.0;
        out[i] = strip_of(s, from_m, to_m, 0.5 * (right_m + left_m));
        out[i].left_m = i < sides ? left_m : (double)NAN;
    }
    return sides + 1;
}

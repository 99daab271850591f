#include "target/scenario/parameters.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

int parameters_find(const struct parameters *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (same_text(p->name[i], name))
            return i;
    return -1;
}

bool parameters_set(struct parameters *p, const char *name, double value, struct expr_dim dim)
{
    int i = parameters_find(p, name);
    if (i < 0) {
        if (p->count == PARAMETERS)
            return false;
        i = p->count++;
        size_t k = 0;
        for (; name[k] && k + 1 < PARAMETER_NAME; k++)
            p->name[i][k] = name[k];
        p->name[i][k] = '\0';
    }
    p->value[i] = value;
    p->dim[i] = dim;
    return true;
}

int plan_count(const struct series_plan *s)
{
    int count = 1;
    for (int i = 0; i < s->names; i++)
        count *= s->name[i].count;
    return count;
}

void plan_at(const struct series_plan *s, int i, struct parameters *p)
{
    for (int k = s->names - 1; k >= 0; k--) {
        const struct series_name *n = &s->name[k];
        (void)parameters_set(p, n->name, n->value[i % n->count], n->dim);
        i /= n->count;
    }
}

#include "target/model/math/table1_load.h"

#include <stdlib.h>

bool table1_load(const struct cfg_node *map, const char *key, struct table1 *t)
{
    size_t rows = 0;
    double *v = cfg_table(map, key, 2, 2, &rows);
    if (!v)
        return false;
    if (rows > TABLE1_MAX) {
        cfg_complain(map, key, "has %zu rows, at most %d are allowed", rows, TABLE1_MAX);
        free(v);
        return false;
    }
    t->count = (int)rows;
    for (size_t i = 0; i < rows; i++) {
        t->x[i] = v[2 * i];
        t->y[i] = v[2 * i + 1];
    }
    free(v);
    table1_finish(t);
    return true;
}

#include "target/model/math/table1.h"

void table1_finish(struct table1 *t)
{
    t->integral[0] = 0.0;
    for (int i = 0; i + 1 < t->count; i++) {
        double dx = t->x[i + 1] - t->x[i];
        t->slope[i] = (t->y[i + 1] - t->y[i]) / dx;
        t->integral[i + 1] = t->integral[i] + 0.5 * (t->y[i] + t->y[i + 1]) * dx;
    }
    t->slope[t->count - 1] = t->slope[t->count - 2];
}

void table1_line(struct table1 *t, double x0, double y0, double slope)
{
    t->count = 2;
    t->x[0] = x0;
    t->y[0] = y0;
    t->x[1] = x0 + 1.0;
    t->y[1] = y0 + slope;
    table1_finish(t);
}

double table1_integral(const struct table1 *t, double x)
{
    int i = table1_piece(t, x);
    double dx = x - t->x[i];
    return t->integral[i] + dx * (t->y[i] + 0.5 * t->slope[i] * dx);
}

/* A piecewise linear table y(x), continued with its end slopes outside. With value, slope and
 * integral, so that a spring given as a table has an exact potential energy. */
#ifndef SKIDPAD_MODEL_MATH_TABLE1_H
#define SKIDPAD_MODEL_MATH_TABLE1_H

enum { TABLE1_MAX = 40 };

struct table1 {
    int count;            /* points; at least 2 */
    int reserved;         /* no padding */
    double x[TABLE1_MAX]; /* strictly increasing */
    double y[TABLE1_MAX];
    double slope[TABLE1_MAX];    /* of the piece from point i to i + 1; last one repeated */
    double integral[TABLE1_MAX]; /* of y from x[0] to x[i] */
};

/* Fills slope and integral from count, x and y. */
void table1_finish(struct table1 *t);

/* A straight line through (x0, y0). */
void table1_line(struct table1 *t, double x0, double y0, double slope);

/* The piece that holds x; bounded by the number of points. */
static inline int table1_piece(const struct table1 *t, double x)
{
    int i = 0;
    while (i < t->count - 2 && x >= t->x[i + 1])
        i++;
    return i;
}

/* y(x); *slope gets dy/dx. */
static inline double table1_at(const struct table1 *t, double x, double *slope)
{
    int i = table1_piece(t, x);
    *slope = t->slope[i];
    return t->y[i] + t->slope[i] * (x - t->x[i]);
}

/* The integral of y from x[0] to x. */
double table1_integral(const struct table1 *t, double x);

#endif

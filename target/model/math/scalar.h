/* Bounds of numbers, inline; unlike fmin and fmax they are one instruction and pass the bound on
 * when x is not a number. */
#ifndef SKIDPAD_MODEL_MATH_SCALAR_H
#define SKIDPAD_MODEL_MATH_SCALAR_H

static inline double at_least(double x, double low)
{
    return x > low ? x : low;
}

static inline double at_most(double x, double high)
{
    return x < high ? x : high;
}

static inline double between(double x, double low, double high)
{
    return x > low ? (x < high ? x : high) : low;
}

static inline double clamp01(double x)
{
    return between(x, 0.0, 1.0);
}

/* Dry friction over a step: the speed comes down by at most bite, and stays at zero. */
static inline double shrink(double x, double bite)
{
    return x > bite ? x - bite : x < -bite ? x + bite : 0.0;
}

/* Linear in a table of equal steps over u = 0..1. */
static inline double look_up01(const double *table, int count, double u)
{
    double x = between(u, 0.0, 1.0) * (double)(count - 1);
    int i = (int)x < count - 1 ? (int)x : count - 2;
    return table[i] + (x - (double)i) * (table[i + 1] - table[i]);
}

#endif

#include "target/road/hermite_load.h"

#include <errno.h>
#include <stdlib.h>

/* Harmonic mean of the slopes on both sides, 0 at a peak. */
static double inner_slope(const struct hermite *h, size_t i)
{
    double w0 = h->x[i] - h->x[i - 1], w1 = h->x[i + 1] - h->x[i];
    double d0 = (h->y[i] - h->y[i - 1]) / w0, d1 = (h->y[i + 1] - h->y[i]) / w1;
    if (!(d0 * d1 > 0.0))
        return 0.0;
    return (w0 + w1) / ((w0 + 2.0 * w1) / (3.0 * d0) + (2.0 * w0 + w1) / (3.0 * d1));
}

int hermite_build(const double *rows, size_t count, size_t columns, size_t column, bool level_ends,
                  struct hermite *h)
{
    *h = (struct hermite){0};
    if (count == 0)
        return 0;
    h->x = malloc(3 * count * sizeof *h->x);
    if (!h->x)
        return -ENOMEM;
    h->count = count;
    h->y = h->x + count;
    h->slope = h->y + count;
    for (size_t i = 0; i < count; i++) {
        h->x[i] = rows[i * columns];
        h->y[i] = rows[i * columns + column];
        h->slope[i] = 0.0;
    }
    for (size_t i = 1; i + 1 < count; i++)
        h->slope[i] = inner_slope(h, i);
    if (count > 1 && !level_ends) {
        h->slope[0] = (h->y[1] - h->y[0]) / (h->x[1] - h->x[0]);
        h->slope[count - 1] =
            (h->y[count - 1] - h->y[count - 2]) / (h->x[count - 1] - h->x[count - 2]);
    }
    return 0;
}

void hermite_free(struct hermite *h)
{
    free(h->x);
    *h = (struct hermite){0};
}

void hermite_at(const struct hermite *h, double x, double *y, double *slope)
{
    *y = *slope = 0.0;
    if (h->count == 0)
        return;
    size_t low = 0, high = h->count - 1;
    if (!(x > h->x[low]) || x >= h->x[high]) {
        size_t end = x >= h->x[high] ? high : low;
        /* Straight on: a road that ends uphill goes on uphill. */
        *slope = h->slope[end];
        *y = h->y[end] + (x - h->x[end]) * *slope;
        return;
    }
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (x >= h->x[middle])
            low = middle;
        else
            high = middle;
    }
    double w = h->x[high] - h->x[low], u = (x - h->x[low]) / w;
    double m0 = h->slope[low] * w, m1 = h->slope[high] * w, rise = h->y[high] - h->y[low];
    double c2 = 3.0 * rise - 2.0 * m0 - m1, c3 = m0 + m1 - 2.0 * rise;
    *y = h->y[low] + u * (m0 + u * (c2 + u * c3));
    *slope = (m0 + u * (2.0 * c2 + u * 3.0 * c3)) / w;
}

void hermite_between(const double begin[2], const double end[2], double length, double c[4])
{
    double half = 0.5 * length, sum = 0.5 * (end[0] + begin[0]), gap = 0.5 * (end[0] - begin[0]);
    double slope_sum = 0.5 * (end[1] + begin[1]) * half;
    double slope_gap = 0.5 * (end[1] - begin[1]) * half;
    double b2 = 0.5 * slope_gap, b3 = 0.5 * (slope_sum - gap);
    c[0] = sum - b2;
    c[1] = (gap - b3) / half;
    c[2] = b2 / (half * half);
    c[3] = b3 / (half * half * half);
}

void hermite_cubic(const struct hermite *h, double from, double to, double c[4])
{
    double begin[2], end[2];
    hermite_at(h, from, &begin[0], &begin[1]);
    hermite_at(h, to, &end[0], &end[1]);
    hermite_between(begin, end, to - from, c);
}
